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
        ? Self.wordsEnd(window, from: end + 1, digits: digits..<end)
        : Self.labelEnd(window, from: end, separator, isGrouped: grouped != nil)
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

  // MARK: Labels after a separator

  /// The end of what follows the separator at `start`, if it is a label: text, or a short number alone.
  @inline(__always)
  private static func labelEnd(
    _ window: Span<UInt8>, from start: Int, _ separator: UInt8?, isGrouped: Bool
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
    guard digits < NumberEnd.bareDigitsMin, !isGrouped || digits == 0 else { return nil }
    return end == first || isLabel(window, first, end) ? end : nil
  }

  /// Whether a byte in a label needs no escape, and can start neither a comment nor another number.
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    // `#` and `+` differ in one bit.
    byte >= 0x20 && byte & 0xF7 != UInt8(ascii: "#") && byte != UInt8(ascii: "0") && byte != Byte.backslash
  }

  @inline(__always)
  private static func isLabel(_ window: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    let first = window[start]
    if first | 0x20 &- 0x61 < 26 {
      // A scheme, such as `tel:`.
      return !"tcps".utf8.contains(first | 0x20)
        || NumberText.body(window, from: start, to: end).lowerBound == start
    }
    // The first bytes of digits in other scripts.
    if first >= 0x80 { return first != 0xEF && first != 0xE0 && first != 0xD9 && first != 0xDB }
    return window.skippingDigits(from: start, to: end) == end && end - start < NumberEnd.digitsMin
  }

  // MARK: Words after a blank

  /// The end of the words after a number and a blank, if they are its label.
  @inline(__always)
  private static func wordsEnd(_ window: Span<UInt8>, from start: Int, digits: Range<Int>) -> Int? {
    guard digits.count >= NumberEnd.digitsMin else { return nil }
    var end = start
    while end < window.count, isWord(window[end]) { end += 1 }
    guard beginsLabel(window, digits, start, end) else { return nil }
    if end < window.count, window[end] >= 0x20, window[end] != UInt8(ascii: "#") {
      return textEnd(window, from: start, words: end)
    }
    return end
  }

  /// Whether a byte of words belongs to no digit, and to no sign that may end them.
  @inline(__always)
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, UInt8(ascii: "-"), UInt8(ascii: "."): true
    // The first bytes of digits in other scripts.
    case 0xD9, 0xDB, 0xDF, 0xE0, 0xE1, 0xEF, 0xF0...: false
    case 0x80...: true
    default: (byte | 0x20) &- 0x61 < 26
    }
  }

  /// Whether words without digits are a label: they begin with a letter, and with neither a mask nor letters that stand for
  /// digits.
  @inline(__always)
  private static func beginsLabel(_ window: Span<UInt8>, _ digits: Range<Int>, _ start: Int, _ end: Int)
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
        window[digits.lowerBound] == UInt8(ascii: "1") && digits.count { window[$0] &- 0x30 < 10 } < 11
      return (first | 0x20) &- 0x61 < 26 && !mayBeDigits && !"xn".utf8.contains(first | 0x20)
    }
  }

  /// The end of a text that begins with a word and a bracket, or with words of which the second one has four letters or
  /// more, so that they are not `to`, `and` or `bis zu`, and which has fewer digits than a number.
  private static func textEnd(_ window: Span<UInt8>, from start: Int, words: Int) -> Int? {
    let blank = lettersEnd(window, from: start)
    guard blank < words, window[blank] == 0x20,
      lettersEnd(window, from: blank + 1) > blank + 4
        || blank + 1 == words && window[words] == UInt8(ascii: "(")
    else { return nil }
    var (end, digits) = (words, 0)
    while end < window.count, isText(window[end]) {
      if window[end] &- 0x30 < 10 { digits += 1 }
      end += 1
    }
    return digits < NumberEnd.digitsMin ? end : nil
  }

  private static func lettersEnd(_ window: Span<UInt8>, from start: Int) -> Int {
    var end = start
    while end < window.count, (window[end] | 0x20) &- 0x61 < 26 { end += 1 }
    return end
  }

  /// Whether a byte of a text needs no escape, and begins no comment, no address and no item of a list.
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
}
