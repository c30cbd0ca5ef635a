// Reasons for rejecting a line of the text form.

/// Why a line of the text form was rejected.
package enum TextFormReject: Error, Equatable, RejectReason {
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
  package var code: String {
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

extension TextFormReject {
  package var text: String {
    switch self {
    case .notANumber: "the line does not start with a number of 1 to 15 digits"
    case .notARange: "no number after '..', or a lower one"
    case .lineTooLong: "the line is too long"
    case .badEscape: "invalid escape: not one of \\\\ \\t \\n \\r"
    case .badFields(let reason):
      switch reason {
      case .tooLong: "the label is too long"
      case .notUTF8: "the label is not UTF-8"
      case .sourceNotUTF8: "the source is not UTF-8"
      case .badEscape: "invalid escape: not one of \\\\ \\t \\n \\r"
      case .tooManyFields(let count): "\(count) fields after the number; the maximum is three"
      case .badScore: "the score is not an integer"
      case .strayCarriageReturn: "a carriage return: lines must end in a line feed alone"
      }
    }
  }
}
