// A record of nothing but numbers or patterns is a list: each of them is a row, whatever the separator and the length of
// the line, as the block lists of dialers have them in one line. What else is in such a record is a reject.
//
//     600000001,600000002,600000003
//     "+33948*";"+33949*"

import Records

struct NumberList {
  /// How the numbers are written that are certainly numbers: with a sign or a trunk prefix, or with as many digits as the
  /// first one.
  private let isMarked: Bool
  private let isPattern: Bool
  private let digits: Int

  /// Examines the line of these fields, whose first number has this end; nil if it is a number with a label, or none.
  ///
  /// - Complexity: O(bytes) of the first three items.
  init?(_ bytes: Span<UInt8>, _ fields: LineFields, _ found: NumberEnd) {
    let (start, last) = (fields.number.lowerBound, fields.end)
    guard start < fields.number.upperBound, found.follower == .number || fields.label.lowerBound > start
    else { return nil }
    let first = Item(bytes, start, fields.number.upperBound)
    isMarked = first.isMarked
    isPattern = first.isPattern
    digits = first.digits
    if found.follower == .number { return }
    guard first.isPattern || first.digits >= NumberEnd.digitsMin else { return nil }
    let second = Item(
      bytes, fields.label.lowerBound, Self.itemEnd(bytes, from: fields.label.lowerBound, to: last))
    if first.isPattern, second.isPattern { return }
    // Short numbers after the first one are not its label.
    guard second.isShort, second.end < last else { return nil }
    let third = Item(bytes, second.end + 1, Self.itemEnd(bytes, from: second.end + 1, to: last))
    guard third.isShort else { return nil }
  }

  /// The number of bytes that are needed to know whether a line is a list.
  static let beginningBytesMax = 512

