// Excel workbooks in Office Open XML (`.xlsx`, `.xlsm`): the rows of one sheet. A zip archive can't be read from front to
// back, so its bytes are first written to an unnamed temporary file.
//
// Other office documents are recognised, so that an error names what they are.

import Records
import SystemIO

extension ParseOptions.Format {
  static let xlsx = Self("xlsx")
}

extension FormatDescription {
  static let xlsx = FormatDescription(
    format: .xlsx, what: "an Excel workbook",
    recognised: "a zip archive that starts with a part of a workbook",
    options: fieldOptions + " --header --sheet", fieldNames: .header, turn: .first,
    matches: { WorkbookReader.isOfficeDocument($0) }, makeReader: { WorkbookReader($0) },
    signature: Signature(
      kind: "an Excel workbook", bytes: OfficePackage.startBytes, isZip: true,
      matches: { WorkbookReader.isOfficeDocument($0) }))
}

final class WorkbookReader: FormatReader {
  private let options: ParseOptions
  private let context: StageContext
  /// Locates the rows, if cells are to be added to them.
  private let locator: SheetLocator?
  private var spool: InputSpool?
  private var layout = InputLayout()
  /// What is known about a document of Excel 97; nil for other inputs.
  private var compound: CompoundFile?
  private var isAtStart = true

  init(_ setting: ReaderConfiguration, _ locator: SheetLocator? = nil) {
    options = setting.options
    context = setting.context
    self.locator = locator
  }

  static func isOfficeDocument(_ start: Span<UInt8>) -> Bool {
    OfficePackage.begins(start) || CompoundFile.begins(start)
  }

  func reset() {
    spool = nil
    layout = InputLayout()
    compound = nil
    isAtStart = true
  }

  func layout(of start: InputStart) -> InputLayout { layout }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if isAtStart {
      if window.count < CompoundFile.signature.count, !isEnd { return 0 }
      isAtStart = false
      if CompoundFile.begins(window) { compound = CompoundFile() }
    }
    if var compound {
      compound.search(window)
      self.compound = compound
      guard isEnd else { return window.count }
      let format: OfficeFormat = compound.isEncrypted ? .encrypted : .excel97
      throw .unsupportedDocument(format, input: rows.input)
    }
    if spool == nil, !window.isEmpty { spool = try InputSpool(context) }
    try spool?.append(window)
    // An input without any bytes is an empty list, not a damaged workbook.
    if isEnd, let input = spool.take() { try run(input, &rows) }
    return window.count
  }

  private func run(_ spool: consuming InputSpool, _ rows: inout RowWriter) throws(Failure) {
    let input = rows.input
    let archive = try WorkbookArchive(spool, input: input, context)
    let list = try WorkbookSheets(archive, options, input: input, &rows)
    let sheet = try list.choose(options.sheet, input: input)
    guard let path = sheet.path, let part = try archive.part(named: path) else {
      throw .missingPart(sheet.path ?? "", input: input)
    }
    var others: [String] = []
    if options.sheet == nil {
      for other in list.visible(except: sheet) {
        if let path = other.path, let part = try archive.part(named: path), archive.hasValues(part) {
          others.append(other.name)
        }
      }
    }
    let strings = try sharedStrings(list.stringsPath, archive, &rows)
    let table = SheetTable(options, locator, input: input)
    let styles = WorkbookStyles()
    if let path = list.stylesPath, let part = try archive.part(named: path) {
      try archive.parse(part, limit: WorkbookLimits.listBytesMax, styles, into: &rows)
    }
    let handler = SheetHandler(table, strings, styles, locator, recordBytesMax: options.recordBytesMax)
    defer { note(table, sheet, others) }
    do throws(Failure) {
      try archive.parse(part, limit: WorkbookLimits.sheetBytesMax, handler, into: &rows)
      guard handler.hasData else { throw .notASheet(path, input: input) }
      try table.finish(&rows)
      locator?.finish(archive, part)
    } catch {
      // The rows before an error of the input are valid.
      if error.endsInput { try rows.flush() }
      throw error
    }
  }

  private func note(_ table: SheetTable, _ sheet: WorkbookSheet, _ others: [String]) {
    layout = table.layout ?? InputLayout()
    layout.sheet = sheet.name
    layout.otherSheets = others
    layout.merges = table.merges
    layout.missingResults = table.missingResults
  }

  /// Reads the shared strings; nil if the workbook has none.
  private func sharedStrings(
    _ path: String?, _ archive: WorkbookArchive, _ rows: inout RowWriter
  ) throws(Failure) -> SharedStrings? {
    guard let path, let part = try archive.part(named: path) else { return nil }
    let strings = try SharedStrings(textBytesMax: options.recordBytesMax, context)
    try archive.parse(part, limit: WorkbookLimits.stringsBytesMax, strings, into: &rows)
    try strings.finish()
    return strings
  }
}

