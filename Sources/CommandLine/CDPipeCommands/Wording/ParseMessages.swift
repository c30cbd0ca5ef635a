// What is wrong with an input, in sentences.

import ParseStage

enum ParseMessages {
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
    case .recordTooLong(let limit): "longer than \(ByteSize.limit(UInt64(limit))) (--max-record)"
    case .numberTooLong(let bytes, let limit): "a number of \(bytes) bytes, and \(limit) is the most"
    case .fieldsTooLong(let bytes, let limit): "a label of \(bytes) bytes, and \(limit) is the most"
    case .missingField(let field): "no field '\(field)'"
    case .unusableField(""): "the label is a list or an object"
    case .unusableField(let field): "the field '\(field)' is a list or an object"
    case .badScore: "the score is not an integer"
    case .missingNumber: "no number"
    case .missingEnd: "the card has no END, and another one begins"
    case .unknownEntity: "a text with an entity that the document does not have"
    case .unterminatedQuote: "a quoted field that does not end"
    case .textAfterQuote: "text behind a closing quote"
    case .notWhole: "the number has a fraction, lost digits, is below zero, or is out of range"
    }
  }

  static func sentence(_ failure: ParseError) -> UserMessage {
    switch failure {
    case .notJSON(let line, let byte, let input, let defect):
      UserMessage(
        "\(input == "-" ? "standard input" : input):\(line) (byte \(byte)): not RFC 8259 JSON: \(reason(defect))",
        hint: hint(defect))
    case .unknownEncoding(let name):
      UserMessage("no such encoding: '\(name)'", hint: "iconv -l lists the encodings of this system")
    case .encodingOfDatabase(let input):
      UserMessage(
        "\(input == "-" ? "standard input" : "'\(input)'") is a SQLite database, which says itself how its texts are written",
        hint: "leave --encoding out")
    case .unknownFormat(let input, let isBinary):
      UserMessage(
        "\(input == "-" ? "standard input" : "'\(input)'") looks like \(isBinary ? "no text" : "none of the formats")",
        hint: isBinary
          ? "--format NAME says what it is ('cdpipe parse --formats' lists them), --encoding NAME how it is written"
          : "--format NAME says what it is; 'cdpipe parse --formats' lists them")
    case .webPage(let input):
      UserMessage(
        "\(input == "-" ? "standard input" : "'\(input)'") is a web page, and no list",
        hint: "a server may send one in place of what it can't give: look at it")
    case .noSuchColumn(let name, let names, let input):
      UserMessage(
        "\(input == "-" ? "standard input" : "'\(input)'") has no column '\(name)'",
        hint: "its columns: \(names.map { RejectMessages.printable($0) }.joined(separator: ", "))")
    case .nameWithoutHeader(let name):
      UserMessage(
        "'\(name)' is a column's name, and no header gives names here",
        hint: "columns have positions from 1 on too")
    case .badSeparator: UserMessage("--separator takes one of tab , ; | : ! ? & $ % / < = > ^ ~")
    case .notXML(let line, let byte, let input, let defect):
      UserMessage(
        "\(input == "-" ? "standard input" : input):\(line) (byte \(byte)): \(XMLMessages.reason(defect))",
        hint: XMLMessages.hint(defect))
    case .binaryPropertyList(let input):
      UserMessage(
        "\(input == "-" ? "standard input" : "'\(input)'") is a binary property list, and only the XML form is read",
        hint: "plutil -convert xml1 -o - FILE writes it as XML (on Linux: plistutil -i FILE)")
    case .database(let defect, let input):
      DatabaseMessages.sentence(defect, input == "-" ? "standard input" : "'\(input)'")
    case .queryWithoutDatabase:
      UserMessage(
        "--query is for databases, and the input is none", hint: "--format sqlite says that it is one")
    case .libraryMissing(let name, let package):
      UserMessage(
        "cannot use \(name)", hint: "install the package \(package); the other formats need no library")
    case .packed(let input):
      UserMessage(
        "\(input == "-" ? "standard input" : "'\(input)'") is packed (zip or gzip)",
        hint: "put 'cdpipe unzip' before it")
    case .noNumberField:
      UserMessage(
        "fields are named, but --number does not say which one is the number",
        hint: "cdpipe parse --help lists what it takes")
    case .badScoreConstant(let text): UserMessage("--score ='\(text)' is not an integer")
    }
  }

  private static func hint(_ defect: JSONErrorReason) -> String {
    if case .otherEncoding(let encoding) = defect {
      let name = encoding == .utf16LE || encoding == .utf16BE ? "utf-16" : "utf-32"
      return "--encoding \(name) reads it as that, and is strict about the rest"
    }
    return "without --strict, JSON-like input is read as far as it goes"
  }

  private static func reason(_ defect: JSONErrorReason) -> String {
    switch defect {
    case .unexpectedByte(let byte):
      byte > 0x20 && byte < 0x7F
        ? "'\(Unicode.Scalar(byte))' may not stand here" : "byte \(byte) may not stand here"
    case .unexpectedEnd: "the document is not at its end"
    case .otherEncoding(let encoding): "a byte order mark of \(encoding.rawValue), and JSON is UTF-8"
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
