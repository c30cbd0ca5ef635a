// An SQLite database of records as an output. SQLite writes into the file that EmitFile opened under a
// temporary name.

import BasicContainers
import CLibraries
import Records
import SystemIO
import SystemPackage

extension EmitFormat {
  package static let sqlite = EmitFormat(
    rawValue: "sqlite", what: "an SQLite database with the table 'records'", group: .databases,
    extensions: ["sqlite", "sqlite3", "db"], fields: .common, ranges: .bounds, hasDayColumn: true,
    isBinary: true
  ) { (options, context) throws(Failure) in try SQLiteTarget(options, context) }
}

/// Writes records into the table of a database.
final class SQLiteTarget: EmitTarget {
  private let stage: StageName
  private let path: String
  private let file: EmitFile
  /// Nil after the database is complete.
  private var database: RecordDatabase?
  private var row: UInt64 = 0
  /// Where several stores are one output, the records may not ascend.
  private var order = RecordOrder()
  private var bytes: UInt64 = 0

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    stage = context.stage
    path = options.output
    file = try EmitFile(options.output, context)
    guard let descriptor = file.newFile else {
      throw Failure(
        context.stage, .usage, "needs-file",
        "'\(options.format.rawValue)' can't be written to "
          + (path == "-" ? "standard output" : "'\(path)', which is not a file"),
        hint: "use \(option: "o", "FILE.\(options.format.rawValue)")")
    }
    database = try RecordDatabase(descriptor, path, hasDays: options.hasDay, stage)
  }

  deinit {
    // Before the file is closed.
    database = nil
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    try order.check(batch, after: row, stage)
    try database?.insert(batch)
    row += UInt64(batch.count)
  }

  func seal() throws(Failure) {
    try database?.finish()
    database = nil
    bytes = try file.size()
  }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) { output.bytes = bytes }
}

// A new SQLite database with a table of records. Every pointer to SQLite of this target is in this file.
//
// Sources: SQLite's documentation, "Database File Format" (sqlite.org/fileformat2.html) for the identity in
// the header, "Partial Indexes" (sqlite.org/partialindex.html), "Pragma statements" (sqlite.org/pragma.html).

/// A database in a new file, which must stay open as long as the database.
@safe struct RecordDatabase: ~Copyable {
  private let store: OpaquePointer
  private let failures: DatabaseFailures
  /// The statements that insert several records, and one.
  private let insertions: (block: OpaquePointer, single: OpaquePointer)
  private var fields = RecordFieldsColumns()
  private var count: UInt64 = 0
  private let hasDays: Bool

  /// The identity in the database's header, by which `parse` recognises it: `cdpr` in ASCII.
  static let applicationID: Int32 = 0x6364_7072
  private static let version = 1
  /// The limit of the page cache in KiB, and of the memory in which a sort of the index keeps rows: as many again. Four
  /// times as much does not make writing faster.
  private static let cacheKibibytes = 8 * 1024

  /// The file is written under a temporary name, so a journal would be of no use, and synced before it is renamed.
  private static let settings = """
    PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA temp_store = FILE; PRAGMA cache_size = -\(cacheKibibytes); PRAGMA mmap_size = 0;
    PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version);
    """

  /// Records are disjoint and ascending: a number finds its record by the primary key, and each row is appended.
  private static func table(hasDays: Bool) -> String {
    """
    CREATE TABLE records(
      number INTEGER PRIMARY KEY, last INTEGER NOT NULL, label TEXT, source TEXT, score INTEGER\(hasDays ? ", day TEXT" : ""));
    BEGIN;
    """
  }

  /// Made when all rows are in the table: rows sorted first are appended to the index, too. Rows without a label, as in
  /// lists of blocked numbers, need no space in it.
  private static let index =
    "COMMIT; CREATE INDEX records_label ON records(label) WHERE label IS NOT NULL;"

