// What `parse` recognised about an input, for users and reports.
//
// Not for: the sentences (UserMessages).

import Records

/// What was recognised about an input.
package struct InputNotice: RecordedNotice, Equatable {
  /// What was recognised.
  package enum Finding: Sendable, Equatable {
    /// The format, and the fields that rows are read from. Once per input, if it has fields.
    case layout(InputLayout)
    /// The encoding that an input is read in, because it is to be recognised.
    case encoding(String, EncodingGuess.Basis)
    /// An input that is read as UTF-8 is not UTF-8, but probably in this encoding.
    case otherEncoding(String)
    /// No record of an input has these fields, which the user chose; some of the fields that it has.
    case missingFields([String], available: [String])
  }

  /// The input's name in messages.
  package var input: String
  /// The source's name; empty if the run has only one.
  package var source: String
  /// What was recognised.
  package var finding: Finding

  /// Makes a notice.
  init(_ finding: Finding, input: String, source: String = "") {
    self.finding = finding
    self.input = input
    self.source = source
  }
}
