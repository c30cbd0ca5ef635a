// The JSON file that describes a directory of shards, in the order of their numbers. The same records and options
// produce the same bytes.
//
// docs/formats/manifest.schema.json defines the format.

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
  /// The date that the user supplied. Except for ``now``, the clock is never read: the same input produces the same manifest.
  public var date: String?
  /// The day from which the ages of the rows were counted; nil if none had to be below a maximum.
  public var now: String?
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

extension Manifest {
  /// One shard: the store for one extension.
  public struct Shard: Codable, Equatable, Sendable {
    /// The number of the extension, from 1. A shard keeps its id when numbers are added; an id is never reused.
    public var id: Int
    /// The shard's first possible number. It holds the numbers from here to the next shard's.
    public var from: UInt64
    /// The store's file.
    public var store: Store
    /// The labels in the store.
    public var labels: Labels
    /// The deltas that lead to the store; nil when there are none.
    public var deltas: [Delta]?

    /// The chains of deltas, each in the order of its steps, keyed by the content hash of the store that it starts
    /// from.
    ///
    /// In ``deltas`` one chain follows another, and each starts with a step 1.
    public var chains: [String: [Delta]] {
      var chains: [String: [Delta]] = [:]
      var from = ""
      for delta in deltas ?? [] {
        if delta.step == 1 { from = delta.from }
        chains[from, default: []].append(delta)
      }
      return chains
    }

    private enum Keys: String, CodingKey { case id, from, labels, deltas }

    /// Describes a shard without deltas.
    public init(id: Int, from: UInt64, store: Store, labels: Labels) {
      self.id = id
      self.from = from
      self.store = store
      self.labels = labels
    }

    /// Decodes a shard. The store's keys are in the same object as the shard's own.
    public init(from decoder: any Decoder) throws {
      let keys = try decoder.container(keyedBy: Keys.self)
      id = try keys.decode(Int.self, forKey: .id)
      from = try keys.decode(UInt64.self, forKey: .from)
      store = try Store(from: decoder)
      labels = try keys.decodeIfPresent(Labels.self, forKey: .labels) ?? Labels()
      deltas = try keys.decodeIfPresent([Delta].self, forKey: .deltas)
    }

    /// Encodes the shard and its store into the same object.
    public func encode(to encoder: any Encoder) throws {
      try store.encode(to: encoder)
      var keys = encoder.container(keyedBy: Keys.self)
      try keys.encode(id, forKey: .id)
      try keys.encode(from, forKey: .from)
      try keys.encode(labels, forKey: .labels)
      try keys.encodeIfPresent(deltas, forKey: .deltas)
    }
  }

