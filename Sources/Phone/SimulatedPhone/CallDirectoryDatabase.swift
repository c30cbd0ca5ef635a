// The directory in SQLite, with the same tables as observed in iOS's own database. All SQLite pointers are in this
// file. It belongs to one phone and starts empty. Its content need not outlive the process, so it is never synced.

import CLibraries

final class CallDirectoryDatabase: CallDirectoryEntries {
  private let database: OpenDatabase
  private let insertNumber: DatabaseStatement
  private let findNumber: DatabaseStatement
  private let insertLabel: DatabaseStatement
  private let findLabel: DatabaseStatement
  private let insertBlocking: DatabaseStatement
  private let insertIdentification: DatabaseStatement
  private let removeBlocking: DatabaseStatement
  private let removeIdentification: DatabaseStatement
  private let findBlocker: DatabaseStatement
  private let findIdentification: DatabaseStatement
  private var hasUnreferenced = false

  /// The version that the observed build wrote.
  private static let schemaVersion = 5
  /// The size of SQLite's cache in KiB; the journal is a file, too. `ParseStage` limits SQLite's memory to 32 MiB per
  /// process, so that a hostile list in the same process can't use up the memory that the phone needs.
  private static let cacheKibibytes = 8 * 1024

  /// Creates the tables in a new or empty file; nil for an unnamed file that is deleted with the phone.
  init(path: String?, _ assumptions: PhoneAssumptions) throws(LoadError) {
    let opened = try OpenDatabase(path: path ?? "")
    try opened.run(Self.settings)
    try opened.run(Self.tables(assumptions.labelsPerNumber))
    insertNumber = try opened.prepare("INSERT OR IGNORE INTO PhoneNumber(number) VALUES (?1)")
    findNumber = try opened.prepare("SELECT id FROM PhoneNumber WHERE number = ?1")
    insertLabel = try opened.prepare("INSERT OR IGNORE INTO Label(localized_label) VALUES (?1)")
    findLabel = try opened.prepare("SELECT id FROM Label WHERE localized_label = ?1")
    insertBlocking = try opened.prepare("INSERT INTO PhoneNumberBlockingEntry VALUES (?1, ?2)")
    insertIdentification = try opened.prepare(
      "INSERT INTO PhoneNumberIdentificationEntry VALUES (?1, ?2, ?3)")
    let ofNumber =
      "WHERE extension_id = ?1 AND phone_number_id = (SELECT id FROM PhoneNumber WHERE number = ?2)"
    removeBlocking = try opened.prepare("DELETE FROM PhoneNumberBlockingEntry \(ofNumber)")
    removeIdentification = try opened.prepare("DELETE FROM PhoneNumberIdentificationEntry \(ofNumber)")
    findBlocker = try opened.prepare(
      """
      SELECT e.id FROM Extension e JOIN PhoneNumber n JOIN PhoneNumberBlockingEntry b
        ON b.extension_id = e.id AND b.phone_number_id = n.id
      WHERE e.state = 4 AND n.number IN (?1, ?2) ORDER BY e.priority, e.id LIMIT 1
      """)
    findIdentification = try opened.prepare(
      """
      SELECT e.id, l.localized_label FROM Extension e JOIN PhoneNumber n JOIN PhoneNumberIdentificationEntry i
        ON i.extension_id = e.id AND i.phone_number_id = n.id JOIN Label l ON l.id = i.label_id
      WHERE e.state = 4 AND n.number IN (?1, ?2) ORDER BY e.priority, e.id LIMIT 1
      """)
    database = opened
  }

  private static let settings = """
    PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;
    PRAGMA cache_size = -\(cacheKibibytes); PRAGMA locking_mode = EXCLUSIVE;
    """

  private static func tables(_ labels: PhoneAssumptions.LabelsPerNumber) -> String {
    let identificationKey =
      switch labels {
      case .several: "extension_id, phone_number_id, label_id"
      case .one: "extension_id, phone_number_id"
      }
    return """
      BEGIN;
      CREATE TABLE SchemaVersion(version INTEGER NOT NULL);
      INSERT INTO SchemaVersion VALUES (\(schemaVersion));
      CREATE TABLE Extension(
        id INTEGER PRIMARY KEY, bundle_id TEXT NOT NULL UNIQUE, priority INTEGER NOT NULL, state INTEGER NOT NULL,
        state_last_modified INTEGER NOT NULL);
      CREATE TABLE PhoneNumber(id INTEGER PRIMARY KEY, number INTEGER NOT NULL UNIQUE);
      CREATE TABLE Label(id INTEGER PRIMARY KEY, localized_label TEXT NOT NULL UNIQUE);
      CREATE TABLE PhoneNumberBlockingEntry(
        extension_id INTEGER NOT NULL, phone_number_id INTEGER NOT NULL,
        PRIMARY KEY(extension_id, phone_number_id)) WITHOUT ROWID;
      CREATE TABLE PhoneNumberIdentificationEntry(
        extension_id INTEGER NOT NULL, phone_number_id INTEGER NOT NULL, label_id INTEGER NOT NULL,
        PRIMARY KEY(\(identificationKey))) WITHOUT ROWID;
      COMMIT;
      """
  }

