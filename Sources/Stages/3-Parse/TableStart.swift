// The start of a table: its separator, comments before the rows, and its header.

import Records
import SystemIO

struct TableStart {
  /// The number of records that are examined to find the separator.
  static let recordsMax = 100
  /// The maximum number of a header's names in an error, and of characters of each.
  private static let namesMax = 50
  private static let nameCharactersMax = 60
  /// The maximum size of a header that is recognised when it is repeated, in bytes.
  fileprivate static let headerBytesMax = 4096

  var grammar: TableGrammar
  var columns: TableColumns
  /// The bytes before the first row.
  var skippedBytes = 0
  /// The header, if it can be recognised when it is repeated.
  private(set) var header = TableHeader()
  /// The names of the columns; nil if there is no header.
  private(set) var fieldNames: [String]?
  /// The lines before the header that are neither comments nor rows.
  private(set) var title: TableTitle?
  /// The contents of the columns.
  private(set) var sample: TableSample
  private(set) var fieldCount = 0
  /// The index after the header's last byte; nil if there is none.
  private(set) var headerEnd: Int?
  /// Whether all fields of the first record are quoted.
  private(set) var isQuoted = false

  /// Examines the start of an input. Throws if the header lacks a name that was chosen.
  init(_ start: InputStart, _ options: ParseOptions, hasQuotes: Bool) throws(Failure) {
    let bytes = start.bytes.span
    grammar = TableGrammar(separator: options.separator ?? 0x09, hasQuotes: hasQuotes)
    columns = TableColumns(options)
    sample = TableSample()
    var declaredSeparator: UInt8?
    if hasQuotes, let declared = Self.separatorLine(bytes, grammar) {
      declaredSeparator = declared.separator
      skippedBytes = declared.next
    }
    var commented: (start: Int, next: Int)?
    var at = Self.skipComments(bytes, grammar, from: skippedBytes, last: &commented)
    let separator = hasQuotes ? options.separator ?? declaredSeparator : grammar.separator
    let mayHaveTitle = options.header != .no
    var guess =
      mayHaveTitle || separator == nil
      ? TableGuess.best(bytes, from: at, grammar, names: [], separator: separator) : nil
    let name = options.firstName
    if mayHaveTitle,
      let title = TableTitle(bytes, from: at, guess, grammar, separator: separator, chosenName: name)
    {
      at = title.end
      self.title = title
      guess = title.table
    }
    skippedBytes = at
    if hasQuotes {
      if separator == nil, let name {
        guess = TableGuess.best(bytes, from: at, grammar, names: [name])
      }
      grammar.separator = separator ?? guess?.separator ?? UInt8(ascii: ",")
    }
    sample = TableSample(at, of: start.bytes, grammar)
    let first = names(bytes, at, start.isWhole)
    columns = Self.columns(options, sample, first: first?.names ?? [])
    (fieldCount, isQuoted) = first.map { ($0.fields.count, $0.fields.allSatisfy(\.isQuoted)) } ?? (0, false)
    if options.header == .no { return }
    // The header may be a comment.
    if let commented, let record = names(bytes, commented.start, start.isWhole),
      isHeader(record.names, options)
    {
      try readHeader(record.names, to: record.end, options, sample, start.input)
      return
    }
    guard let record = first else {
      if let name, at < bytes.count { throw .noSuchColumn(name, names: [], input: start.input) }
      return
    }
    let isHeader =
      options.header == .yes || name != nil
      || !hasNumber(record.fields, bytes)
        && (isHeader(record.names, options) || isHeader(record.fields, bytes))
    if !isHeader { return }
    try readHeader(record.names, to: record.end, options, sample, start.input)
    skippedBytes = ruleEnd(bytes, from: record.next) ?? record.next
    if record.end - at <= Self.headerBytesMax, columns.number >= 0, columns.number < record.fields.count {
      let field = record.fields[columns.number]
      header = TableHeader(bytes, from: at, to: record.end, number: field)
    }
  }

