// The reasons of rejects as short texts. Every reject reason describes itself.

import CallRecord
public import DedupeStage
public import MessageInput
public import NormalizeStage
public import ParseStage
public import PipeStage

/// A reason that describes itself in a few words.
public protocol RejectReasonText {
  /// The reason.
  var text: String { get }
}

extension Reject {
  /// The reason in a few words.
  public var reasonText: String { (reason as? any RejectReasonText)?.text ?? reason.code }
}

extension ParseReject: RejectReasonText {
  /// The reason in a few words.
  public var text: String {
    switch self {
    case .unexpectedText: "not a phone number"
    case .truncated: "the input ends inside a row"
    case .unterminatedString: "unterminated string"
    case .missingColon: "no colon after the key"
    case .missingValue: "no value after the colon"
    case .missingBrace: "missing bracket"
    case .badEscape: "invalid escape"
    case .loneSurrogate: "half of a surrogate pair"
    case .invalidUTF8: "not UTF-8"
    case .tooDeep(let limit): "nested deeper than \(limit) brackets"
    case .recordTooLong(let limit): "longer than \(Figures.byteLimit(UInt64(limit))) (--max-record)"
    case .numberTooLong(let bytes, let limit): "a number of \(bytes) bytes; the maximum is \(limit)"
    case .fieldsTooLong(let bytes, let limit): "a label of \(bytes) bytes; the maximum is \(limit)"
    case .missingField(let field): "no field '\(field)'"
    case .unusableField(""): "the label is a list or an object"
    case .unusableField(let field): "the field '\(field)' is a list or an object"
    case .badScore: "the score is not an integer"
    case .missingNumber: "no number"
    case .missingEnd: "the vCard has no END before the next one"
    case .unknownEntity: "the text has an undeclared entity"
    case .removed: "the input removes this number from a list"
    case .unterminatedQuote: "unterminated quoted field"
    case .textAfterQuote: "text after a closing quote"
    case .notWhole: "the number is negative, too large, has a fraction, or has lost digits"
    }
  }
}

extension NormalizeReject: RejectReasonText {
  /// The reason in a few words.
  public var text: String {
    switch self {
    case .notANumber: "not a phone number"
    case .invalidCountryCode: "unknown country calling code"
    case .tooShort: "too short"
    case .tooLong: "too long"
    case .invalidLength: "no number of that country has this length"
    case .notValid: "not assigned in that country's numbering plan"
    case .badPattern: "the pattern's numbers are not one range"
    case .openPattern: "the pattern does not say how many digits follow"
    case .severalNumbers: "a pattern, not a single number"
    case .largePattern: "the pattern stands for more numbers than 'patterns' allows"
    }
  }
}

extension TextFormReject: RejectReasonText {
  /// The reason in a few words.
  public var text: String {
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

extension DedupeReject: RejectReasonText {
  /// The reason in a few words.
  public var text: String {
    switch self {
    case .labelTooLong: "the record is too long with its new label"
    }
  }
}

extension MessageReject: RejectReasonText {
  /// The reason in a few words.
  public var text: String {
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
