// The rows of a workbook's sheet with their places in its XML, and a copy of the workbook in which cells are added to them.
// All other bytes of the sheet are copied as they are, but for the range of its cells.
//
// The attribute `spans` of a row is copied, too: it only speeds up reading, and its cells may be outside of it.
//
// Sources: ISO/IEC 29500-1, 18.3.1.4 (cells), 18.3.1.35 (the range of a sheet's cells), 18.3.1.73 (rows).

import BasicContainers
package import Records
import SystemIO

/// Decides what is added to the rows of a sheet.
package protocol SheetCells: AnyObject {
  /// The number of columns that are added.
  var columnCount: Int { get }
  /// A number for each of the records, which stands for what is added to it; 0 for nothing.
  func outcomes(of found: borrowing LocatedRecords) -> [UInt64]
  /// The texts of the cells that a number stands for, each after a tab: ASCII without marks of XML. An empty text is not
  /// added.
  func text(of outcome: UInt64) -> ContiguousArray<UInt8>
}

/// A workbook whose rows are located.
package final class LocatedWorkbook {
  private let reader: WorkbookReader
  private let locator: SheetLocator
  private var reading: RecordReading
  private let input: String

  package init(_ options: ParseOptions, input: String, _ cells: any SheetCells) throws(Failure) {
    let reading = try RecordReading(options, input: input)
    if let row = ParseOptions.Format.xlsx.row { try options.check(row) }
    let context = StageContext(meter: StageMeter(.parse), rejects: try RejectLog())
    locator = SheetLocator(options, cells, input: input)
    reader = WorkbookReader(ReaderConfiguration(options: options, context: context), locator)
    self.reading = reading
    self.input = input
  }

  /// Whether an input with this start is read as a workbook.
  package static func begins(_ start: Span<UInt8>, _ options: ParseOptions) -> Bool {
    options.format == .xlsx
      || options.format == .auto && options.separator == nil && WorkbookReader.isOfficeDocument(start)
  }

  /// Reads the next bytes. The rows are located at the end.
  package func read(_ bytes: Span<UInt8>, isEnd: Bool) throws(Failure) {
    _ = try reader.read(bytes, isEnd: isEnd, into: &reading.rows)
  }

  /// The names of the columns; empty without a header. Known at the end.
  package var names: [String] { locator.names }

  /// What the user should look at. Known at the end.
  package var warnings: [UserMessage] {
    LocatedInput.warnings(reader.layout(of: InputStart(bytes: [], isWhole: true, input: input)), input)
  }

  /// Writes the workbook with the cells that are added.
  package func copy(to sink: any ByteSink) throws(Failure) { try locator.copy(to: sink) }
}

/// Locates the rows of a sheet by its XML, and their numbers by the records that they are written as.
final class SheetLocator: SheetRecordReader {
  fileprivate struct SheetRow {
    /// The offset of its end tag in the XML.
    var end: UInt64 = 0
    /// What is added to it, see ``SheetCells``.
    var outcome: UInt64 = 0
  }

  fileprivate let cells: any SheetCells
  private let options: ParseOptions
  private let input: String
  private var archive: WorkbookArchive?
  private var part: ZipEntry?

  private(set) var names: [String] = []
  private(set) var columnCount = 0
  private var layout = InputLayout()
  private var table: TableLocator?
  /// The size of the records that are not rows, and the end of the header in them.
  private var headBytes = 0
  private var headerEnd: Int?
  private var readBytes = 0
  private var found = LocatedRecords()
  /// The number of the row of each record.
  private var foundRows: [UInt64] = []

  /// The rows by their numbers, at most ``WorkbookLimits/rowsMax``.
  fileprivate private(set) var rows: [SheetRow] = []
  /// The prefix of the names of elements, with its colon.
  fileprivate private(set) var prefix: ContiguousArray<UInt8> = []
  /// The range of the sheet's cells, and the offset of its tag.
  fileprivate private(set) var dimension: (range: ContiguousArray<UInt8>, place: UInt64)?
  /// The last column that has a cell, which may be empty; -1 if there is none.
  fileprivate private(set) var lastColumn = -1
  /// Whether each row is after the one before it.
  private var isOrdered = true