  /// The index after the line below a header, `|---|:--:|` in Markdown and `----+----` of a database; nil if there is none.
  private func ruleEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    guard grammar.separator == UInt8(ascii: "|"), let end = grammar.lineEnd(bytes, from: start),
      bytes.extracting(0..<end).firstIndex(of: "---", from: start) != nil,
      (start..<end).allSatisfy({ "-:|+ \t\r\n".utf8.contains(bytes[$0]) })
    else { return nil }
    return end
  }

  /// The columns of a table without a header, which starts with a record.
  private static func columns(_ options: ParseOptions, _ sample: TableSample, first: [String]) -> TableColumns
  {
    if options.numberField == nil, let names = callNames(first),
      let columns = try? TableColumns(options, header: names, sample: sample)
    {
      return columns
    }
    return TableColumns(options, sample: sample)
  }

  /// The names of the columns of Asterisk's call records, which have no header; nil for any other record.
  ///
  /// Source: cdr_csv of Asterisk, Master.csv.
  private static func callNames(_ record: [String]) -> [String]? {
    let names =
      "accountcode src dst dcontext clid channel dstchannel lastapp lastdata start answer end duration billsec "
      + "disposition amaflags uniqueid userfield"
    let all = names.split(separator: " ").map(String.init)
    guard record.count >= 16, record.count <= all.count,
      ["ANSWERED", "NO ANSWER", "BUSY", "FAILED", "CONGESTION"].contains(record[14])
    else { return nil }
    return Array(all.prefix(record.count))
  }

  private mutating func readHeader(
    _ names: [String], to end: Int, _ options: ParseOptions, _ sample: TableSample, _ input: String
  ) throws(Failure) {
    headerEnd = end
    let others = title.map { $0.columnsOfOthers(names.count) } ?? []
    do throws(NoSuchColumn) {
      columns = try TableColumns(options, header: names, sample: sample, ofOthers: others)
    } catch {
      throw .noSuchColumn(
        error.name, names: names.prefix(Self.namesMax).map { String($0.prefix(Self.nameCharactersMax)) },
        input: input)
    }
    fieldNames = names
    fieldCount = max(fieldCount, names.count)
  }

  /// The fields of the record at `at`; nil if the window ends inside it.
  private func names(
    _ bytes: Span<UInt8>, _ at: Int, _ isWhole: Bool
  ) -> (names: [String], fields: [TableField], end: Int, next: Int)? {
    guard at < bytes.count else { return nil }
    var fields: [TableField] = []
    let end = grammar.record(
      bytes, from: at, atEnd: isWhole, mayHaveLines: true, fieldsMax: bytes.count, into: &fields)
    guard case .whole(let last, let next) = end else { return nil }
    return (fields.map { $0.text(bytes) }, fields, last, next)
  }

  private func isHeader(_ names: [String], _ options: ParseOptions) -> Bool {
    if let chosen = options.firstName { return names.contains(chosen) }
    return names.contains(where: CommonFieldNames.isNumber)
  }

  /// Whether any field of a record is a number: then the record is not a header.
  private func hasNumber(_ fields: [TableField], _ bytes: Span<UInt8>) -> Bool {
    fields.contains { TableHeader.isFigure(bytes, $0) }
  }

  /// Whether the cell in the number column is a word and not a number.
  private func isHeader(_ fields: [TableField], _ bytes: Span<UInt8>) -> Bool {
    guard columns.number >= 0, columns.number < fields.count else { return false }
    let field = fields[columns.number]
    let contents = NumberText.contents(bytes, from: field.start, to: field.end)
    return contents.letters > 0 && contents.digits < 3 && contents.hasOther
  }

  /// The index after blank lines and comments. Sets `last` to the range of the last comment's text.
  private static func skipComments(
    _ bytes: Span<UInt8>, _ grammar: TableGrammar, from start: Int, last: inout (start: Int, next: Int)?
  ) -> Int {
    var at = start
    while at < bytes.count {
      let next = grammar.lineEnd(bytes, from: at) ?? bytes.count
      if bytes[at] == UInt8(ascii: "#") {
        last = (at + 1, next)
      } else if !grammar.isBlank(bytes, from: at, to: next) {
        break
      }
      at = next
    }
    return at
  }

  /// The index after blank lines and comments at the start.
  static func skipComments(_ bytes: Span<UInt8>, _ grammar: TableGrammar) -> Int {
    var last: (start: Int, next: Int)?
    return skipComments(bytes, grammar, from: 0, last: &last)
  }

  static func declaresSeparator(_ bytes: Span<UInt8>, _ grammar: TableGrammar) -> Bool {
    separatorLine(bytes, grammar) != nil
  }

  /// The separator that the first line declares, such as `sep=;`, which spreadsheets write, and the start of the next
  /// line.
  private static func separatorLine(
    _ bytes: Span<UInt8>, _ grammar: TableGrammar
  ) -> (separator: UInt8, next: Int)? {
    let next = grammar.lineEnd(bytes, from: 0) ?? bytes.count
    var line: [UInt8] = []
    for index in 0..<min(next, 12) where bytes[index] != TableGrammar.quote && bytes[index] > 0x0D {
      line.append(bytes[index])
    }
    guard next <= 12 else { return nil }
    // Tabs were skipped above, so `sep=` with nothing after it declares a tab.
    guard line.count >= 4, line.count <= 5, String(decoding: line[..<4], as: UTF8.self).lowercased() == "sep="
    else { return nil }
    return (line.count == 5 ? line[4] : 0x09, next)
  }
}

