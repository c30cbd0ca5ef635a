// Manifests as bytes: what is read back, what is rejected and why, and which shard a number belongs to.

import CallManifest
import CallStoreFormat
import Foundation
import Hashing
import Testing

@Suite("Manifest")
struct ManifestTests {
  /// A shard with one number, its first.
  static func shard(_ id: Int, from: UInt64) -> Manifest.Shard {
    let hash = [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 32)
    let counts = KindCounts(identification: 1)
    let store = Manifest.Store(
      name: ManifestNames.shard(id, hash), bytes: 1, sha256: Hexadecimal.text(hash),
      contentHash: Hexadecimal.text(hash), first: from, last: from, records: counts, entries: counts)
    let labels = Manifest.Labels(
      count: 1, list: [Manifest.Labels.LabelCount(label: "bank", records: 1, entries: 1)])
    return Manifest.Shard(id: id, from: from, store: store, labels: labels)
  }

  static let shards = [shard(1, from: 1), shard(2, from: 20), shard(3, from: 30)]

  /// The reason why bytes are rejected; nil if they are accepted.
  static func error(_ bytes: [UInt8]) -> ManifestError? {
    do throws(ManifestError) {
      _ = try Manifest(bytes: bytes)
      return nil
    } catch {
      return error
    }
  }

  /// The reason why a manifest with these shards is rejected; nil if it is accepted.
  static func error(_ shards: [Manifest.Shard]) -> ManifestError? {
    error(Manifest(shards: shards, maxEntries: 10).json)
  }

  @Test("long arrays are encoded in pieces, as the same bytes", arguments: [0, 1, 511, 512, 513, 2_000])
  func pieces(count: Int) throws {
    var manifest = Manifest(shards: Self.shards, maxEntries: 10)
    manifest.sources = (0..<count).map { index in
      let name = ["plain", "a\"b\\", "two\nlines", "\"sources\" : [\n\n  ]", "", "骚扰"][index % 6]
      return Manifest.Source(
        name: name, bytes: UInt64(index), sha256: index % 3 == 0 ? nil : String(repeating: "a", count: 64))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    #expect(manifest.json == Array(try encoder.encode(manifest)) + [UInt8(ascii: "\n")])
  }

  @Test("a written manifest is read back, and written again as the same bytes")
  func roundTrip() throws {
    var manifest = Manifest(shards: Self.shards, maxEntries: 10)
    manifest.date = "2026-03-31"
    manifest.sources = [Manifest.Source(name: "a\"b", bytes: 3, sha256: nil)]
    manifest.rows = Manifest.RowCounts(read: 5, rejects: 1, duplicates: 1, leftOut: 0, removed: 0)
    let bytes = manifest.json
    let read = try Manifest(bytes: bytes)
    #expect(read == manifest)
    #expect(read.json == bytes)
    #expect(Self.error([Manifest.Shard]()) == nil)
  }

  @Test("what is not a manifest is rejected as such")
  func otherFiles() {
    for text in ["", "<html>", "{", "{} {}"] {
      guard case .notJSON? = Self.error(Array(text.utf8)) else {
        Issue.record("'\(text)' is not reported as JSON that is broken")
        continue
      }
    }
    for text in ["{}", "[]", "7", "\"cdpipe-manifest\"", "{\"format\":\"else\",\"version\":1}"] {
      #expect(Self.error(Array(text.utf8)) == .notAManifest, "\(text)")
    }
    #expect(Self.error([0x7B, 0x0A, 0xFF]) == .notUTF8(line: 2))
    let newer = "{\"format\":\"cdpipe-manifest\",\"version\":2}"
    #expect(Self.error(Array(newer.utf8)) == .unsupportedVersion(2))
  }

  @Test("shards must ascend from 1, have distinct ids, generated names, and be at most 1,000")
  func invalidShards() {
    var shards = Self.shards
    shards.swapAt(1, 2)
    #expect(Self.error(shards) == .invalid(.notInOrder, key: "shards[2].from"))
    #expect(Self.error([Self.shard(1, from: 2)]) == .invalid(.outOfRange, key: "shards[0].from"))
    #expect(
      Self.error([Self.shard(1, from: 1), Self.shard(1, from: 2)])
        == .invalid(.notInOrder, key: "shards[1].id"))
    for name in ["../a.cdstore", ".a.cdstore", "a", "", "a/b.cdstore", "a.cdstore/", "ä.cdstore"] {
      shards = Self.shards
      shards[1].store.name = name
      #expect(Self.error(shards) == .invalid(.notAName, key: "shards[1].name"), "\(name)")
    }
    let many = (1...Manifest.shardsMax + 1).map { Self.shard($0, from: UInt64($0)) }
    #expect(Self.error(many) == .invalid(.outOfRange, key: "shards"))
    #expect(Self.error(Array(many.dropLast())) == nil)
  }

  @Test("a number belongs to the last shard that starts at or below it")
  func shardOfNumber() {
    let manifest = Manifest(shards: Self.shards, maxEntries: 10)
    let indices = [0, 1, 19, 20, 29, 30, 99].map { manifest.shardIndex(of: $0) }
    #expect(indices == [nil, 0, 0, 1, 1, 2, 2])
    #expect(Manifest(shards: [], maxEntries: 10).shardIndex(of: 1) == nil)
  }
}