  init(_ file: FileDescriptor, _ path: String, hasDays: Bool, _ stage: StageName) throws(Failure) {
    let code = Errno(rawValue: cdp_sqlite_load())
    guard code.rawValue == 0 else {
      let name = unsafe String(cString: cdp_sqlite_library_name())
      guard !code.blamesMachine else { throw Failure(stage, SystemError(.openInput, name, code)) }
      throw Failure(
        stage, .unavailable, "library-missing", "cannot load \(name)",
        // The Debian package; most distributions use a similar name.
        hint: "install the package libsqlite3-0; the other formats need no library")
    }
    // Everything that can fail happens before the first property is set; see OutputFile.
    let failures = DatabaseFailures(path: path, stage: stage)
    let made = unsafe try Self.make(file, hasDays: hasDays, failures)
    self.hasDays = hasDays
    self.failures = failures
    unsafe store = made.store
    unsafe insertions = (made.block, made.single)
  }

  private static func make(
    _ file: FileDescriptor, hasDays: Bool, _ failures: DatabaseFailures
  ) throws(Failure) -> (store: OpaquePointer, block: OpaquePointer, single: OpaquePointer) {
    var code: Int32 = 0
    _ = cdp_sqlite_store_take_write_error()
    guard let store = unsafe cdp_sqlite_store_open_descriptor(file.rawValue, &code) else {
      throw failures.failure(code)
    }
    do throws(Failure) {
      try unsafe run(settings + table(hasDays: hasDays), store, failures)
    } catch {
      unsafe cdp_sqlite_store_close(store)
      throw error
    }
    guard
      let block = unsafe cdp_sqlite_statement_make(
        store, insertion(Int(CDP_SQLITE_BLOCK_ROWS), hasDays), &code)
    else {
      unsafe cdp_sqlite_store_close(store)
      throw failures.failure(code)
    }
    guard let single = unsafe cdp_sqlite_statement_make(store, insertion(1, hasDays), &code) else {
      unsafe cdp_sqlite_statement_finalize(block)
      unsafe cdp_sqlite_store_close(store)
      throw failures.failure(code)
    }
    return unsafe (store, block, single)
  }

  private static func insertion(_ rows: Int, _ hasDays: Bool) -> String {
    let row = hasDays ? "(?, ?, ?, ?, ?, ?)" : "(?, ?, ?, ?, ?)"
    return "INSERT INTO records VALUES " + repeatElement(row, count: rows).joined(separator: ", ")
  }

  deinit {
    unsafe cdp_sqlite_statement_finalize(insertions.block)
    unsafe cdp_sqlite_statement_finalize(insertions.single)
    unsafe cdp_sqlite_store_close(store)
  }

  /// Inserts the records of a batch. They must be ascending and disjoint. Their numbers have at most 15 digits, as
  /// all numbers, so that they fit into SQLite's integers.
  mutating func insert(_ batch: borrowing RecordBatch) throws(Failure) {
    fields.set(batch.fieldsTable)
    try insertRows(batch)
    count += UInt64(batch.count)
  }

  private borrowing func insertRows(_ batch: borrowing RecordBatch) throws(Failure) {
    let texts = fields.texts.span
    let columns = fields.columns.span
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    let indices = batch.fieldsIndices.span
    let (block, single) = unsafe insertions
    let code = unsafe texts.withUnsafeBufferPointer { texts in
      unsafe columns.withUnsafeBufferPointer { columns in
        unsafe firsts.withUnsafeBufferPointer { firsts in
          unsafe lasts.withUnsafeBufferPointer { lasts in
            unsafe indices.withUnsafeBufferPointer { indices in
              var records = unsafe cdp_sqlite_records(
                count: firsts.count, firsts: firsts.baseAddress, lasts: lasts.baseAddress,
                fields_indices: indices.baseAddress, fields: columns.baseAddress, texts: texts.baseAddress,
                has_days: hasDays)
              return unsafe cdp_sqlite_insert_records(block, single, &records)
            }
          }
        }
      }
    }
    if code != 0 { throw failures.failure(code) }
  }

