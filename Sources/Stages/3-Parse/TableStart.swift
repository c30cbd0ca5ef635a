// The start of a table: its separator, comments before the rows, and its header.
//
// Not for: recognising a table (TableGuess), reading its rows (TableReader).

import Records
import SystemIO

/// The start of a table.
struct TableStart {
  /// The number of records that are examined to find the separator.
  static let recordsMax = 100
  /// The maximum number of a header's names in an error, and of characters of each.
  private static let namesMax = 50
  private static let nameCharactersMax = 60
  /// The maximum size of a header that is recognised when it is repeated, in bytes.
  private static let headerBytesMax = 4096

  var grammar: TableGrammar
  var columns: TableColumns
  /// The bytes before the first row.
  var skippedBytes = 0
  /// The header, if it can be recognised when it is repeated.
  private(set) var header = TableHeader()
  /// The names of the columns; nil if there is no header.
  private(set) var fieldNames: [String]?
  /// The number of lines with text before the header that are neither comments nor rows.
  private(set) var titleLines = 0
  /// The contents of the columns.
  private(set) var sample: TableSample
  /// The number of fields in the first record.
  private(set) var fieldCount = 0

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
    if mayHaveTitle, let title = TableTitle(bytes, from: at, guess, grammar, separator: separator) {
      at = title.end
      titleLines = title.lines
      guess = title.table
    }
    skippedBytes = at
    if hasQuotes {
      if separator == nil, let name = options.firstName {
        guess = TableGuess.best(bytes, from: at, grammar, names: [name])
      }
      grammar.separator = separator ?? guess?.separator ?? UInt8(ascii: ",")
    }
    sample = TableSample(bytes, from: at, grammar)
    columns = TableColumns(options, sample: sample)
    let first = names(bytes, at, start.isWhole)
    fieldCount = first?.fields.count ?? 0
    if options.header == .no { return }
    // The header may be a comment.
    if let commented, let names = names(bytes, commented.start, start.isWhole)?.names,
      isHeader(names, options)
    {
      try readHeader(names, options, sample, start.input)
      return
    }
    guard let record = first else {
      if let name = options.firstName, at < bytes.count {
        throw .noSuchColumn(name, names: [], input: start.input)
      }
      return
    }
    let isHeader =
      options.header == .yes || options.firstName != nil
      || !hasNumber(record.fields, bytes)
        && (isHeader(record.names, options) || isHeader(record.fields, bytes))
    if !isHeader { return }
    try readHeader(record.names, options, sample, start.input)
    skippedBytes = record.next
    if record.end - at <= Self.headerBytesMax, columns.number >= 0, columns.number < record.fields.count {
      let field = record.fields[columns.number]
      header = TableHeader(bytes, from: at, to: record.end, number: field)
    }
  }

  private mutating func readHeader(
    _ names: [String], _ options: ParseOptions, _ sample: TableSample, _ input: String
  ) throws(Failure) {
    do throws(NoSuchColumn) {
      columns = try TableColumns(options, header: names, sample: sample)
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

  /// Whether a record contains the chosen name, or a common name of a number column.
  private func isHeader(_ names: [String], _ options: ParseOptions) -> Bool {
    if let chosen = options.firstName { return names.contains(chosen) }
    return names.contains(where: CommonFieldNames.isNumber)
  }

  /// Whether any field of a record is a number: then the record is not a header.
  private func hasNumber(_ fields: [TableField], _ bytes: Span<UInt8>) -> Bool {
    fields.contains { TableCell(bytes, from: $0.start, to: $0.end).rank != nil }
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

  /// Whether the first line declares the separator.
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

  init() {}

  /// The header from `start` to `end`; `number` is the name of the number column.
  init(_ bytes: Span<UInt8>, from start: Int, to end: Int, number: TableField) {
    guard number.start < number.end, !NumberText.isCharacter(bytes[number.start]) else { return }
    text = ContiguousArray(copying: bytes.extracting(start..<end))
    mark = bytes[number.start]
  }

  /// Whether a record repeats the header, byte for byte.
  func isRepeated(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    !text.isEmpty && bytes.extracting(start..<end).equals(text)
  }
}
