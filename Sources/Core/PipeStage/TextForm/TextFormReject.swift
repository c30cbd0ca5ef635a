// Reasons for rejecting a line of the text form.

public import CallRecord

/// Why a line of the text form was rejected.
public enum TextFormReject: Error, Equatable, RejectReason {
  /// The first field is not a number.
  case notANumber
  /// The text after `..` is not a number, or is below the first number.
  case notARange
  /// The line, or its number text, is too long.
  case lineTooLong
  /// The first field of a raw row has a backslash that starts none of the four escapes.
  case badEscape
  /// The fields after the number are invalid.
  case badFields(RecordFieldsError)

  /// A stable word for scripts, such as `not-a-number`.
  public var code: String {
    switch self {
    case .notANumber: "not-a-number"
    case .notARange: "not-a-range"
    case .lineTooLong: "line-too-long"
    case .badEscape: "bad-escape"
    case .badFields(let error):
      switch error {
      case .tooLong: "label-too-long"
      case .notUTF8, .sourceNotUTF8: "invalid-utf8"
      case .badEscape: "bad-escape"
      case .tooManyFields: "too-many-fields"
      case .badScore: "bad-score"
      case .strayCarriageReturn: "stray-carriage-return"
      }
    }
  }
}
