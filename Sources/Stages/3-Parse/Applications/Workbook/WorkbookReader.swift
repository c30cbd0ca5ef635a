// Excel workbooks in Office Open XML (`.xlsx`, `.xlsm`): the rows of one sheet. A zip archive can't be read from front to
// back, so its bytes are first written to an unnamed temporary file.
//
// Other office documents are recognised, so that an error names what they are.
//
// Not for: the archive (WorkbookArchive), the list of sheets (WorkbookSheets), the cells (SheetHandler).

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
    matches: { WorkbookReader.isOfficeDocument($0) },
    makeReader: { WorkbookReader($0) },
    signature: Signature(
      kind: "an Excel workbook", bytes: OfficePackage.startBytes, isZip: true,
      matches: { WorkbookReader.isOfficeDocument($0) }))
}

/// The reader for the `xlsx` format.
final class WorkbookReader: FormatReader {
  private let options: ParseOptions
  private let context: StageContext
  private var spool: InputSpool?
  private var layout = InputLayout()
  /// What is known about a document of Excel 97; nil for other inputs.
  private var compound: CompoundFile?
  private var isAtStart = true

  init(_ setting: ReaderConfiguration) {
    options = setting.options
    context = setting.context
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
    let list = try WorkbookSheets(archive, input: input, &rows)
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
    let table = SheetTable(options, input: input)
    let handler = SheetHandler(table, strings, recordBytesMax: options.recordBytesMax)
    do throws(Failure) {
      try archive.parse(part, limit: WorkbookLimits.sheetBytesMax, handler, into: &rows)
      try table.finish(&rows)
      note(table, sheet, others)
    } catch {
      note(table, sheet, others)
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
