// Chooses the columns of a query that a row's fields are read from, and the query if the user specified none.
//
// Not for: running the query (SQLiteReader).

import Records

/// The columns that a row's fields are read from; nil for none.
struct SQLiteColumns: Equatable {
  var number: Int?
  /// The last number of a range: the chosen column, or that of databases that `emit` wrote.
  var last: Int?
  var label: Int?
  var source: Int?
  var score: Int?

  /// The columns of ranges in databases that `emit` wrote. In other databases, `last` may be a date or a name.
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
    if case .constant = options.numberField { return }
    if number == nil, label == nil, source == nil, score == nil, isChosen {
      number = 0
      if names.count > 1, options.labelField == nil { label = 1 }
      if names.count > 2, options.sourceField == nil { source = 2 }
      if names.count > 3, options.scoreField == nil { score = 3 }
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
    if label == nil, options.numberField == nil {
      let used = [columns.number, columns.last, columns.source, columns.score]
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
  /// Throws if there is no such table or more than one, or if the only such table lacks a chosen column.
  mutating func defaultQuery(_ options: ParseOptions, input: String) throws(Failure) -> String {
    if let query = try onlyQuery(options, input: input, usesAllNames: false) { return query }
    if let query = try onlyQuery(options, input: input, usesAllNames: true) { return query }
    throw .noQuery(tables: Array(try tableNames().prefix(SQLiteLimits.tablesShownMax)), input: input)
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
      let query =
        "SELECT * FROM \"\(table.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
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
