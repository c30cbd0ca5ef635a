// One line of a plain list taken apart: the number, then perhaps a label, then perhaps a comment.
//
// The number ends
//   - at the separator that was chosen; or else
//   - at the first tab, comma, semicolon or bar in it, or a colon with white space behind it; or
//   - where white space follows it and then a word that could not belong to a number.
// A `#` begins a comment at the start of a line and behind white space, but not where another `#` follows it, which is
// a pattern (`33162 ######`). Source of what people write: samples of lists as they are shared.
//
// Not for: finding the lines (LinesReader).

import CallRecord

/// The places of a line's fields.
struct LineFields: Equatable {
  /// Whether there is anything but white space and a comment.
  var isRow = false
  var number = 0..<0
  var label = 0..<0

  /// Takes the line from `start` to `end` apart.
  ///
  /// - Complexity: O(bytes).
  static func split(_ bytes: Span<UInt8>, from start: Int, to end: Int, separator: UInt8?) -> LineFields {
    var first = start
    while first < end, isSpace(bytes[first]) { first += 1 }
    guard first < end, bytes[first] != UInt8(ascii: "#") else { return LineFields() }
    let last = trimmed(bytes, first, comment(bytes, first, end))
    var fields = LineFields(isRow: true, number: first..<last, label: last..<last)
    if let separator {
      var index = first
      while index < last, bytes[index] != separator { index += 1 }
      if index < last { fields.cut(bytes, at: index, labelAt: index + 1, last) }
    } else {
      fields.cutAtWords(bytes, last)
    }
    return fields
  }

  /// Ends the number at `end` and begins the label at `labelAt`.
  private mutating func cut(_ bytes: Span<UInt8>, at end: Int, labelAt: Int, _ last: Int) {
    var label = labelAt
    while label < last, Self.isSpace(bytes[label]) { label += 1 }
    number = number.lowerBound..<Self.trimmed(bytes, number.lowerBound, end)
    self.label = label..<last
  }

  /// Looks at the words from left to right.
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
        // The first word is the number whatever it is; others must look like a part of it.
        if wordStart > number.lowerBound, !Self.belongs(bytes, wordStart, index) { break }
        return cut(bytes, at: index, labelAt: index + 1, last)
      }
      if byte == 0x20 {
        if wordStart > number.lowerBound, !Self.belongs(bytes, wordStart, index) { break }
        wordStart = index + 1
      }
      index += 1
    }
    if wordStart > number.lowerBound, !Self.belongs(bytes, wordStart, index) {
      var end = Self.trimmed(bytes, number.lowerBound, wordStart)
      // `+86 138 0013 8000 - name`
      while end - number.lowerBound > 2, Self.isSpace(bytes[end - 2]), bytes[end - 1] == UInt8(ascii: "-") {
        end = Self.trimmed(bytes, number.lowerBound, end - 1)
      }
      cut(bytes, at: end, labelAt: wordStart, last)
    }
  }

  /// Whether a word can be a part of a number that is written in several.
  private static func belongs(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    !NumberText.contents(bytes, from: start, to: end).hasOther
  }

  private static func isURI(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start + 4 <= end else { return false }
    return bytes[start] | 0x20 == UInt8(ascii: "t") && bytes[start + 1] | 0x20 == UInt8(ascii: "e")
      && bytes[start + 2] | 0x20 == UInt8(ascii: "l") && bytes[start + 3] == UInt8(ascii: ":")
  }

  /// Where a comment begins in the line, or its end.
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
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