  /// Ends the table, makes its index, and checks the structure of the whole database.
  mutating func finish() throws(Failure) {
    try unsafe Self.run(Self.index, store, failures)
    let check = try value("PRAGMA quick_check(1)")
    if check != "ok" { throw failures.invalid(check) }
    let rows = try value("SELECT count(*) FROM records")
    if rows != String(count) { throw failures.invalid("it has \(rows) rows of \(count)") }
  }

  // MARK: Statements

  private static func run(
    _ statements: String, _ store: OpaquePointer, _ failures: DatabaseFailures
  ) throws(Failure) {
    let code = unsafe cdp_sqlite_store_run(store, statements)
    if code != 0 { throw failures.failure(code) }
  }

  /// The first column of a query's first row as text.
  private borrowing func value(_ query: String) throws(Failure) -> String {
    var code: Int32 = 0
    guard let statement = unsafe cdp_sqlite_statement_make(store, query, &code) else {
      throw failures.failure(code)
    }
    defer { unsafe cdp_sqlite_statement_finalize(statement) }
    let step = unsafe cdp_sqlite_statement_step(statement)
    if step > 0 { throw failures.failure(step) }
    var count = 0
    guard step < 0, let bytes = unsafe cdp_sqlite_statement_text(statement, 0, &count) else { return "" }
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}

private struct DatabaseFailures {
  /// The primary part of SQLite's codes, and the codes that are distinguished. Source: sqlite.org/rescode.html.
  private static let primaryCode: Int32 = 0xFF
  private static let memory: Int32 = 7
  private static let inputOutput: Int32 = 10
  private static let full: Int32 = 13
  private static let cannotOpen: Int32 = 14

  let path: String
  let stage: StageName

  /// The failure of a call: of writing the file, or a temporary one for a sort.
  func failure(_ code: Int32) -> Failure {
    let writeError = cdp_sqlite_store_take_write_error()
    if writeError != 0 { return output(Errno(rawValue: writeError)) }
    switch code & Self.primaryCode {
    case Self.memory: return output(.noMemory)
    case Self.full: return temporary(.noSpace)
    case Self.inputOutput, Self.cannotOpen: return temporary(.ioError)
    default: return invalid("SQLite's error \(code)")
    }
  }

  private func output(_ code: Errno) -> Failure { Failure(stage, SystemError(.writeOutput, path, code)) }

  private func temporary(_ code: Errno) -> Failure {
    Failure(stage, SystemError(.writeSpill, TemporaryFile.defaultDirectory, code))
  }

  /// The database that was written is not valid.
  func invalid(_ text: String) -> Failure { .invalidDatabase(text, path: path, stage) }
}

/// The fields of a batch's records as SQLite's functions need them: unescaped, one after another.
private struct RecordFieldsColumns {
  private(set) var columns: ContiguousArray<cdp_sqlite_record_fields> = []
  private(set) var texts: ContiguousArray<UInt8> = []

  mutating func set(_ table: borrowing RecordFieldsTable) {
    columns.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    for index in 0..<table.count { append(table[index]) }
  }

  private mutating func append(_ fields: Span<UInt8>) {
    let parts = RecordFields.parts(fields)
    let start = texts.count
    append(fields, parts.label)
    let labelEnd = texts.count
    append(fields, parts.source)
    let sourceEnd = texts.count
    append(fields, parts.day)
    columns.append(
      cdp_sqlite_record_fields(
        start: UInt32(start), label_bytes: UInt32(labelEnd - start),
        source_bytes: UInt32(sourceEnd - labelEnd),
        day_bytes: UInt32(texts.count - sourceEnd), has_score: !parts.score.isEmpty,
        score: RecordFields.score(fields)))
  }

  private mutating func append(_ fields: Span<UInt8>, _ part: Range<Int>) {
    var index = part.lowerBound
    while index < part.upperBound {
      if fields[index] == Byte.backslash, index + 1 < part.upperBound {
        index += 1
        texts.append(Byte.unescaped(fields[index]))
      } else {
        texts.append(fields[index])
      }
      index += 1
    }
  }
}