  // MARK: Extensions

  func set(
    _ row: Int64, identifier: String, priority: Int64, state: ExtensionState
  ) throws(LoadError) {
    let statement = try database.prepare(
      """
      INSERT INTO Extension VALUES (?1, ?2, ?3, ?4, unixepoch()) ON CONFLICT(id) DO UPDATE SET
        priority = excluded.priority, state = excluded.state, state_last_modified = excluded.state_last_modified
      """)
    statement.bind(1, row)
    statement.bind(3, priority)
    statement.bind(4, state.rawValue)
    try statement.run(text: identifier, at: 2)
  }

  func forget(_ row: Int64) throws(LoadError) {
    try removeAll(.blocking, row)
    try removeAll(.identification, row)
    try database.run("DELETE FROM Extension WHERE id = \(row)")
    try tidy()
  }

  // MARK: Entries

  func add(_ batch: ChangeBatch, _ row: Int64) throws(LoadError) {
    try transact { () throws(LoadError) in try insert(batch, row) }
  }

  private func transact(_ body: () throws(LoadError) -> Void) throws(LoadError) {
    try database.run("BEGIN")
    do throws(LoadError) {
      try body()
      try database.run("COMMIT")
    } catch {
      try database.run("ROLLBACK")
      throw error
    }
  }

  private func insert(_ batch: ChangeBatch, _ row: Int64) throws(LoadError) {
    insertBlocking.bind(1, row)
    insertIdentification.bind(1, row)
    var labels = ContiguousArray<Int64>()
    for label in batch.labels { labels.append(try id(ofLabel: label)) }
    for place in batch.numbers.indices {
      let number = try id(ofNumber: batch.numbers[place])
      switch batch.kind {
      case .blocking:
        insertBlocking.bind(2, number)
        try insertBlocking.run()
      case .identification:
        insertIdentification.bind(2, number)
        insertIdentification.bind(3, labels[Int(batch.labelPlaces[place])])
        try insertIdentification.run()
      }
    }
  }

  private func id(ofNumber number: Int64) throws(LoadError) -> Int64 {
    insertNumber.bind(1, number)
    try insertNumber.run()
    if database.changes == 1 { return database.lastRow }
    findNumber.bind(1, number)
    guard let found = try findNumber.firstInteger() else { throw .directory(.unknown) }
    return found
  }

  private func id(ofLabel label: String) throws(LoadError) -> Int64 {
    try insertLabel.run(text: label, at: 1)
    if database.changes == 1 { return database.lastRow }
    guard let found = try findLabel.integer(text: label, at: 1) else { throw .directory(.unknown) }
    return found
  }

  func remove(_ batch: ChangeBatch, _ row: Int64) throws(LoadError) {
    hasUnreferenced = true
    try transact { () throws(LoadError) in try delete(batch, row) }
  }

  private func delete(_ batch: ChangeBatch, _ row: Int64) throws(LoadError) {
    removeBlocking.bind(1, row)
    removeIdentification.bind(1, row)
    for number in batch.numbers {
      switch batch.kind {
      case .blocking:
        removeBlocking.bind(2, number)
        try removeBlocking.run()
      case .identification:
        removeIdentification.bind(2, number)
        try removeIdentification.run()
      }
    }
  }

  func removeAll(_ kind: EntryKind, _ row: Int64) throws(LoadError) {
    try database.run("DELETE FROM \(Self.table(of: kind)) WHERE extension_id = \(row)")
    if database.changes > 0 { hasUnreferenced = true }
  }

  private static func table(of kind: EntryKind) -> String {
    switch kind {
    case .blocking: "PhoneNumberBlockingEntry"
    case .identification: "PhoneNumberIdentificationEntry"
    }
  }

  func tidy() throws(LoadError) {
    if !hasUnreferenced { return }
    let anyEntry = try database.prepare(
      """
      SELECT EXISTS (SELECT 1 FROM PhoneNumberBlockingEntry)
        OR EXISTS (SELECT 1 FROM PhoneNumberIdentificationEntry)
      """)
    if try anyEntry.firstInteger() == 0 {
      // Without WHERE, SQLite drops the pages without reading the rows.
      try database.run("DELETE FROM PhoneNumber; DELETE FROM Label;")
    } else {
      try database.run(
        """
        DELETE FROM PhoneNumber WHERE id NOT IN (
          SELECT phone_number_id FROM PhoneNumberBlockingEntry
          UNION SELECT phone_number_id FROM PhoneNumberIdentificationEntry);
        DELETE FROM Label WHERE id NOT IN (SELECT label_id FROM PhoneNumberIdentificationEntry);
        """)
    }
    hasUnreferenced = false
  }

