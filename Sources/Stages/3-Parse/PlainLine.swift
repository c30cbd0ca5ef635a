// Lines of plain lists that need none of the rules for what else may be in a line, which most lines are.

import Records
import SystemIO

/// A line with a number in plain digits or in groups, and perhaps a label and a comment.
///
/// What may be anything else is not one of these, and the rules of ``LineFields`` and ``NumberEnd`` read it alike.
struct PlainLine {
  let number: Range<Int>
  private(set) var label: Range<Int>
  /// The index of the line's line feed.
  private(set) var end: Int

  private static let numberBytesMax = 32
  private static let labelBytesMax = 1024

  /// Examines the line at `start`; nil if it needs the rules, or if the window ends inside it.
  ///
  /// - Complexity: O(bytes).
  @inline(__always)
  init?(_ window: Span<UInt8>, from start: Int, separator: UInt8?) {
    let count = window.count
    var end = window[start] == UInt8(ascii: "+") ? start + 1 : start
    let digits = end
    while end < count, window[end] &- 0x30 < 10 { end += 1 }
    var grouped: GroupedNumber?
    if end < count, separator == nil, GroupedNumber.isPunctuation(window[end]) {
      grouped = GroupedNumber(window, from: start, to: count)
      end = grouped?.end ?? end
    }
    guard end < count, end > digits, end - start <= Self.numberBytesMax else { return nil }
    number = start..<end
    label = end..<end
    self.end = end
    if window[end] == Byte.lineFeed { return }
    var next = end
    if Self.beginsComment(window, end + 1) {
      guard let end = Self.commentEnd(window, from: end + 1) else { return nil }
      next = end
    } else if window[end] != Byte.carriageReturn {
      let hasWords = separator == nil && window[end] == 0x20
      let found =
        hasWords
        ? Self.wordsEnd(window, from: end + 1, number: digits..<end)
        : Self.labelEnd(window, from: end, separator, number: digits..<end, isGrouped: grouped != nil)
      guard let found, grouped?.mayHaveLabel ?? true || found == end + 1 else { return nil }
      next = found
      label = end + 1..<next
      if Self.beginsComment(window, next) {
        guard let end = Self.commentEnd(window, from: next) else { return nil }
        while next > label.lowerBound, window[next - 1].isASCIISpace { next -= 1 }
        label = label.lowerBound..<next
        next = end
      }
      guard label.count <= Self.labelBytesMax,
        label.isEmpty || window[label.lowerBound] != 0x20 && window[label.upperBound - 1] != 0x20
      else { return nil }
    }
    if next > end + 1,
      CommonFieldNames.mayNameUnblocked(window.extracting(end..<next))
        || CommonFieldNames.mayLabelAllowed(window.extracting(end..<next))
    {
      return nil
    }
    if next < count, window[next] == Byte.carriageReturn { next += 1 }
    guard next < count, window[next] == Byte.lineFeed else { return nil }
    self.end = next
  }

  // MARK: Comments

  /// Whether a `#` after white space begins a comment that ends in its line; `##` is a pattern.
  @inline(__always)
  private static func beginsComment(_ window: Span<UInt8>, _ index: Int) -> Bool {
    guard index + 1 < window.count, window[index] == UInt8(ascii: "#"), window[index - 1].isASCIISpace else {
      return false
    }
    return window[index + 1] != UInt8(ascii: "#") && window[index + 1] != UInt8(ascii: "|")
  }

  /// The end of a comment in which no character may end the line but the last ones.
  private static func commentEnd(_ window: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < window.count, window[index] >= 0x20 || window[index] == Byte.tab {
      // The first bytes of line ends.
      if window[index] == 0xC2 || window[index] == 0xE2 { return nil }
      index += 1
    }
    return index
  }

  // MARK: Labels

