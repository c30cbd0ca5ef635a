// The cells of a sheet: rows and columns with or without references, and the kinds of values.
//
// Formulas are ignored, and their results are read. A whole number is read as its format shows it, with leading zeros and
// signs; other formats, such as dates, are not applied.
//
// After the rows come the merged ranges, of which only the first cell has a value.
//
// Sources: ISO/IEC 29500-1, 18.3.1.4 (cells), 18.3.1.73 (rows), 18.18.11 (types of cells).

import Records
import SystemIO

/// Reads the part of a sheet, and passes its cells to a table.
final class SheetHandler: XMLHandler {
  private enum CellType {
    case number, shared, inline, boolean, text

    init(_ type: Span<UInt8>) {
      self =
        type.isEmpty || type.equals("n")
        ? .number
        : type.equals("s")
          ? .shared : type.equals("inlineStr") ? .inline : type.equals("b") ? .boolean : .text
    }
  }

  private let table: SheetTable
  private let strings: SharedStrings?
  private let styles: WorkbookStyles
  /// Notes where cells can be added; nil if none are.
  private let locator: SheetLocator?
  private let valueBytesMax: Int

  private var isInData = false
  /// Whether the part has the element of a sheet's cells.
  private(set) var hasData = false
  /// The number of rows so far, which may repeat their numbers.
  private var rowCount: UInt64 = 0
  private var isInCell = false
  /// The number of the row, from 1; 0 before the first one.
  private var row: UInt64 = 0
  /// The column of the last cell, from 0.
  private var column = -1
  private var kind = CellType.number
  private var format: WorkbookNumberFormat?
  private var isInValue = false
  private var hasUnknownEntity = false
  private var hasFormula = false
  /// The text of the cell's value element; a longer one than the limit is cut, and its row is rejected for its length.
  private var value: ContiguousArray<UInt8> = []
  private var inlineText: RichText

  /// Makes a handler for a part whose rows go to `table`.
  init(
    _ table: SheetTable, _ strings: SharedStrings?, _ styles: WorkbookStyles, _ locator: SheetLocator?,
    recordBytesMax: Int
  ) {
    self.table = table
    self.styles = styles
    self.locator = locator
    self.strings = strings
    valueBytesMax = recordBytesMax
    inlineText = RichText(bytesMax: recordBytesMax)
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    let wholeName = name
    let name = name.localName
    if !isInData {
      isInData = name.equals("sheetData")
      if isInData { locator?.beginData(wholeName) }
      if !hasData, name.equals("dimension") {
        locator?.noteDimension(attributes.value(of: "ref"), at: place().byte)
      }
      hasData = hasData || isInData
      if name.equals("mergeCell"), let range = CellRange(attributes.value(of: "ref").span) {
        table.noteMerge(range)
      }
    } else if isInCell {
      if name.equals("f") { hasFormula = true }
      isInValue = name.equals("v")
      if kind == .inline { inlineText.start(name, attributes) }
    } else if name.equals("c") {
      beginCell(attributes)
    } else if name.equals("row") {
      let number = WorkbookText.integer(attributes.value(of: "r").span)
      row = number.flatMap { $0 > 0 ? $0 : nil } ?? row + 1
      rowCount += 1
      guard max(row, rowCount) <= WorkbookLimits.rowsMax else { throw .tooManyRows(input: table.input) }
      column = -1
      table.beginRow(row)
    }
  }