/// A document in Microsoft's compound file format: a workbook of Excel 97 to 2003, or a workbook of today that is
/// encrypted, which has a stream named `EncryptedPackage`.
///
/// Sources: [MS-CFB] 2.2 (the signature), 2.6.1 (names are UTF-16); [MS-OFFCRYPTO] 2.3.4.4.
struct CompoundFile {
  static let signature: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]
  private static let mark = Array("EncryptedPackage".utf8).flatMap { (letter) -> [UInt8] in [letter, 0] }

  /// Whether the document is encrypted, as far as it was searched.
  private(set) var isEncrypted = false
  /// The number of bytes of the mark that the bytes so far end with.
  private var matched = 0

  static func begins(_ start: Span<UInt8>) -> Bool {
    guard start.count >= signature.count else { return false }
    for index in signature.indices where start[index] != signature[index] { return false }
    return true
  }

  /// Searches the next bytes for the name of the encrypted stream.
  mutating func search(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      // The mark's first letter occurs only once in it, so a mismatch can only be the start of another match.
      if bytes[index] != Self.mark[matched] { matched = 0 }
      if bytes[index] == Self.mark[matched] { matched += 1 }
      if matched == Self.mark.count {
        isEncrypted = true
        matched = 0
      }
    }
  }
}

// The sheets of a workbook: which there are, which one is read, and where its part is.
//
// Elements are recognised by their names without prefix, so that both forms of the format (transitional and strict,
// which have different namespaces) are read alike.
//
// Sources: ISO/IEC 29500-1, 18.2.19 (sheets), ISO/IEC 29500-2, 9.3 (relationships).

struct WorkbookSheet {
  var name: String
  var isVisible: Bool
  /// The identifier of the relationship with its part.
  fileprivate var relationship: ContiguousArray<UInt8>
  /// The path of its part; nil if it has no cells, such as a chart.
  var path: String?

  fileprivate init(_ attributes: borrowing XMLAttributes) {
    let state = attributes.value(of: "state")
    name = String(decoding: attributes.value(of: "name").prefix(WorkbookLimits.nameBytesMax), as: UTF8.self)
    isVisible = state.isEmpty || state.span.equals("visible")
    relationship = ContiguousArray(
      attributes.value(of: "id", ignoringPrefix: true).prefix(WorkbookLimits.nameBytesMax))
  }
}

private struct WorkbookRelationship {
  let identifier: ContiguousArray<UInt8>
  /// The last word of its type.
  let type: String
  let target: String

  init(_ attributes: borrowing XMLAttributes) {
    identifier = attributes.value(of: "Id")
    let name = String(decoding: attributes.value(of: "Type"), as: UTF8.self)
    type = name.split(separator: "/").last.map(String.init) ?? ""
    let target = attributes.value(of: "Target").prefix(WorkbookLimits.nameBytesMax)
    self.target = String(decoding: target, as: UTF8.self)
  }
}

/// The sheets of a workbook, in the order of their tabs, and the part with its texts.
struct WorkbookSheets {
  private(set) var sheets: [WorkbookSheet] = []
  /// The path of the shared strings; nil if there are none.
  private(set) var stringsPath: String?
  /// The path of the formats; nil if there are none.
  private(set) var stylesPath: String?

