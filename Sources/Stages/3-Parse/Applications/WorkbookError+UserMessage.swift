// Messages for errors of workbooks.

package import Records

extension WorkbookError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .unsupported(let format, let input):
      UserMessage("\(InputName.quoted(input)) is \(format.phrase), which is not supported", hint: format.hint)
    case .noWorkbook(let input):
      UserMessage(
        "\(InputName.quoted(input)) is a zip archive without a workbook",
        hint: "unpack a member with 'cdpipe unzip --entry NAME' (list: 'cdpipe unzip --list')")
    case .damagedArchive(let reason, let input):
      UserMessage(
        "\(InputName.quoted(input)) is damaged or truncated: \(reason.text)",
        hint: "copy or download it again")
    case .damagedPart(let part, let reason, let input):
      UserMessage(
        "\(InputName.quoted(input)) is damaged: '\(PrintableText.line(part))': "
          + (reason?.text ?? "wrong checksum or size"), hint: "copy or download it again")
    case .missingPart(let part, let input):
      UserMessage("\(InputName.quoted(input)) is damaged: it lacks '\(PrintableText.line(part))'")
    case .partTooLarge(let part, let limit, let input):
      UserMessage(
        "\(InputName.quoted(input)): '\(PrintableText.line(part))' unpacks to more than "
          + Figures.byteLimit(limit))
    case .tooManyMembers(let limit, let input):
      UserMessage("\(InputName.quoted(input)) has more than \(Figures.grouped(limit)) parts")
    case .notXML(let part, let line, let byte, let input, let reason):
      UserMessage(
        "\(InputName.plain(input)): '\(PrintableText.line(part))':\(line) (byte \(byte)): \(reason.text)",
        hint: reason.hint)
    case .noSheet(let hidden, let input):
      UserMessage(
        "\(InputName.quoted(input)) has no visible sheet with cells",
        hint: hidden.isEmpty ? nil : "choose a hidden one with --sheet NAME: \(Self.list(hidden))")
    case .noSuchSheet(let name, let names, let input):
      UserMessage(
        "\(InputName.quoted(input)) has no sheet '\(PrintableText.line(name))'",
        hint: "use one of its sheets: \(Self.list(names))")
    case .missingText(let row, let input):
      UserMessage(
        "\(InputName.quoted(input)) is damaged: row \(row) refers to a text that is missing",
        hint: "open it in a spreadsheet program and save it again")
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { PrintableText.line($0) }.joined(separator: ", ")
  }
}

extension OfficeFormat {
  fileprivate var phrase: String {
    switch self {
    case .excel97: "an Excel 97 workbook or another old Office document"
    case .encrypted: "protected by a password"
    case .excelBinary: "a binary Excel workbook (.xlsb)"
    case .openDocument: "an OpenDocument file"
    case .numbers: "a Numbers spreadsheet"
    case .other: "an Office document without sheets"
    }
  }

  fileprivate var hint: String {
    switch self {
    case .encrypted: "remove the password in a spreadsheet program, or save it as CSV"
    case .numbers: "export it as Excel (.xlsx) or CSV"
    case .excel97, .excelBinary, .openDocument, .other: "save it as .xlsx or CSV"
    }
  }
}
