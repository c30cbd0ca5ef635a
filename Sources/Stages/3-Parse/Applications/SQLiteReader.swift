// SQLite databases: the rows of a query, or of the only table that has numbers. A database can't be read from front to
// back, so its bytes are first written to an unnamed temporary file, which SQLite reads: read-only, as a file that does
// not change, and with a query that may only read.
//
// A long query is interrupted: a view can be written so that it never ends.
//
// Not for: calling SQLite (SQLiteDatabase), choosing the columns (SQLiteColumns).

import Records
import SystemIO

extension ParseOptions.Format {
  package static let sqlite = Self("sqlite")
}

extension FormatDescription {
  static let sqlite = FormatDescription(
    format: .sqlite, what: "an SQLite database", recognised: "its first 16 bytes",
    options: fieldOptions + " --query", fieldNames: .columns, turn: .first,
    // The signature: the file's first 16 bytes. Source: Database File Format, section 1.3.1.
    matches: { isDatabase($0) },
    makeReader: { SQLiteReader($0) },
    signature: Signature(kind: "a SQLite database", bytes: databaseMarkBytes, matches: { isDatabase($0) }))

  /// The length of a database's signature.
  private static let databaseMarkBytes = 16

  /// Whether the input is a database.
  private static func isDatabase(_ start: Span<UInt8>) -> Bool {
    start.count >= databaseMarkBytes && start[databaseMarkBytes - 1] == 0
      && start.startsIgnoringCase("SQLITE FORMAT 3")
  }
}

/// The reader for the `sqlite` format.
final class SQLiteReader: FormatReader {
  private let options: ParseOptions
  private let context: StageContext
  private var spool: InputSpool?
  private var fields = RowFields()
  /// The columns of the query, once it is prepared.
  private var layout = InputLayout()

  /// The number of rows after which the meter is updated.
  private static let meterRows: UInt64 = 4096

  init(_ setting: ReaderConfiguration) {
    options = setting.options
    context = setting.context
  }

  func reset() {
    spool = nil
    layout = InputLayout()
  }