/// A table's header, to recognise its repetitions: when tables are concatenated, such as the members of an archive,
/// each has its own header.
struct TableHeader: Equatable {
  /// The record without its line end; empty if there is none.
  private var text: ContiguousArray<UInt8> = []
  /// The first byte of the number column's name: the fast path stops at it, because the header may be repeated there. 0
  /// if there is no header, or if numbers can start with this byte.
  private(set) var mark: UInt8 = 0
  /// The first byte that is a letter: the fast path stops there, too, because another header may follow. Above all bytes
  /// of ASCII if there is no header.
  private(set) var letterMin: UInt8 = 0x80

  init() {}

  /// Whether a field is a number, also a short one such as `110` or `0151`, and no name of a column. A year may be one.
  static func isFigure(_ bytes: Span<UInt8>, _ field: TableField) -> Bool {
    if TableCell(bytes, from: field.start, to: field.end).rank != nil { return true }
    let contents = NumberText.contents(bytes, from: field.start, to: field.end)
    guard contents.isNumber(digitsMin: digitsMin), contents.letters == 0 else { return false }
    let isYear = contents.digits == 4 && (bytes[field.start] == 0x31 || bytes[field.start] == 0x32)
    return !isYear
  }

  /// The header from `start` to `end`; `number` is the name of the number column.
  init(_ bytes: Span<UInt8>, from start: Int, to end: Int, number: TableField) {
    guard number.start < number.end, !NumberText.isCharacter(bytes[number.start]) else { return }
    text = ContiguousArray(copying: bytes.extracting(start..<end))
    mark = bytes[number.start]
    letterMin = UInt8(ascii: "A")
  }

  /// The names of a record that is the header of another table: a member of an archive may have its columns in another
  /// order. It has a common name for numbers, another known name, and no number. Nil for any other record.
  func otherNames(_ bytes: Span<UInt8>, from start: Int, to end: Int, _ grammar: TableGrammar) -> [String]? {
    guard !text.isEmpty, end - start <= TableStart.headerBytesMax else { return nil }
    let names = Self.names(bytes.extracting(start..<end), grammar)
    guard names.count > 1, names.contains(where: CommonFieldNames.isNumber),
      names.allSatisfy({ $0.utf8.count(where: { $0 &- 0x30 < 10 }) < Self.digitsMin })
    else { return nil }
    let own = Self.names(text.span, grammar)
    let known = names.count {
      CommonFieldNames.isNumber($0) || CommonFieldNames.label.contains(CommonFieldNames.plain($0))
        || own.contains($0)
    }
    return known > 1 ? names : nil
  }