  init(_ options: ParseOptions, _ cells: any SheetCells, input: String) {
    self.options = SheetTable.recordOptions(options)
    self.cells = cells
    self.input = input
  }

  // MARK: Places

  /// Notes the start of the rows; their names have the same prefix as this one.
  func beginData(_ name: Span<UInt8>) {
    prefix = ContiguousArray(copying: name.extracting(0..<name.count - name.localName.count))
  }

  func noteDimension(_ range: ContiguousArray<UInt8>, at place: UInt64) {
    if !range.isEmpty { dimension = (range, place) }
  }

  func noteCell(_ column: Int) {
    if column < WorkbookLimits.columnsMax { lastColumn = max(lastColumn, column) }
  }

  func endRow(_ row: UInt64, at place: UInt64) {
    if row < rows.count { isOrdered = false }
    while rows.count <= row { rows.append(SheetRow()) }
    rows[Int(row)].end = place
  }

  func finish(_ archive: WorkbookArchive, _ part: ZipEntry) {
    (self.archive, self.part) = (archive, part)
    noteOutcomes()
  }

  // MARK: Records

  func begin(_ start: InputStart) throws(Failure) {
    let examined = try TableStart(start, options, hasQuotes: true)
    if options.numberField == nil { try LocatedInput.requireNumber(examined, input) }
    table = try TableLocator(examined, nil, options, width: 0, quotesMayBeText: false, input: input)
    layout = InputLayout(examined, options)
    names = examined.fieldNames ?? []
    columnCount = examined.columns.ofNumbers.fieldsMax
    (headBytes, headerEnd) = (examined.skippedBytes, examined.headerEnd)
  }

  func layout(of start: InputStart) -> InputLayout { layout }

  func read(_ record: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    let start = readBytes
    readBytes += record.count
    let row = rows.rowNumber ?? 0
    makeCapacity()
    if start >= headBytes {
      _ = try table?.locate(record, isEnd: true, into: &found)
    } else if let headerEnd, start < headerEnd, headerEnd <= readBytes {
      found.append(LocatedRecords.Record(.header, end: 0, next: 0))
    }
    while foundRows.count < found.records.count { foundRows.append(row) }
    return record.count
  }

  func noteReject(row: UInt64, _ reason: ParseReject) {
    makeCapacity()
    found.append(reason: reason.code, end: 0, next: 0)
    foundRows.append(row)
  }

  private func makeCapacity() {
    if !found.hasCapacity { noteOutcomes() }
  }

  private func noteOutcomes() {
    for (row, outcome) in zip(foundRows, cells.outcomes(of: found)) where rows[Int(row)].outcome == 0 {
      rows[Int(row)].outcome = outcome
    }
    found.removeAll()
    foundRows.removeAll(keepingCapacity: true)
  }

  // MARK: Copies

  func copy(to sink: any ByteSink) throws(Failure) {
    guard let archive, let part else { return }
    guard lastColumn + cells.columnCount < WorkbookLimits.columnsMax else {
      throw .parse(
        "no-free-columns", "the sheet of \(InputName.quoted(input)) has cells up to its last column",
        hint: "delete the empty columns after the last one, formats included")
    }
    let otherForm = Failure.parse(
      "sheet-not-copied",
      "cells can't be added to '\(PrintableText.line(part.name))' of \(InputName.quoted(input)): "
        + "its rows are not in order, or not in plain UTF-8",
      hint: "open it in a spreadsheet program and save it again")
    guard isOrdered else { throw otherForm }
    var copy = SheetCopy(self)
    try archive.copy(part, to: sink) { (bytes, isEnd, writer) throws(Failure) in
      guard let used = try copy.write(bytes, isEnd: isEnd, to: &writer) else { throw otherForm }
      return used
    }
  }
}

/// The XML of a sheet with cells added, piece by piece.
private struct SheetCopy {
  private let sheet: SheetLocator
  /// The start of a cell in each column that is added.
  private let starts: [ContiguousArray<UInt8>]
  /// What is after the reference of a cell, and after its text.
  private let middle: ContiguousArray<UInt8>
  private let end: ContiguousArray<UInt8>
  private let endTag: ContiguousArray<UInt8>
  private var dimension: (range: ContiguousArray<UInt8>, place: UInt64)?
  /// The offset of the next byte in the sheet, and the next row.
  private var offset: UInt64 = 0
  private var row = 0

