// SQLite databases: the rows of a query, or of the only table that has numbers. A database can't be read from front to
// back, so its bytes are first written to an unnamed temporary file, which SQLite reads: read-only, as a file that does
// not change, and with a query that may only read.
//
// A long query is interrupted: a view can be written so that it never ends.

import CLibraries
import Records
import SystemIO
import SystemPackage

extension ParseOptions.Format {
  package static let sqlite = Self("sqlite")
}

extension FormatDescription {
  static let sqlite = FormatDescription(
    format: .sqlite, what: "an SQLite database", recognised: "its first 16 bytes",
    options: fieldOptions + " --query", fieldNames: .columns, turn: .first,
    // The signature: the file's first 16 bytes. Source: Database File Format, section 1.3.1.
    matches: { isDatabase($0) }, makeReader: { SQLiteReader($0) },
    signature: Signature(kind: "a SQLite database", bytes: databaseMarkBytes, matches: { isDatabase($0) }))

  /// The length of a database's signature.
  private static let databaseMarkBytes = 16

  private static func isDatabase(_ start: Span<UInt8>) -> Bool {
    start.count >= databaseMarkBytes && start[databaseMarkBytes - 1] == 0
      && start.startsIgnoringCase("SQLITE FORMAT 3")
  }
}

final class SQLiteReader: FormatReader {
  private let options: ParseOptions
  private let context: StageContext
  private var spool: InputSpool?
  private var fields = RowFields()
  /// The columns of the query, once it is prepared.
  private var layout = InputLayout()
  /// The columns that show which numbers are not blocked.
  private var verdicts: [(field: Int, kind: CommonFieldNames.Verdict)] = []

  /// The number of rows after which the meter is updated.
  private static let meterRows: UInt64 = 4096

  init(_ setting: ReaderConfiguration) {
    options = setting.options
    context = setting.context
  }

