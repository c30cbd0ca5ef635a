// Finds extensions ("ext. 12", "x12", ";ext=12", ",,12", "- 12#") at the end of a number, as libphonenumber's pattern
// for parsing does. The pattern ends with the text, so it is read backwards: "#", digits, separators, label.
// Not for what stands in front of the extension.

/// The digits that end a text, and perhaps a "#" behind them: an extension, if a label stands in front.
struct ExtensionFinder {
  // Digits an extension may have: the vaguer its label, the fewer.
  private static let explicitDigitsMax = 20
  private static let likelyDigitsMax = 15
  private static let ambiguousDigitsMax = 9
  private static let unsureDigitsMax = 6

  /// The bytes of the digits, which are what the extension is.
  let digits: Range<Int>
  private let start: Int
  private let digitCount: Int
  private let hasHash: Bool

  /// Nil when the text does not end as one with an extension does.
  init?(_ text: Span<UInt8>, _ range: Range<Int>) {
    start = range.lowerBound
    var end = range.upperBound
    hasHash = end > start && text[end - 1] == UInt8(ascii: "#")
    if hasHash { end -= 1 }
    var first = end
    var count = 0
    while first > start {
      let (scalar, length) = Characters.decodeBackward(text, first, start)
      if Characters.digit(scalar) == nil { break }
      first -= length
      count += 1
    }
    if count == 0 || count > Self.explicitDigitsMax { return nil }
    digits = first..<end
    digitCount = count
  }

  /// Where the pattern's first match begins, counted in bytes.
  func first(_ text: Span<UInt8>) -> Int? {
    var first: Int?
    _ = contains(text) { start in
      first = min(first ?? start, start)
      return false
    }
    return first
  }

  /// Whether one of the places where an extension can begin satisfies `isRight`.
  ///
  /// Of the places that differ only by separators in front of the label, the first is tried.
  func contains(_ text: Span<UInt8>, where isRight: (Int) -> Bool) -> Bool {
    let end = digits.lowerBound
    if !hasHash, let label = labelStart(";ext=", text, end), isRight(label) { return true }
    if hasHash, digitCount <= Self.unsureDigitsMax {
      let separator = skipBack(text, end) { $0 == 0x20 || $0 == 0x2D }
      if separator < end, isRight(separator) { return true }
    }
    // Between label and digits: a colon or full stop, then blanks, commas and hyphens. Each cut is tried.
    var cut = end
    while true {
      if labels(text, cut, isRight) { return true }
      if cut == start { return false }
      let (scalar, length) = Characters.decodeBackward(text, cut, start)
      if scalar == 0x3A || scalar == 0x2E || scalar == 0xFF0E {
        if labels(text, cut - length, isRight) { return true }
      }
      guard Self.isBlank(scalar) || scalar == 0x2C || scalar == 0x2D else { return false }
      cut -= length
    }
  }

  // All labels that end at `end`.
  private func labels(_ text: Span<UInt8>, _ end: Int, _ isRight: (Int) -> Bool) -> Bool {
    if end == start || !Self.canEndLabel(text[end - 1]) { return false }
    for label in Self.explicitLabels {
      if let place = labelStart(label, text, end), isRight(wordedStart(text, place)) { return true }
    }
    if digitCount <= Self.ambiguousDigitsMax {
      for label in Self.ambiguousLabels {
        if let place = labelStart(label, text, end), isRight(wordedStart(text, place)) { return true }
      }
      let commas = skipBack(text, end) { $0 == 0x2C }
      if commas < end, isRight(skipBack(text, commas, Self.isBlank)) { return true }
    }
    if digitCount <= Self.likelyDigitsMax {
      for label in Self.diallingLabels {
        if let place = labelStart(label, text, end), isRight(skipBack(text, place, Self.isBlank)) {
          return true
        }
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

  // Written out: e?xt(?:ensi(?:o\u0301?|\u00F3))?n? and so on, in small letters.
  private static let explicitLabels = [
    "ext", "extn", "extensio", "extension",
    "extensio\u{301}", "extensio\u{301}n", "extensi\u{F3}", "extensi\u{F3}n",
    "xt", "xtn", "xtensio", "xtension", "xtensio\u{301}", "xtensio\u{301}n", "xtensi\u{F3}", "xtensi\u{F3}n",
    "\u{FF45}\u{FF58}\u{FF54}\u{FF4E}", "\u{FF45}\u{FF58}\u{FF54}", "\u{FF58}\u{FF54}\u{FF4E}",
    "\u{FF58}\u{FF54}", "\u{434}\u{43E}\u{431}", "anexo",
  ]

  private static let ambiguousLabels = [
    "x", "\u{FF58}", "#", "\u{FF03}", "~", "\u{FF5E}", "int", "\u{FF49}\u{FF4E}\u{FF54}",
  ]

  private static let diallingLabels = [",,", ";"]

  // Where `label` begins if it ends at `end`, in letters of either case.
  private func labelStart(_ label: String, _ text: Span<UInt8>, _ end: Int) -> Int? {
    var place = end
    for wanted in label.unicodeScalars.reversed() {
      if place == start { return nil }
      let (scalar, length) = Characters.decodeBackward(text, place, start)
      if Characters.folded(scalar) != wanted.value { return nil }
      place -= length
    }
    return place
  }

  // In front of a worded label stand blanks and commas.
  private func wordedStart(_ text: Span<UInt8>, _ end: Int) -> Int {
    skipBack(text, end) { Self.isBlank($0) || $0 == 0x2C }
  }

  // Space, no-break space, tab.
  private static func isBlank(_ scalar: UInt32) -> Bool { scalar == 0x20 || scalar == 0xA0 || scalar == 0x09 }

  // Where the run of `wanted` that ends at `end` begins.
  private func skipBack(_ text: Span<UInt8>, _ end: Int, _ wanted: (UInt32) -> Bool) -> Int {
    var place = end
    while place > start {
      let (scalar, length) = Characters.decodeBackward(text, place, start)
      if !wanted(scalar) { break }
      place -= length
    }
    return place
  }
}
