// Counters before the numbers of a plain list that `ListMarker` can't tell from a part of the number: the first lines show
// them.
//
//     1- 331 1234567          [1] 030 1234567          1 331 1234567
//     2- 331 1234568          [2] 030 1234568          2 331 1234568
//     3- 331 1234569          [3] 030 1234569          3 331 1234569

import Records
import SystemIO

struct ListCounters {
  /// A counter before a number.
  private struct Counter {
    let value: Int
    let hasBracket: Bool
    /// The signs and blanks between it and the number.
    let separator: Range<Int>
    var number: Int { separator.upperBound }
  }

  private let hasBracket: Bool
  private let separator: ContiguousArray<UInt8>
  /// Whether the separator has a sign and a blank, `1- `: then the values need not ascend.
  private let isCertain: Bool
  private var last: Int

  private static let digitsMax = 6
  private static let separatorBytesMax = 8
  /// The minimum number of lines that begin with ascending counters; and where these may be area codes, without a trunk zero
  /// or a plus sign after them.
  private static let linesMin = 3
  private static let plainLinesMin = 6
  /// How many lines with text before the counters are examined, and how many entries may be missing between two of them.
  private static let otherLinesMax = 20
  private static let gapMax = 9

  /// Examines the start of a list; nil if its first lines with numbers have no counters that ascend by one from 0 or 1.
  init?(_ bytes: Span<UInt8>) {
    var first: Counter?
    var separator: ContiguousArray<UInt8> = []
    var (lines, others, at) = (0, 0, 0)
    var linesMin = Self.linesMin
    while at < bytes.count, lines < linesMin, others <= Self.otherLinesMax {
      var end = at
      while end < bytes.count, bytes[end] != Byte.lineFeed { end += 1 }
      let start = bytes.skippingSpace(from: at, to: end)
      at = end + 1
      guard let counter = Self.counter(bytes, from: start, to: end) else {
        others += 1
        // Comments and titles may be between the lines, but no other numbers.
        let isText = ListHeading(bytes, from: start, to: end) != nil || start == end
        if isText { continue } else { return nil }
      }
      let isPlain = bytes[counter.number] &- 0x31 < 9 && !Self.isCertain(bytes.extracting(counter.separator))
      if isPlain { linesMin = Self.plainLinesMin }
      guard let known = first else {
        guard counter.value <= 1 else { return nil }
        (first, lines) = (counter, 1)
        separator = ContiguousArray(copying: bytes.extracting(counter.separator))
        continue
      }
      guard counter.value == known.value + lines, counter.hasBracket == known.hasBracket,
        bytes.extracting(counter.separator).equals(separator)
      else { return nil }
      lines += 1
    }
    guard let first, lines == linesMin else { return nil }
    isCertain = Self.isCertain(separator.span)
    self.separator = separator
    hasBracket = first.hasBracket
    last = first.value - 1
    if !isCertain, first.value == 0 { return nil }
  }

  private static func isCertain(_ separator: Span<UInt8>) -> Bool {
    let signs = separator.indices.count { !separator[$0].isASCIISpace }
    return signs > 0 && signs < separator.count
  }

  /// The index of the number after the counter at `start`; `start` if there is none.
  mutating func skip(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    let first = bytes.skippingSpace(from: start, to: end)
    guard let counter = Self.counter(bytes, from: first, to: end), counter.hasBracket == hasBracket,
      bytes.extracting(counter.separator).equals(separator),
      counter.value <= last + Self.gapMax, isCertain || counter.value > last
    else { return start }
    last = counter.value
    return counter.number
  }

  /// The counter at `start`, whose number has enough digits to be whole; nil if there is none.
  private static func counter(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Counter? {
    guard start < end else { return nil }
    let hasBracket = "[(".utf8.contains(bytes[start])
    let digits = hasBracket ? start + 1 : start
    let digitsEnd = bytes.skippingDigits(from: digits, to: end)
    // `01 62 …` begins with an area code.
    guard 1...digitsMax ~= digitsEnd - digits, bytes[digits] != UInt8(ascii: "0") || digitsEnd == digits + 1
    else { return nil }
    var number = digitsEnd
    while number < end, number - digitsEnd < separatorBytesMax, let length = signLength(bytes, number) {
      number += length
    }
    guard number > digitsEnd, number < end, bytes[number] < 0x80, ListMarker.beginsNumber(bytes, number, end),
      NumberText.contents(bytes, from: number, to: min(end, number + numberBytesMax)).digits
        >= NumberEnd.digitsMin
    else { return nil }
    return Counter(
      value: (digits..<digitsEnd).reduce(0) { 10 * $0 + Int(bytes[$1] &- 0x30) }, hasBracket: hasBracket,
      separator: digitsEnd..<number)
  }

  private static let numberBytesMax = 32

  /// The size of a sign or blank between a counter and a number; nil for another character.
  private static func signLength(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
    if " -.):]/".utf8.contains(bytes[index]) { return 1 }
    // Long dashes.
    return bytes.startsIgnoringCase("\u{2013}", at: index) || bytes.startsIgnoringCase("\u{2014}", at: index)
      ? 3 : nil
  }
}
