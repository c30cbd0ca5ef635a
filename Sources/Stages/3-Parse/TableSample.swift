// Samples the contents of a table's columns in its first records: which column has the numbers, if no name shows it,
// and which one has words.
//
// Not for: the separator (TableGuess), or the header (TableColumns).

import Records

/// The contents of a cell.
enum TableCell {
  case empty
  /// A date, with or without a time: `2024-11-21`, `21.11.2024 12:30`, `20241121`.
  case date
  /// A number of at least five digits: a shorter one is more often a count. With wildcards, three digits are enough.
  case number(TableNumberRank)
  /// Anything else with a letter in it.
  case text
  /// Counts, decimal fractions, signs.
  case other

  /// The minimum number of digits of a phone number. The shortest numbers have fewer, but look like counts.
  static let numberDigitsMin = 5
  /// The minimum number of digits before a mask's wildcards.
  private static let maskDigitsMin = 2
  /// The minimum number of digits of a long number: postcodes and small identifiers have fewer.
  private static let longDigitsMin = 7
  /// The maximum size of a number in bytes: two numbers of a range with spaces and signs have fewer. A longer text of
  /// digits and the letter x is not a mask.
  private static let numberBytesMax = 128

  /// Classifies the bytes from `start` to `end`.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    self.init(bytes, from: start, to: end, NumberText.contents(bytes, from: start, to: end))
  }

  /// Classifies the bytes from `start` to `end`, which have these contents.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>, from start: Int, to end: Int, _ contents: NumberText.Contents) {
    guard start < end else {
      self = .empty
      return
    }
    if Self.isDate(bytes, start, end) {
      self = .date
      return
    }
    let hasExponent = SpreadsheetNumber.hasExponent(bytes.extracting(start..<end))
    let wildcards = Self.wildcards(bytes, start, end)
    // `070-XXXX-XXXX`
    let isMask = wildcards > 1 && contents.digits + wildcards >= Self.longDigitsMin
    let digitsMin = isMask ? Self.maskDigitsMin : Self.numberDigitsMin
    let isNumber =
      hasExponent || contents.isNumber(digitsMin: digitsMin) && end - start <= Self.numberBytesMax
    if isNumber, !Self.isDecimal(bytes, start, end) {
      let isInternational = bytes[start] == UInt8(ascii: "+")
      let places = contents.digits + wildcards
      self = .number(
        isInternational ? .international : hasExponent || places >= Self.longDigitsMin ? .long : .short)
    } else {
      self = contents.letters > 0 ? .text : .other
    }
  }

  var rank: TableNumberRank? { if case .number(let rank) = self { rank } else { nil } }
  var isText: Bool { if case .text = self { true } else { false } }
  var isEmpty: Bool { if case .empty = self { true } else { false } }

  /// Whether this is a negative number or a decimal fraction, such as a coordinate or an amount: digits with one point,
  /// except where only zeros follow the point, or where the digits before it are a zero and another digit
  /// (`030.12345678`).
  private static func isDecimal(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var index = start
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let digits = index
    while index < end, bytes[index] &- 0x30 < 10 { index += 1 }
    if index == end { return isNegative }
    guard bytes[index] == UInt8(ascii: "."), index + 1 < end else { return false }
    if !isNegative, index - digits > 1, bytes[digits] == UInt8(ascii: "0") { return false }
    var hasFraction = false
    for at in index + 1..<end {
      guard bytes[at] &- 0x30 < 10 else { return false }
      if bytes[at] != UInt8(ascii: "0") { hasFraction = true }
    }
    return hasFraction || isNegative
  }

  private static func wildcards(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var count = 0
    for index in start..<end {
      switch bytes[index] {
      case UInt8(ascii: "#"), UInt8(ascii: "*"), UInt8(ascii: "x"), UInt8(ascii: "X"): count += 1
      default: break
      }
    }
    return count
  }

  // MARK: Dates

  private static func isDate(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var groups: [(value: Int, digits: Int)] = []
    var index = start
    var mark: UInt8 = 0
    while groups.count < 3 {
      var value = 0
      let first = index
      while index < end, bytes[index] &- 0x30 < 10, index - first < 8 {
        value = value * 10 + Int(bytes[index] &- 0x30)
        index += 1
      }
      if index == first { return false }
      groups.append((value, index - first))
      if groups.count == 1, index - first == 8 {
        // 20241121
        groups = [(value / 10_000, 4), (value / 100 % 100, 2), (value % 100, 2)]
        break
      }
      if groups.count == 3 { break }
      guard index + 1 < end, "-./".utf8.contains(bytes[index]), mark == 0 || mark == bytes[index] else {
        return false
      }
      mark = bytes[index]
      index += 1
    }
    guard isTime(bytes, index, end) else { return false }
    let (first, middle, last) = (groups[0], groups[1], groups[2])
    guard middle.digits <= 2 else { return false }
    if first.digits == 4 {
      return last.digits <= 2 && isYear(first.value) && isMonth(middle.value) && isDay(last.value)
    }
    guard first.digits <= 2, last.digits == 2 || (last.digits == 4 && isYear(last.value)) else {
      return false
    }
    return isDay(first.value) && isMonth(middle.value) || isMonth(first.value) && isDay(middle.value)
  }

  /// Whether a date is followed by nothing, or by a time of day only.
  private static func isTime(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    if start == end { return true }
    guard bytes[start] == 0x20 || bytes[start] == UInt8(ascii: "T") else { return false }
    for index in start + 1..<end {
      let byte = bytes[index]
      guard byte &- 0x30 < 10 || " :.+-ZAPMapm".utf8.contains(byte) else { return false }
    }
    return true
  }

  private static func isYear(_ value: Int) -> Bool { value >= 1900 && value < 2100 }
  private static func isMonth(_ value: Int) -> Bool { value >= 1 && value <= 12 }
  private static func isDay(_ value: Int) -> Bool { value >= 1 && value <= 31 }
}

