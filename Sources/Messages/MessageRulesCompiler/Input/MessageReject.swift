// Why a message of the input was rejected.

import Records

/// Why a message was rejected.
package enum MessageReject: RejectReason {
  /// The line is not a JSON object, or the record is not one of a table.
  case malformed
  /// A field is missing.
  case missing(String)
  /// A field's value is not text.
  case notText(String)
  /// The line or record exceeds the maximum length.
  case tooLong
  /// The bytes are not UTF-8.
  case notUTF8
  /// The record's number of fields differs from the header's.
  case fieldCount(Int, of: Int)
  /// The country code is unknown.
  case unknownCountry(String)
  /// The expected action is neither a known label nor the name of an action.
  case unknownAction(String)
  /// A table without a header does not have this column.
  case noHeader(String)

  /// The stable code that reports and metrics use.
  package var code: String {
    switch self {
    case .malformed: "malformed"
    case .missing: "missing-field"
    case .notText: "not-text"
    case .tooLong: "too-long"
    case .notUTF8: "not-utf8"
    case .fieldCount: "field-count"
    case .unknownCountry: "unknown-country"
    case .unknownAction: "unknown-action"
    case .noHeader: "no-header"
    }
  }
}

extension MessageReject {
  package var text: String {
    switch self {
    case .malformed: "not a message: neither a JSON object nor a CSV record"
    case .missing(let name): "no field '\(name)'"
    case .notText(let name): "'\(name)' is not text"
    case .tooLong: "longer than \(Figures.bytes(MessageReader.recordBytesMax))"
    case .notUTF8: "not UTF-8"
    case .fieldCount(let count, let expected): "\(count) fields; the header has \(expected)"
    case .unknownCountry(let name): "unknown country code '\(PrintableText.line(name))'"
    case .unknownAction(let name):
      "unknown action '\(PrintableText.line(name))'; --expected-labels assigns actions to labels"
    case .noHeader(let name): "no column '\(name)': without a header, the columns are 'label' and 'text'"
    }
  }
}