  private static func names(_ record: Span<UInt8>, _ grammar: TableGrammar) -> [String] {
    var fields: [TableField] = []
    let end = grammar.record(
      record, from: 0, atEnd: true, mayHaveLines: true, fieldsMax: record.count + 1, into: &fields)
    guard case .whole = end else { return [] }
    return fields.map { $0.text(record) }
  }
  /// A name with at least this many digits may be a number.
  private static let digitsMin = 3

  /// The text of a record that has one in its first field, without a digit, and nothing else; nil for any other record.
  static func onlyText(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, _ grammar: TableGrammar
  ) -> String? {
    guard end - start <= headingBytesMax else { return nil }
    func isAround(_ byte: UInt8) -> Bool { byte == TableGrammar.quote || grammar.isPadding(byte) }
    guard let first = (start..<end).first(where: { !isAround(bytes[$0]) }),
      bytes[first] != grammar.separator, bytes[first] &- 0x30 >= 10,
      let last = (first..<end).last(where: { bytes[$0] != grammar.separator && !isAround(bytes[$0]) }),
      (first...last).allSatisfy({ bytes[$0] != grammar.separator && bytes[$0] &- 0x30 >= 10 })
    else { return nil }
    return TableField(start: first, end: last + 1).text(bytes)
  }

  /// No heading of a section is longer, with the separators after it.
  private static let headingBytesMax = 256

  func isRepeated(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    !text.isEmpty && bytes.extracting(start..<end).equals(text)
  }
}

// A title before a table: lines of text that other programs write before the header.
//
//     Blocked numbers, May 2026
//
//     Phone;Label;Count
//     030 23125001;spam;3
//
// It is recognised only if a header with the chosen name follows, or one with a common name for numbers and a table of
// numbers below it.

struct TableTitle {
  /// The index of the header.
  private(set) var end: Int
  /// The number of lines with text, and the first of them.
  private(set) var lines = 0
  private(set) var text = ""
  private(set) var table: TableGuess
  /// The last line with several texts, those of tables side by side: the first column of each, and its text.
  private var headings: [(column: Int, text: String)] = []

  /// The maximum number of lines of a title. Reports have a name, a date, and who made them.
  private static let linesMax = 10
  /// The minimum number of records below it, with the header.
  private static let recordsMin = 3

  /// Examines the records from `start` on; nil if they don't start with a title. If a `separator` was chosen, it is the
  /// only one tried. `first` is the best guess for the records from `start` on. A header with the chosen name is enough.
  ///
  /// - Complexity: O(bytes) of the first ``TableStart/recordsMax`` records.
  init?(
    _ bytes: Span<UInt8>, from start: Int, _ first: TableGuess?, _ grammar: TableGrammar, separator: UInt8?,
    chosenName: String? = nil
  ) {
    var grammar = grammar
    if let separator { grammar.separator = separator }
    var fields: [TableField] = []
    var at = start
    for line in 0..<Self.linesMax {
      let guess =
        line == 0 && chosenName == nil
        ? first
        : TableGuess.best(
          bytes, from: at, grammar, names: chosenName.map { [$0] } ?? [], separator: separator)
      if let found = guess, found.hasName {
        guard at > start else { return nil }
        (end, table) = (at, found)
        noteLines(bytes, from: start, grammar)
        return
      }
      if let found = guess, found.isHeaded, chosenName == nil {
        guard at > start, found.isTable, found.hasNumberColumn, found.records >= Self.recordsMin else {
          return nil
        }
        (end, table) = (at, found)
        noteLines(bytes, from: start, grammar)
        return
      }
      // A title in quotes may end in the separators of empty fields.
      if let found = first?.separator, at < bytes.count, bytes[at] == TableGrammar.quote {
        grammar.separator = found
      }
      let record = grammar.record(
        bytes, from: at, atEnd: false, mayHaveLines: true, fieldsMax: bytes.count, into: &fields)
      guard case .whole(let last, let next) = record, next < bytes.count else { return nil }
      if !grammar.isBlank(bytes, from: at, to: last) {
        if Self.isRow(bytes, at, last, fields) { return nil }
      }
      at = next
      while at < bytes.count, let lineEnd = grammar.lineEnd(bytes, from: at),
        grammar.isBlank(bytes, from: at, to: lineEnd)
      { at = lineEnd }
    }
    return nil
  }

