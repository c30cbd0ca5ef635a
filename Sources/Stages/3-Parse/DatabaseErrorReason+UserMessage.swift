// Messages for errors of databases.

import Records

extension DatabaseErrorReason {
  /// Describes what is wrong with a database.
  func userMessage(_ input: String) -> UserMessage {
    switch self {
    case .notADatabase: UserMessage("\(input) is not a SQLite database")
    case .damaged(let text): UserMessage("\(input) is damaged: \(PrintableText.line(text))")
    case .unmergedLog(let log):
      UserMessage(
        "\(input) lacks its latest changes: they are in '\(PrintableText.line(log))'",
        hint: "merge them: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'")
    case .unreadable(let text): UserMessage("cannot read \(input): \(PrintableText.line(text))")
    case .outOfMemory(let limit):
      UserMessage(
        "the query on \(input) needs more than \(Figures.bytes(limit)) of memory",
        hint: "leave out ORDER BY, GROUP BY and DISTINCT: 'cdpipe sort' sorts in bounded memory")
    case .valueTooLong(let limit):
      UserMessage("\(input) has a value longer than \(Figures.bytes(limit))")
    case .tooSlow:
      UserMessage(
        "reading \(input) needs more processor time than --query-timeout allows",
        hint: "if the database is valid, set a larger --query-timeout")
    case .forbidden(let text):
      UserMessage(
        "--query may only read, and only from the database: \(PrintableText.line(text))",
        hint: "use a SELECT without attached databases and without functions that access files")
    case .severalStatements:
      UserMessage("--query has more than one statement", hint: "use a single SELECT")
    case .noColumns: UserMessage("--query returns no columns", hint: "use a SELECT")
    case .unsupported(let text): UserMessage("SQLite cannot read \(input): \(PrintableText.line(text))")
    case .syntax(let text), .query(let text): UserMessage("--query on \(input): \(PrintableText.line(text))")
    case .noQuery(let tables):
      UserMessage(
        tables.isEmpty ? "\(input) has no tables" : "\(input): several tables could contain the numbers",
        hint: tables.isEmpty
          ? nil : "use --query 'SELECT number, label FROM …'; its tables: \(Self.list(tables))")
    case .noNumberColumn(let columns):
      UserMessage(
        "\(input): no column has a known name for the number",
        hint: "use --number NAME; its columns: \(Self.list(columns))")
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { PrintableText.line($0) }.joined(separator: ", ")
  }
}
