// What is wrong with an input, in sentences.

import ParseStage

enum ParseWording {
  static func reason(_ reason: ParseReject) -> String {
    switch reason {
    case .unexpectedText: "text that belongs to no row"
    case .truncated: "the input ends inside a row"
    case .unterminatedString: "a string runs into the end of its line"
    case .missingColon: "no colon behind the key"
    case .missingValue: "nothing behind the colon"
    case .missingBrace: "a bracket is missing"
    case .badEscape: "a backslash that starts no escape"
    case .loneSurrogate: "half of a surrogate pair"
    case .invalidUTF8: "not UTF-8"
    case .tooDeep(let limit): "nested deeper than \(limit) brackets"
    case .recordTooLong(let limit): "longer than \(ByteSize.text(UInt64(limit))) (--max-record)"
    case .numberTooLong(let bytes, let limit): "a number of \(bytes) bytes, and \(limit) is the most"
    case .annotationTooLong(let bytes, let limit): "a label of \(bytes) bytes, and \(limit) is the most"
    case .missingField(let field): "no field '\(field)'"
    case .unusableField(let field): "the field '\(field)' is a list or an object"
    case .badScore: "the score is not an integer"
    }
  }

  static func sentence(_ failure: ParseFailure) -> Sentence {
    switch failure {
    case .notJSON(let line, let byte, let input, let defect):
      Sentence(
        "\(input == "-" ? "standard input" : input):\(line) (byte \(byte)): not RFC 8259 JSON: \(reason(defect))",
        hint: "without --strict, JSON-like input is read as far as it goes")
    case .unsupportedEncoding(let encoding, let input):
      Sentence(
        "\(input == "-" ? "standard input" : "'\(input)'") is \(encoding.rawValue), and only UTF-8 is read",
        hint: "iconv -f \(encoding.rawValue) -t UTF-8 converts it")
    case .packed(let input):
      Sentence(
        "\(input == "-" ? "standard input" : "'\(input)'") is packed (zip or gzip)",
        hint: "put 'cdpipe unzip' before it")
    case .noNumberField: Sentence("fields are named, but --number does not say which one is the number")
    case .badScoreConstant(let text): Sentence("--score ='\(text)' is not an integer")
    }
  }

  private static func reason(_ defect: JSONDefect) -> String {
    switch defect {
    case .unexpectedByte(let byte):
      byte > 0x20 && byte < 0x7F
        ? "'\(Unicode.Scalar(byte))' may not stand here" : "byte \(byte) may not stand here"
    case .unexpectedEnd: "the document is not at its end"
    case .byteOrderMark: "a byte order mark"
    case .leadingZero: "a number with a leading zero"
    case .controlCharacter(let byte): "control character \(byte) in a string"
    case .badEscape: "a backslash that starts no escape"
    case .invalidUTF8: "not UTF-8"
    case .trailingComma: "a comma with nothing behind it"
    case .secondDocument: "something behind the end of the document"
    case .tooDeep(let limit): "nested deeper than \(limit) brackets"
    }
  }
}
