// SQLite: every pointer to it is in this file.
//
// Not for: choosing the query, or the meaning of its columns (SQLiteColumns, SQLiteReader).

import CLibraries
import Records
import SystemIO
import SystemPackage

/// The limits of reading databases, with their reasons.
enum SQLiteLimits {
  /// The limit of SQLite's memory: half of a filter's, so that a small sort inside a query fits, and a sort of a whole
  /// large table fails instead of growing.
  static let heapBytesMax = 32 * 1024 * 1024
  /// The size of the page cache in bytes, which is also how much a sort holds before it writes a temporary file.
  static let cacheBytesMax = 2 * 1024 * 1024
  /// The maximum size of a value or row in bytes; it must fit in memory several times.
  static let valueBytesMax = 8 * 1024 * 1024
  /// The maximum size of a query in bytes.
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
  init(
    _ file: FileDescriptor, querySeconds: Double, isQueryChosen: Bool, input: String
  ) throws(Failure) {
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

  deinit {
    unsafe cdp_sqlite_close(database)
  }

  /// Tries to load a library by this name; returns the error, or nil if it can be used.
  static func problem(loading name: String) -> Failure? {
    unsafe cdp_sqlite_library_is_usable(name) ? nil : .parserMissing(name, package: package)
  }

  /// Throws if this SQLite can't read the database's schema, such as for a newer file format.
  mutating func checkSchema() throws(Failure) {
    _ = try prepare("SELECT name FROM sqlite_master")
  }

  /// Makes a query the current one, and returns the names of its columns. `isChosen`: the user wrote the query.
  mutating func prepare(_ query: String, isChosen: Bool = false) throws(Failure) -> [String] {
    isQueryChosen = isChosen
    var error = cdp_sqlite_error()
    let bytes = ContiguousArray(query.utf8)
    guard bytes.count <= SQLiteLimits.queryBytesMax else {
      throw .query("the query is longer than \(SQLiteLimits.queryBytesMax) bytes", input: input)
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
        "--query may only read, and only from the database: \(PrintableText.line(text))",
        hint: "use a SELECT without attached databases and without functions that access files")
    case CDP_SQLITE_SEVERAL_STATEMENTS: return .severalStatements
    case CDP_SQLITE_NO_COLUMNS: return .noQueryColumns
    case CDP_SQLITE_SYNTAX:
      return .parse(.usage, "query-syntax", "--query on \(name): \(PrintableText.line(text))")
    default: return isQueryChosen ? .query(text, input: input) : .unsupportedDatabase(text, input: input)
    }
  }

  static let severalStatements = parse(
    .usage, "several-statements", "--query has more than one statement", hint: "use a single SELECT")
  static let noQueryColumns = parse(
    .usage, "no-query-columns", "--query returns no columns", hint: "use a SELECT")

  static func notADatabase(input: String) -> Failure {
    parse("not-a-database", "\(InputName.quoted(input)) is not a SQLite database")
  }

  static func damagedDatabase(_ text: String, input: String) -> Failure {
    parse("damaged-database", "\(InputName.quoted(input)) is damaged: \(PrintableText.line(text))")
  }

  static func databaseTooSlow(input: String) -> Failure {
    parse(
      "database-too-slow",
      "reading \(InputName.quoted(input)) needs more processor time than --query-timeout allows",
      hint: "if the database is valid, set a larger --query-timeout")
  }

  /// This SQLite can't read the database, or its only table of numbers.
  static func unsupportedDatabase(_ text: String, input: String) -> Failure {
    parse(
      "unsupported-database", "SQLite cannot read \(InputName.quoted(input)): \(PrintableText.line(text))")
  }

  /// The query can't be run on this database, such as for a missing table.
  static func query(_ text: String, input: String) -> Failure {
    parse("query", "--query on \(InputName.quoted(input)): \(PrintableText.line(text))")
  }

  /// There is no query, and not exactly one table has a column for the number; these are the tables.
  static func noQuery(tables: [String], input: String) -> Failure {
    let name = InputName.quoted(input)
    if tables.isEmpty { return parse("no-query", "\(name) has no tables") }
    return parse(
      "no-query", "\(name): several tables could contain the numbers",
      hint: "use --query 'SELECT number, label FROM …'; its tables: \(list(tables))")
  }

  /// No column of the table or query has a common name for numbers; these are the columns.
  static func noNumberColumn(_ columns: [String], input: String) -> Failure {
    parse(
      "no-number-column", "\(InputName.quoted(input)): no column has a known name for the number",
      hint: "use --number NAME; its columns: \(list(columns))")
  }

  /// The latest changes are in a write-ahead log of this name next to it, which SQLite has not merged yet.
  static func unmergedLog(_ log: String, input: String) -> Failure {
    parse(
      "unmerged-log",
      "\(InputName.quoted(input)) lacks its latest changes: they are in '\(PrintableText.line(log))'",
      hint: "merge them: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'")
  }
}