  /// The end of what follows the separator at `start`, if it is a label: text, or a short number alone.
  @inline(__always)
  private static func labelEnd(
    _ window: Span<UInt8>, from start: Int, _ separator: UInt8?, number: Range<Int>, isGrouped: Bool
  ) -> Int? {
    let byte = window[start]
    let isSeparator =
      separator.map { $0 == byte }
      ?? (byte == Byte.tab || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";"))
    guard isSeparator else { return nil }
    let first = start + 1
    var (end, digits) = (first, 0)
    while end < window.count, isPlain(window[end]) {
      if window[end] &- 0x30 < 10 { digits += 1 }
      end += 1
    }
    if digits == 0 { return end == first || isLabel(window, first, end) ? end : nil }
    if digits == end - first {
      // A trunk prefix begins another number.
      return digits < NumberEnd.digitsMin && !isGrouped && window[first] != UInt8(ascii: "0") ? end : nil
    }
    return number.count >= NumberEnd.digitsMin && mayHaveDigits(window, from: first, to: end, digits)
      ? end : nil
  }

  /// The end of the words after a number and a blank, if they are its label.
  @inline(__always)
  private static func wordsEnd(_ window: Span<UInt8>, from start: Int, number: Range<Int>) -> Int? {
    guard number.count >= NumberEnd.digitsMin else { return nil }
    var (end, digits) = (start, 0)
    while end < window.count, isText(window[end]) {
      if window[end] &- 0x30 < 10 { digits += 1 }
      end += 1
    }
    guard beginsLabel(window, number, start, end) else { return nil }
    return digits == 0 || mayHaveDigits(window, from: start, to: end, digits) ? end : nil
  }

  /// Whether a byte in a label needs no escape, and starts no comment.
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "#") && byte != Byte.backslash
  }

  /// Whether a byte of words after a blank needs no escape, and begins no comment, no address, no item of a list and no digit
  /// of another script.
  @inline(__always)
  private static func isText(_ byte: UInt8) -> Bool {
    switch byte {
    case ..<0x20, UInt8(ascii: "#"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"),
      UInt8(ascii: "|"),
      Byte.backslash, 0xD9, 0xDB, 0xDF, 0xE0, 0xE1, 0xEF, 0xF0...:
      false
    default: true
    }
  }

  /// Whether a text after a separator is a label, if it has no digits.
  @inline(__always)
  private static func isLabel(_ window: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    let first = window[start]
    if first | 0x20 &- 0x61 < 26 {
      // An extension.
      if first | 0x20 == UInt8(ascii: "x") { return false }
      // A scheme, such as `tel:`.
      return !"tcps".utf8.contains(first | 0x20)
        || NumberText.body(window, from: start, to: end).lowerBound == start
    }
    // Not the first byte of a digit in another script, a dash or a space.
    return first >= 0x80 && ![0xC2, 0xD9, 0xDB, 0xE0, 0xE2, 0xEF].contains(first)
  }

  /// Whether words after a blank are a label, if they have no digits: they begin with a letter, and with neither a mask nor
  /// letters that stand for digits.
  @inline(__always)
  private static func beginsLabel(_ window: Span<UInt8>, _ number: Range<Int>, _ start: Int, _ end: Int)
    -> Bool
  {
    guard start + 2 <= end else { return false }
    let (first, second) = (window[start], window[start + 1])
    switch first {
    case 0xD0, 0xD1, 0xE5...0xE9, 0xEB, 0xEC: return true
    case 0xE4: return second != 0xB7
    // Chinese characters and Korean syllables that share their first byte with signs.
    case 0xE3: return second >= 0x90
    case 0xEA: return second >= 0xB0
    default:
      // `1800555 HELP` has eleven digits.
      let mayBeDigits =
        window[number.lowerBound] == UInt8(ascii: "1") && number.count { window[$0] &- 0x30 < 10 } < 11
      return (first | 0x20) &- 0x61 < 26 && !mayBeDigits && !"xn".utf8.contains(first | 0x20)
    }
  }

  /// Whether a text with a few digits is a label: its first words lead to no other number, to the last digits of one, to a
  /// range or to an extension.
  private static func mayHaveDigits(_ window: Span<UInt8>, from start: Int, to end: Int, _ digits: Int)
    -> Bool
  {
    let first = lettersEnd(window, from: start, to: end)
    guard digits < NumberEnd.digitsMin, first > start, first + 1 < end, window[first] == 0x20,
      !"xn".utf8.contains(window[start] | 0x20), (start..<end).allSatisfy({ isText(window[$0]) })
    else { return false }
    let next = first + 1
    // The second one of `bis zu` and the like has three letters at most.
    if window[next] == UInt8(ascii: "(") || lettersEnd(window, from: next, to: end) > next + 3 { return true }
    let last = window.skippingDigits(from: next, to: end)
    let word = window.extracting(start..<first)
    guard last > next, !NumberEnd.mayContinue(after: word) else { return false }
    let isSingle = last == next + 1 && (last == end || window[last] == 0x20)
    return isSingle || !CommonFieldNames.namesNumber(TableField(start: start, end: first).text(window))
  }

  private static func lettersEnd(_ window: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var last = start
    while last < end, (window[last] | 0x20) &- 0x61 < 26 { last += 1 }
    return last
  }
}