  private func beginCell(_ attributes: borrowing XMLAttributes) {
    isInCell = true
    isInValue = false
    hasUnknownEntity = false
    hasFormula = false
    value.removeAll(keepingCapacity: true)
    let type = attributes.value(of: "t")
    kind = CellType(type.span)
    if kind == .inline { inlineText.removeAll() }
    format = kind == .number && styles.hasFormats ? styles.format(attributes.value(of: "s").span) : nil
    let reference = attributes.value(of: "r")
    column = reference.isEmpty ? column + 1 : WorkbookText.column(reference.span) ?? WorkbookLimits.columnsMax
    locator?.noteCell(column)
  }

  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter
  ) throws(Failure) {
    guard isInData else { return }
    let name = name.localName
    if isInCell {
      isInValue = false
      if kind == .inline { inlineText.end(name) }
      if name.equals("c") {
        isInCell = false
        try endCell()
      }
    } else if name.equals("row") {
      locator?.endRow(row, at: place().byte)
      try table.endRow(&rows)
    } else if name.equals("sheetData") {
      isInData = false
    }
  }

  func text(_ bytes: Span<UInt8>) {
    guard isInCell else { return }
    if kind == .inline { inlineText.add(bytes) }
    guard isInValue, value.count <= valueBytesMax else { return }
    value.append(copying: bytes.extracting(first: valueBytesMax + 1 - value.count))
  }

  func unknownEntity() {
    guard isInCell else { return }
    inlineText.noteUnknownEntity()
    if isInValue { hasUnknownEntity = true }
  }

  private func endCell() throws(Failure) {
    guard table.needs(column) else {
      if !value.isEmpty || (kind == .inline && !inlineText.unescaped.isEmpty) { table.noteText() }
      return
    }
    // A text may be an empty result; a number may not.
    if hasFormula, value.isEmpty, kind == .number { table.noteFormula(column) }
    if hasUnknownEntity || (kind == .inline && inlineText.hasUnknownEntity) {
      return table.reject(.unknownEntity)
    }
    switch kind {
    case .inline: table.add(inlineText.unescaped.span, column)
    case .number:
      let number = Self.number(value.span)
      let shown = format?.shown(number.span) ?? number
      table.add(shown.span, column)
    case .boolean:
      let word = value.span.trimmed.equals("1") ? "TRUE" : value.isEmpty ? "" : "FALSE"
      table.add(ContiguousArray(word.utf8).span, column)
    case .text:
      var text = value
      WorkbookText.unescape(&text)
      table.add(text.span, column)
    case .shared:
      if value.isEmpty { return }
      var text: ContiguousArray<UInt8> = []
      let index = WorkbookText.integer(value.span)
      guard let index, let strings, try strings.append(index, to: &text, limit: valueBytesMax + 1) else {
        throw .missingText(row: row, input: table.input)
      }
      if text == SharedStrings.unknownEntity { return table.reject(.unknownEntity) }
      table.add(text.span, column)
    }
  }

  /// The digits of a number: a whole number without point and exponent, and any other one as it is stored.
  private static func number(_ text: Span<UInt8>) -> ContiguousArray<UInt8> {
    let digits = text.trimmed
    let whole = try? JSONNumber.whole(digits, from: 0, to: digits.count, signed: true)
    return whole ?? ContiguousArray(copying: digits)
  }
}

// The rows of a sheet as a table: each row is written as a CSV record and read by the reader for tables, so that headers,
// columns and numbers are recognised in the same way.

/// Reads the records that the rows of a sheet are written as.
protocol SheetRecordReader: FormatReader {
  /// The number of columns that are read: a record needs no more fields. Known once the start was examined.
  var columnCount: Int { get }
  /// Notes a row that can't be written as a record.
  func noteReject(row: UInt64, _ reason: ParseReject)
}

extension TableReader: SheetRecordReader {
  func noteReject(row: UInt64, _ reason: ParseReject) {}
}

/// Collects the cells of a row, and passes complete rows to the reader for tables.
final class SheetTable {
  /// The input's name in messages.
  let input: String
  /// The numbers of formulas without a stored result, by their column.
  private var formulaCounts: [Int: Int] = [:]
  /// The merged ranges of cells in several rows, at most ``rangesMax``.
  private var ranges: [CellRange] = []
  private static let rangesMax = 10_000
  private let reader: any SheetRecordReader
  private let recordBytesMax: Int

  /// The records that are examined before the first one is read: their text, and where each one ends.
  private var sample: ContiguousArray<UInt8> = []
  private var sampled: [(row: UInt64, end: Int)] = []
  /// The examined start; nil before.
  private(set) var layout: InputLayout?
  /// The number of fields that each record has at least.
  private var width = 0
  private var header: SheetHeader
  /// The number of the header's row; 0 if there is none.
  private(set) var headerRow: UInt64 = 0

  private var row: UInt64 = 0
  private var record: ContiguousArray<UInt8> = []
  private var fieldCount = 0
  private var hasText = false
  private var rejectReason: ParseReject?
  private var rowCount: UInt64 = 0

  private static let separator = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  /// The number of rows after which the meter is updated.
  private static let meterRows: UInt64 = 4096

  /// Makes a table whose rows are located if there is a `locator`, and read otherwise.
  init(_ options: ParseOptions, _ locator: SheetLocator?, input: String) {
    self.input = input
    recordBytesMax = options.recordBytesMax
    reader = locator ?? TableReader(Self.recordOptions(options), hasQuotes: true, checksWidth: false)
    header = SheetHeader(options)
  }

  /// The options for the records.
  static func recordOptions(_ options: ParseOptions) -> ParseOptions {
    var options = options
    options.format = .csv
    options.separator = separator
    return options
  }

  // MARK: Cells