  /// Notes the texts of the lines from `start` on, with the table's separator.
  private mutating func noteLines(_ bytes: Span<UInt8>, from start: Int, _ grammar: TableGrammar) {
    var grammar = grammar
    grammar.separator = table.separator
    var fields: [TableField] = []
    var at = start
    while at < end {
      let record = grammar.record(
        bytes, from: at, atEnd: false, mayHaveLines: true, fieldsMax: bytes.count, into: &fields)
      guard case .whole(let last, let next) = record else {
        lines += 1
        at = grammar.lineEnd(bytes, from: at) ?? end
        continue
      }
      let contents = NumberText.contents(bytes, from: at, to: last)
      if contents.letters + contents.digits > 0 {
        lines += 1
        let texts = fields.enumerated().filter { $0.element.start < $0.element.end }
          .map { (column: $0.offset, text: $0.element.text(bytes)) }
        if lines == 1 { text = texts.map(\.text).joined(separator: " ") }
        if texts.count > 1 { headings = texts }
      }
      at = next
    }
  }

  /// The columns below a heading of numbers that are not blocked, up to the next heading; none if all of the `count` columns
  /// are.
  func columnsOfOthers(_ count: Int) -> Set<Int> {
    var columns: Set<Int> = []
    for (index, heading) in headings.enumerated()
    where CommonFieldNames.heading(heading.text) == .others {
      let end = index + 1 < headings.count ? headings[index + 1].column : count
      columns.formUnion(heading.column..<max(end, heading.column))
    }
    return columns.count < count ? columns : []
  }

  /// Whether it names a list of numbers that are not blocked.
  var isOfOthers: Bool { CommonFieldNames.heading(text) == .others }

  /// Whether a line is a row or a header, not a title.
  private static func isRow(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ fields: [TableField]) -> Bool {
    if fields.contains(where: { CommonFieldNames.isNumber($0.text(bytes)) }) { return true }
    if fields.contains(where: { TableHeader.isFigure(bytes, $0) }) { return true }
    if hasWordsFirst(bytes, fields) { return false }
    let line = LineFields.split(bytes, from: start, to: end, separator: nil)
    return NumberText.contents(bytes, from: line.number.lowerBound, to: line.number.upperBound)
      .isNumber(digitsMin: TableCell.numberDigitsMin)
  }

  /// Whether a line has text in its first field only, with several words before any digit: `Corrections to (07031 223344)`.
  private static func hasWordsFirst(_ bytes: Span<UInt8>, _ fields: [TableField]) -> Bool {
    guard let first = fields.first, fields.dropFirst().allSatisfy({ $0.start == $0.end }) else {
      return false
    }
    let digit = (first.start..<first.end).first { bytes[$0] &- 0x30 < 10 } ?? first.end
    let words = bytes.extracting(first.start..<digit)
    let blanks = words.indices.dropFirst().count { words[$0] == 0x20 && words[$0 - 1] > 0x40 }
    return blanks > 1
  }
}

// Guesses whether an input is a table, and its separator, by trying common separators on its first records.

