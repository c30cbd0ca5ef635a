// Why a message of the input could not be asked about.

import PipeStage

/// Why a message was rejected.
enum MessageReject: RejectReason {
  /// The line is no JSON object, or the record no CSV.
  case malformed
  /// There is no field of this name.
  case missing(String)
  /// The field is no text.
  case notText(String)
  /// The line or record is longer than a message can be.
  case tooLong
  /// The bytes are no UTF-8.
  case notUTF8
  /// The record has another number of fields than the header.
  case fieldCount(Int, of: Int)
  /// No country has this code.
  case unknownCountry(String)
  /// What was expected is no action.
  case unknownAction(String)

  var code: String {
    switch self {
    case .malformed: "malformed"
    case .missing: "missing-field"
    case .notText: "not-text"
    case .tooLong: "too-long"
    case .notUTF8: "not-utf8"
    case .fieldCount: "field-count"
    case .unknownCountry: "unknown-country"
    case .unknownAction: "unknown-action"
    }
  }
}
