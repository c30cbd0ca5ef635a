// The JSON file that describes a directory of shards, in the order of their numbers. The same records and options
// produce the same bytes.
//
// docs/formats/manifest.schema.json defines the format. Not for: validation (Manifest+Check), files on disk
// (ShardDirectories).

// Its counts are part of a manifest: one import is enough.
@_exported public import CallStoreFormat
import Hashing

/// The description of a directory of shards.
public struct Manifest: Codable, Equatable, Sendable {
  /// The value of the key `format`.
  public static let format = "cdpipe-manifest"
  /// The version of the format that this library reads and writes.
  public static let version = 1
  /// The file's name.
  public static let fileName = "manifest.json"
  /// The maximum size of a manifest in bytes, read or written: 8,000 for each of 1,000 shards.
  public static let bytesMax = 8 << 20
  /// The maximum number of shards: an app has a few dozen extensions.
  public static let shardsMax = 1000
  /// The highest id of a shard: far more than splits can reach, and short enough for a file's name.
  public static let idMax = 999_999

  /// A store's file.
  public struct Store: Codable, Equatable, Sendable {
    /// The file's name, without a path.
    public var name: String
    /// The file's size in bytes.
    public var bytes: UInt64
    /// The SHA-256 of the file, in hexadecimal.
    public var sha256: String
    /// The store's identity, in hexadecimal.
    public var contentHash: String
    /// The smallest number in the store; nil when it is empty.
    public var first: UInt64?
    /// The largest number in the store; nil when it is empty.
    public var last: UInt64?
    /// The number of records; a range is one.
    public var records: KindCounts
    /// The number of single numbers, as iOS counts them.
    public var entries: KindCounts

    /// Describes a store's file.
    public init(
      name: String, bytes: UInt64, sha256: String, contentHash: String, first: UInt64?, last: UInt64?,
      records: KindCounts, entries: KindCounts
    ) {
      self.name = name
      self.bytes = bytes
      self.sha256 = sha256
      self.contentHash = contentHash
      self.first = first
      self.last = last
      self.records = records
      self.entries = entries
    }
  }

  /// The labels of a shard.
  public struct Labels: Codable, Equatable, Sendable {
    /// A label and how many records and entries have it.
    public struct LabelCount: Codable, Equatable, Sendable {
      /// The label.
      public var label: String
      /// The number of records with this label.
      public var records: UInt64
      /// The number of single numbers with this label.
      public var entries: UInt64

      /// Creates a count.
      public init(label: String, records: UInt64, entries: UInt64) {
        self.label = label
        self.records = records
        self.entries = entries
      }
    }
    /// The number of distinct labels; nil when there are too many to count.
    public var count: Int?
    /// All labels, the most frequent first; nil when there are too many to list.
    public var list: [LabelCount]?

    /// Describes labels.
    public init(count: Int? = nil, list: [LabelCount]? = nil) {
      self.count = count
      self.list = list
    }
  }

  /// One step from a store of the baseline to the shard.
  public struct Delta: Codable, Equatable, Sendable {
    /// The file's name, without a path.
    public var name: String
    /// The file's size in bytes.
    public var bytes: UInt64
    /// The SHA-256 of the file, in hexadecimal.
    public var sha256: String
    /// The step's number in its chain, from 1.
    public var step: Int
    /// The content hash of the store that the delta applies to, in hexadecimal.
    public var from: String
    /// The content hash of the store that results, in hexadecimal.
    public var to: String
    /// The number of single numbers that the delta removes.
    public var removals: UInt64
    /// The number of single numbers that the delta adds.
    public var additions: UInt64

    /// Describes a delta.
    public init(
      name: String, bytes: UInt64, sha256: String, step: Int, from: String, to: String, removals: UInt64,
      additions: UInt64
    ) {
      self.name = name
      self.bytes = bytes
      self.sha256 = sha256
      self.step = step
      self.from = from
      self.to = to
      self.removals = removals
      self.additions = additions
    }
  }

