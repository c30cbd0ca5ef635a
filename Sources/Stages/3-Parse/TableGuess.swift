// Guesses whether an input is a table, and its separator, by trying common separators on its first records.
//
// Not for: the header (TableStart).

import Records

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
  /// Whether any field was in quotes.
  var hasQuotedFields = false
  /// Whether there is a column of numbers, or one with such a name.
  var hasNumbers = false
  /// Whether the first record has a common name for numbers, and no number.
  private(set) var isHeaded = false
  /// Whether there is a column of numbers.
  private(set) var hasNumberColumn = false
  /// Whether the first record contains a name that was chosen.
  var hasName = false

  /// Whether this is a table with tabs in which some records omit their last fields, or have more than the first one.
  private(set) var isRagged = false
  /// The number of records that start with a list marker.
  private var marked = 0
  /// The number of records that start with a quoted field.
  private var quoted = 0

  /// Whether this is a table: nine out of ten records fit the first one, which has at least two fields, and one column
  /// has numbers. A list with markers and separators is not a table. Some records may have broken quotes, as
  /// long as most are whole.
  var isTable: Bool {
    isRagged || columns >= 2 && hasNumbers && isRegular && 2 * marked < max(records, 1)
  }

  /// Whether this is a quoted list: one column of numbers, most of them in quotes, or only its header.
  var isQuotedList: Bool {
    columns == 1 && hasNumbers && isRegular && 2 * quoted >= max(records, 1)
  }

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
        hasNumbers = texts.contains(where: CommonFieldNames.isNumber)
        isHeaded = hasNumbers && !fields.contains { TableCell(bytes, from: $0.start, to: $0.end).rank != nil }
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
    if hasNumberColumn { hasNumbers = true }
    // A list of numbers and labels has no third field; if some labels contain tabs, few records have one.
    isRagged =
      separator == Byte.tab && hasColumn.contains(true) && 2 * several >= records
      && Self.manyShare * threeFieldRecords >= records && 2 * marked < records && records > 1
  }

  /// Whether a field is a number of any length.
  private static func isNumber(_ bytes: Span<UInt8>, _ field: TableField) -> Bool {
    let contents = NumberText.contents(bytes, from: field.start, to: field.end)
    return contents.isNumber(digitsMin: 3)
      || TableCell(bytes, from: field.start, to: field.end, contents).rank != nil
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
    if let best, best.isTable { return best }
    if let title = TableTitle(bytes, from: start, best, grammar, separator: separator) { return title.table }
    let list = TableGuess(
      bytes, from: start, TableGrammar(separator: separator ?? grammar.separator), names: [])
    return list.isQuotedList ? list : nil
  }
}
