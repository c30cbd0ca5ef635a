// The directory's SQLite database and its prepared statements. All SQLite pointers are in this file.
//
// Not for the statements themselves (DirectoryDatabase).

import CLibraries

/// The result of a step of a statement.
enum StatementStep {
  /// A row can be read.
  case row
  /// There are no more rows.
  case end
}

/// A database opened for writing.
@safe struct OpenDatabase: ~Copyable {
  private let store: OpaquePointer

  /// SQLite's code for "can't open", also used for a missing library.
  private static let cannotOpen: Int32 = 14

  init(path: String) throws(LoadError) {
    guard cdp_sqlite_load() == 0 else { throw .database(Self.cannotOpen) }
    var code: Int32 = 0
    guard let opened = unsafe cdp_sqlite_store_open(path, &code) else { throw .database(code) }
    unsafe store = opened
  }

  deinit {
    unsafe cdp_sqlite_store_close(store)
  }

  /// Runs statements that return no rows.
  borrowing func run(_ statements: String) throws(LoadError) {
    let code = unsafe cdp_sqlite_store_run(store, statements)
    if code != 0 { throw .database(code) }
  }

  /// The number of rows that the last statement changed.
  var changes: Int64 { unsafe cdp_sqlite_store_changes(store) }
  /// The row id of the last insertion.
  var lastRow: Int64 { unsafe cdp_sqlite_store_last_row(store) }

  /// Prepares a statement.
  borrowing func prepare(_ text: String) throws(LoadError) -> DatabaseStatement {
    var code: Int32 = 0
    guard let made = unsafe cdp_sqlite_statement_make(store, text, &code) else { throw .database(code) }
    return unsafe DatabaseStatement(made)
  }
}

/// A prepared statement.
@safe struct DatabaseStatement: ~Copyable {
  private let statement: OpaquePointer

  fileprivate init(_ statement: OpaquePointer) {
    unsafe self.statement = unsafe statement
  }

  deinit {
    unsafe cdp_sqlite_statement_finalize(statement)
  }

  /// Sets a parameter, counted from 1.
  borrowing func bind(_ place: Int32, _ value: Int64) {
    // An invalid parameter index would be a bug of this target; the step would fail.
    _ = unsafe cdp_sqlite_statement_bind_integer(statement, place, value)
  }

  /// Advances to the next row.
  borrowing func step() throws(LoadError) -> StatementStep {
    let code = unsafe cdp_sqlite_statement_step(statement)
    switch code {
    case -1: return .row
    case 0: return .end
    default: throw .database(code)
    }
  }

  /// Runs a statement that returns no rows.
  borrowing func run() throws(LoadError) {
    if try step() == .row { reset() }
  }

  /// Runs a statement that returns no rows, with a text for one of its parameters.
  borrowing func run(text: String, at place: Int32) throws(LoadError) {
    var text = text
    let code = text.withUTF8 { bytes in
      let bound = unsafe cdp_sqlite_statement_bind_text(statement, place, bytes.baseAddress, bytes.count)
      return bound != 0 ? bound : unsafe cdp_sqlite_statement_step(statement)
    }
    if code > 0 { throw .database(code) }
    if code < 0 { reset() }
  }

  /// Runs a statement with a text for one of its parameters; returns the first column of the first row, if any.
  borrowing func integer(text: String, at place: Int32) throws(LoadError) -> Int64? {
    var text = text
    let code = text.withUTF8 { bytes in
      let bound = unsafe cdp_sqlite_statement_bind_text(statement, place, bytes.baseAddress, bytes.count)
      return bound != 0 ? bound : unsafe cdp_sqlite_statement_step(statement)
    }
    if code > 0 { throw .database(code) }
    if code == 0 { return nil }
    defer { reset() }
    return integer(0)
  }

  /// Runs a statement; returns the first column of the first row, if any.
  borrowing func firstInteger() throws(LoadError) -> Int64? {
    guard try step() == .row else { return nil }
    defer { reset() }
    return integer(0)
  }

  /// Returns an integer of the current row.
  borrowing func integer(_ column: Int32) -> Int64 {
    unsafe cdp_sqlite_statement_integer(statement, column)
  }

  /// Returns a text of the current row; invalid UTF-8 is repaired.
  borrowing func text(_ column: Int32) -> String {
    var count = 0
    guard let bytes = unsafe cdp_sqlite_statement_text(statement, column, &count) else { return "" }
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Resets a statement before all rows were read.
  borrowing func reset() {
    unsafe cdp_sqlite_statement_reset(statement)
  }
}
