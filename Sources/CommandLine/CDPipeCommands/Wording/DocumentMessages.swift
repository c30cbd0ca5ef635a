// What is wrong with XML documents and databases, in sentences.

import ParseStage

enum XMLMessages {
  static func reason(_ defect: XMLErrorReason) -> String {
    switch defect {
    case .malformed(_, let text): "not well-formed XML: \(text)"
    case .truncated: "the XML document ends before its elements do"
    case .encoding: "the XML document is in an encoding that is not read, or not the one it names"
    case .tokenTooLong(let limit): "a tag or comment longer than \(ByteSize.text(UInt64(limit)))"
    case .tooDeep(let limit): "nested deeper than \(limit) elements"
    case .entityBomb: "entities that expand to far more than the document"
    case .outOfMemory: "no memory for XML"
    case .otherRoot(let found, let expected):
      "the XML document is about '\(RejectMessages.printable(found))' and not '\(expected)'"
    }
  }

  static func hint(_ defect: XMLErrorReason) -> String? {
    switch defect {
    case .encoding: "--encoding NAME says which encoding it is in"
    case .otherRoot: "'cdpipe parse --formats' lists the formats"
    case .malformed, .truncated: "the rows before it came out; nothing behind it can be read"
    default: nil
    }
  }
}

enum DatabaseMessages {
  static func sentence(_ defect: DatabaseErrorReason, _ input: String) -> UserMessage {
    switch defect {
    case .notADatabase: UserMessage("\(input) is no SQLite database")
    case .damaged(let text): UserMessage("\(input) is damaged: \(RejectMessages.printable(text))")
    case .unmergedLog(let log):
      UserMessage(
        "\(input) lacks its latest changes: they are in '\(RejectMessages.printable(log))'",
        hint: "sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)' merges them")
    case .unreadable(let text): UserMessage("cannot read \(input): \(RejectMessages.printable(text))")
    case .outOfMemory(let limit):
      UserMessage(
        "the query on \(input) needs more than \(ByteSize.text(UInt64(limit))) of memory",
        hint: "a query without ORDER BY, GROUP BY or DISTINCT needs less; cdpipe sort sorts in bounded memory"
      )
    case .valueTooLong(let limit):
      UserMessage("\(input) has a value longer than \(ByteSize.text(UInt64(limit)))")
    case .forbidden(let text):
      UserMessage(
        "--query may only read, and only from the database: \(RejectMessages.printable(text))",
        hint: "a SELECT without attached databases or functions that reach outside")
    case .severalStatements: UserMessage("--query takes one statement, and there is more behind it")
    case .noColumns: UserMessage("--query gives no columns", hint: "a SELECT does")
    case .query(let text): UserMessage("--query on \(input): \(RejectMessages.printable(text))")
    case .noQuery(let tables):
      UserMessage(
        tables.isEmpty ? "\(input) has no tables" : "\(input): which table has the numbers is not clear",
        hint: tables.isEmpty
          ? nil
          : "--query 'SELECT number, label FROM …' says it; the tables: \(list(tables))")
    case .noNumberColumn(let columns):
      UserMessage(
        "\(input): no column is known to be the number",
        hint: "--number NAME says which; the columns: \(list(columns))")
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { RejectMessages.printable($0) }.joined(separator: ", ")
  }
}