  static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case Byte.tab, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"): true
    default: false
    }
  }

  /// The end of an interval from `start` on, `[0162000000;0162009999]`, whose bounds are no list; nil if there is none.
  static func intervalEnd(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    guard start < end, bytes[start] == UInt8(ascii: "[") || bytes[start] == UInt8(ascii: "]"),
      let close = (start + 1..<end).first(where: { "[])".utf8.contains(bytes[$0]) }),
      let separator = (start + 1..<close).first(where: { isSeparator(bytes[$0]) })
    else { return nil }
    let bounds = [start + 1..<separator, separator + 1..<close]
    let areNumbers = bounds.allSatisfy {
      let contents = NumberText.contents(bytes, from: $0.lowerBound, to: $0.upperBound)
      return contents.isNumber(digitsMin: 3) && contents.letters == 0
    }
    return areNumbers ? close + 1 : nil
  }

  static func itemEnd(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, !isSeparator(bytes[index]) { index += 1 }
    return index
  }

  /// An item between two separators.
  private struct Item {
    /// The number without quotes and a scheme.
    let body: Range<Int>
    let end: Int
    let digits: Int
    let isPattern: Bool
    let isMarked: Bool
    private let hasOther: Bool
    let hasLetters: Bool

    init(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
      let first = bytes.skippingSpace(from: start, to: end)
      var last = bytes.trimmedEnd(from: first, to: end)
      // The quote before the first number of a line has been skipped.
      while last > first, bytes[last - 1] == UInt8(ascii: "\"") || bytes[last - 1] == UInt8(ascii: "'") {
        last -= 1
      }
      body = NumberText.body(bytes, from: first, to: last)
      self.end = end
      let contents = NumberText.contents(bytes, from: body.lowerBound, to: body.upperBound)
      let wildcards = body.count { Wildcard.isWildcard(bytes[$0]) }
      digits = contents.digits
      hasOther = contents.hasOther
      mayBeSeveral = body.contains { bytes[$0].isASCIISpace || bytes[$0] >= 0x80 }
      hasLetters = contents.letters > wildcards
      isPattern = !contents.hasOther && wildcards > 0 && contents.digits > 1
      isMarked = !body.isEmpty && "+(0".utf8.contains(bytes[body.lowerBound])
    }

    /// Whether a blank or a separator of another script may be between two numbers.
    let mayBeSeveral: Bool

    /// Whether this is a number that is too short to be certain, such as one of a service.
    var isShort: Bool { !hasOther && digits >= 3 }
  }

  /// Whether a table without a header is a list: all of its columns are numbers, or most lines have words before them, or a
  /// comment after a quoted number. Two ascending columns are ranges.
  ///
  /// - Complexity: O(bytes) of the first ``TableStart/recordsMax`` lines.
  static func isTable(_ bytes: Span<UInt8>, from start: Int) -> Bool {
    var lines = 0
    var named = 0
    var others = 0
    var pairs = 0
    var items = 0
    var lastNumber: ContiguousArray<UInt8> = []
    var at = start
    while at < bytes.count, lines < TableStart.recordsMax {
      var end = at
      while end < bytes.count, bytes[end] != Byte.lineFeed { end += 1 }
      // The window may end inside the last line.
      if end == bytes.count, lines > 0 { break }
      let fields = LineFields.split(bytes, from: at, to: end, separator: nil)
      at = end + 1
      if !fields.isRow { continue }
      lines += 1
      if fields.hasCommentSign(bytes) { named += 1 }
      guard let list = NumberList(bytes, fields, fields.numberEnd(bytes, nil)) else {
        others += 1
        continue
      }
      let contents = list.contents(bytes, fields)
      let isNamed = !fields.lead.isEmpty
      // `Case: 12345678, +1 212 555 0100`
      if isNamed, list.isMarked || Set(contents.numbers.map(\.count)).count == 1 { named += 1 }
      items = contents.count
      if !contents.isPure, lines > 1 || contents.count <= 3 || at < bytes.count { others += 1 }
      if !isNamed, contents.count == 2, Self.isAscending([lastNumber] + contents.numbers) { pairs += 1 }
      lastNumber = contents.numbers.last ?? []
    }
    if 2 * named > lines { return true }
    return lines > 0 && others == 0 && !(lines > 1 && pairs == lines && items == 2)
  }

  /// The items of a line, as far as they decide whether a table is a list: their number, whether all are numbers, and the
  /// digits of the first two.
  private func contents(
    _ bytes: Span<UInt8>, _ fields: LineFields
  ) -> (count: Int, isPure: Bool, numbers: [ContiguousArray<UInt8>]) {
    var result = (count: 0, isPure: true, numbers: [ContiguousArray<UInt8>]())
    var at = fields.number.lowerBound
    while at < fields.end {
      let item = Item(bytes, at, Self.itemEnd(bytes, from: at, to: fields.end))
      at = item.end + 1
      if item.body.isEmpty { continue }
      result.count += 1
      if !isNumber(item) { result.isPure = false }
      if result.numbers.count < 2 {
        var number: ContiguousArray<UInt8> = []
        for index in item.body where bytes[index] &- 0x30 < 10 { number.append(bytes[index]) }
        result.numbers.append(number)
      }
    }
    return result
  }

  private static func isAscending(_ numbers: [ContiguousArray<UInt8>]) -> Bool {
    zip(numbers, numbers.dropFirst()).allSatisfy { one, other in
      one.isEmpty || one.count == other.count && one.lexicographicallyPrecedes(other)
    }
  }

  private func isNumber(_ item: Item) -> Bool {
    if item.isPattern { return item.isMarked || isPattern || !isMarked && item.digits <= digits }
    return item.digits >= NumberEnd.digitsMin
      && (item.isMarked || !isMarked && (item.digits == digits || isPattern))
  }

  // MARK: Rows

  /// Adds the numbers from `start` to `end`, which is the end of an item.
  func addRows(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, label: Range<Int>, _ row: inout RowFields,
    _ rows: inout RowWriter
  ) throws(Failure) {
    var at = start
    while at < end {
      let item = Item(bytes, at, Self.itemEnd(bytes, from: at, to: end))
      let first = bytes.skippingSpace(from: at, to: item.end)
      let last = bytes.trimmedEnd(from: first, to: item.end)
      at = item.end + 1
      if item.body.isEmpty || first == last { continue }
      // Two numbers with a word or a blank between them are one item.
      guard isNumber(item) || item.mayBeSeveral && item.digits > digits else {
        let isDate = DateText.end(bytes, from: first, to: last) == last
        try rows.reject(
          bytes, from: first, to: last,
          isDate
            ? .date : item.hasLetters || item.digits < NumberEnd.digitsMin ? .unexpectedText : .severalNumbers
        )
        continue
      }
      row.removeAll()
      for index in item.body { row.number.append(bytes[index]) }
      for index in label { row.label.append(bytes[index]) }
      try rows.add(&row, madeOf: bytes, from: first, to: last)
    }
  }

  /// The label of all numbers of a line: its last item if that is the only one that is not a number, or the words after the
  /// last number.
  func label(_ bytes: Span<UInt8>, _ fields: LineFields) -> Range<Int> {
    let last = fields.label.upperBound
    var start = last
    while start > fields.number.lowerBound, !Self.isSeparator(bytes[start - 1]) { start -= 1 }
    let item = Item(bytes, start, last)
    guard item.hasLetters else { return last..<last }
    if start > fields.label.lowerBound, !isNumber(item) {
      var before = start - 1
      while before > fields.number.lowerBound, !Self.isSeparator(bytes[before - 1]) { before -= 1 }
      if isNumber(Item(bytes, before, start - 1)) { return bytes.skippingSpace(from: start, to: last)..<last }
    }
    guard let remark = (try? NumberEntry(bytes.extracting(item.body)))?.remark else { return last..<last }
    let first = item.body.lowerBound + remark.lowerBound
    return NumberText.contents(bytes, from: first, to: last).letters > 0 ? first..<last : last..<last
  }
}
