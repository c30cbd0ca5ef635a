// What is wrong with XML documents and databases, in sentences.

import ParseStage

enum XMLWording {
  static func reason(_ defect: XMLDefect) -> String {
    switch defect {
    case .malformed(_, let text): "not well-formed XML: \(text)"
    case .truncated: "the XML document ends before its elements do"
    case .encoding: "the XML document is in an encoding that is not read, or not the one it names"
    case .tokenTooLong(let limit): "a tag or comment longer than \(ByteSize.text(UInt64(limit)))"
    case .tooDeep(let limit): "nested deeper than \(limit) elements"
    case .entityBomb: "entities that expand to far more than the document"
    case .outOfMemory: "no memory for XML"
    case .otherRoot(let found, let expected):
      "the XML document is about '\(RejectWording.printable(found))' and not '\(expected)'"
    }
  }

  static func hint(_ defect: XMLDefect) -> String? {
    switch defect {
    case .encoding: "--encoding NAME says which encoding it is in"
    case .otherRoot: "'cdpipe parse --formats' lists the formats"
    case .malformed, .truncated: "the rows before it came out; nothing behind it can be read"
    default: nil
    }
  }
}

enum DatabaseWording {
  static func sentence(_ defect: DatabaseDefect, _ input: String) -> Sentence {
    switch defect {
    case .notADatabase: Sentence("\(input) is no SQLite database")
    case .damaged(let text): Sentence("\(input) is damaged: \(RejectWording.printable(text))")
    case .unmergedLog(let log):
      Sentence(
        "\(input) lacks its latest changes: they are in '\(RejectWording.printable(log))'",
        hint: "sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)' merges them")
    case .unreadable(let text): Sentence("cannot read \(input): \(RejectWording.printable(text))")
    case .outOfMemory(let limit):
      Sentence(
        "the query on \(input) needs more than \(ByteSize.text(UInt64(limit))) of memory",
        hint: "a query without ORDER BY, GROUP BY or DISTINCT needs less; cdpipe sort sorts in bounded memory"
      )
    case .valueTooLong(let limit):
      Sentence("\(input) has a value longer than \(ByteSize.text(UInt64(limit)))")
    case .forbidden(let text):
      Sentence(
        "--query may only read, and only from the database: \(RejectWording.printable(text))",
        hint: "a SELECT without attached databases or functions that reach outside")
    case .severalStatements: Sentence("--query takes one statement, and there is more behind it")
    case .noColumns: Sentence("--query gives no columns", hint: "a SELECT does")
    case .query(let text): Sentence("--query on \(input): \(RejectWording.printable(text))")
    case .noQuery(let tables):
      Sentence(
        tables.isEmpty ? "\(input) has no tables" : "\(input): which table has the numbers is not clear",
        hint: tables.isEmpty
          ? nil
          : "--query 'SELECT number, label FROM …' says it; the tables: \(list(tables))")
    case .noNumberColumn(let columns):
      Sentence(
        "\(input): no column is known to be the number",
        hint: "--number NAME says which; the columns: \(list(columns))")
    }
  }

  private static func list(_ names: [String]) -> String {
    names.map { RejectWording.printable($0) }.joined(separator: ", ")
  }
}
