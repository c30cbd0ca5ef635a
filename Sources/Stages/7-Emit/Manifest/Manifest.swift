// The JSON file beside shards: what they are, in the order of their numbers. The same records and options give the
// same bytes.
//
// The form is docs/formats/manifest.schema.json's. Not for: what a manifest that is read must fulfil (Manifest+Reading).

import CallStoreWriter
import ContentHash
import FoundationEssentials

/// What a directory of shards holds.
struct Manifest: Codable {
  static let format = "cdpipe-manifest"
  static let version = 1
  /// The most bytes of a manifest that is written or read: 8,000 for each of a thousand shards. The set commands read as
  /// much.
  static let bytesMax = 8 << 20

  /// A number for each kind of entry.
  struct ByKind: Codable, Equatable {
    var blocking: UInt64
    var identification: UInt64
    var sum: UInt64 { blocking &+ identification }
  }

  /// A store's file.
  struct Store: Codable {
    var name: String
    var bytes: UInt64
    /// Of the file, in hexadecimal.
    var sha256: String
    /// The store's identity, in hexadecimal.
    var contentHash: String
    /// The smallest and the largest number that it has; nil when it is empty.
    var first: UInt64?
    var last: UInt64?
    var records: ByKind
    /// Single numbers, as iOS counts them.
    var entries: ByKind

    init(name: String, summary: StoreSummary) {
      self.name = name
      bytes = summary.byteCount
      sha256 = Hexadecimal.text(summary.fileHash)
      contentHash = Hexadecimal.text(summary.contentHash)
      first = summary.first
      last = summary.last
      records = ByKind(blocking: summary.blockingRecords, identification: summary.identificationRecords)
      entries = ByKind(blocking: summary.blockingEntries, identification: summary.identificationEntries)
    }
  }

  /// The labels of a shard.
  struct Labels: Codable {
    /// One label, and what has it.
    struct Use: Codable {
      var label: String
      var records: UInt64
      var entries: UInt64
    }
    /// How many there are; nil when there are more than ``ShardLabelCounter/labelsMax``.
    var count: Int?
    /// All of them, the most used first; nil when there are more than ``ShardLabelCounter/listedMax``.
    var list: [Use]?
  }

  /// A step from a store of the baseline to one of these.
  struct Delta: Codable {
    var name: String
    var bytes: UInt64
    var sha256: String
    var step: Int
    /// The content hashes of the store that it changes and of the one that comes of it.
    var from: String
    var to: String
    /// Single numbers.
    var removals: UInt64
    var additions: UInt64
  }

  /// One shard.
  struct Shard: Codable {
    /// Which extension's it is, from 1. It stays when numbers are added, and is never given to another.
    var id: Int
    /// Numbers from here on, up to the next shard's, are this shard's.
    var from: UInt64
    var store: Store
    var labels: Labels
    var deltas: [Delta]?

    /// The deltas in the order of their steps, by the content hash of the state that they lead from. Every way begins with a
    /// step 1, and they stand one behind the other.
    var chains: [String: [Delta]] {
      var chains: [String: [Delta]] = [:]
      var from = ""
      for delta in deltas ?? [] {
        if delta.step == 1 { from = delta.from }
        chains[from, default: []].append(delta)
      }
      return chains
    }

    private enum Keys: String, CodingKey { case id, from, labels, deltas }

    init(id: Int, from: UInt64, store: Store, labels: Labels) {
      self.id = id
      self.from = from
      self.store = store
      self.labels = labels
    }

    /// The store's keys stand among the shard's own.
    init(from decoder: any Decoder) throws {
      let keys = try decoder.container(keyedBy: Keys.self)
      id = try keys.decode(Int.self, forKey: .id)
      from = try keys.decode(UInt64.self, forKey: .from)
      store = try Store(from: decoder)
      labels = try keys.decodeIfPresent(Labels.self, forKey: .labels) ?? Labels()
      deltas = try keys.decodeIfPresent([Delta].self, forKey: .deltas)
    }

    func encode(to encoder: any Encoder) throws {
      try store.encode(to: encoder)
      var keys = encoder.container(keyedBy: Keys.self)
      try keys.encode(id, forKey: .id)
      try keys.encode(from, forKey: .from)
      try keys.encode(labels, forKey: .labels)
      try keys.encodeIfPresent(deltas, forKey: .deltas)
    }
  }

  /// Where the records came from, as a run knows it.
  struct Source: Codable {
    var name: String
    var bytes: UInt64?
    var sha256: String?
  }

  /// What became of the rows, as a run knows it.
  struct Rows: Codable {
    var read: UInt64
    var rejects: UInt64
    var duplicates: UInt64
    var leftOut: UInt64
    var removed: UInt64
  }

  /// The state that the deltas lead from.
  struct Baseline: Codable {
    var contentID: String
  }

  var format = Self.format
  var version = Self.version
  /// The identity of all shards together; see ``contentID(of:)``.
  var contentID: String
  /// As it was given; there is no clock in a manifest otherwise.
  var date: String?
  var maxEntries: UInt64
  var records: ByKind
  var entries: ByKind
  var shards: [Shard]
  var bootstrap: Store?
  var baseline: Baseline?
  var sources: [Source]?
  var rows: Rows?

  init(shards: [Shard], maxEntries: UInt64) {
    self.shards = shards
    self.maxEntries = maxEntries
    records = Self.sum(shards.map(\.store.records))
    entries = Self.sum(shards.map(\.store.entries))
    contentID = Self.contentID(of: shards)
  }

  /// SHA-256 over one line a shard, in their order: id, where it begins, content hash, with spaces between.
  static func contentID(of shards: [Shard]) -> String {
    var hash = SHA256Hasher()
    for shard in shards {
      hash.update("\(shard.id) \(shard.from) \(shard.store.contentHash)\n")
    }
    return hash.hex
  }

  /// The file's text.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: there is nothing that can't be encoded.
    let data = (try? encoder.encode(self)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }

  private static func sum(_ all: [ByKind]) -> ByKind {
    all.reduce(into: ByKind(blocking: 0, identification: 0)) {
      $0.blocking &+= $1.blocking
      $0.identification &+= $1.identification
    }
  }
}