  func reset() {
    spool = nil
    layout = InputLayout()
    verdicts = []
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
    if !isChosen, !hasRanges, options.numberField == nil {
      findVerdicts(&database, columns, names)
      _ = try database.prepare(query)
    }
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

  /// Finds the columns that show which numbers are not blocked, as in other tables, by the first rows.
  private func findVerdicts(
    _ database: inout SQLiteDatabase, _ columns: SQLiteColumns, _ names: [String]
  ) {
    let free = names.indices.prefix(InputLayout.fieldsMax).filter { $0 != columns.number }
    var texts = Array(repeating: [String](), count: free.count)
    var rows = 0
    // An error is that of the rows, which are read again.
    while rows < TableStart.recordsMax, (try? database.step()) == true {
      rows += 1
      for (index, column) in free.enumerated() { texts[index].append(Self.text(column, database)) }
    }
    let found = zip(free, texts).compactMap { column, texts in
      CommonFieldNames.verdict(names[column], of: texts).map { (field: column, kind: $0) }
    }.filter { options.labelField == nil || $0.field != columns.label || $0.kind == .remark }
    let areCalls = CommonFieldNames.areOfCalls(names) || CommonFieldNames.areDated(names)
    verdicts = CommonFieldNames.Verdict.deciding(found, areCalls: areCalls)
  }

  /// A value as text; empty if it is longer than those that show whether a number is blocked.
  private static func text(_ column: Int, _ database: borrowing SQLiteDatabase) -> String {
    switch database.value(column) {
    case .null: return ""
    case .integer(let value): return String(value)
    case .real, .bytes:
      var bytes: ContiguousArray<UInt8> = []
      _ = database.append(column, to: &bytes, limit: verdictBytesMax)
      return String(decoding: bytes, as: UTF8.self)
    }
  }
  private static let verdictBytesMax = 1024

  /// Throws if the file ends inside a page. SQLite would read the rest of the page as zeros, and return wrong texts. It
  /// detects missing whole pages itself. Returns whether `emit` wrote the database, so that it has ranges.
  private func checkHeader(_ file: borrowing TemporaryFile, _ input: String) throws(Failure) -> Bool {
    var header = ByteChunk(capacity: Self.headerBytes)
    let count = try asFailure(context.stage) { () throws(SystemError) in
      try file.read(into: &header, at: 0)
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
    fields.removeAll()
    var space = options.recordBytesMax
    var reason: ParseReject?
    do throws(ParseReject) {
      try appendValue(columns.number, database, &fields.number, &space, isWhole: true)
      for other in columns.otherNumbers where fields.number.isEmpty {
        try appendValue(other, database, &fields.number, &space, isWhole: true)
      }
      if columns.number != nil, fields.number.isEmpty { throw .missingNumber }
      for verdict in verdicts
      where CommonFieldNames.isUnblocked(Self.text(verdict.field, database), verdict.kind) {
        throw .notBlocked
      }
      if columns.last != nil {
        var last: ContiguousArray<UInt8> = []
        try appendValue(columns.last, database, &last, &space, isWhole: true)
        fields.appendLast(last)
      }
      try appendValue(columns.label, database, &fields.label, &space)
      try appendValue(columns.source, database, &fields.source, &space)
      try appendValue(columns.score, database, &fields.score, &space, isWhole: true)
      try appendValue(columns.date, database, &fields.date, &space)
    } catch {
      reason = error
    }
    if reason == nil { reason = try rows.add(&fields) }
    guard let reason else { return }
    let text = fields.number
    try rows.reject(row: row, reason, text: text.span)
  }

  /// Appends a column's value as text. A column of numbers may contain floating-point values, as from spreadsheets:
  /// then a value must be whole, or the digits after the point would become part of the number.
  private func appendValue(
    _ column: Int?, _ database: borrowing SQLiteDatabase, _ bytes: inout ContiguousArray<UInt8>,
    _ space: inout Int, isWhole: Bool = false
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

// Chooses the columns of a query that a row's fields are read from, and the query if the user specified none.

struct SQLiteColumns: Equatable {
  var number: Int?
  /// The other columns with common names of numbers, which are read where the first one is null: a table may have a number
  /// as it was typed, and in international form if that is known.
  var otherNumbers: [Int] = []
  /// The last number of a range: the chosen column, or that of databases that `emit` wrote.
  var last: Int?
  var label: Int?
  var source: Int?
  var score: Int?
  /// The date: the chosen column, or the day in databases that `emit` wrote.
  var date: Int?

  /// The columns of ranges in databases that `emit` wrote. In other databases, `last` may be a date or a name.
  private static let dayName = "day"
  private static let rangeNames = (first: "number", last: "last")

  /// Finds the columns of a query, ignoring case. `isChosen`: the user wrote the query; if none of its columns has a
  /// common name, they are the fields in the order of the text form. `usesAllNames`: all common names are used, not only
  /// those with precedence. `hasRanges`: `emit` wrote the database.
  init(
    _ options: ParseOptions, _ names: [String], isChosen: Bool, hasRanges: Bool, input: String,
    usesAllNames: Bool = true
  ) throws(Failure) {
    number = try Self.column(options.numberField, CommonFieldNames.databaseNumber, names, input)
    label = try Self.column(options.labelField, CommonFieldNames.databaseLabel, names, input)
    source = try Self.column(options.sourceField, CommonFieldNames.databaseSource, names, input)
    score = try Self.column(options.scoreField, CommonFieldNames.databaseScore, names, input)
    let hasNone = number == nil && label == nil && source == nil && score == nil
    if usesAllNames, !(isChosen && hasNone) {
      let taken = [number, label, source, score]
      if number == nil, options.numberField == nil {
        number = names.indices.first {
          !taken.contains($0) && CommonFieldNames.number.contains(CommonFieldNames.plain(names[$0]))
        }
      }
      if label == nil, options.labelField == nil {
        label = names.indices.first {
          !taken.contains($0) && $0 != number
            && CommonFieldNames.label.contains(CommonFieldNames.plain(names[$0]))
        }
      }
    }
    if options.numberField == nil, number != nil {
      otherNumbers = CommonFieldNames.databaseNumber.compactMap { name in
        names.indices.first { Self.isSame(names[$0], name) && ![number, label, source, score].contains($0) }
      }
    }
    if case .constant = options.numberField { return }
    if number == nil, label == nil, source == nil, score == nil, isChosen {
      number = 0
      if names.count > 1, options.labelField == nil { label = 1 }
      if names.count > 2, options.sourceField == nil { source = 2 }
      if names.count > 3, options.scoreField == nil { score = 3 }
    }
    if options.dateField != nil {
      date = try Self.column(options.dateField, [], names, input)
    } else if hasRanges {
      date = names.firstIndex { Self.isSame($0, Self.dayName) }
    }
    if options.lastField != nil {
      last = try Self.column(options.lastField, [], names, input)
    } else if hasRanges, let number, Self.isSame(names[number], Self.rangeNames.first) {
      last = names.firstIndex { Self.isSame($0, Self.rangeNames.last) }
    }
    if number == nil {
      throw .noNumberColumn(Array(names.prefix(SQLiteLimits.tablesShownMax)), input: input)
    }
  }

  private static func column(
    _ chosen: FieldSelector?, _ common: [String], _ names: [String], _ input: String
  ) throws(Failure) -> Int? {
    guard let chosen else {
      for name in common {
        if let column = names.firstIndex(where: { isSame($0, name) }) { return column }
      }
      return nil
    }
    guard case .name(let name) = chosen else { return nil }
    if let column = names.firstIndex(where: { isSame($0, name) }) { return column }
    if let position = chosen.position, position <= names.count { return position - 1 }
    throw .noSuchColumn(name, names: Array(names.prefix(SQLiteLimits.tablesShownMax)), input: input)
  }

  fileprivate static func isSame(_ first: String, _ second: String) -> Bool {
    first.utf8.lazy.map(\.asciiCapital).elementsEqual(second.utf8.lazy.map(\.asciiCapital))
  }
}

extension InputLayout {
  /// The layout of a query's rows.
  init(_ columns: SQLiteColumns, _ names: [String], _ options: ParseOptions) {
    self.init(names, options)
    number = columns.number.map { names[$0] } ?? number
    label = columns.label.map { names[$0] } ?? label
    source = columns.source.map { names[$0] } ?? source
    score = columns.score.map { names[$0] } ?? score
    last = columns.last.map { names[$0] }
    date = columns.date.map { names[$0] } ?? date
    if label == nil, options.numberField == nil {
      let used = [columns.number, columns.last, columns.source, columns.score, columns.date]
      possibleLabels = names.indices.filter { !used.contains($0) && !Self.isIdentifier(names[$0]) }
        .prefix(Self.fieldsMax).map { names[$0] }
    }
  }

  /// Whether a column's name is that of a row's identifier.
  private static func isIdentifier(_ name: String) -> Bool {
    ["id", "rowid", "uuid", "guid"].contains(CommonFieldNames.plain(name))
  }
}

extension SQLiteDatabase {
  /// Makes the query that reads the only table with a column for the number. Names with precedence are tried first.
  ///
  /// Throws if there is no such table or more than one, or if the only table lacks a column for the number or a chosen one.
  mutating func defaultQuery(_ options: ParseOptions, input: String) throws(Failure) -> String {
    if let query = try onlyQuery(options, input: input, usesAllNames: false) { return query }
    if let query = try onlyQuery(options, input: input, usesAllNames: true) { return query }
    let tables = try tableNames()
    guard tables.count == 1 else { throw .noNumberTable(tables, input: input) }
    throw .noNumberColumn(try prepare(Self.query(of: tables[0])), table: tables[0], input: input)
  }

  /// The query for all rows of a table.
  private static func query(of table: String) -> String {
    let name = table.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    return "SELECT * FROM \"\(name)\""
  }

  /// Makes that query; nil if there is no such table. With `usesAllNames` it throws the error of a table that lacks a
  /// chosen column.
  private mutating func onlyQuery(
    _ options: ParseOptions, input: String, usesAllNames: Bool
  ) throws(Failure) -> String? {
    var tables: [String] = []
    var found: [String] = []
    // The errors of all tables, and whether each table would have been read if no columns had been chosen.
    var missing: [(Failure, isNumbered: Bool)] = []
    for table in try tableNames() {
      let query = Self.query(of: table)
      tables.append(table)
      let names: [String]
      do throws(Failure) {
        names = try prepare(query)
      } catch {
        // A table that needs a missing module, or a view that is not allowed to run: skip it.
        continue
      }
      do throws(Failure) {
        _ = try SQLiteColumns(
          options, names, isChosen: false, hasRanges: false, input: input, usesAllNames: usesAllNames)
        found.append(query)
      } catch {
        guard error.code == "no-such-column" else { continue }
        let isNumbered = CommonFieldNames.databaseNumber.contains { common in
          names.contains { SQLiteColumns.isSame($0, common) }
        }
        missing.append((error, isNumbered))
      }
    }
    if found.count > 1 {
      throw .noQuery(tables: Array(tables.prefix(SQLiteLimits.tablesShownMax)), input: input)
    }
    let numbered = missing.filter { $0.isNumbered }
    if found.isEmpty, usesAllNames, let one = numbered.first ?? missing.first,
      numbered.count == 1 || (numbered.isEmpty && missing.count == 1)
    {
      throw one.0
    }
    // They lack another chosen column.
    if found.isEmpty, usesAllNames, numbered.count > 1 {
      throw .noQuery(tables: Array(tables.prefix(SQLiteLimits.tablesShownMax)), input: input)
    }
    return found.first
  }

  private mutating func tableNames() throws(Failure) -> [String] {
    _ = try prepare(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        + "ORDER BY rowid LIMIT \(SQLiteLimits.tablesMax)")
    var names: [String] = []
    while try step() {
      var name: ContiguousArray<UInt8> = []
      _ = append(0, to: &name, limit: SQLiteLimits.queryBytesMax / 2)
      names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }
}

// Every pointer to SQLite is here.

/// The limits of reading databases, with their reasons.
enum SQLiteLimits {
  /// The limit of SQLite's memory: half of a filter's, so that a small sort inside a query fits, and a sort of a whole
  /// large table fails instead of growing.
  static let heapBytesMax = 32 * 1024 * 1024
  /// The size of the page cache in bytes, which is also how much a sort holds before it writes a temporary file.
  static let cacheBytesMax = 2 * 1024 * 1024
  /// The maximum size of a value or row in bytes; it must fit in memory several times.
  static let valueBytesMax = 8 * 1024 * 1024
  static let queryBytesMax = 1024 * 1024
  /// The maximum number of tables that are examined, and that an error lists.
  static let tablesMax = 256
  static let tablesShownMax = 20
  /// The maximum number of columns that are read; SQLite's own limit is 2,000.
  static let columnsMax = 2_000
}

/// An open database and its current query.
@safe struct SQLiteDatabase: ~Copyable {
  private let database: OpaquePointer
  private let input: String
  /// Whether the user wrote the current query; otherwise a table or view of the database is the cause of its errors.
  private var isQueryChosen = false

  private static let package = "libsqlite3-0"

  /// Opens the database in a file, which must stay open as long as the database does.
  /// `querySeconds` limits the processor time of the thread that reads it.
  init(_ file: FileDescriptor, querySeconds: Double, isQueryChosen: Bool, input: String) throws(Failure) {
    let code = Errno(rawValue: cdp_sqlite_load())
    guard code.rawValue == 0 else {
      let name = unsafe String(cString: cdp_sqlite_library_name())
      throw code.blamesMachine
        ? Failure(.parse, SystemError(.openInput, name, code)) : .parserMissing(name, package: Self.package)
    }
    let limits = cdp_sqlite_limits(
      heap_bytes_max: Int64(SQLiteLimits.heapBytesMax), cache_bytes_max: Int32(SQLiteLimits.cacheBytesMax),
      value_bytes_max: Int32(SQLiteLimits.valueBytesMax), query_bytes_max: Int32(SQLiteLimits.queryBytesMax),
      query_seconds_max: querySeconds)
    var error = cdp_sqlite_error()
    guard let opened = unsafe cdp_sqlite_open(file.rawValue, limits, &error) else {
      throw .sqlite(error, input: input, isQueryChosen: isQueryChosen)
    }
    unsafe database = opened
    self.input = input
  }

  deinit { unsafe cdp_sqlite_close(database) }

  /// Tries to load a library by this name; returns the error, or nil if it can be used.
  static func problem(loading name: String) -> Failure? {
    unsafe cdp_sqlite_library_is_usable(name) ? nil : .parserMissing(name, package: package)
  }

  /// Throws if this SQLite can't read the database's schema, such as for a newer file format.
  mutating func checkSchema() throws(Failure) { _ = try prepare("SELECT name FROM sqlite_master") }

  /// Makes a query the current one, and returns the names of its columns. `isChosen`: the user wrote the query.
  mutating func prepare(_ query: String, isChosen: Bool = false) throws(Failure) -> [String] {
    isQueryChosen = isChosen
    var error = cdp_sqlite_error()
    let bytes = ContiguousArray(query.utf8)
    guard bytes.count <= SQLiteLimits.queryBytesMax else {
      throw .queryFailed("the query is longer than \(SQLiteLimits.queryBytesMax) bytes", input: input)
    }
    let isPrepared = unsafe bytes.span.withUnsafeBytes { raw in
      unsafe raw.withMemoryRebound(to: CChar.self) { letters in
        unsafe cdp_sqlite_prepare(database, letters.baseAddress, letters.count, &error)
      }
    }
    if !isPrepared { throw failure(error) }
    let count = unsafe min(cdp_sqlite_column_count(database), Int32(SQLiteLimits.columnsMax))
    return (0..<max(count, 0)).map { unsafe String(cString: cdp_sqlite_column_name(database, $0)) }
  }

  /// Advances to the next row; returns false at the end.
  mutating func step() throws(Failure) -> Bool {
    var error = cdp_sqlite_error()
    switch unsafe cdp_sqlite_step(database, &error) {
    case 1: return true
    case 0: return false
    default: throw failure(error)
    }
  }

  private func failure(_ error: cdp_sqlite_error) -> Failure {
    .sqlite(error, input: input, isQueryChosen: isQueryChosen)
  }

  /// A value of the current row.
  enum ColumnValue {
    case null
    case integer(Int64)
    case real(Double)
    case bytes
  }

  /// Returns a value of the current row; texts and blobs are only reported as `bytes`.
  borrowing func value(_ column: Int) -> ColumnValue {
    let column = Int32(column)
    return switch unsafe cdp_sqlite_column_type(database, column) {
    case CDP_SQLITE_NULL: .null
    case CDP_SQLITE_INTEGER: .integer(unsafe cdp_sqlite_column_integer(database, column))
    case CDP_SQLITE_REAL: .real(unsafe cdp_sqlite_column_real(database, column))
    default: .bytes
    }
  }

  /// Appends the bytes or the text of a value of the current row, if there are at most `limit`; returns their number.
  borrowing func append(_ column: Int, to bytes: inout ContiguousArray<UInt8>, limit: Int) -> Int {
    var count = 0
    guard let start = unsafe cdp_sqlite_column_bytes(database, Int32(column), &count), count <= limit else {
      return count
    }
    bytes.append(copying: unsafe Span(_unsafeStart: start, count: count))
    return count
  }
}

// A database that can't be read, or not with this query. The texts are SQLite's.
extension Failure {
  fileprivate static func sqlite(_ error: cdp_sqlite_error, input: String, isQueryChosen: Bool) -> Failure {
    let text = unsafe withUnsafeBytes(of: error.text) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let name = InputName.quoted(input)
    switch error.kind {
    case CDP_SQLITE_NOT_A_DATABASE: return .notADatabase(input: input)
    case CDP_SQLITE_DAMAGED: return .damagedDatabase(text, input: input)
    case CDP_SQLITE_IO:
      return .parse(.inputOutput, "unreadable-database", "cannot read \(name): \(PrintableText.line(text))")
    case CDP_SQLITE_MEMORY:
      return .parse(
        "query-out-of-memory",
        "the query on \(name) needs more than \(Figures.bytes(SQLiteLimits.heapBytesMax)) of memory",
        hint: "leave out ORDER BY, GROUP BY and DISTINCT: 'cdpipe sort' sorts in bounded memory")
    case CDP_SQLITE_TOO_SLOW: return .databaseTooSlow(input: input)
    case CDP_SQLITE_TOO_LONG:
      return .parse(
        "value-too-long", "\(name) has a value longer than \(Figures.bytes(SQLiteLimits.valueBytesMax))")
    case CDP_SQLITE_FORBIDDEN:
      return .parse(
        .usage, "forbidden-query",
        "\(option: "query") may only read, and only from the database: \(PrintableText.line(text))",
        hint: "use a SELECT without attached databases and without functions that access files")
    case CDP_SQLITE_SEVERAL_STATEMENTS: return .severalStatements
    case CDP_SQLITE_NO_COLUMNS: return .noQueryColumns
    case CDP_SQLITE_SYNTAX:
      return .parse(.usage, "query-syntax", "\(option: "query") on \(name): \(PrintableText.line(text))")
    default:
      return isQueryChosen ? .queryFailed(text, input: input) : .unsupportedDatabase(text, input: input)
    }
  }

  static let severalStatements = parse(
    .usage, "several-statements", "\(option: "query") has more than one statement",
    hint: "use a single SELECT")
  static let noQueryColumns = parse(
    .usage, "no-query-columns", "\(option: "query") returns no columns", hint: "use a SELECT")

  static func notADatabase(input: String) -> Failure {
    parse("not-a-database", "\(InputName.quoted(input)) is not a SQLite database")
  }

  static func damagedDatabase(_ text: String, input: String) -> Failure {
    parse("damaged-database", "\(InputName.quoted(input)) is damaged: \(PrintableText.line(text))")
  }

  static func databaseTooSlow(input: String) -> Failure {
    parse(
      "database-too-slow",
      "reading \(InputName.quoted(input)) needs more processor time than \(option: "query-timeout") allows",
      hint: "if the database is valid, set a larger \(option: "query-timeout")")
  }

  /// This SQLite can't read the database, or its only table of numbers.
  static func unsupportedDatabase(_ text: String, input: String) -> Failure {
    parse(
      "unsupported-database", "SQLite cannot read \(InputName.quoted(input)): \(PrintableText.line(text))")
  }

  /// The query can't be run on this database, such as for a missing table.
  static func queryFailed(_ text: String, input: String) -> Failure {
    parse("query-failed", "\(option: "query") on \(InputName.quoted(input)): \(PrintableText.line(text))")
  }

  /// There is no query, and not exactly one table has a column for the number; these are the tables.
  static func noQuery(tables: [String], input: String) -> Failure {
    parse(
      "no-query", "\(InputName.quoted(input)): several tables could contain the numbers",
      hint: "use \(option: "query", "'SELECT number, label FROM …'"); its tables: \(nameList(tables))")
  }

  /// No table has a column with a common name for numbers; these are the tables, of which there is not one alone.
  static func noNumberTable(_ tables: [String], input: String) -> Failure {
    let name = InputName.quoted(input)
    if tables.isEmpty { return parse("no-query", "\(name) has no tables") }
    return parse(
      "no-query", "\(name): no table has a column with a known name for the number",
      hint:
        "use \(option: "query", "'SELECT …'"); its tables: \(nameList(Array(tables.prefix(SQLiteLimits.tablesShownMax))))"
    )
  }

  /// No column of the query, or of the only table, has a common name for numbers; these are the columns.
  static func noNumberColumn(_ columns: [String], table: String? = nil, input: String) -> Failure {
    let name = InputName.quoted(input) + (table.map { ": table '\(PrintableText.line($0))'" } ?? "")
    return parse(
      "no-number-column", "\(name): no column has a known name for the number",
      hint: "use \(option: "number", "NAME"); its columns: "
        + nameList(Array(columns.prefix(SQLiteLimits.tablesShownMax))))
  }

  /// The latest changes are in a write-ahead log of this name next to it, which SQLite has not merged yet.
  static func unmergedLog(_ log: String, input: String) -> Failure {
    parse(
      "unmerged-log",
      "\(InputName.quoted(input)) lacks its latest changes: they are in '\(PrintableText.line(log))'",
      hint: "merge them: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'")
  }
}