  // MARK: Queries

  func counts(_ row: Int64) throws(LoadError) -> EntryCounts {
    var counts = EntryCounts()
    for kind in EntryKind.allCases {
      let statement = try database.prepare(
        "SELECT COUNT(DISTINCT phone_number_id) FROM \(Self.table(of: kind)) WHERE extension_id = ?1")
      statement.bind(1, row)
      counts[kind] = Int(try statement.firstInteger() ?? 0)
    }
    return counts
  }

  func blocker(of first: Int64, or second: Int64) throws(LoadError) -> Int64? {
    findBlocker.bind(1, first)
    findBlocker.bind(2, second)
    return try findBlocker.firstInteger()
  }

  func label(of first: Int64, or second: Int64) throws(LoadError) -> FoundLabel? {
    findIdentification.bind(1, first)
    findIdentification.bind(2, second)
    guard try findIdentification.step() == .row else { return nil }
    defer { findIdentification.reset() }
    return FoundLabel(label: findIdentification.text(1), row: findIdentification.integer(0))
  }
}

enum StatementStep {
  case row
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

  deinit { unsafe cdp_sqlite_store_close(store) }

  borrowing func run(_ statements: String) throws(LoadError) {
    let code = unsafe cdp_sqlite_store_run(store, statements)
    if code != 0 { throw .database(code) }
  }

  /// The number of rows that the last statement changed.
  var changes: Int64 { unsafe cdp_sqlite_store_changes(store) }
  var lastRow: Int64 { unsafe cdp_sqlite_store_last_row(store) }

  borrowing func prepare(_ text: String) throws(LoadError) -> DatabaseStatement {
    var code: Int32 = 0
    guard let made = unsafe cdp_sqlite_statement_make(store, text, &code) else { throw .database(code) }
    return unsafe DatabaseStatement(made)
  }
}

@safe struct DatabaseStatement: ~Copyable {
  private let statement: OpaquePointer

  fileprivate init(_ statement: OpaquePointer) { unsafe self.statement = unsafe statement }

  deinit { unsafe cdp_sqlite_statement_finalize(statement) }

  /// Sets a parameter, counted from 1.
  borrowing func bind(_ place: Int32, _ value: Int64) {
    // An invalid parameter index would be a bug of this target; the step would fail.
    _ = unsafe cdp_sqlite_statement_bind_integer(statement, place, value)
  }

  borrowing func step() throws(LoadError) -> StatementStep {
    try Self.result(of: unsafe cdp_sqlite_statement_step(statement))
  }

  /// The text is bound only while the statement runs: it is not copied.
  private borrowing func step(text: String, at place: Int32) throws(LoadError) -> StatementStep {
    var text = text
    return try Self.result(
      of: text.withUTF8 { bytes in
        let bound = unsafe cdp_sqlite_statement_bind_text(statement, place, bytes.baseAddress, bytes.count)
        return bound != 0 ? bound : unsafe cdp_sqlite_statement_step(statement)
      })
  }

  private static func result(of code: Int32) throws(LoadError) -> StatementStep {
    switch code {
    case -1: .row
    case 0: .end
    default: throw .database(code)
    }
  }

  borrowing func run() throws(LoadError) {
    if try step() == .row { reset() }
  }

  /// Runs a statement that returns no rows, with a text for one of its parameters.
  borrowing func run(text: String, at place: Int32) throws(LoadError) {
    if try step(text: text, at: place) == .row { reset() }
  }

  /// Runs a statement with a text for one of its parameters; returns the first column of the first row, if any.
  borrowing func integer(text: String, at place: Int32) throws(LoadError) -> Int64? {
    guard try step(text: text, at: place) == .row else { return nil }
    defer { reset() }
    return integer(0)
  }

  /// Runs a statement; returns the first column of the first row, if any.
  borrowing func firstInteger() throws(LoadError) -> Int64? {
    guard try step() == .row else { return nil }
    defer { reset() }
    return integer(0)
  }

  borrowing func integer(_ column: Int32) -> Int64 { unsafe cdp_sqlite_statement_integer(statement, column) }

  /// Returns a text of the current row; invalid UTF-8 is repaired.
  borrowing func text(_ column: Int32) -> String {
    var count = 0
    guard let bytes = unsafe cdp_sqlite_statement_text(statement, column, &count) else { return "" }
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Resets a statement before all rows were read.
  borrowing func reset() { unsafe cdp_sqlite_statement_reset(statement) }
}
