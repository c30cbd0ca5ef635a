// Finds extensions ("ext. 12", "x12", ";ext=12", ",,12", "- 12#") at the end of a number, like libphonenumber's pattern
// for parsing. The pattern ends with the text, so it is matched backwards: "#", digits, separators, label.
// Not for the text before the extension.

/// The digits at the end of a text, optionally followed by "#": an extension, if a label precedes them.
struct ExtensionFinder {
  // The maximum digits of an extension: the less specific its label, the fewer.
  private static let explicitDigitsMax = 20
  private static let likelyDigitsMax = 15
  private static let ambiguousDigitsMax = 9
  private static let unsureDigitsMax = 6

  /// The range of the extension's digits.
  let digits: Range<Int>
  private let start: Int
  private let digitCount: Int
  private let hasHash: Bool

  /// Returns nil if the text does not end like a text with an extension.
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

  /// The byte offset of the pattern's first match.
  func first(_ text: Span<UInt8>) -> Int? {
    var first: Int?
    _ = contains(text) { start in
      first = min(first ?? start, start)
      return false
    }
    return first
  }

  /// Whether one of the offsets where an extension can start satisfies `isValidStart`.
  ///
  /// If offsets differ only by the separators before the label, only the first one is tried.
  func contains(_ text: Span<UInt8>, where isValidStart: (Int) -> Bool) -> Bool {
    let end = digits.lowerBound
    if !hasHash, let label = labelStart(";ext=", text, end), isValidStart(label) { return true }
    if hasHash, digitCount <= Self.unsureDigitsMax {
      let separator = skipBack(text, end) { $0 == 0x20 || $0 == 0x2D }
      if separator < end, isValidStart(separator) { return true }
    }
    // Between label and digits: a colon or full stop, then spaces, commas and hyphens. Each split is tried.
    var cut = end
    while true {
      if labels(text, cut, isValidStart) { return true }
      if cut == start { return false }
      let (scalar, length) = Characters.decodeBackward(text, cut, start)
      if scalar == 0x3A || scalar == 0x2E || scalar == 0xFF0E {
        if labels(text, cut - length, isValidStart) { return true }
      }
      guard Self.isBlank(scalar) || scalar == 0x2C || scalar == 0x2D else { return false }
      cut -= length
    }
  }

  // Tries all labels that end at `end`.
  private func labels(_ text: Span<UInt8>, _ end: Int, _ isValidStart: (Int) -> Bool) -> Bool {
    if end == start || !Self.canEndLabel(text[end - 1]) { return false }
    for label in Self.explicitLabels {
      if let place = labelStart(label, text, end), isValidStart(wordedStart(text, place)) { return true }
    }
    if digitCount <= Self.ambiguousDigitsMax {
      for label in Self.ambiguousLabels {
        if let place = labelStart(label, text, end), isValidStart(wordedStart(text, place)) { return true }
      }
      let commas = skipBack(text, end) { $0 == 0x2C }
      if commas < end, isValidStart(skipBack(text, commas, Self.isBlank)) { return true }
    }
    if digitCount <= Self.likelyDigitsMax {
      for label in Self.diallingLabels {
        if let place = labelStart(label, text, end), isValidStart(skipBack(text, place, Self.isBlank)) {
          return true
        }
      }
    }
    return false
  }

  // Avoids the search for most numbers, which have no extension.
  private static func canEndLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x80..., UInt8(ascii: "#"), UInt8(ascii: "~"), UInt8(ascii: ","), UInt8(ascii: ";"): true
    default: Characters.keypadDigit(UInt32(byte)) != nil
    }
  }

  // The labels e?xt(?:ensi(?:o\u0301?|\u00F3))?n? and others, in lower case.
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

  // The start of `label` if it ends at `end`, ignoring case.
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

  // Skips the spaces and commas that may precede a word label.
  private func wordedStart(_ text: Span<UInt8>, _ end: Int) -> Int {
    skipBack(text, end) { Self.isBlank($0) || $0 == 0x2C }
  }

  // Space, no-break space, tab.
  private static func isBlank(_ scalar: UInt32) -> Bool { scalar == 0x20 || scalar == 0xA0 || scalar == 0x09 }

  // The start of the run of matching scalars that ends at `end`.
  private func skipBack(_ text: Span<UInt8>, _ end: Int, _ matches: (UInt32) -> Bool) -> Int {
    var place = end
    while place > start {
      let (scalar, length) = Characters.decodeBackward(text, place, start)
      if !matches(scalar) { break }
      place -= length
    }
    return place
  }
}
