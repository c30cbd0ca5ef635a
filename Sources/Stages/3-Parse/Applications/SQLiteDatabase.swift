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

/// An error of SQLite.
enum SQLiteError: Error {
  case libraryMissing(name: String)
  /// The library can't be opened because the machine lacks something.
  case system(SystemError)
  case database(DatabaseErrorReason)
  /// A chosen column is missing in the only table with numbers; `columns` are the ones that it has.
  case noSuchColumn(String, columns: [String])
}

extension SQLiteError {
  fileprivate init(_ error: cdp_sqlite_error) {
    let text = unsafe withUnsafeBytes(of: error.text) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    switch error.kind {
    case CDP_SQLITE_NOT_A_DATABASE: self = .database(.notADatabase)
    case CDP_SQLITE_DAMAGED: self = .database(.damaged(text))
    case CDP_SQLITE_IO: self = .database(.unreadable(text))
    case CDP_SQLITE_MEMORY: self = .database(.outOfMemory(limit: SQLiteLimits.heapBytesMax))
    case CDP_SQLITE_TOO_SLOW: self = .database(.tooSlow)
    case CDP_SQLITE_TOO_LONG: self = .database(.valueTooLong(limit: SQLiteLimits.valueBytesMax))
    case CDP_SQLITE_FORBIDDEN: self = .database(.forbidden(text))
    case CDP_SQLITE_SEVERAL_STATEMENTS: self = .database(.severalStatements)
    case CDP_SQLITE_NO_COLUMNS: self = .database(.noColumns)
    case CDP_SQLITE_SYNTAX: self = .database(.syntax(text))
    default: self = .database(.query(text))
    }
  }
}

/// An open database and its current query.
@safe struct SQLiteDatabase: ~Copyable {
  private let database: OpaquePointer

  /// Opens the database in a file, which must stay open as long as the database does.
  /// `querySeconds` limits the processor time of the thread that reads it.
  init(_ file: FileDescriptor, querySeconds: Double) throws(SQLiteError) {
    let code = Errno(rawValue: cdp_sqlite_load())
    guard code.rawValue == 0 else {
      let name = unsafe String(cString: cdp_sqlite_library_name())
      throw code.blamesMachine ? .system(SystemError(.openInput, name, code)) : .libraryMissing(name: name)
    }
    let limits = cdp_sqlite_limits(
      heap_bytes_max: Int64(SQLiteLimits.heapBytesMax), cache_bytes_max: Int32(SQLiteLimits.cacheBytesMax),
      value_bytes_max: Int32(SQLiteLimits.valueBytesMax), query_bytes_max: Int32(SQLiteLimits.queryBytesMax),
      query_seconds_max: querySeconds)
    var error = cdp_sqlite_error()
    guard let opened = unsafe cdp_sqlite_open(file.rawValue, limits, &error) else {
      throw SQLiteError(error)
    }
    unsafe database = opened
  }

  deinit {
    unsafe cdp_sqlite_close(database)
  }

  /// Tries to load a library by this name; returns the error, or nil if it can be used.
  static func problem(loading name: String) -> SQLiteError? {
    unsafe cdp_sqlite_library_is_usable(name) ? nil : .libraryMissing(name: name)
  }

  /// Throws if this SQLite can't read the database's schema, such as for a newer file format.
  mutating func checkSchema() throws(SQLiteError) {
    do throws(SQLiteError) {
      _ = try prepare("SELECT name FROM sqlite_master")
    } catch {
      guard case .database(.query(let text)) = error else { throw error }
      throw .database(.unsupported(text))
    }
  }

  /// Makes a query the current one, and returns the names of its columns.
  mutating func prepare(_ query: String) throws(SQLiteError) -> [String] {
    var error = cdp_sqlite_error()
    let bytes = ContiguousArray(query.utf8)
    guard bytes.count <= SQLiteLimits.queryBytesMax else {
      throw .database(.query("the query is longer than \(SQLiteLimits.queryBytesMax) bytes"))
    }
    let isPrepared = unsafe bytes.span.withUnsafeBytes { raw in
      unsafe raw.withMemoryRebound(to: CChar.self) { letters in
        unsafe cdp_sqlite_prepare(database, letters.baseAddress, letters.count, &error)
      }
    }
    if !isPrepared { throw SQLiteError(error) }
    let count = unsafe min(cdp_sqlite_column_count(database), Int32(SQLiteLimits.columnsMax))
    return (0..<max(count, 0)).map { unsafe String(cString: cdp_sqlite_column_name(database, $0)) }
  }

  /// Advances to the next row; returns false at the end.
  mutating func step() throws(SQLiteError) -> Bool {
    var error = cdp_sqlite_error()
    switch unsafe cdp_sqlite_step(database, &error) {
    case 1: return true
    case 0: return false
    default: throw SQLiteError(error)
    }
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