  /// Reads the parts that list the sheets. Throws if the document is not a workbook.
  init(
    _ archive: WorkbookArchive, _ options: ParseOptions, input: String, _ rows: inout RowWriter
  ) throws(Failure) {
    let path = try Self.workbookPath(archive, &rows)
    guard let part = try archive.part(named: path), !path.hasSuffix(".bin") else {
      if let other = try archive.otherFormat() { throw .unsupportedDocument(other, input: input) }
      throw .noWorkbook(input: input)
    }
    var found: [WorkbookSheet] = []
    let list = ElementVisitor("sheet") { attributes in
      if found.count < WorkbookLimits.sheetsMax { found.append(WorkbookSheet(attributes)) }
    }
    try archive.parse(part, limit: WorkbookLimits.listBytesMax, list, into: &rows)
    sheets = found
    if options.dates.format == .serial {
      var is1904 = false
      let properties = ElementVisitor("workbookPr") {
        is1904 = $0.value(of: "date1904").contains { "1t".utf8.contains($0) }
      }
      try archive.parse(part, limit: WorkbookLimits.listBytesMax, properties, into: &rows)
      if is1904 { throw .datesSince1904(input) }
    }
    let base = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let relationshipsPath = base + "_rels/" + path.dropFirst(base.count) + ".rels"
    guard let relationships = try archive.part(named: relationshipsPath) else {
      throw .missingPart(relationshipsPath, input: input)
    }
    var whole = self
    let links = ElementVisitor("Relationship") { whole.note(WorkbookRelationship($0), base) }
    try archive.parse(relationships, limit: WorkbookLimits.listBytesMax, links, into: &rows)
    self = whole
  }

  /// The path of the workbook's part: the target of the package's relationship, or the common one.
  private static func workbookPath(
    _ archive: WorkbookArchive, _ rows: inout RowWriter
  ) throws(Failure) -> String {
    var path = "xl/workbook.xml"
    guard let part = try archive.part(named: "_rels/.rels") else { return path }
    let links = ElementVisitor("Relationship") { attributes in
      let link = WorkbookRelationship(attributes)
      if link.type == "officeDocument" { path = resolve(link.target, "") }
    }
    try archive.parse(part, limit: WorkbookLimits.listBytesMax, links, into: &rows)
    return path
  }

  private mutating func note(_ link: WorkbookRelationship, _ base: String) {
    let path = Self.resolve(link.target, base)
    if link.type == "sharedStrings" { stringsPath = path }
    if link.type == "styles" { stylesPath = path }
    guard link.type == "worksheet" else { return }
    for index in sheets.indices where sheets[index].relationship == link.identifier {
      sheets[index].path = path
    }
  }

  /// The path of a target, which is relative to a folder unless it begins with a slash.
  private static func resolve(_ target: String, _ base: String) -> String {
    let full = target.hasPrefix("/") ? target : base + target
    var parts: [Substring] = []
    for part in full.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// The sheet with this name, or at this position among the visible ones; the first visible one for nil. Throws if
  /// there is none with cells.
  func choose(_ chosen: String?, input: String) throws(Failure) -> WorkbookSheet {
    let withCells = sheets.filter { $0.path != nil }
    let visible = withCells.filter { $0.isVisible }
    guard let chosen else {
      if let first = visible.first { return first }
      throw .noSheet(hidden: Self.names(withCells), input: input)
    }
    if let named = withCells.first(where: { $0.name == chosen }) { return named }
    if let position = FieldSelector.name(chosen).position, position <= visible.count {
      return visible[position - 1]
    }
    throw .noSuchSheet(chosen, names: Self.names(withCells), input: input)
  }

  /// The visible sheets with cells besides one, at most ``WorkbookLimits/sheetsShownMax``.
  func visible(except chosen: WorkbookSheet) -> [WorkbookSheet] {
    Array(
      sheets.filter { $0.isVisible && $0.path != nil && $0.path != chosen.path }
        .prefix(WorkbookLimits.sheetsShownMax))
  }

  private static func names(_ sheets: [WorkbookSheet]) -> [String] {
    sheets.prefix(WorkbookLimits.sheetsShownMax).map(\.name)
  }
}

/// Calls a function for each element of a name, whose texts are of no interest.
private final class ElementVisitor: XMLHandler {
  private let name: StaticString
  private let visit: (borrowing XMLAttributes) -> Void