  /// Whether a cell in this column is read.
  func needs(_ column: Int) -> Bool { layout == nil || column < width }

  func beginRow(_ number: UInt64) {
    row = number
    record.removeAll(keepingCapacity: true)
    fieldCount = 0
    hasText = false
    rejectReason = nil
    if layout == nil { header.beginRow() }
  }

  /// Rejects the row when it ends; only the first reason is kept.
  func reject(_ reason: ParseReject) {
    if rejectReason == nil { rejectReason = reason }
  }

  /// Notes a text in a column that is not read: a row with nothing else is a row without a number.
  func noteText() { hasText = true }

  /// Notes a formula of which the workbook contains no result.
  func noteFormula(_ column: Int) { formulaCounts[column, default: 0] += 1 }

  /// The number of formulas without a stored result in the columns that are read.
  var missingResults: Int { formulaCounts.filter { $0.key < width }.values.reduce(0, +) }

  /// Notes a merged range, after the rows. Only its first cell has a value.
  func noteMerge(_ range: CellRange) {
    if range.rows.count > 1, ranges.count < Self.rangesMax { ranges.append(range) }
  }

  var merges: Int { ranges.count(where: { $0.rows.lowerBound > headerRow && $0.firstColumn < width }) }

  /// Adds a cell. A column that is not after the last one, or beyond the last possible one, makes the row a reject.
  func add(_ text: Span<UInt8>, _ column: Int) {
    guard rejectReason == nil else { return }
    guard column >= fieldCount, column < WorkbookLimits.columnsMax else { return reject(.unexpectedText) }
    if text.isEmpty { return }
    hasText = true
    if layout == nil { header.add(text, column) }
    appendField(text, column)
  }

  private func appendField(_ text: Span<UInt8>, _ column: Int) {
    pad(to: column)
    if fieldCount > 0 { record.append(Self.separator) }
    fieldCount += 1
    guard record.count + text.count <= recordBytesMax else {
      return reject(.recordTooLong(limit: recordBytesMax))
    }
    append(text)
  }

  /// Adds empty fields until there are `count`.
  private func pad(to count: Int) {
    while fieldCount < count {
      if fieldCount > 0 { record.append(Self.separator) }
      fieldCount += 1
    }
  }

  private func append(_ text: Span<UInt8>) {
    // A number sign would start a comment.
    var isQuoted = text[0] == UInt8(ascii: "#") || text[0].isASCIISpace || text[text.count - 1].isASCIISpace
    for index in text.indices where !isQuoted {
      switch text[index] {
      case Self.separator, Self.quote, 0x0A, 0x0D: isQuoted = true
      default: break
      }
    }
    if !isQuoted { return record.append(copying: text) }
    record.append(Self.quote)
    for index in text.indices {
      if text[index] == Self.quote { record.append(Self.quote) }
      record.append(text[index])
    }
    record.append(Self.quote)
  }

  // MARK: Rows

  /// Ends the row. A row without any text is not a record.
  func endRow(_ rows: inout RowWriter) throws(Failure) {
    rowCount += 1
    if rowCount % Self.meterRows == 0 { rows.advance(Span(), by: 0) }
    if let rejectReason {
      reader.noteReject(row: row, rejectReason)
      let text = record
      return try rows.reject(row: row, rejectReason, text: text.span)
    }
    guard hasText else { return }
    endRecord()
    // Moved out, so that nothing else can change it while its span is read.
    var text: ContiguousArray<UInt8> = []
    swap(&text, &record)
    defer { swap(&text, &record) }
    if layout != nil { return try read(text.span, row, &rows) }
    header.endRow()
    width = max(width, fieldCount)
    sample.append(copying: text.span)
    sampled.append((row, sample.count))
    if sample.count >= ParseLimits.startBytesMax { try begin(isWhole: false, &rows) }
  }

  private func endRecord() {
    // Cells that are missing at the end of a row are empty.
    pad(to: width)
    if record.isEmpty { record = [Self.quote, Self.quote] }
    record.append(UInt8(ascii: "\n"))
  }

  /// Ends the sheet.
  func finish(_ rows: inout RowWriter) throws(Failure) {
    if layout == nil { try begin(isWhole: true, &rows) }
    rows.rowNumber = nil
  }

  /// Recognises the header and the columns, and reads the records that were examined.
  private func begin(isWhole: Bool, _ rows: inout RowWriter) throws(Failure) {
    try beginAtHeader(&rows)
    let start = InputStart(bytes: sample, isWhole: isWhole, input: input)
    try reader.begin(start)
    var found = reader.layout(of: start)
    found.separator = nil
    layout = found
    width = reader.columnCount
    if found.hasHeader == true, let first = sampled.first { headerRow = first.row }
    let records = sampled
    (sample, sampled) = ([], [])
    var from = 0
    for (row, end) in records {
      try read(start.bytes.span.extracting(from..<end), row, &rows)
      from = end
    }
  }