  /// The number of bytes after a place that show what is there: a tag of a few dozen bytes.
  private static let lookaheadBytes = 1024

  init(_ sheet: SheetLocator) {
    self.sheet = sheet
    let prefix = String(decoding: sheet.prefix, as: UTF8.self)
    starts = (0..<sheet.cells.columnCount).map {
      ContiguousArray("<\(prefix)c r=\"\(WorkbookText.letters(sheet.lastColumn + 1 + $0))".utf8)
    }
    middle = ContiguousArray("\" t=\"inlineStr\"><\(prefix)is><\(prefix)t>".utf8)
    end = ContiguousArray("</\(prefix)t></\(prefix)is></\(prefix)c>".utf8)
    endTag = ContiguousArray("</\(prefix)row".utf8)
    dimension = sheet.dimension
  }

  /// Writes bytes of the sheet, and returns their number; nil if a tag is not where it should be. The bytes before the end
  /// are needed again.
  mutating func write(
    _ bytes: Span<UInt8>, isEnd: Bool, to writer: inout PartWriter
  ) throws(Failure) -> Int? {
    var limit = isEnd ? bytes.count : max(0, bytes.count - Self.lookaheadBytes)
    var copied = 0
    if let dimension, dimension.place < offset + UInt64(limit) {
      let place = Int(dimension.place - offset)
      guard let range = Self.value(dimension.range, in: bytes, from: place) else { return nil }
      try writer.add(bytes.extracting(0..<range.lowerBound))
      try writer.add(extended(dimension.range).span)
      copied = range.upperBound
      limit = max(limit, copied)
      self.dimension = nil
    }
    while row < sheet.rows.count {
      let (place, outcome) = (sheet.rows[row].end, sheet.rows[row].outcome)
      if outcome != 0 {
        guard place < offset + UInt64(limit) else { break }
        guard place >= offset + UInt64(copied) else { return nil }
        let index = Int(place - offset)
        let tag = bytes.extracting(index..<min(bytes.count, index + endTag.count))
        guard tag.hasSameBytes(as: endTag.span) else { return nil }
        try writer.add(bytes.extracting(copied..<index))
        try writer.add(added(outcome).span)
        copied = index
      }
      row += 1
    }
    if isEnd, row < sheet.rows.count { return nil }
    try writer.add(bytes.extracting(copied..<limit))
    offset += UInt64(limit)
    return limit
  }

  /// The cells that are added to the current row.
  private func added(_ outcome: UInt64) -> ContiguousArray<UInt8> {
    var added: ContiguousArray<UInt8> = []
    let text = sheet.cells.text(of: outcome)
    let values = text.dropFirst().split(separator: Byte.tab, omittingEmptySubsequences: false)
    for (start, value) in zip(starts, values) where !value.isEmpty {
      added += start
      added += String(row).utf8
      added += middle
      added += value
      added += end
    }
    return added
  }

  /// The place of an attribute's value in the tag at `start`; nil if it is not there as it is.
  private static func value(
    _ value: ContiguousArray<UInt8>, in bytes: Span<UInt8>, from start: Int
  ) -> Range<Int>? {
    var index = start
    while index + value.count + 1 < bytes.count, bytes[index] != UInt8(ascii: ">") {
      let end = index + 1 + value.count
      let isQuote = bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'")
      if isQuote, bytes[end] == bytes[index], bytes.extracting(index + 1..<end).hasSameBytes(as: value.span) {
        return index + 1..<end
      }
      index += 1
    }
    return nil
  }

  /// A range such as `A1:D9`, or a cell, with the columns that are added. Anything else stays as it is.
  private func extended(_ range: ContiguousArray<UInt8>) -> ContiguousArray<UInt8> {
    let colon = range.firstIndex(of: UInt8(ascii: ":"))
    let last = ContiguousArray(range[(colon.map { $0 + 1 } ?? 0)...])
    let lastColumn = sheet.lastColumn + starts.count
    guard let cell = WorkbookText.cell(last.span), cell.column < lastColumn else { return range }
    let first = range[..<(colon ?? range.endIndex)]
    return first + ContiguousArray(":\(WorkbookText.letters(lastColumn))\(cell.row)".utf8)
  }
}
