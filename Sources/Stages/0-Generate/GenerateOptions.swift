// The options of `generate`.

package import Records

/// The options of `generate`.
package struct GenerateOptions: Equatable, Sendable {
  /// The maximum number of patterns, included and excluded: the world has about 2,000 area codes, and many single
  /// numbers are a list, not patterns.
  package static let patternsMax = 4096
  /// The maximum size of a pattern file: 4096 long lines.
  package static let fileBytesMax = 1 << 20

  /// The patterns from the command line or pipeline file.
  package var patterns: [String]
  /// A file with more patterns, one per line; lines that begin with `#` are comments.
  package var patternFile: String?
  /// Patterns of numbers to exclude.
  package var excludes: [String]
  /// The lengths for patterns of unspecified length, in digits including the calling code: bit `n` for `n` digits. Nil
  /// for those of the numbering plan.
  package var lengths: UInt64?
  /// Label, source and score of all records.
  package var fields: RecordFields.Fields

  /// Makes options.
  package init(
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
