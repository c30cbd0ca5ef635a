// The rows of a sheet as a table: each row is written as a CSV record and read by the reader for tables, so that headers,
// columns and numbers are recognised in the same way.
//
// Not for: the cells' values (SheetHandler).

import Records
import SystemIO

/// Collects the cells of a row, and passes complete rows to the reader for tables.
final class SheetTable {
  /// The input's name in messages.
  let input: String
  /// The numbers of formulas without a stored result, by their column.
  private var formulaCounts: [Int: Int] = [:]
  /// The merged ranges of cells in several rows, at most ``rangesMax``.
  private var ranges: [CellRange] = []
  private static let rangesMax = 10_000
  private let reader: TableReader
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
  init(_ options: ParseOptions, input: String) {
    var options = options
    options.format = .csv
    options.separator = SheetTable.separator
    self.input = input
    recordBytesMax = options.recordBytesMax
    reader = TableReader(options, hasQuotes: true)
    header = SheetHeader(options)
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

  /// The number of merged ranges below the header in the columns that are read.
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

  /// Completes the record.
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
