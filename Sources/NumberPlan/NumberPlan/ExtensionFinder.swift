// Finds extensions ("ext. 12", "x12", ";ext=12", ",,12", "- 12#") at the end of a number, as libphonenumber's pattern
// for parsing does. The pattern ends with the text, so it is read backwards: "#", digits, separators, label.
// Not for what stands in front of the extension.

enum ExtensionFinder {
  // Digits an extension may have: the vaguer its label, the fewer.
  private static let explicitDigitsMax = 20
  private static let likelyDigitsMax = 15
  private static let ambiguousDigitsMax = 9
  private static let unsureDigitsMax = 6

  /// Where the pattern's first match begins, counted in bytes.
  static func first(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var first: Int?
    _ = contains(text, range) { start in
      first = min(first ?? start, start)
      return false
    }
    return first
  }

  /// Whether one of the places where an extension can begin satisfies `isRight`.
  ///
  /// Of the places that differ only by separators in front of the label, the first is tried.
  static func contains(_ text: Span<UInt8>, _ range: Range<Int>, where isRight: (Int) -> Bool) -> Bool {
    let start = range.lowerBound
    var end = range.upperBound
    let hasHash = end > start && text[end - 1] == UInt8(ascii: "#")
    if hasHash { end -= 1 }
    var digits = 0
    while end > start {
      let (scalar, length) = Characters.decodeBackward(text, end, start)
      if Characters.digit(scalar) == nil { break }
      end -= length
      digits += 1
    }
    if digits == 0 || digits > explicitDigitsMax { return false }

    if !hasHash, preceded(by: ";ext=", text, end, start), isRight(end - 5) { return true }
    if hasHash, digits <= unsureDigitsMax {
      let separator = skipBack(text, end, start) { $0 == 0x20 || $0 == 0x2D }
      if separator < end, isRight(separator) { return true }
    }
    // Between label and digits: a colon or full stop, then blanks, commas and hyphens. Each cut is tried.
    var cut = end
    while true {
      if labels(text, cut, start, digits, isRight) { return true }
      if cut == start { return false }
      let (scalar, length) = Characters.decodeBackward(text, cut, start)
      if scalar == 0x3A || scalar == 0x2E || scalar == 0xFF0E {
        if labels(text, cut - length, start, digits, isRight) { return true }
      }
      guard isBlank(scalar) || scalar == 0x2C || scalar == 0x2D else { return false }
      cut -= length
    }
  }

  // All labels that end at `end`.
  private static func labels(
    _ text: Span<UInt8>, _ end: Int, _ start: Int, _ digits: Int, _ isRight: (Int) -> Bool
  ) -> Bool {
    if end == start || !canEndLabel(text[end - 1]) { return false }
    for label in explicitLabels where preceded(by: label, text, end, start) {
      if isRight(wordedStart(text, end - label.utf8CodeUnitCount, start)) { return true }
    }
    if digits <= ambiguousDigitsMax {
      for label in ambiguousLabels where preceded(by: label, text, end, start) {
        if isRight(wordedStart(text, end - label.utf8CodeUnitCount, start)) { return true }
      }
      let commas = skipBack(text, end, start) { $0 == 0x2C }
      if commas < end, isRight(skipBack(text, commas, start, isBlank)) { return true }
    }
    if digits <= likelyDigitsMax {
      for label: StaticString in [",,", ";"] where preceded(by: label, text, end, start) {
        if isRight(skipBack(text, end - label.utf8CodeUnitCount, start, isBlank)) { return true }
      }
    }
    return false
  }

  // Spares most numbers the search: they have no extension.
  private static func canEndLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x80..., UInt8(ascii: "#"), UInt8(ascii: "~"), UInt8(ascii: ","), UInt8(ascii: ";"): true
    default: Characters.keypadDigit(UInt32(byte)) != nil
    }
  }

  // In front of a worded label stand blanks and commas.
  private static func wordedStart(_ text: Span<UInt8>, _ end: Int, _ start: Int) -> Int {
    skipBack(text, end, start) { isBlank($0) || $0 == 0x2C }
  }

  // Written out: e?xt(?:ensi(?:o\u0301?|\u00F3))?n? and so on. Capitals are only recognised among ASCII letters
  // and where they are listed.
  private static let explicitLabels: [StaticString] = [
    "ext", "extn", "extensio", "extension",
    "extensio\u{301}", "extensio\u{301}n", "extensi\u{F3}", "extensi\u{F3}n",
    "xt", "xtn", "xtensio", "xtension", "xtensio\u{301}", "xtensio\u{301}n", "xtensi\u{F3}", "xtensi\u{F3}n",
    "extensi\u{D3}", "extensi\u{D3}n", "xtensi\u{D3}", "xtensi\u{D3}n",
    "\u{FF45}\u{FF58}\u{FF54}\u{FF4E}", "\u{FF45}\u{FF58}\u{FF54}", "\u{FF58}\u{FF54}\u{FF4E}",
    "\u{FF58}\u{FF54}",
    "\u{434}\u{43E}\u{431}", "\u{414}\u{43E}\u{431}", "\u{414}\u{41E}\u{411}", "anexo",
  ]

  private static let ambiguousLabels: [StaticString] = [
    "x", "\u{FF58}", "\u{FF38}", "#", "\u{FF03}", "~", "\u{FF5E}", "int", "\u{FF49}\u{FF4E}\u{FF54}",
  ]

  private static func preceded(by label: StaticString, _ text: Span<UInt8>, _ end: Int, _ start: Int) -> Bool
  {
    let place = end - label.utf8CodeUnitCount
    return place >= start && Characters.matches(label, text, place, ignoringCase: true)
  }

  // Space, no-break space, tab.
  private static func isBlank(_ scalar: UInt32) -> Bool { scalar == 0x20 || scalar == 0xA0 || scalar == 0x09 }

  // Where the run of `wanted` that ends at `end` begins.
  private static func skipBack(_ text: Span<UInt8>, _ end: Int, _ start: Int, _ wanted: (UInt32) -> Bool)
    -> Int
  {
    var place = end
    while place > start {
      let (scalar, length) = Characters.decodeBackward(text, place, start)
      if !wanted(scalar) { break }
      place -= length
    }
    return place
  }
}