  /// The source of records, as reported by a run.
  public struct Source: Codable, Equatable, Sendable {
    /// The source's name.
    public var name: String
    /// The bytes that were read from it.
    public var bytes: UInt64?
    /// The SHA-256 of those bytes, in hexadecimal.
    public var sha256: String?

    /// Describes a source.
    public init(name: String, bytes: UInt64?, sha256: String?) {
      self.name = name
      self.bytes = bytes
      self.sha256 = sha256
    }
  }

  /// The row counts of a run.
  public struct RowCounts: Codable, Equatable, Sendable {
    /// The rows that were read.
    public var read: UInt64
    /// The rows that were rejected.
    public var rejects: UInt64
    /// The records that were dropped as duplicates.
    public var duplicates: UInt64
    /// The records that were left out by a label map, a minimum score or a limit.
    public var leftOut: UInt64
    /// The records that a set operation removed.
    public var removed: UInt64

    /// Creates counts.
    public init(read: UInt64, rejects: UInt64, duplicates: UInt64, leftOut: UInt64, removed: UInt64) {
      self.read = read
      self.rejects = rejects
      self.duplicates = duplicates
      self.leftOut = leftOut
      self.removed = removed
    }
  }

  /// The numbers of one country calling code.
  public struct Country: Codable, Equatable, Sendable {
    /// The calling code, 1...999; 0 for digits without a known calling code.
    public var callingCode: UInt16
    /// The two-letter code of the main country with this calling code; nil if there is none.
    public var region: String?
    /// The number of single numbers.
    public var entries: UInt64

    /// Creates a count.
    public init(callingCode: UInt16, region: String?, entries: UInt64) {
      self.callingCode = callingCode
      self.region = region
      self.entries = entries
    }
  }

  /// The directory of shards that the deltas start from.
  public struct Baseline: Codable, Equatable, Sendable {
    /// The ``Manifest/contentID`` of that directory.
    public var contentID: String

    /// Names a baseline.
    public init(contentID: String) {
      self.contentID = contentID
    }
  }

  /// The format's name: ``format``, as a static property.
  public var format = Self.format
  /// The format's version.
  public var version = Self.version
  /// The identity of all shards together: SHA-256 over one line per shard.
  public var contentID: String
  /// The date that the user supplied. The clock is never read: the same input produces the same manifest.
  public var date: String?
  /// The maximum number of single numbers per shard.
  public var maxEntries: UInt64
  /// The number of records in all shards.
  public var records: KindCounts
  /// The number of single numbers in all shards.
  public var entries: KindCounts
  /// The shards, in the order of their numbers.
  public var shards: [Shard]
  /// The bootstrap store: the highest-scoring entries of all shards.
  public var bootstrap: Store?
  /// The state that the deltas start from.
  public var baseline: Baseline?
  /// The numbers by country, the most frequent first; nil in manifests of 0.1.0.
  public var countries: [Country]?
  /// The sources of the records.
  public var sources: [Source]?
  /// The row counts of the run.
  public var rows: RowCounts?

  /// Describes shards. Counts and identity are computed from them.
  public init(shards: [Shard], maxEntries: UInt64) {
    self.shards = shards
    self.maxEntries = maxEntries
    records = shards.reduce(into: KindCounts()) { $0 += $1.store.records }
    entries = shards.reduce(into: KindCounts()) { $0 += $1.store.entries }
    contentID = Self.contentID(of: shards)
  }

  /// SHA-256 over one line per shard, in their order: id, first number, content hash, separated by spaces.
  static func contentID(of shards: [Shard]) -> String {
    var hash = SHA256Hasher()
    for shard in shards {
      hash.update("\(shard.id) \(shard.from) \(shard.store.contentHash)\n")
    }
    return hash.hex
  }

  /// The text of the file.
  public var json: [UInt8] { ManifestJSON.text(of: self) }
}
