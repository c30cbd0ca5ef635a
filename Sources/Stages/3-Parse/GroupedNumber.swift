// Numbers in groups that need none of the rules for what else may be in a line or a field, which most lists have.

import Records

/// A number in groups of digits at the start of a line or a field, `(030) 1234-567`, with nothing after it, a separator, or a
/// blank and a word: its groups can't be a date, a count, a marker or another number.
struct GroupedNumber {
  /// The index after its last digit.
  private(set) var end: Int
  /// Whether its last group can't be a count before a word.
  private(set) var mayHaveLabel: Bool

  /// With more digits, there may be two numbers. Up to eight may be a date, unless only blanks are between them.
  private static let digits = 7...13
  private static let datedDigitsMax = 8
  private static let groupDigitsMax = 8

  @inline(never)
  init?(_ window: Span<UInt8>, from start: Int, to limit: Int) {
    guard start < limit else { return nil }
    let isInternational = window[start] == UInt8(ascii: "+")
    var groups = 0
    var (digits, size, last, previous, first) = (0, 0, 0, 0, 0)
    var (separator, mixed, points) = (UInt8(0), false, 0)
    var index = isInternational ? start + 1 : start
    let begin = index
    while index < limit, Self.isPunctuation(window[index]) || window[index] &- 0x30 < 10 {
      let byte = window[index]
      if byte &- 0x30 < 10 {
        size += 1
        digits += 1
      } else {
        // Brackets are at the first group only, and signs are not beside each other.
        let isBracket = byte == UInt8(ascii: "(") ? index == begin : byte == UInt8(ascii: ")") && groups == 0
        let follows = size > 0 || index > begin && window[index - 1] == UInt8(ascii: ")")
        guard byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") ? isBracket : follows else { return nil }
        if byte == UInt8(ascii: ")"), window[begin] != UInt8(ascii: "(") { return nil }
        if size > 0 {
          if groups == 0 { first = size }
          groups += 1
          (previous, last) = (last, size)
          // `1234-0`
          if size > Self.groupDigitsMax || size == 1 && !(isInternational && groups == 1) { return nil }
        }
        if byte == UInt8(ascii: ".") { points += 1 }
        // Later, a slash is between numbers.
        if byte == UInt8(ascii: "/"), groups > 1 { return nil }
        if byte != UInt8(ascii: "("), byte != UInt8(ascii: ")") {
          if separator != 0, separator != byte { mixed = true }
          separator = byte
        }
        size = 0
      }
      index += 1
    }
    end = index
    // A blank before a word.
    if size == 0, index > begin, window[index - 1] == 0x20 {
      (size, end) = (last, index - 1)
      groups -= 1
      last = previous
    }
    mayHaveLabel = size >= 4 && last < NumberEnd.digitsMin
    guard Self.digits ~= digits, groups > 0,
      size >= 3 || size == 2 && last == 2, size <= Self.groupDigitsMax, points != 1
    else { return nil }
    let mayBeDate = first <= 2 || first == 4
    if digits <= Self.datedDigitsMax, mayBeDate, mixed || separator != 0x20 { return nil }
    if isInternational { return }
    // An address of the internet has four groups.
    if points == 3, groups == 3 { return nil }
    // A marker, or a date and a time; `2026-11-30 0815`, `20261130 007`.
    let isYear =
      (first == 4 || first == 8)
      && (window[begin] == 0x31 && window[begin + 1] == 0x39
        || window[begin] == 0x32 && window[begin + 1] == 0x30)
    guard first > 2 || first == 2 && !mixed && groups > 2, !isYear else { return nil }
  }

  /// Space ( ) - . /
  @inline(__always)
  static func isPunctuation(_ byte: UInt8) -> Bool {
    let place = byte &- 0x20
    return place < 16 && (0xE301 as UInt16) &>> UInt16(place) & 1 == 1
  }
}
