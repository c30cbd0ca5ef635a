// What `emit` can be told, and why it fails.

public import CallDeltaWriter
import CallManifest
public import CallStoreWriter
public import PipeStage

/// The forms of an output.
public enum EmitFormat: String, CaseIterable, Sendable {
  /// Stores that a phone loads.
  case store
  /// The text form: tab-separated, escaped.
  case tsv
  /// Comma-separated with a header line (RFC 4180).
  case csv
  /// A JSON object a line.
  case jsonl

  /// The form that an output's name asks for; the text form for any other.
  public init(named output: String) {
    switch output.split(separator: ".", omittingEmptySubsequences: false).last {
    case "cdstore": self = .store
    case "csv": self = .csv
    case "jsonl", "ndjson": self = .jsonl
    default: self = .tsv
    }
  }
}

/// What `emit` can be told.
public struct EmitOptions: Equatable, Sendable {
  /// The most single numbers that one request of an extension takes: iOS refuses it at 2,000,000.
  public static let defaultMaxEntries: UInt64 = 1_999_999

  /// The most shards: an app has a few dozen extensions, and a slip such as `1..999999999999999` would fill a disk.
  public static let shardsMax = Manifest.shardsMax

  /// The form.
  public var format: EmitFormat
  /// Records whose label fits one of these are blocked; `*` stands for any text, `?` for any character.
  public var blockGlobs: [String]
  /// The most single numbers in one store.
  public var maxEntries: UInt64
  /// The file; for stores also a directory; `-` for standard output.
  public var output: String
  /// What a directory of shards is to be.
  public var shards = ShardOptions()
  /// With more than one a shard is verified and put in place in a thread of its own while the next one is written.
  public var threads = 1

  /// Makes options.
  public init(
    format: EmitFormat = .tsv, blockGlobs: [String] = [], maxEntries: UInt64 = EmitOptions.defaultMaxEntries,
    output: String = "-", shards: ShardOptions = ShardOptions()
  ) {
    self.format = format
    self.blockGlobs = blockGlobs
    self.maxEntries = maxEntries
    self.output = output
    self.shards = shards
  }

  /// Whether stores go into a directory, with a manifest.
  public var isDirectory: Bool {
    format == .store && output != "-" && !output.hasSuffix(".cdstore")
  }
}

/// Why an emit ends early.
public enum EmitError: ErrorCause {
  /// The records can't stand in a store: they are not ascending and disjoint, or a number is out of range.
  case notForStore(StoreEncodingError, row: UInt64)
  /// More single numbers than one store may have; how many there are, and how many stores that makes.
  case tooManyEntries(count: UInt64, limit: UInt64, shards: UInt64)
  /// More shards than there may be, each made with so many entries; so many were in shards when that showed.
  case tooManyShards(limit: Int, maxEntries: UInt64, entries: UInt64)
  /// A store that was just written does not verify: the disk or the memory is at fault.
  case notSound(StoreVerificationError, path: String)
  /// A delta that was just written does not verify.
  case deltaNotSound(DeltaVerificationError, path: String)
  /// The labels of the strongest entries take more bytes than may be held.
  case bootstrapLabelsTooLarge(limit: Int)
  /// The manifest would be larger than one may be.
  case manifestTooLarge(bytes: Int, limit: Int)
  /// A store was to be written to a terminal.
  case isTerminal
  /// Another emit writes into the directory; who, if that can be read.
  case locked(directory: String, holder: OutputHolder?)

  /// Bad data, unless the disk is at fault or what was asked for.
  public var errorClass: ErrorClass {
    switch self {
    case .notForStore, .tooManyEntries, .tooManyShards, .bootstrapLabelsTooLarge, .manifestTooLarge: .badData
    case .notSound, .deltaNotSound: .inputOutput
    case .isTerminal: .usage
    case .locked: .tryLater
    }
  }
}