  /// Rejects the title above the header, and replaces the header by its names.
  private func beginAtHeader(_ rows: inout RowWriter) throws(Failure) {
    let first = header.index ?? 0
    guard first < sampled.count, let cells = header.cells else { return }
    let title = sample
    var from = 0
    for (row, end) in sampled[..<first] {
      // Without its line feed.
      try rows.reject(row: row, .unexpectedText, text: title.span.extracting(from..<end - 1))
      from = end
    }
    let end = sampled[first].end
    // The current row's record, which was examined, is stored.
    record.removeAll(keepingCapacity: true)
    fieldCount = 0
    for (column, name) in cells { appendField(name.span, column) }
    endRecord()
    let rest = sampled[(first + 1)...].map { (row: $0.row, end: $0.end - end + record.count) }
    sampled = [(row: sampled[first].row, end: record.count)] + rest
    sample = record + sample[end...]
  }

  private func read(_ record: Span<UInt8>, _ row: UInt64, _ rows: inout RowWriter) throws(Failure) {
    rows.rowNumber = row
    _ = try reader.read(record, isEnd: true, into: &rows)
  }
}

// Finds the header of a sheet below its title: the first of the first rows that has a common name of a number column, or
// the chosen name. Rows with numbers are data: nothing after them is a header.
//
// Line breaks in the header's cells become blanks, so that the names can be typed.

/// Examines the first rows of a sheet, cell by cell.
struct SheetHeader {
  /// The maximum number of rows that are examined. Titles have a few rows.
  private static let rowsMax = 20
  private static let cellsBytesMax = 16 * 1024
  /// The minimum number of digits of a number. The number of a day, which cells with dates contain, has five.
  private static let digitsMin = 6

  /// A cell: its column, and its text as a name.
  typealias Cell = (column: Int, name: ContiguousArray<UInt8>)

  /// The index of the header among the rows with text; nil if no row is certainly the header.
  private(set) var index: Int?
  /// The cells of the header, or of the first row if there is none and that row has no number; nil if there is neither.
  private(set) var cells: [Cell]?

  private let chosenName: String?
  private var isDone: Bool
  private var rowCount = 0
  private var current: [Cell] = []
  private var bytes = 0
  private var hasNumber = false

  init(_ options: ParseOptions) {
    chosenName = options.firstName
    isDone = options.header == .no
    if options.header == .yes { index = 0 }
  }

  mutating func beginRow() {
    current.removeAll()
    bytes = 0
    hasNumber = false
  }

  /// Adds a cell to the row.
  mutating func add(_ text: Span<UInt8>, _ column: Int) {
    if isDone { return }
    bytes += text.count
    guard bytes <= Self.cellsBytesMax else { return }
    if NumberText.contents(text, from: 0, to: text.count).isNumber(digitsMin: Self.digitsMin) {
      hasNumber = true
    }
    let name = Self.name(text)
    if !name.isEmpty { current.append((column, name)) }
  }

  mutating func endRow() {
    if isDone { return }
    defer {
      rowCount += 1
      if rowCount == Self.rowsMax { isDone = true }
    }
    if hasNumber {
      isDone = true
    } else if bytes <= Self.cellsBytesMax {
      if rowCount == 0 { cells = current }
      if index == 0 {
        isDone = true
      } else if isHeader {
        index = rowCount
        cells = current
        isDone = true
      }
    }
  }

  /// Whether the current row has the chosen name, or names of a number column and another one.
  private var isHeader: Bool {
    let names = current.map { String(decoding: $0.name, as: UTF8.self) }
    if let chosenName { return names.contains(chosenName) }
    return names.count > 1 && names.contains(where: CommonFieldNames.isNumber)
  }

  /// A text without the white space around it, and with blanks in place of line breaks.
  private static func name(_ text: Span<UInt8>) -> ContiguousArray<UInt8> {
    let text = text.trimmed
    var name: ContiguousArray<UInt8> = []
    var index = 0
    while index < text.count {
      let start = index
      var hasBreak = false
      while index < text.count, text[index].isASCIISpace {
        if text[index] != 0x20 { hasBreak = true }
        index += 1
      }
      if hasBreak { name.append(0x20) } else { name.append(copying: text.extracting(start..<index)) }
      if index < text.count {
        name.append(text[index])
        index += 1
      }
    }
    return name
  }
}
