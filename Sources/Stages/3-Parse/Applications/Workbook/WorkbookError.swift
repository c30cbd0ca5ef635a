// Why a workbook can't be read, as data; and the limits of reading workbooks, with their reasons.

import Records

/// The limits of reading workbooks, with their reasons.
enum WorkbookLimits {
  /// The maximum number of members of the archive: the directory is searched for each part. Workbooks with a thousand
  /// pictures have a few thousand.
  static let membersMax: UInt64 = 65_536
  /// The maximum unpacked size of the parts that list the sheets, in bytes; real ones have a few KiB.
  static let listBytesMax: UInt64 = 16 << 20
  /// The maximum unpacked size of the shared strings, in bytes. They are written to a temporary file.
  static let stringsBytesMax: UInt64 = 4 << 30
  /// The maximum unpacked size of a sheet, in bytes: a full sheet with sixteen short cells in each row has 1 GiB.
  static let sheetBytesMax: UInt64 = 16 << 30
  /// The maximum number of sheets, and of bytes of a name or a path that is kept. Excel allows names of 31 characters.
  static let sheetsMax = 1024
  static let nameBytesMax = 1024
  /// The maximum numbers of rows and columns. They are Excel's own limits.
  static let rowsMax: UInt64 = 1_048_576
  static let columnsMax = 16_384
  /// The number of names of sheets that an error lists.
  static let sheetsShownMax = 20
}

/// A kind of office document that is recognised, but not read.
enum OfficeFormat {
  /// A workbook of Excel 97 to 2003, `.xls`, or another document of that time.
  case excel97
  /// A workbook that is protected by a password.
  case encrypted
  /// A workbook in Excel's binary form, `.xlsb`.
  case excelBinary
  /// A spreadsheet of LibreOffice, `.ods`, or another OpenDocument file.
  case openDocument
  /// A spreadsheet of Apple's Numbers.
  case numbers
  /// A document or a presentation.
  case other

  var phrase: String {
    switch self {
    case .excel97: "an Excel 97 workbook or another old Office document"
    case .encrypted: "protected by a password"
    case .excelBinary: "a binary Excel workbook (.xlsb)"
    case .openDocument: "an OpenDocument file"
    case .numbers: "a Numbers spreadsheet"
    case .other: "an Office document without sheets"
    }
  }

  var hint: String {
    switch self {
    case .encrypted: "remove the password in a spreadsheet program, or save it as CSV"
    case .numbers: "export it as Excel (.xlsx) or CSV"
    case .excel97, .excelBinary, .openDocument, .other: "save it as .xlsx or CSV"
    }
  }
}

// Why a workbook can't be read.
extension Failure {
  static func unsupportedDocument(_ format: OfficeFormat, input: String) -> Failure {
    parse(
      "unsupported-document", "\(InputName.quoted(input)) is \(format.phrase), which is not supported",
      hint: format.hint)
  }

  /// A zip archive that contains no workbook.
  static func noWorkbook(input: String) -> Failure {
    parse(
      "no-workbook", "\(InputName.quoted(input)) is a zip archive without a workbook",
      hint: "unpack a member with 'cdpipe unzip --entry NAME' (list: 'cdpipe unzip --list')")
  }

  static func missingPart(_ part: String, input: String) -> Failure {
    parse("missing-part", "\(InputName.quoted(input)) is damaged: it lacks '\(PrintableText.line(part))'")
  }

  /// The workbook has no sheet with cells, or all are hidden; the names of those.
  static func noSheet(hidden: [String], input: String) -> Failure {
    parse(
      "no-sheet", "\(InputName.quoted(input)) has no visible sheet with cells",
      hint: hidden.isEmpty ? nil : "choose a hidden one with --sheet NAME: \(list(hidden))")
  }

  /// The chosen sheet is not in the workbook; some of its sheets.
  static func noSuchSheet(_ name: String, names: [String], input: String) -> Failure {
    parse(
      "no-such-sheet", "\(InputName.quoted(input)) has no sheet '\(PrintableText.line(name))'",
      hint: "use one of its sheets: \(list(names))")
  }

  /// A cell of this row refers to a text that the workbook lacks.
  static func missingText(row: UInt64, input: String) -> Failure {
    parse(
      "missing-text",
      "\(InputName.quoted(input)) is damaged: row \(row) refers to a text that is missing",
      hint: "open it in a spreadsheet program and save it again")
  }
}
