// Why a piece of input was rejected, and why parsing ended early. Kinds that carry data, no sentences.

public import PipeStage

/// Why `parse` rejected a piece of its input.
public enum ParseReject: RejectReason, Error, Equatable {
  /// Text that belongs to no row: garbage, a comment, a value without a key, a stray bracket.
  case unexpectedText
  /// The input ended inside a row.
  case truncated
  /// A string that runs into the end of its line.
  case unterminatedString
  /// A key without a colon behind it.
  case missingColon
  /// A number with nothing behind its colon.
  case missingValue
  /// A row that lacks its opening or its closing bracket.
  case missingBrace
  /// A backslash that starts no escape of JSON.
  case badEscape
  /// Half of a surrogate pair.
  case loneSurrogate
  /// Bytes that are not UTF-8.
  case invalidUTF8
  /// Brackets nested deeper than the limit.
  case tooDeep(limit: Int)
  /// A record longer than the limit, in bytes.
  case recordTooLong(limit: Int)
  /// A number's text longer than the limit, in bytes.
  case numberTooLong(bytes: Int, limit: Int)
  /// A label, with its source and score, longer than the limit, in bytes.
  case annotationTooLong(bytes: Int, limit: Int)
  /// An object without the field that is the number.
  case missingField(String)
  /// A field that was asked for is an object or an array.
  case unusableField(String)
  /// A score that is not a 64-bit integer.
  case badScore

  /// A stable word for scripts.
  public var code: String {
    switch self {
    case .unexpectedText: "unexpected-text"
    case .truncated: "truncated"
    case .unterminatedString: "unterminated-string"
    case .missingColon: "missing-colon"
    case .missingValue: "missing-value"
    case .missingBrace: "missing-brace"
    case .badEscape: "bad-escape"
    case .loneSurrogate: "lone-surrogate"
    case .invalidUTF8: "invalid-utf8"
    case .tooDeep: "too-deep"
    case .recordTooLong: "record-too-long"
    case .numberTooLong: "number-too-long"
    case .annotationTooLong: "label-too-long"
    case .missingField: "missing-field"
    case .unusableField: "unusable-field"
    case .badScore: "bad-score"
    }
  }
}

/// The first way in which an input departs from RFC 8259.
public enum JSONDefect: Sendable, Equatable {
  /// A byte that may not stand there.
  case unexpectedByte(UInt8)
  /// The input ended inside a document, or before one.
  case unexpectedEnd
  /// A byte order mark at the start (RFC 8259, section 8.1).
  case byteOrderMark
  /// A number with a leading zero.
  case leadingZero
  /// A control character inside a string.
  case controlCharacter(UInt8)
  /// A backslash that starts no escape.
  case badEscape
  /// A byte that is not UTF-8.
  case invalidUTF8
  /// A comma with nothing behind it.
  case trailingComma
  /// Something behind the end of the document.
  case secondDocument
  /// Brackets nested deeper than the limit. RFC 8259, section 9, lets a parser set one.
  case tooDeep(limit: Int)
}

/// Why parsing ended early.
public enum ParseFailure: FailureCause, Error, Equatable {
  /// An encoding that can't be read yet.
  public enum Encoding: String, Sendable {
    /// UTF-16, lower byte first.
    case utf16LittleEndian = "UTF-16LE"
    /// UTF-16, higher byte first.
    case utf16BigEndian = "UTF-16BE"
    /// UTF-32, lowest byte first.
    case utf32LittleEndian = "UTF-32LE"
    /// UTF-32, highest byte first.
    case utf32BigEndian = "UTF-32BE"
  }

  /// A strict run met something that is not RFC 8259 JSON. Lines count from 1, bytes from 0.
  case notJSON(line: UInt64, byte: UInt64, input: String, JSONDefect)
  /// The input's byte order mark names an encoding that can't be read.
  case unsupportedEncoding(Encoding, input: String)
  /// The input is a zip archive or a gzip stream, which nothing has unpacked yet.
  case packed(input: String)
  /// Fields are chosen by name, but none is the number.
  case noNumberField
  /// The score for every row is not a 64-bit integer.
  case badScoreConstant(String)

  /// Bad data, or options that don't fit together.
  public var failureClass: FailureClass {
    switch self {
    case .notJSON, .unsupportedEncoding, .packed: .badData
    case .noNumberField, .badScoreConstant: .usage
    }
  }
}
