// The options of `generate`.

public import CallRecord

/// The options of `generate`.
public struct GenerateOptions: Equatable, Sendable {
  /// The maximum number of patterns, included and excluded: the world has about 2,000 area codes, and many single
  /// numbers are a list, not patterns.
  public static let patternsMax = 4096
  /// The maximum size of a pattern file: 4096 long lines.
  public static let fileBytesMax = 1 << 20

  /// The patterns from the command line or pipeline file.
  public var patterns: [String]
  /// A file with more patterns, one per line; lines that begin with `#` are comments.
  public var patternFile: String?
  /// Patterns of numbers to exclude.
  public var excludes: [String]
  /// The lengths for patterns of unspecified length, in digits including the calling code: bit `n` for `n` digits. Nil
  /// for those of the numbering plan.
  public var lengths: UInt64?
  /// Label, source and score of all records.
  public var fields: RecordFields.Fields

  /// Makes options.
  public init(
    patterns: [String], patternFile: String? = nil, excludes: [String] = [], lengths: UInt64? = nil,
    fields: RecordFields.Fields = RecordFields.Fields()
  ) {
    self.patterns = patterns
    self.patternFile = patternFile
    self.excludes = excludes
    self.lengths = lengths
    self.fields = fields
  }
}