/// The first records, read with one separator.
struct TableGuess {
  /// The separators that are tried. If two fit equally well, the first one is used.
  static let separators: [UInt8] = [0x09, UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "|")]

  var separator: UInt8
  /// The number of records that were examined, and of those that have as many fields as the first one. After a
  /// header, records may omit their last fields, or end with more that are empty.
  var records = 0
  var regularRecords = 0
  /// The number of records with a stray or unclosed quote.
  var broken = 0
  var columns = 0
  var hasQuotedFields = false
  /// Whether there is a column of numbers, or one with such a name.
  var hasNumbers = false
  /// Whether the first record has a common name for numbers, and no number.
  private(set) var isHeaded = false
  private(set) var hasNumberColumn = false
  /// Whether a column with a common name for numbers has them in at least half of the records.
  private var hasNamedColumn = false
  /// Whether the first record contains a name that was chosen.
  var hasName = false

  /// Whether this is a table with tabs in which some records omit their last fields, or have more than the first one.
  private(set) var isRagged = false
  private var marked = 0
  private var quoted = 0

  /// Whether this is a table: nine out of ten records fit the first one, which has at least two fields, and one column
  /// has numbers. A list with markers and separators is not a table. Some records may have broken quotes, as
  /// long as most are whole. Below a header with a common name for numbers, it is enough that the column has some.
  var isTable: Bool {
    isRagged || columns >= 2 && hasNumbers && (isRegular || hasNamedColumn) && 2 * marked < max(records, 1)
  }

  /// Whether this is a quoted list: one column of numbers, most of them in quotes, or only its header.
  var isQuotedList: Bool { columns == 1 && hasNumbers && isRegular && 2 * quoted >= max(records, 1) }

  private var isRegular: Bool { regularRecords * 10 >= (records - broken) * 9 && 2 * broken <= records }

  /// Examines the records from `start` on. With `needsColumns`, only the first one if the separator makes no columns and
  /// no ragged table.
  init(
    _ bytes: Span<UInt8>, from start: Int, _ grammar: TableGrammar, names: [String],
    needsColumns: Bool = false
  ) {
    separator = grammar.separator
    var fields: [TableField] = []
    var numbers: [Int] = []
    var named: [Int] = []
    // The number of records with two or more fields, and with more than two.
    var several = 0
    var threeFieldRecords = 0
    var at = start
    while at < bytes.count, records < TableStart.recordsMax {
      let end = grammar.record(
        bytes, from: at, atEnd: true, mayHaveLines: true, fieldsMax: bytes.count, into: &fields)
      guard case .whole(let last, let next) = end else {
        at = grammar.lineEnd(bytes, from: at) ?? bytes.count
        records += 1
        broken += 1
        continue
      }
      // The window may end inside the last record.
      if next == bytes.count, bytes[next - 1] != Byte.lineFeed, records > 0 { break }
      defer { at = next }
      if grammar.isBlank(bytes, from: at, to: last) { continue }
      if records == 0 {
        columns = fields.count
        numbers = Array(repeating: 0, count: columns)
        let texts = fields.map { $0.text(bytes) }
        hasName = names.contains { texts.contains($0) }
        named = texts.indices.filter { CommonFieldNames.isNumber(texts[$0]) }
        hasNumbers = !named.isEmpty
        isHeaded = hasNumbers && !fields.contains { TableHeader.isFigure(bytes, $0) }
      }
      records += 1
      if needsColumns, records == 1, columns < 2, !Self.mayBeRagged(bytes, from: start, grammar) { return }
      let omitsOrAddsEmpty =
        isHeaded && fields.count > 1 && fields.dropFirst(columns).allSatisfy { $0.start == $0.end }
      if fields.count == columns || omitsOrAddsEmpty { regularRecords += 1 }
      if fields.count > 1 { several += 1 }
      if fields.count > 2 { threeFieldRecords += 1 }
      while numbers.count < fields.count { numbers.append(0) }
      if ListMarker.end(bytes, from: at, to: last) > at { marked += 1 }
      if fields.first?.isQuoted == true { quoted += 1 }
      for (column, field) in fields.enumerated() {
        if field.isQuoted { hasQuotedFields = true }
        if Self.isNumber(bytes, field) { numbers[column] += 1 }
      }
    }
    // The first record may be a header.
    let hasColumn = numbers.map { $0 > 0 && 2 * $0 >= records - 1 }
    hasNumberColumn = hasColumn.prefix(columns).contains(true)
    hasNamedColumn = isHeaded && named.contains { hasColumn[$0] }
    if hasNumberColumn { hasNumbers = true }
    // A list of numbers and labels has no third field; if some labels contain tabs, few records have one.
    isRagged =
      separator == Byte.tab && hasColumn.contains(true) && 2 * several >= records
      && Self.manyShare * threeFieldRecords >= records && 2 * marked < records && records > 1
  }

  private static func isNumber(_ bytes: Span<UInt8>, _ field: TableField) -> Bool {
    let body = NumberText.body(bytes, from: field.start, to: field.end)
    let contents = NumberText.contents(bytes, from: body.lowerBound, to: body.upperBound)
    return contents.isNumber(digitsMin: 3)
      || TableCell(bytes, from: body.lowerBound, to: body.upperBound, contents).rank != nil
  }

  /// Whether later records may have more fields than the first one: a table with tabs needs a tab.
  private static func mayBeRagged(_ bytes: Span<UInt8>, from start: Int, _ grammar: TableGrammar) -> Bool {
    grammar.separator == Byte.tab && WordScan.contains(Byte.tab, bytes, from: start)
  }

  /// In a ragged table, at least one in this many records has a third field.
  private static let manyShare = 10

  /// The guess that fits best, among those that split the first record into columns or make a ragged table. If a
  /// `separator` was chosen, it is the only one tried.
  static func best(
    _ bytes: Span<UInt8>, from start: Int, _ grammar: TableGrammar, names: [String], separator: UInt8? = nil
  ) -> TableGuess? {
    var best: TableGuess?
    for separator in separator.map({ [$0] }) ?? separators {
      var grammar = grammar
      grammar.separator = separator
      let guess = TableGuess(bytes, from: start, grammar, names: names, needsColumns: true)
      if guess.columns >= 2 || guess.isRagged, best.map({ guess.isBetter(than: $0) }) ?? true { best = guess }
    }
    return best
  }

  private func isBetter(than other: TableGuess) -> Bool {
    if hasName != other.hasName { return hasName }
    if isTable != other.isTable { return isTable }
    let (ownShare, otherShare) = (regularRecords * other.records, other.regularRecords * records)
    return ownShare == otherShare ? columns > other.columns : ownShare > otherShare
  }

  /// Whether its fields are separated by tabs and not quoted.
  var isTabbed: Bool { separator == Byte.tab && !hasQuotedFields }

  /// Whether a table that has a column of this name uses tabs without quotes.
  static func isTabbed(_ bytes: Span<UInt8>, _ name: String) -> Bool {
    let grammar = TableGrammar()
    let start = TableStart.skipComments(bytes, grammar)
    guard let best = best(bytes, from: start, grammar, names: [name]) else { return false }
    return best.hasName && best.isTabbed
  }

  /// The guess for an input that is a table; nil if it is not. If a `separator` was chosen, it is the only one tried.
  static func table(_ bytes: Span<UInt8>, separator: UInt8? = nil) -> TableGuess? {
    if Detection.isBinary(bytes) { return nil }
    let grammar = TableGrammar()
    if separator == nil, TableStart.declaresSeparator(bytes, grammar) {
      var declared = TableGuess(bytes, from: 0, grammar, names: [])
      declared.hasQuotedFields = true
      (declared.columns, declared.hasNumbers, declared.regularRecords) = (2, true, declared.records)
      return declared
    }
    let start = TableStart.skipComments(bytes, grammar)
    let best = best(bytes, from: start, grammar, names: [], separator: separator)
    if let best, best.isTable {
      let isList =
        !best.isHeaded && NumberList.isSeparator(best.separator)
        && (NumberList.isTable(bytes, from: start) || YAMLStart.isList(bytes))
      return isList ? nil : best
    }
    if let title = TableTitle(bytes, from: start, best, grammar, separator: separator) { return title.table }
    let list = TableGuess(
      bytes, from: start, TableGrammar(separator: separator ?? grammar.separator), names: [])
    return list.isQuotedList ? list : nil
  }
}
