// A list in two shards that is published again and again, with deltas and a signature, for the tests of updates.

import CallDeltaReader
import CallManifest
import CallStoreFormat
import CallStoreReader
import Hashing
import StoreSupport
import StoreWriting
import TestSupport
import Testing

/// A publisher of a list.
final class PublishedList {
  /// The first number of the second shard.
  static let boundary: UInt64 = 500
  /// The records that each shard has besides those of a test, the last numbers below its end, unless it is to be small.
  /// They never change, and are large: otherwise a delta would be larger than a quarter of the store.
  static func ballast(of shard: Int, count: Int = 1) -> [TestRecord] {
    (0..<UInt64(count)).map { index in
      let number = UInt64(shard) * boundary - UInt64(count) + index
      return TestRecord(number, "\(number) " + String(repeating: "long ", count: 4_800))
    }
  }
  /// Stores that deltas may start from.
  private static let formerMax = 4

  /// The files of the current version by their names, with the manifest and without a signature.
  private(set) var files: [String: [UInt8]] = [:]
  /// The current manifest.
  private(set) var manifest: Manifest?
  /// The current stores by their shards' numbers.
  private(set) var stores: [Int: [UInt8]] = [:]
  /// The number of large records in each shard, of 24,000 bytes each.
  var ballast = 1
  private let place: TemporaryDirectory
  private var former: [Int: [(file: String, hash: String)]] = [:]
  private var version = 0

  init() throws { place = try TemporaryDirectory() }

  /// Publishes a version.
  ///
  /// - Parameters:
  ///   - shards: the records of each shard.
  ///   - deltasFrom: the number of versions from which deltas are made.
  ///   - entriesMax: the maximum number of entries that a delta adds.
  func publish(
    _ shards: [[TestRecord]], deltasFrom: Int = 1, entriesMax: UInt64 = 1000, bootstrap: [TestRecord]? = nil
  ) throws {
    version += 1
    files = [:]
    stores = [:]
    var described: [Manifest.Shard] = []
    for (index, records) in shards.enumerated() {
      let id = index + 1
      let file = "\(id)-\(version).cdstore"
      let all = records + Self.ballast(of: id, count: ballast)
      let store = try write(all, file) { ManifestNames.shard(id, $0) }
      stores[id] = files[store.name]
      let from = index == 0 ? 1 : UInt64(index) * Self.boundary
      var shard = Manifest.Shard(id: id, from: from, store: store, labels: Manifest.Labels())
      let deltas = try deltas(id, to: file, store, from: deltasFrom, entriesMax)
      if !deltas.isEmpty { shard.deltas = deltas }
      described.append(shard)
      former[id, default: []].append((file, store.contentHash))
      if former[id, default: []].count > Self.formerMax {
        place.remove(former[id, default: []].removeFirst().file)
      }
    }
    var new = Manifest(shards: described, maxEntries: 1_999_999)
    if described.contains(where: { $0.deltas != nil }) {
      new.baseline = Manifest.Baseline(contentID: (manifest ?? new).contentID)
    }
    if let bootstrap {
      new.bootstrap = try write(bootstrap, "bootstrap") { ManifestNames.bootstrap($0) }
    }
    manifest = new
    files[Manifest.fileName] = new.json
  }

  private func write(
    _ records: [TestRecord], _ file: String, name: ([UInt8]) -> String
  ) throws -> Manifest.Store {
    try StoreFiles.write(records, to: place / file)
    let bytes = try #require(place.read(file))
    let store = try CallStore(path: place / file)
    let name = name(store.contentHash)
    files[name] = bytes
    return Manifest.Store(
      name: name, bytes: UInt64(bytes.count), sha256: Self.hash(bytes),
      contentHash: Hexadecimal.text(store.contentHash), first: store.firstNumber, last: store.lastNumber,
      records: store.recordCounts, entries: store.entryCounts)
  }

  private func deltas(
    _ id: Int, to file: String, _ store: Manifest.Store, from versions: Int, _ entriesMax: UInt64
  ) throws -> [Manifest.Delta] {
    var deltas: [Manifest.Delta] = []
    var seen: Set<String> = [store.contentHash]
    for old in former[id, default: []].suffix(versions).reversed() where seen.insert(old.hash).inserted {
      let summaries = try StoreFiles.makeDeltas(
        in: place, from: old.file, to: file, entriesMax: entriesMax)
      for (index, summary) in summaries.enumerated() {
        let bytes = try #require(place.read("\(index + 1).cddelta"))
        let name = ManifestNames.delta(
          id, from: try #require(Hexadecimal.sha256(old.hash)),
          to: try #require(Hexadecimal.sha256(store.contentHash)), step: index + 1)
        files[name] = bytes
        deltas.append(
          Manifest.Delta(
            name: name, bytes: UInt64(bytes.count), sha256: Self.hash(bytes), step: index + 1,
            from: Hexadecimal.text(summary.header.baselineHash),
            to: Hexadecimal.text(summary.header.resultHash), removals: summary.removals.entries,
            additions: summary.additions.entries))
      }
    }
    return deltas
  }

  /// The content hash in a store's bytes.
  static func contentHash(_ store: [UInt8]) -> String {
    let trailer = store.count - TrailerLayout.bytes + TrailerLayout.contentHash
    return Hexadecimal.text(store[trailer..<trailer + TrailerLayout.contentHashBytes])
  }

  static func hash(_ bytes: [UInt8]) -> String {
    var hasher = SHA256Hasher()
    hasher.update(bytes.span)
    return hasher.hex
  }
}

/// The keys of a publisher.
struct ListSigner {
  var keys: [Ed25519.PrivateKey]

  /// Makes a publisher with a random key.
  init() throws { keys = [try Ed25519.PrivateKey()] }

  init(keys: [Ed25519.PrivateKey]) { self.keys = keys }

  /// The public keys.
  var trusted: [ManifestKey] { keys.compactMap { ManifestKey(bytes: $0.publicKey) } }

  /// A signature file for a manifest.
  func signature(_ manifest: [UInt8], serial: Int64, expires: Int64) throws -> [UInt8] {
    var hasher = SHA256Hasher()
    hasher.update(manifest.span)
    let statement = SignatureFile.Statement(serial: serial, expires: expires, manifestHash: hasher.digest)
    let signatures = try zip(keys, trusted).map { key, trusted in
      SignatureFile.KeySignature(
        keyID: trusted.id, signature: try #require(key.signature(of: statement.bytes)))
    }
    return SignatureFile(statement: statement, signatures: signatures).bytes
  }
}

/// gzip without compression, so that the tests need no compressor.
enum StoredGzip {
  static func compress(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var at = 0
    repeat {
      let end = min(at + 65_535, bytes.count)
      let count = UInt16(end - at)
      result.append(end == bytes.count ? 1 : 0)
      for word in [count, ~count] { result += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] }
      result += bytes[at..<end]
      at = end
    } while at < bytes.count
    for word in [checksum(bytes), UInt32(bytes.count)] {
      result += (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
    return result
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ (value >> 1) }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
  }
}
