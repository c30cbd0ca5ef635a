// What `generate` can be told.

public import CallRecord

/// What `generate` can be told.
public struct GenerateOptions: Equatable, Sendable {
  /// The most patterns, included and excluded ones together: the area codes of the whole world are some 2,000, and a
  /// list of single numbers is a list, not patterns.
  public static let patternsMax = 4096
  /// The most bytes of a file of patterns: as many as 4096 long lines have.
  public static let fileBytesMax = 1 << 20

  /// The patterns as they were typed.
  public var patterns: [String]
  /// A file with more patterns, one a line; lines that begin with `#` are comments.
  public var patternFile: String?
  /// Patterns of numbers that are left out, as they were typed.
  public var excludes: [String]
  /// The lengths of numbers whose pattern does not say, in digits with the calling code: bit `n` for `n` digits. Nil
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