/// How likely a number is a phone number.
enum TableNumberRank: Int, Comparable {
  case short, long, international

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The contents of the columns in the first ``TableStart/recordsMax`` records.
struct TableSample {
  private struct ColumnStatistics {
    var filled = 0
    var texts = 0
    /// The number of numbers of each rank or a higher one.
    var numbers: [Int] = [0, 0, 0]
    /// The first record's cell, which may be a header.
    var first = TableCell.empty

    /// The highest rank that at least half of the cells have; nil if fewer than half are numbers.
    var rank: TableNumberRank? {
      if filled == 0 { return first.rank }
      return [.international, .long, .short].first { 2 * numbers[$0.rawValue] >= filled }
    }
    var isText: Bool { filled == 0 ? first.isText : 2 * texts >= filled }
  }

  private var columns: [ColumnStatistics] = []
  private var records = 0

  /// Makes an empty sample.
  init() {}

  /// Samples the records from `start` on.
  init(_ bytes: Span<UInt8>, from start: Int, _ grammar: TableGrammar) {
    var fields: [TableField] = []
    var recovery = TableRecovery()
    var at = start
    while at < bytes.count, records < TableStart.recordsMax {
      let end = grammar.record(
        bytes, from: at, atEnd: true, mayHaveLines: recovery.mayHaveLines(at: UInt64(at)),
        fieldsMax: bytes.count, into: &fields)
      guard case .whole(let last, let next) = end else {
        var examined = bytes.count
        if case .broken(_, at: let place) = end { examined = place }
        recovery.noteReject(from: UInt64(at), examinedTo: UInt64(examined))
        at = grammar.lineEnd(bytes, from: at) ?? bytes.count
        continue
      }
      // The window may end inside the last record.
      if next == bytes.count, bytes[next - 1] != Byte.lineFeed, records > 0 { break }
      defer { at = next }
      if grammar.isBlank(bytes, from: at, to: last) { continue }
      while columns.count < fields.count { columns.append(ColumnStatistics()) }
      for (index, field) in fields.enumerated() {
        note(TableCell(bytes, from: field.start, to: field.end), index)
      }
      records += 1
    }
  }

  private mutating func note(_ cell: TableCell, _ index: Int) {
    if records == 0 {
      columns[index].first = cell
      return
    }
    if cell.isEmpty { return }
    columns[index].filled += 1
    if cell.isText { columns[index].texts += 1 }
    guard let rank = cell.rank else { return }
    for lower in 0...rank.rawValue { columns[index].numbers[lower] += 1 }
  }

  /// The first column of the numbers that are most likely phone numbers, apart from the excluded columns. A column that
  /// is mostly empty ranks lower.
  func numberColumn(except excluded: [Int]) -> Int? {
    var best: (column: Int, rank: TableNumberRank, isDense: Bool)?
    for (index, column) in columns.enumerated() where !excluded.contains(index) {
      guard let rank = column.rank else { continue }
      let isDense = 2 * column.filled >= records - 1
      if let best, (rank.rawValue, isDense ? 1 : 0) <= (best.rank.rawValue, best.isDense ? 1 : 0) { continue }
      best = (index, rank, isDense)
    }
    return best?.column
  }

  /// The rank that at least half of a column's numbers have; nil if it is not a column of numbers.
  func rank(of column: Int) -> TableNumberRank? {
    columns.indices.contains(column) ? columns[column].rank : nil
  }

  /// Whether at least half of a column's cells are phone numbers by their length.
  func hasLongNumbers(in column: Int) -> Bool { rank(of: column).map { $0 >= .long } ?? false }

  /// The columns of words.
  var textColumns: [Int] { columns.indices.filter { columns[$0].isText } }

  /// The first column of words, apart from the excluded columns.
  func textColumn(except excluded: [Int]) -> Int? {
    columns.indices.first { !excluded.contains($0) && columns[$0].isText }
  }
}
