// The JSON file beside shards: what they are, in the order of their numbers. The same records give the same bytes.

import CallStoreWriter
import Crypto
import FoundationEssentials

/// What a directory of shards holds.
struct Manifest: Encodable {
  static let fileName = "manifest.json"

  /// A number for each kind of entry.
  struct ByKind: Encodable {
    var blocking: UInt64
    var identification: UInt64
  }

  /// One shard.
  struct Shard: Encodable {
    var name: String
    var bytes: UInt64
    /// The store's identity, in hexadecimal.
    var contentHash: String
    var first: UInt64
    var last: UInt64
    var records: ByKind
    /// Single numbers, as iOS counts them.
    var entries: ByKind

    init(name: String, summary: StoreSummary) {
      self.name = name
      bytes = summary.byteCount
      contentHash = Manifest.hex(summary.contentHash)
      first = summary.first ?? 0
      last = summary.last ?? 0
      records = ByKind(blocking: summary.blockingRecords, identification: summary.identificationRecords)
      entries = ByKind(blocking: summary.blockingEntries, identification: summary.identificationEntries)
    }
  }

  let format = "cdpipe-manifest"
  let version = 1
  /// The identity of all shards together: SHA-256 over their content hashes, in hexadecimal.
  let contentID: String
  let maxEntries: UInt64
  let entries: ByKind
  let shards: [Shard]

  init(shards: [Shard], maxEntries: UInt64) {
    self.shards = shards
    self.maxEntries = maxEntries
    entries = ByKind(
      blocking: shards.reduce(0) { $0 + $1.entries.blocking },
      identification: shards.reduce(0) { $0 + $1.entries.identification })
    var hash = SHA256()
    for shard in shards { hash.update(data: Array(shard.contentHash.utf8)) }
    contentID = Self.hex(Array(hash.finalize()))
  }

  /// The file's text.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: there is nothing that can't be encoded.
    let data = (try? encoder.encode(self)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }

  /// `0001-3f2a…cdstore`: a shard's place and the first 12 digits of its content hash.
  static func shardName(_ number: Int, _ contentHash: [UInt8]) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "-"
      + hex(Array(contentHash.prefix(6))) + ".cdstore"
  }

  /// Whether a file's name is one that `shardName` makes.
  static func isShardName(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count >= 4, parts[0].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      return false
    }
    let rest = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return rest.count == 2 && rest[1] == "cdstore" && rest[0].count == 12
      && rest[0].allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }

  static func hex(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes { text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
    return text
  }
}
