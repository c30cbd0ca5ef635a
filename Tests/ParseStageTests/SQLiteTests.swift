// SQLite databases: the rows of the query, and read-only access.

import Records
import SystemIO
import TestSupport
import Testing

@testable import InputStages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct SQLiteTests {
  /// The bytes of a database that SQL statements create.
  static func database(_ statements: String) throws -> [UInt8] {
    let path = TemporaryFile.defaultDirectory + "/cdpipe-test-\(UInt64.random(in: 0...UInt64.max)).sqlite"
    defer { for suffix in ["", "-wal", "-shm"] { _ = unsafe unlink(path + suffix) } }
    try SQLiteMaker().make(path, statements)
    var file = try InputFile(path)
    var bytes: [UInt8] = []
    var chunk = ByteChunk()
    while try file.read(into: &chunk) > 0 {
      bytes += RowCollector.copy(chunk.span)
      chunk.removeAll()
    }
    return bytes
  }

  static let statements = """
    CREATE TABLE spam(id INTEGER PRIMARY KEY, number TEXT, label TEXT, source TEXT, score INTEGER);
    INSERT INTO spam(number, label, source, score) VALUES
      ('+33 1 99 00 00 01', 'Démarchage', 'liste', 12), (33199000002, NULL, NULL, NULL), ('33199000003', 'a	b', '', -4);
    CREATE TABLE meta(key TEXT, value TEXT);
    """
  static let rows = [
    RawRow("+33 1 99 00 00 01", "Démarchage\tliste\t12"), RawRow("33199000002", ""),
    RawRow("33199000003", "a\\tb\t\t-4"),
  ]

  func read(_ bytes: [UInt8], _ query: String? = nil, _ change: (inout ParseOptions) -> Void = { _ in })
    throws
    -> Outcome
  {
    var options = options(.sqlite, change)
    options.query = query
    return try parse([bytes], options)
  }

  @Test func theOneTableWithNumbersIsRead() throws {
    let bytes = try Self.database(Self.statements)
    for format in [ParseOptions.Format.sqlite, .auto] {
      for cuts in [[], [1], [3], [100, 1], [4096], [5000]] {
        let outcome = try parse([bytes], options(format), cuts: cuts)
        #expect(outcome.rows == Self.rows && outcome.rejects == [] && outcome.failure == nil, "cut \(cuts)")
        #expect(outcome.rowsIn == 3 && outcome.rowsOut == 3)
      }
    }
    #expect(try parse([bytes, bytes], options(.sqlite), cuts: [900]).rows == Self.rows + Self.rows)
  }

  @Test(arguments: [
    ("blocked INTEGER", "1", "0"), ("status TEXT", "'blacklist'", "'whitelist'"),
    ("label TEXT", "'spam'", "'allow'"),
  ])
  func rowsThatAreNotBlocked(_ column: String, _ blocked: String, _ unblocked: String) throws {
    let bytes = try Self.database(
      "CREATE TABLE list(number TEXT, \(column)); INSERT INTO list VALUES ('33199000001', \(blocked)), "
        + "('33199000002', \(unblocked)), ('33199000003', \(blocked));")
    let outcome = try read(bytes)
    #expect(outcome.rows.map { $0.description.prefix(11) } == ["33199000001", "33199000003"])
    #expect(outcome.codes == ["not-blocked"])
  }

  @Test func queriesChooseTheRows() throws {
    let bytes = try Self.database(Self.statements)
    #expect(
      try read(bytes, "SELECT number FROM spam WHERE score > 5 ; -- that is all").rows == [
        RawRow("+33 1 99 00 00 01", "")
      ])
    #expect(
      try read(bytes, "SELECT '1' AS a, 'b' AS c, 'd' AS e, 7.0 AS f UNION ALL SELECT 2, 3, 4, 5").rows
        == [RawRow("1", "b\td\t7"), RawRow("2", "3\t4\t5")])
    #expect(
      try read(
        bytes, "SELECT id, number AS Phone, label FROM spam WHERE id = 2", { $0.labelField = .name("ID") }
      ).rows
        == [RawRow("33199000002", "2")])
    #expect(
      try read(
        bytes, "SELECT id, number, label FROM spam WHERE id = 1",
        {
          $0.numberField = .name("1"); $0.labelField = .name("2"); $0.sourceField = .constant("s")
        }
      ).rows
        == [RawRow("1", "+33 1 99 00 00 01\ts")])
    #expect(
      try read(
        bytes,
        "WITH RECURSIVE n(number) AS (SELECT 33199000001 UNION ALL SELECT number + 1 FROM n LIMIT 9000) SELECT number FROM n"
      ).rows.count == 9000)
    #expect(try read(bytes, "SELECT number FROM spam WHERE 0").rows == [])
  }

  @Test func otherCommonNamesAreColumns() throws {
    let bytes = try Self.database(
      "CREATE TABLE a(id, \"Mobile Number\", \"Display-Name\"); INSERT INTO a VALUES (1, '861', 'x')")
    #expect(try read(bytes) { _ in }.rows == [RawRow("861", "x")])
    // A table with a name that has precedence is read, whatever others have.
    let several = try Self.database(
      """
      CREATE TABLE calls(mobile, label); INSERT INTO calls VALUES ('1', 'no');
      CREATE TABLE spam(phone, category, age); INSERT INTO spam VALUES ('861', 'x', 7)
      """)
    #expect(try read(several) { _ in }.rows == [RawRow("861", "x")])
    let two = try Self.database("CREATE TABLE a(mobile); CREATE TABLE b(cell)")
    #expect(try read(two) { _ in }.failure == .noQuery(tables: ["a", "b"], input: "in0"))
    let unknown = try Self.database("CREATE TABLE a(id, phone, who); INSERT INTO a VALUES (1, '861', 'x')")
    #expect(try parseWithNotices(unknown, options(.sqlite)).layouts.first?.possibleLabels == ["who"])
  }

  @Test func onlyBrokenRowsAreLost() throws {
    let bytes = try Self.database(
      """
      CREATE TABLE t(number, label, score);
      INSERT INTO t VALUES (NULL, 'a', 1), ('', 'b', 1), (1.5, 'c', 1), (331e2, 'd', 1), (1e300, 'e', 1), (5, x'ff', 1),
        (6, 'f', 'many'), (7, 'g', 1.5), ('8', 2.5, 2.0), (-9223372036854775807 - 1, 'h', NULL), ('9', printf('%.*c', 2000, 'x'), 1);
      """)
    let outcome = try read(bytes) { $0.recordBytesMax = 1000 }
    #expect(outcome.rows == [RawRow("33100", "d\t\t1"), RawRow("8", "2.5\t\t2")])
    #expect(
      outcome.codes == [
        "missing-number", "missing-number", "not-whole", "not-whole", "invalid-utf8", "bad-score",
        "not-whole", "not-whole",
        "record-too-long",
      ])
    #expect(outcome.rejects.map(\.place) == [1, 2, 3, 5, 6, 7, 8, 10, 11].map { InputLocation.row($0) })
    #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
  }

  @Test(arguments: [
    "DELETE FROM spam", "INSERT INTO spam(number) VALUES (1)", "UPDATE spam SET label = 'x'",
    "DROP TABLE spam",
    "CREATE TABLE x(y)", "CREATE TEMP TABLE x(y)", "ATTACH 'x.db' AS x", "DETACH main",
    "VACUUM INTO '/tmp/cdpipe-x'",
    "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON", "SELECT load_extension('x')", "BEGIN",
    "SELECT * FROM pragma_database_list", "WITH d AS (SELECT 1) DELETE FROM spam", "ANALYZE",
    "CREATE VIRTUAL TABLE v USING fts5(x)", "INSERT INTO spam(number) VALUES (1) RETURNING number",
  ])
  func aQueryMayOnlyRead(_ query: String) throws {
    let outcome = try read(Self.database(Self.statements), query)
    #expect(outcome.failure?.code == "forbidden-query" && outcome.failure?.errorClass == .usage)
    #expect(outcome.rows == [])
  }

  @Test func otherQueriesFail() throws {
    let bytes = try Self.database(Self.statements)
    #expect(try read(bytes, "SELECT 1; SELECT 2").failure == .severalStatements)
    #expect(try read(bytes, "SELECT 1; garbage").failure == .severalStatements)
    for query in ["", " ", "-- x", ";", "REINDEX"] {
      #expect(try read(bytes, query).failure == .noQueryColumns)
    }
    for query in ["SELEC 1", "SELECT 'a"] {
      #expect(try read(bytes, query).failure?.code == "query-syntax", "\(query)")
    }
    for query in ["SELECT x FROM spam", "SELECT * FROM absent", "SELECT nofunction(1)"] {
      #expect(try read(bytes, query).failure?.code == "query-failed", "\(query)")
    }
    #expect(
      try read(bytes, "SELECT key, value FROM meta", { $0.numberField = .name("number") }).failure
        == .noSuchColumn("number", names: ["key", "value"], input: "in0"))
    #expect(
      try read(bytes, "SELECT label FROM spam").failure == .noNumberColumn(["label"], input: "in0")
    )
    var withoutDatabase = ParseOptions()
    withoutDatabase.query = "SELECT 1"
    #expect(try parse("{\"861\":\"a\"}", withoutDatabase).failure == .queryWithoutDatabase)
    #expect(Failure.queryWithoutDatabase.errorClass == .badData)
  }

  @Test func whatADatabaseContainsIsNeverAUsageError() throws {
    var newer = try Self.database(Self.statements)
    // The schema format number, of which SQLite knows 1 to 4. Source: Database File Format, section 1.3.11.
    newer[47] = 9
    #expect(
      try read(newer).failure == .unsupportedDatabase("unsupported file format", input: "in0"))
    let two = try Self.database("CREATE TABLE a(number); CREATE TABLE b(number)")
    let hidden = try Self.database(
      "CREATE TABLE spam(number); CREATE VIEW v AS SELECT name AS number FROM pragma_table_info('spam')")
    let overflow = try Self.database(
      "CREATE VIEW v AS SELECT abs(-9223372036854775807 - 1) AS number")
    for (bytes, query) in [
      (newer, nil), (newer, "SELECT 1"), (two, nil), (try Self.database("CREATE TABLE x(y)"), nil),
      (two, "SELECT number FROM c"), (two, "SELECT phone FROM a"), (hidden, "SELECT * FROM v"),
      (overflow, nil),
      (overflow, "SELECT number FROM v"),
    ] {
      let failure = try read(bytes, query).failure
      #expect(failure?.errorClass == .badData, "\(query ?? "-"): \(String(describing: failure))")
      #expect(failure?.blamesSource == true)
    }
    for query in ["SELEC 1", "SELECT (", "SELECT '", "SELECT 1; SELECT 2", "-- nothing", "DELETE FROM a"] {
      #expect(try read(two, query).failure?.errorClass == .usage, "\(query)")
    }
    let missing = Failure.parserMissing("libsqlite3.so.0", package: "libsqlite3-0")
    #expect(missing.errorClass == .unavailable && !missing.blamesSource)
  }

  @Test func withoutAQueryThereMustBeOneTable() throws {
    let two = try Self.database("CREATE TABLE \"a\"\"b\"(phone); CREATE TABLE c(tel); CREATE TABLE d(x)")
    #expect(try read(two).failure == .noQuery(tables: ["a\"b", "c", "d"], input: "in0"))
    #expect(try read(two, nil, { $0.numberField = .name("X") }).rows == [])
    let odd = try Self.database("CREATE TABLE \"a\"\"b\"(phone); INSERT INTO \"a\"\"b\" VALUES ('331')")
    #expect(try read(odd).rows == [RawRow("331", "")])
    #expect(
      try read(Self.database("CREATE TABLE x(y); DROP TABLE x")).failure
        == .noNumberTable([], input: "in0"))
    // One table without a known name is not said to be one of several.
    let one = try Self.database(
      "CREATE TABLE messages(_id, jid, body); INSERT INTO messages VALUES (1, '4930123456', 'x')")
    #expect(
      try read(one).failure == .noNumberColumn(["_id", "jid", "body"], table: "messages", input: "in0"))
    #expect(try read(one, nil, { $0.numberField = .name("jid") }).rows == [RawRow("4930123456", "")])
    let unknown = try Self.database("CREATE TABLE a(x); CREATE TABLE b(y)")
    #expect(try read(unknown).failure == .noNumberTable(["a", "b"], input: "in0"))
  }

  /// Android's blocked numbers: the international form is empty where it is not known.
  @Test func aNullNumberIsReadFromTheNextColumn() throws {
    let bytes = try Self.database(
      """
      CREATE TABLE blocked(_id INTEGER PRIMARY KEY, original_number TEXT, e164_number TEXT);
      INSERT INTO blocked VALUES (1, '030 1234567', '+49301234567'), (2, '030 1234568', NULL), (3, NULL, NULL);
      CREATE TABLE android_metadata(locale)
      """)
    let outcome = try read(bytes)
    #expect(outcome.rows == [RawRow("+49301234567", ""), RawRow("030 1234568", "")])
    #expect(outcome.codes == ["missing-number"])
  }

  @Test func aMissingColumnIsNamed() throws {
    let bytes = try Self.database(Self.statements)
    let columns = ["id", "number", "label", "source", "score"]
    for set in [
      { (options: inout ParseOptions) in options.labelField = .name("nope") },
      { $0.numberField = .name("nope") }, { $0.scoreField = .name("nope") },
    ] {
      #expect(
        try read(bytes, nil, set).failure == .noSuchColumn("nope", names: columns, input: "in0"))
    }
    // The only table.
    let one = try Self.database("CREATE TABLE t(a, b)")
    #expect(
      try read(one, nil, { $0.numberField = .name("c") }).failure
        == .noSuchColumn("c", names: ["a", "b"], input: "in0"))
    let two = try Self.database("CREATE TABLE t(phone); CREATE TABLE u(phone)")
    #expect(
      try read(two, nil, { $0.labelField = .name("c") }).failure
        == .noQuery(tables: ["t", "u"], input: "in0"))
  }

  @Test func anEncodingIsRefused() throws {
    let bytes = try Self.database(Self.statements)
    for cuts in [[], [1], [7]] {
      for format in [ParseOptions.Format.auto, .sqlite] {
        let options = options(format) { $0.encoding = "GB18030" }
        #expect(try parse([bytes], options, cuts: cuts).failure == .encodingOfBinary(.sqlite, input: "in0"))
      }
    }
    #expect(try parse([bytes], options(.auto) { $0.encoding = "UTF-8" }).rows == Self.rows)
    // Shorter than a database's first bytes.
    #expect(
      try parse([Array("861,x\n".utf8)], options(.csv) { $0.encoding = "GB18030" }).rows == [
        RawRow("861", "x")
      ])
  }

  @Test func databasesInOtherFormsAreRead() throws {
    let wide = try Self.database("PRAGMA encoding = 'UTF-16le';" + Self.statements)
    #expect(try read(wide).rows == Self.rows)
    let logged = try Self.database("PRAGMA journal_mode = WAL;" + Self.statements)
    #expect(try read(logged).rows == Self.rows)
    let small = try Self.database("PRAGMA page_size = 512;" + Self.statements)
    #expect(try read(small).rows == Self.rows)
  }

  @Test func damageIsNamed() throws {
    let bytes = try Self.database(Self.statements)
    #expect(
      try parse("not a database at all, but some text", options(.sqlite)).failure
        == .notADatabase(input: "in0"))
    #expect(try parse("", options(.sqlite)).failure == nil)
    for count in [16, 99, 100, 512, 4096, bytes.count - 1] {
      let code = try read(Array(bytes.prefix(count))).failure?.code ?? ""
      #expect(["not-a-database", "damaged-database"].contains(code), "\(count): \(code)")
    }
    var broken = bytes
    for index in 4096..<8192 { broken[index] = 0xFF }
    #expect(try read(broken).failure?.code == "damaged-database")
  }

  @Test func mutatedDatabases() throws {
    let bytes = try Self.database("PRAGMA page_size = 512;" + Self.statements)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for turn in 0..<fuzzTurns {
      var broken = bytes
      for _ in 0..<(1 + random.below(8)) {
        // More mutations where the structure is.
        let at = random.below(3) == 0 ? random.below(200) : random.below(broken.count)
        broken[at] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.below(5) == 0 { broken.removeLast(random.below(broken.count)) }
      let query: String? =
        random.below(2) == 0 ? nil : "SELECT number, label FROM spam ORDER BY label LIMIT 1000"
      let outcome = try read(broken, query)
      if outcome.failure == nil {
        try #require(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount, "seed \(seed), turn \(turn)")
      }
    }
  }

  @Test(.timeLimit(.minutes(10))) func timeIsBounded() throws {
    // Views that never return a row, or return rows without end.
    for condition in ["WHERE x < 0", ""] {
      let bytes = try Self.database(
        """
        CREATE VIEW spam(number) AS WITH RECURSIVE counter(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM counter)
        SELECT x FROM counter \(condition);
        """)
      let outcome = try read(bytes) { $0.querySeconds = 0.1 }
      #expect(outcome.failure == .databaseTooSlow(input: "in0"), "\(condition)")
    }
    #expect(try read(try Self.database(Self.statements)) { $0.querySeconds = 10 }.failure == nil)
  }

  @Test func memoryIsBounded() throws {
    let bytes = try Self.database(Self.statements)
    let long = "SELECT printf('%.*c', 7000000, 'x') AS number FROM spam"
    #expect(try read(bytes, long).codes == ["record-too-long", "record-too-long", "record-too-long"])
    let tooLong = "SELECT hex(zeroblob(7000000)) AS number"
    let code = try read(bytes, tooLong).failure?.code
    #expect(code == "value-too-long" || code == "query-out-of-memory")
  }

  @Test func aMissingLibraryIsNamed() {
    let missing = SQLiteDatabase.problem(loading: "libnothing.so.1")
    #expect(missing?.code == "library-missing" && missing?.message.message == "cannot load libnothing.so.1")
    #expect(SQLiteDatabase.problem(loading: "libc.so.6") != nil)
  }
}

/// Creates databases, with the three functions of the library that are needed.
struct SQLiteMaker {
  typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  typealias Run =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
    ) -> Int32
  typealias Close = @convention(c) (OpaquePointer?) -> Int32

  struct Failed: Error {
    var code: Int32
  }

  func make(_ path: String, _ statements: String) throws {
    #if canImport(Darwin)
      let name = "libsqlite3.dylib"
    #else
      let name = "libsqlite3.so.0"
    #endif
    guard let library = unsafe dlopen(name, RTLD_NOW), let opening = unsafe dlsym(library, "sqlite3_open"),
      let running = unsafe dlsym(library, "sqlite3_exec"),
      let closing = unsafe dlsym(library, "sqlite3_close")
    else { throw Failed(code: -1) }
    let open = unsafe unsafeBitCast(opening, to: Open.self)
    let run = unsafe unsafeBitCast(running, to: Run.self)
    let close = unsafe unsafeBitCast(closing, to: Close.self)
    var database: OpaquePointer?
    var code = unsafe open(path, &database)
    if code == 0 { code = unsafe run(database, statements, nil, nil, nil) }
    if code == 0 { code = unsafe close(database) }
    guard code == 0 else { throw Failed(code: code) }
  }
}
