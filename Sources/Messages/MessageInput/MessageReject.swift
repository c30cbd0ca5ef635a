// Why a message of the input was rejected.

public import PipeStage

/// Why a message was rejected.
public enum MessageReject: RejectReason {
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
  public var code: String {
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
