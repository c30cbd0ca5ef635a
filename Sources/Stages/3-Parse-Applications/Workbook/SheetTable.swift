// The rows of a sheet as a table: each row is written as a CSV record and read by the reader for tables, so that headers,
// columns and numbers are recognised in the same way.
//
// Not for: the cells' values (SheetHandler).

import ParseStage
import PipeStage
import SystemIO

/// Collects the cells of a row, and passes complete rows to the reader for tables.
final class SheetTable {
  /// The input's name in messages.
  let input: String
  private let reader: TableReader
  private let recordBytesMax: Int

  /// The records that are examined before the first one is read: their text, and where each one ends.
  private var sample: ContiguousArray<UInt8> = []
  private var sampled: [(row: UInt64, end: Int)] = []
  /// The examined start; nil before.
  private(set) var layout: InputLayout?
  /// The number of fields that each record has at least.
  private var width = 0

  private var row: UInt64 = 0
  private var record: ContiguousArray<UInt8> = []
  /// The number of fields in the record so far.
  private var fieldCount = 0
  private var hasText = false
  private var rejectReason: ParseReject?
  private var rowCount: UInt64 = 0

  private static let separator = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  /// The number of rows after which the meter is updated.
  private static let meterRows: UInt64 = 4096

  /// Makes a table for a sheet of this input.
  init(_ options: ParseOptions, input: String, _ stage: StageName) {
    var options = options
    options.format = .csv
    options.separator = SheetTable.separator
    self.input = input
    recordBytesMax = options.recordBytesMax
    reader = TableReader(options, hasQuotes: true, stage: stage)
  }

  // MARK: Cells

  /// Whether a cell in this column is read.
  func needs(_ column: Int) -> Bool { layout == nil || column < width }

  /// Starts a row.
  func beginRow(_ number: UInt64) {
    row = number
    record.removeAll(keepingCapacity: true)
    fieldCount = 0
    hasText = false
    rejectReason = nil
  }

  /// Rejects the row when it ends; only the first reason is kept.
  func reject(_ reason: ParseReject) {
    if rejectReason == nil { rejectReason = reason }
  }

  /// Notes a text in a column that is not read: a row with nothing else is a row without a number.
  func noteText() { hasText = true }

  /// Adds a cell. A column that is not after the last one, or beyond the last possible one, makes the row a reject.
  func add(_ text: Span<UInt8>, _ column: Int) {
    guard rejectReason == nil else { return }
    guard column >= fieldCount, column < WorkbookLimits.columnsMax else { return reject(.unexpectedText) }
    if text.isEmpty { return }
    hasText = true
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
  func endRow(_ rows: inout RowWriter) throws(StageError) {
    rowCount += 1
    if rowCount % Self.meterRows == 0 { rows.advance(Span(), by: 0) }
    if let rejectReason {
      let text = record
      return try rows.reject(row: row, rejectReason, text: text.span)
    }
    guard hasText else { return }
    // Cells that are missing at the end of a row are empty.
    pad(to: width)
    if record.isEmpty { record = [Self.quote, Self.quote] }
    record.append(UInt8(ascii: "\n"))
    // Moved out, so that nothing else can change it while its span is read.
    var text: ContiguousArray<UInt8> = []
    swap(&text, &record)
    defer { swap(&text, &record) }
    if layout != nil { return try read(text.span, row, &rows) }
    width = max(width, fieldCount)
    sample.append(copying: text.span)
    sampled.append((row, sample.count))
    if sample.count >= ParseLimits.startBytesMax { try begin(isWhole: false, &rows) }
  }

  /// Ends the sheet.
  func finish(_ rows: inout RowWriter) throws(StageError) {
    if layout == nil { try begin(isWhole: true, &rows) }
    rows.rowNumber = nil
  }

  /// Recognises the header and the columns, and reads the records that were examined.
  private func begin(isWhole: Bool, _ rows: inout RowWriter) throws(StageError) {
    let start = InputStart(bytes: sample, isWhole: isWhole, input: input)
    try reader.begin(start)
    var found = reader.layout(of: start)
    found.separator = nil
    layout = found
    width = reader.columnCount
    let records = sampled
    (sample, sampled) = ([], [])
    var from = 0
    for (row, end) in records {
      try read(start.bytes.span.extracting(from..<end), row, &rows)
      from = end
    }
  }

  private func read(_ record: Span<UInt8>, _ row: UInt64, _ rows: inout RowWriter) throws(StageError) {
    rows.rowNumber = row
    _ = try reader.read(record, isEnd: true, into: &rows)
  }
}
