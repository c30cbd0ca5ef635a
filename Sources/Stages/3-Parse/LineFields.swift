// Splits a line of a plain list into a number, an optional label, and an optional comment.
//
// The number ends
//   - at the chosen separator; or else
//   - at the first tab, comma, semicolon or bar in it, or at a colon followed by white space; or
//   - before white space followed by a word that can't be part of a number.
// A list marker before the number (`1. `, `1) `, `- `, `* `, `• `) is not part of it.
//
// A `#` starts a comment at the start of a line and after white space, except before another `#`, which is a pattern
// (`33162 ######`). Source: samples of lists that people share.
//
// Not for: finding the lines (LinesReader).

import Records

/// The fields of a line, as ranges of the window.
struct LineFields: Equatable {
  /// Whether the line contains anything but white space and a comment.
  var isRow = false
  var number = 0..<0
  var label = 0..<0

  /// Splits the line from `start` to `end`.
  ///
  /// - Complexity: O(bytes).
  static func split(_ bytes: Span<UInt8>, from start: Int, to end: Int, separator: UInt8?) -> LineFields {
    var first = start
    while first < end, isSpace(bytes[first]) { first += 1 }
    guard first < end, bytes[first] != UInt8(ascii: "#") else { return LineFields() }
    let last = trimmed(bytes, first, comment(bytes, first, end))
    first = ListMarker.end(bytes, from: first, to: last)
    var fields = LineFields(isRow: true, number: first..<last, label: last..<last)
    // The bars between alternatives do not separate fields.
    if bytes[first] == UInt8(ascii: "(") || bytes[first] == UInt8(ascii: "^"),
      NumberAlternatives.ranges(of: bytes.extracting(first..<last)) != nil
    {
      return fields
    }
    if let separator {
      var index = first
      while index < last, bytes[index] != separator { index += 1 }
      if index < last { fields.cut(bytes, at: index, labelAt: index + 1, last) }
    } else {
      fields.cutAtWords(bytes, last)
    }
    return fields
  }

  /// Whether the number field contains a common name of a number column.
  static func isHeader(_ bytes: Span<UInt8>, _ number: Range<Int>) -> Bool {
    let name = TableField(start: number.lowerBound, end: number.upperBound).text(bytes)
    return CommonFieldNames.number.contains(CommonFieldNames.plain(name))
  }

  /// Ends the number at `end`, and starts the label at `labelAt`.
  private mutating func cut(_ bytes: Span<UInt8>, at end: Int, labelAt: Int, _ last: Int) {
    var label = labelAt
    while label < last, Self.isSpace(bytes[label]) { label += 1 }
    number = number.lowerBound..<Self.trimmed(bytes, number.lowerBound, end)
    self.label = label..<last
  }

  /// Ends the number at the first word, from left to right, that is not part of it.
  private mutating func cutAtWords(_ bytes: Span<UInt8>, _ last: Int) {
    // `tel:+1-201-555-0123;ext=5` is one number with a semicolon and a colon.
    let isURI = Self.isURI(bytes, number.lowerBound, last)
    var index = number.lowerBound
    var wordStart = index
    while index < last {
      let byte = bytes[index]
      let isSeparator =
        switch byte {
        case Byte.tab, UInt8(ascii: ","), UInt8(ascii: "|"): true
        case UInt8(ascii: ";"): !isURI
        case UInt8(ascii: ":"): index + 1 < last && Self.isSpace(bytes[index + 1])
        default: false
        }
      if isSeparator {
        // The first word always belongs to the number; other words must look like a part of it.
        if wordStart > number.lowerBound, !belongs(bytes, wordStart, index, last) { break }
        return cut(bytes, at: index, labelAt: index + 1, last)
      }
      if byte == 0x20 {
        if wordStart > number.lowerBound, !belongs(bytes, wordStart, index, last) { break }
        wordStart = index + 1
      }
      index += 1
    }
    if wordStart > number.lowerBound, !belongs(bytes, wordStart, index, last) {
      var end = Self.trimmed(bytes, number.lowerBound, wordStart)
      // `+86 138 0013 8000 - name`
      while end - number.lowerBound > 2, Self.isSpace(bytes[end - 2]), bytes[end - 1] == UInt8(ascii: "-") {
        end = Self.trimmed(bytes, number.lowerBound, end - 1)
      }
      cut(bytes, at: end, labelAt: wordStart, last)
    }
  }

  /// Whether a word can be part of a number that is written in several words.
  private func belongs(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ last: Int) -> Bool {
    if NumberText.contents(bytes, from: start, to: end).hasOther { return isMask(bytes, start, end) }
    guard end - start == 1, bytes[start] | 0x20 == UInt8(ascii: "x") else { return true }
    // A single X is a word, unless it is next to the digits of an extension or to other wildcards.
    return isDigitOrX(bytes, skipSpace(bytes, end, last), last) || (start >= 2 && isX(bytes, start - 2))
  }

