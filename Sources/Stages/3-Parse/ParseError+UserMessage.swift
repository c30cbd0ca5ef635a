// Messages for errors of `parse`.

package import Records

extension ParseError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .notJSON(let line, let byte, let input, let reason):
      UserMessage(
        "\(InputName.plain(input)):\(line) (byte \(byte)): not RFC 8259 JSON: \(reason.text)",
        hint: reason.hint)
    case .unfinishedJSON(let input, let bracket):
      UserMessage(
        "\(InputName.quoted(input)) ends inside an \(bracket == UInt8(ascii: "[") ? "array" : "object")",
        hint: "get the whole input again; the rows before its end were read")
    case .unknownEncoding(let name):
      UserMessage("unknown encoding: '\(name)'", hint: EncodingNames.hint(name))
    case .encodingOfBinary(let format, let input):
      UserMessage(
        "\(InputName.quoted(input)) is \(Self.kind(format)), which declares its own encoding",
        hint: "remove --encoding")
    case .otherFormat(let format, let input):
      UserMessage(
        "\(InputName.quoted(input)) is \(Self.kind(format))",
        hint: "remove --format, or use --format=\(format.rawValue)")
    case .unknownFormat(let input, let isBinary, let encoding):
      Self.unknownFormat(InputName.quoted(input), isBinary: isBinary, encoding)
    case .manifest(let input):
      UserMessage(
        "\(InputName.quoted(input)) is the manifest of stores",
        hint: "read their records with: cdpipe cat \(input == "-" ? "FILE" : ShellQuoting.quoted(input)) | …")
    case .webPage(let input):
      UserMessage(
        "\(InputName.quoted(input)) is a web page, not a list",
        hint: "look at the page: servers often send one in place of an error")
    case .noSuchColumn(let name, let names, let input): Self.missing("column", name, names, input)
    case .noSuchField(let name, let names, let input): Self.missing("field", name, names, input)
    case .nameWithoutHeader(let name):
      UserMessage(
        "'\(name)' is the name of a column, but the input has no header",
        hint: "use the column's position, starting at 1")
    case .badSeparator: UserMessage("--separator must be a tab or one of , ; | : ! ? & $ % / < = > ^ ~")
    case .notXML(let line, let byte, let input, let reason):
      UserMessage("\(InputName.plain(input)):\(line) (byte \(byte)): \(reason.text)", hint: reason.hint)
    case .binaryPropertyList(let reason, let input):
      UserMessage("\(InputName.quoted(input)) is a binary property list that \(reason.text)")
    case .invalidSlice(let reason, let input):
      UserMessage("\(InputName.quoted(input)) is not a complete data slice: \(reason.text)")
    case .database(let reason, let input): reason.userMessage(InputName.quoted(input))
    case .lastWithoutColumns:
      UserMessage("--last names a field of JSON, a table or a database, but the input has none")
    case .queryWithoutDatabase:
      UserMessage("--query needs a database, and the input is not one", hint: "add --format=sqlite if it is")
    case .sheetWithoutWorkbook:
      UserMessage("--sheet needs a workbook, and the input is not one", hint: "add --format=xlsx if it is")
    case .libraryMissing(let name, let package):
      UserMessage(
        "cannot load \(name)", hint: "install the package \(package); other formats need no library")
    case .noNumberField:
      UserMessage("other fields are named, but not the number", hint: "add --number NAME")
    case .badScoreConstant(let text): UserMessage("--score ='\(text)' is not an integer")
    }
  }
}

extension ParseError {
  private static func missing(_ kind: String, _ name: String, _ names: [String], _ input: String)
    -> UserMessage
  {
    UserMessage(
      "\(InputName.quoted(input)) has no \(kind) '\(PrintableText.line(name))'",
      hint: "use one of its \(kind)s: \(names.map { PrintableText.line($0) }.joined(separator: ", "))")
  }

  private static func unknownFormat(_ input: String, isBinary: Bool, _ encoding: String?) -> UserMessage {
    if let encoding {
      return UserMessage(
        "\(input) looks like \(encoding) without a byte order mark", hint: "try --encoding \(encoding)")
    }
    return UserMessage(
      "\(input) does not look like \(isBinary ? "text" : "any known format")",
      hint: "set the format with --format NAME (list: 'cdpipe parse --formats')"
        + (isBinary ? ", the encoding with --encoding NAME" : ""))
  }

  /// What an input that is not text is.
  fileprivate static func kind(_ format: ParseOptions.Format) -> String {
    switch format {
    case .sqlite: "a SQLite database"
    case .xlsx: "an Excel workbook"
    case .yacb: "a data slice"
    default: "a binary property list"
    }
  }
}

extension BinaryPropertyListErrorReason {
  /// What is wrong with the list.
  fileprivate var text: String {
    switch self {
    case .badTrailer: "is truncated or damaged: its last 32 bytes do not describe it"
    case .badObject(let byte): "is damaged at byte \(byte)"
    case .tooDeep(let limit): "is nested deeper than \(limit) levels, or contains itself"
    case .bomb: "repeats its parts until they are far larger than the file"
    case .otherData: "has other data before or after it, such as another list"
    }
  }
}

extension JSONErrorReason {
  /// What is not strict JSON.
  fileprivate var text: String {
    switch self {
    case .unexpectedByte(let byte):
      byte > 0x20 && byte < 0x7F ? "unexpected '\(Unicode.Scalar(byte))'" : "unexpected byte \(byte)"
    case .unexpectedEnd: "the document ends too early"
    case .otherEncoding(let encoding): "a byte order mark of \(encoding.rawValue); JSON is UTF-8"
    case .leadingZero: "a number with a leading zero"
    case .controlCharacter(let byte): "control character \(byte) in a string"
    case .badEscape: "invalid escape"
    case .invalidUTF8: "not UTF-8"
    case .trailingComma: "a trailing comma"
    case .secondDocument: "text after the end of the document"
    case .tooDeep(let limit): "nested deeper than \(limit) brackets"
    }
  }

  fileprivate var hint: String {
    if case .otherEncoding(let encoding) = self {
      let name = encoding == .utf16LE || encoding == .utf16BE ? "utf-16" : "utf-32"
      return "add --encoding=\(name)"
    }
    return "remove --strict to read JSON-like input as far as possible"
  }
}

extension SliceErrorReason {
  /// The reason in a few words.
  fileprivate var text: String {
    switch self {
    case .notASlice: "it does not begin like one"
    case .truncated: "it ends too early"
    case .negativeCount: "a count is negative"
    case .divider: "'CP' is missing after its numbers"
    case .endMark: "its end mark is missing"
    case .otherData: "other data follows its end mark"
    }
  }
}