  func layout(of start: InputStart) -> InputLayout { layout }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if spool == nil, !window.isEmpty { spool = try InputSpool(context) }
    try spool?.append(window)
    // An input without any bytes is an empty list, not a damaged database.
    if isEnd, let input = spool.take() { try run(input.file, &rows) }
    return window.count
  }

  /// Throws when changes of a database in a file are in the log next to it: without them rows would be missing.
  private func checkLog(_ input: String) throws(Failure) {
    let name = input + "-wal"
    guard input != "-" else { return }
    do throws(SystemError) {
      guard let size = try InputFile(name, calls: context.calls).size, size > 0 else { return }
    } catch {
      if error.code.blamesMachine { throw Failure(context.stage, error) }
      return
    }
    throw .unmergedLog(name, input: input)
  }

  private func run(_ file: borrowing TemporaryFile, _ rows: inout RowWriter) throws(Failure) {
    let input = rows.input
    let hasRanges = try checkHeader(file, input)
    try checkLog(input)
    let isChosen = options.query != nil
    var database = try SQLiteDatabase(
      file.descriptor, querySeconds: options.querySeconds, isQueryChosen: isChosen, input: input)
    try database.checkSchema()
    var query = options.query ?? ""
    if !isChosen { query = try database.defaultQuery(options, input: input) }
    let names = try database.prepare(query, isChosen: isChosen)
    let columns = try SQLiteColumns(options, names, isChosen: isChosen, hasRanges: hasRanges, input: input)
    layout = InputLayout(columns, names, options)
    var row: UInt64 = 0
    while true {
      let hasRow: Bool
      do throws(Failure) {
        hasRow = try database.step()
      } catch {
        // The rows before the error are valid.
        try rows.flush()
        throw error
      }
      guard hasRow else { return }
      row += 1
      try readRow(database, columns, names, row, &rows)
      if row % Self.meterRows == 0 { rows.advance(Span(), by: 0) }
    }
  }

  /// Throws if the file ends inside a page. SQLite would read the rest of the page as zeros, and return wrong texts. It
  /// detects missing whole pages itself. Returns whether `emit` wrote the database, so that it has ranges.
  private func checkHeader(_ file: borrowing TemporaryFile, _ input: String) throws(Failure) -> Bool {
    var header = ByteChunk(capacity: Self.headerBytes)
    let count: Int
    do throws(SystemError) {
      count = try file.read(into: &header, at: 0)
    } catch {
      throw Failure(context.stage, error)
    }
    // Source: Database File Format, section 1.3.2; the page size is at offset 16, and 1 stands for 65,536.
    guard count == Self.headerBytes else { return false }
    let size = Int64(header.span[16]) << 8 | Int64(header.span[17])
    let pageSize = size == 1 ? 65_536 : size
    if pageSize >= 512, file.size % pageSize != 0 {
      throw .damagedDatabase("the file ends inside a page", input: input)
    }
    let identity = header.span.extracting(Self.applicationIDPlace)
    return Self.applicationID.indices.allSatisfy { identity[$0] == Self.applicationID[$0] }
  }

  /// The identity of databases that `emit` wrote, and its place in the header: `cdpr`, the same as in
  /// ApplicationOutputs.
  private static let applicationID = Array("cdpr".utf8)
  private static let applicationIDPlace = 68..<72

  /// The length of a database's header.
  private static let headerBytes = 100

  private func readRow(
    _ database: borrowing SQLiteDatabase, _ columns: SQLiteColumns, _ names: [String], _ row: UInt64,
    _ rows: inout RowWriter
  ) throws(Failure) {
    // Moved out, so that nothing else can change them while their spans are read.
    var fields = RowFields()
    swap(&fields, &self.fields)
    defer { swap(&fields, &self.fields) }
    fields.removeAll()
    var space = options.recordBytesMax
    var recordFields: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try appendValue(columns.number, database, &fields.number, &space, isWhole: true)
      if columns.number != nil, fields.number.isEmpty { throw .missingNumber }
      if columns.last != nil {
        var last: ContiguousArray<UInt8> = []
        try appendValue(columns.last, database, &last, &space, isWhole: true)
        fields.appendLast(last)
      }
      try appendValue(columns.label, database, &fields.label, &space)
      try appendValue(columns.source, database, &fields.source, &space)
      try appendValue(columns.score, database, &fields.score, &space, isWhole: true)
      try fields.writeFields(rows.constants, to: &recordFields)
    } catch {
      return try rows.reject(row: row, error, text: fields.number.span)
    }
    if let number = rows.constants.number {
      try rows.add(number.span, recordFields.span)
    } else {
      try rows.add(fields.number.span, recordFields.span)
    }
  }

  /// Appends a column's value as text. A column of numbers may contain floating-point values, as from spreadsheets:
  /// then a value must be whole, or the digits after the point would become part of the number.
  private func appendValue(
    _ column: Int?, _ database: borrowing SQLiteDatabase, _ bytes: inout ContiguousArray<UInt8>,
    _ space: inout Int,
    isWhole: Bool = false
  ) throws(ParseReject) {
    guard let column else { return }
    switch database.value(column) {
    case .null: return
    case .integer(let value): bytes.append(contentsOf: String(value).utf8)
    case .real(let value) where isWhole:
      // Below this limit every whole number has its own floating-point value.
      guard value == value.rounded(), value.magnitude < 9_007_199_254_740_992 else {
        // The reject shows the value.
        bytes.append(contentsOf: String(value).utf8)
        throw .notWhole
      }
      bytes.append(contentsOf: String(Int64(value)).utf8)
    case .real, .bytes:
      let count = database.append(column, to: &bytes, limit: space)
      if count > space { throw .recordTooLong(limit: options.recordBytesMax) }
      space -= count
    }
  }
}