  /// The index of the shard that a number belongs to: the last one that starts at the number or below it. Nil when no
  /// shard does.
  ///
  /// - Complexity: O(log shards).
  public func shardIndex(of number: UInt64) -> Int? {
    var low = 0
    var high = shards.count
    while low < high {
      let middle = (low + high) / 2
      if shards[middle].from <= number { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  /// The single numbers that deltas remove and add. A number whose label changes is in both counts.
  public struct DeltaCounts: Equatable, Sendable {
    /// The count of removed numbers.
    public var removals: UInt64
    /// The count of added numbers.
    public var additions: UInt64

    /// Creates counts.
    public init(removals: UInt64, additions: UInt64) {
      self.removals = removals
      self.additions = additions
    }
  }

  /// Adds up the deltas that start from any of these stores; nil if the directory was written without a baseline. A
  /// version may also have deltas from older stores, which don't count.
  ///
  /// - Parameter stores: the content hashes of the baseline's stores.
  public func deltaCounts(from stores: Set<String>) -> DeltaCounts? {
    if baseline == nil { return nil }
    let steps = shards.flatMap { shard in
      shard.chains.filter { stores.contains($0.key) }.values.flatMap { $0 }
    }
    return DeltaCounts(
      removals: steps.reduce(0) { $0 &+ $1.removals }, additions: steps.reduce(0) { $0 &+ $1.additions })
  }

  /// The names of all files that the manifest names.
  public var fileNames: Set<String> {
    var names = Set(shards.map(\.store.name))
    names.formUnion(shards.flatMap { $0.deltas ?? [] }.map(\.name))
    if let bootstrap { names.insert(bootstrap.name) }
    return names
  }
}

/// The file names in a directory of shards, and which files cdpipe may remove from it.
///
/// Every name contains the content hash of its file: the files of a new state coexist with those of the old one, and
/// none is overwritten with other content.
package enum ManifestNames {
  /// The prefix of every bootstrap store's name.
  package static let bootstrapPrefix = "bootstrap"

  /// `0003-3f2a….cdstore`: the shard's id, which never changes, and the first 12 digits of its content hash.
  package static func shard(_ id: Int, _ contentHash: [UInt8]) -> String {
    "\(padded(id))-\(short(contentHash)).cdstore"
  }

  /// `0003-3f2a…-91bc….1.cddelta`: the shard's id, the content hashes of the old and the new store, and the step.
  package static func delta(_ id: Int, from old: [UInt8], to new: [UInt8], step: Int) -> String {
    "\(padded(id))-\(short(old))-\(short(new)).\(step).cddelta"
  }

  /// `bootstrap-3f2a….cdstore`
  package static func bootstrap(_ contentHash: [UInt8]) -> String {
    "\(bootstrapPrefix)-\(short(contentHash)).cdstore"
  }

  /// Whether cdpipe creates files of this name: they are removed once no manifest names them.
  package static func isGenerated(_ name: String) -> Bool {
    if name.hasSuffix(".cdstore") {
      let parts = name.dropLast(".cdstore".count).split(separator: "-", omittingEmptySubsequences: false)
      return parts.count == 2 && (isID(parts[0]) || parts[0] == bootstrapPrefix) && isShort(parts[1])
    }
    guard name.hasSuffix(".cddelta") else { return false }
    let words = name.dropLast(".cddelta".count).split(separator: ".", omittingEmptySubsequences: false)
    guard words.count == 2, !words[1].isEmpty, words[1].utf8.allSatisfy(isDigit) else { return false }
    let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 3 && isID(parts[0]) && isShort(parts[1]) && isShort(parts[2])
  }

  /// Six bytes of a hash: among a million shards, two share a name with a probability of 1 in 300.
  private static func short(_ hash: [UInt8]) -> String { Hexadecimal.text(hash.prefix(6)) }

  private static func isShort(_ text: Substring) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy(Hexadecimal.isDigit)
  }

  private static func isID(_ text: Substring) -> Bool {
    text.utf8.count >= 4 && text.utf8.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func padded(_ id: Int) -> String {
    let digits = String(id)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// Why bytes are not a usable manifest.
public enum ManifestError: Error, Equatable, Sendable {
  /// Not JSON; the line and column of the first error, from 1, if they are known.
  case notJSON(line: Int?, column: Int?)
  /// Not UTF-8; the first line that is not, from 1.
  case notUTF8(line: Int)
  /// JSON, but not a manifest.
  case notAManifest
  /// A version of the format that this library does not support.
  case unsupportedVersion(Int)
  /// An invalid value; `key` is its path, such as `shards[2].from`.
  case invalid(Reason, key: String)

  /// What is wrong with a value.
  public enum Reason: Equatable, Sendable {
    /// A required key is missing.
    case missing
    /// The value has the wrong type.
    case wrongType
    /// A number is outside its limits.
    case outOfRange
    /// Not 64 lower-case hexadecimal digits.
    case notAHash
    /// Not a file name of a shard; a path could lead out of the directory.
    case notAName
    /// The shards do not ascend, or two have the same id.
    case notInOrder
    /// The value contradicts the others.
    case contradiction
    /// The key occurs twice in its object.
    case duplicateKey
    /// The store's file contradicts the value.
    case differsFromStore
  }
}