  /// Whether a word has only wildcards of other systems, so that it continues a number: `____`, `%`, `□□`, `…`.
  private func isMask(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var index = start
    while index < end {
      guard let (scalar, length) = NumberText.scalar(bytes, at: index, end: end) else { return false }
      switch scalar {
      case "_", "%", "\u{FF3F}", "\u{FF05}", "\u{2026}": break
      default: guard scalar.value >= 0x80, Wildcard.ascii(scalar) == UInt8(ascii: "#") else { return false }
      }
      index += length
    }
    return true
  }

  private func skipSpace(_ bytes: Span<UInt8>, _ start: Int, _ last: Int) -> Int {
    var index = start
    while index < last, Self.isSpace(bytes[index]) { index += 1 }
    return index
  }

  private func isDigitOrX(_ bytes: Span<UInt8>, _ index: Int, _ last: Int) -> Bool {
    guard index < last else { return false }
    if bytes[index] &- 0x30 < 10 { return true }
    // Not the start of another word.
    return isX(bytes, index) && (index + 1 == last || isX(bytes, index + 1) || Self.isSpace(bytes[index + 1]))
  }

  private func isX(_ bytes: Span<UInt8>, _ index: Int) -> Bool { bytes[index] | 0x20 == UInt8(ascii: "x") }

  private static func isURI(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start + 4 <= end else { return false }
    return bytes[start] | 0x20 == UInt8(ascii: "t") && bytes[start + 1] | 0x20 == UInt8(ascii: "e")
      && bytes[start + 2] | 0x20 == UInt8(ascii: "l") && bytes[start + 3] == UInt8(ascii: ":")
  }

  /// The start of the line's comment; the end of the line if it has none.
  private static func comment(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start + 1
    while index < end {
      if bytes[index] == UInt8(ascii: "#"), isSpace(bytes[index - 1]),
        index + 1 == end || bytes[index + 1] != UInt8(ascii: "#")
      {
        return index
      }
      index += 1
    }
    return end
  }

  private static func trimmed(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var end = end
    while end > start, isSpace(bytes[end - 1]) { end -= 1 }
    return end
  }

  @inline(__always)
  fileprivate static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

/// The markers that people and editors write before the entries of a list.
enum ListMarker {
  /// The maximum number of digits in an entry's number.
  private static let digitsMax = 6
  /// The minimum number of digits in a number that follows an entry's number: `01. 23` is part of a number.
  private static let numberDigitsMin = 5

  /// The index after the marker at `start` and the white space that follows it; `start` if there is none.
  ///
  /// `01. 23. 45. 67. 89` and `030) 1234567` are numbers, not entries: a marker is not followed by another such marker,
  /// and an entry's number before a bracket has no leading zero.
  static func end(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    guard start < end else { return start }
    var index = start
    while index < end, bytes[index] &- 0x30 < 10 { index += 1 }
    let digits = index - start
    if digits > 0 {
      guard digits <= digitsMax, index < end else { return start }
      let mark = bytes[index]
      guard mark == UInt8(ascii: ".") || (mark == UInt8(ascii: ")") && bytes[start] != UInt8(ascii: "0"))
      else { return start }
      let number = skipSpace(bytes, index + 1, end)
      guard number > index + 1, beginsNumber(bytes, number, end), hasNumber(bytes, number, end, mark) else {
        return start
      }
      return number
    }
    switch bytes[start] {
    case UInt8(ascii: "-"), UInt8(ascii: "*"): index = start + 1
    // The bullet and the two long dashes: U+2022, U+2013, U+2014.
    case 0xE2
    where start + 2 < end && bytes[start + 1] == 0x80 && [0xA2, 0x93, 0x94].contains(bytes[start + 2]):
      index = start + 3
    default: return start
    }
    let number = skipSpace(bytes, index, end)
    return number > index && beginsNumber(bytes, number, end) ? number : start
  }

  private static func skipSpace(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end, LineFields.isSpace(bytes[index]) { index += 1 }
    return index
  }

  private static func beginsNumber(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> Bool {
    guard index < end else { return false }
    switch bytes[index] {
    case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "("): return true
    // `tel:`, and digits of other scripts.
    case UInt8(ascii: "t"), 0x80...0xFF: return true
    default: return false
    }
  }

  /// Whether enough digits follow, without another mark that precedes white space.
  private static func hasNumber(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ mark: UInt8) -> Bool {
    var digits = 0
    var brackets = 0
    var index = start
    while index < end, NumberText.isCharacter(bytes[index]) {
      let byte = bytes[index]
      if byte &- 0x30 < 10 { digits += 1 }
      if byte == UInt8(ascii: "(") { brackets += 1 }
      if byte == mark, index + 1 < end, LineFields.isSpace(bytes[index + 1]) {
        if byte == UInt8(ascii: "."), digits < numberDigitsMin { return false }
        if byte == UInt8(ascii: ")"), brackets == 0 { return false }
      }
      index += 1
    }
    // Digits of other scripts are not counted here.
    return digits >= numberDigitsMin
      || (index < end && (bytes[index] >= 0x80 || bytes[index] == UInt8(ascii: "t")))
  }
}