  init(_ name: StaticString, _ visit: @escaping (borrowing XMLAttributes) -> Void) {
    self.name = name
    self.visit = visit
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    if name.localName.equals(self.name) { visit(attributes) }
  }

  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter
  ) throws(Failure) {}
  func text(_ bytes: Span<UInt8>) {}
  func unknownEntity() {}
}

// MARK: - Limits and failures

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
  /// The maximum number of times that a part may be larger than its compressed form, and the size up to which it may be
  /// any number of times larger. The limits of `unzip` are the same by default; cells have a tenth of that.
  static let ratioMax: UInt64 = 200
  static let ratioFreeBytes: UInt64 = 10 << 20
  /// The maximum processor time for parsing a workbook, the same as for a database by default: about 6 GiB.
  static let secondsMax = 300.0
  /// The maximum number of sheets, and of bytes of a name or a path that is kept. Excel allows names of 31 characters.
  static let sheetsMax = 1024
  static let nameBytesMax = 1024
  /// The maximum numbers of rows and columns. They are Excel's own limits.
  static let rowsMax: UInt64 = 1_048_576
  static let columnsMax = 16_384
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

  static func noWorkbook(input: String) -> Failure {
    parse(
      "no-workbook", "\(InputName.quoted(input)) is a zip archive without a workbook",
      hint: "unpack a member with 'cdpipe unzip --entry NAME' (list: 'cdpipe unzip --list')")
  }

  static func missingPart(_ part: String, input: String) -> Failure {
    parse("missing-part", "\(InputName.quoted(input)) is damaged: it lacks '\(PrintableText.line(part))'")
  }

  /// The part that a sheet's relationship names is something else.
  static func notASheet(_ part: String, input: String) -> Failure {
    parse(
      "not-a-sheet", "\(InputName.quoted(input)) is damaged: '\(PrintableText.line(part))' is not a sheet",
      hint: "open it in a spreadsheet program and save it again")
  }

  /// A sheet has a row after the last possible one. The rows before it are valid.
  static func tooManyRows(input: String) -> Failure {
    parse(
      "too-many-sheet-rows",
      "\(InputName.quoted(input)) has more rows than a sheet can have (\(Figures.grouped(WorkbookLimits.rowsMax)))",
      hint: "save it as CSV")
  }

  /// The workbook has no sheet with cells, or all are hidden; the names of those.
  static func noSheet(hidden: [String], input: String) -> Failure {
    parse(
      "no-sheet", "\(InputName.quoted(input)) has no visible sheet with cells",
      hint: hidden.isEmpty ? nil : "choose a hidden one with \(option: "sheet", "NAME"): \(nameList(hidden))")
  }

  /// The chosen sheet is not in the workbook; some of its sheets.
  static func noSuchSheet(_ name: String, names: [String], input: String) -> Failure {
    parse(
      "no-such-sheet", "\(InputName.quoted(input)) has no sheet '\(PrintableText.line(name))'",
      hint: "use one of its sheets: \(nameList(names))")
  }

  static func datesSince1904(_ input: String) -> Failure {
    parse(
      "dates-since-1904", "\(InputName.quoted(input)) counts days from 1904, not from 1900",
      hint: "turn the 1904 date system off in a spreadsheet program, and save it again")
  }

  static func missingText(row: UInt64, input: String) -> Failure {
    parse(
      "missing-text", "\(InputName.quoted(input)) is damaged: row \(row) refers to a text that is missing",
      hint: "open it in a spreadsheet program and save it again")
  }
}
