// Finds the characters of a number text that are wildcards for digits: the trailing ones of `33162######`,
// `070-XXXX-XXXX` and `+33162*`; not the x of an extension, the letters of 1-800-FOXX, or stars before a number.
// Not for the numbers that they match (NumberPattern).

import CallRecord

/// The wildcards of a text, and the bytes before them.
struct NumberMask {
  enum Extent: Equatable {
    /// A fixed number of digits, one per wildcard.
    case digits(Int)
    /// Any number of digits: one star.
    case anyLength
    /// Invalid: digits, letters or a second star follow, or letters precede.
    case invalid
  }

  /// The maximum number of digits that wildcards can stand for.
  static let wildcardsMax = 15

  /// The bytes before the first wildcard.
  let prefix: [UInt8]
  /// What the wildcards match.
  let extent: Extent

  /// Returns nil if the text has no wildcards after a digit.
  ///
  /// A single `#`, `x`, `?` or `*` before a digit is not a wildcard: the first two mark extensions, and libphonenumber
  /// treats the star as punctuation.
  init?(_ written: Span<UInt8>) {
    let folded = Self.folded(written)
    let text = folded.span
    var scan = Scan()
    var index = 0
    while index < text.count {
      let byte = text[index]
      if Wildcard.isWildcard(byte), scan.hasDigit {
        var end = index + 1
        while end < text.count, Wildcard.isWildcard(text[end]) { end += 1 }
        scan.add(text, wildcardsAt: index..<end)
        index = end
        continue
      }
      scan.add(byte)
      index += 1
    }
    guard let start = scan.start else { return nil }
    if scan.hasTextAfter || scan.hasLettersBefore {
      guard scan.wildcards > 1 else { return nil }
      extent = .invalid
    } else if scan.singleStars > 0 {
      extent = scan.wildcards == 1 ? .anyLength : .invalid
    } else {
      extent = scan.wildcards <= Self.wildcardsMax ? .digits(scan.wildcards) : .invalid
    }
    var prefix: [UInt8] = []
    for index in 0..<start { prefix.append(text[index]) }
    self.prefix = prefix
  }

  /// The state of the scan.
  private struct Scan {
    var hasDigit = false
    var hasLettersBefore = false
    /// The index of the first wildcard.
    var start: Int?
    var wildcards = 0
    var singleStars = 0
    var hasTextAfter = false

    mutating func add(_ byte: UInt8) {
      if start != nil {
        if !NumberMask.isSeparator(byte) { hasTextAfter = true }
      } else if byte &- UInt8(ascii: "0") < 10 {
        hasDigit = true
      } else if NumberMask.isLetter(byte) {
        if hasDigit { hasLettersBefore = true }
      } else if byte >= 0x80 {
        // Possibly a digit of another script.
        hasDigit = true
      }
    }

    /// Adds adjacent wildcards.
    mutating func add(_ text: Span<UInt8>, wildcardsAt run: Range<Int>) {
      let isBesideLetter =
        NumberMask.isLetter(text[run.lowerBound - 1])
        || (run.upperBound < text.count && NumberMask.isLetter(text[run.upperBound]))
      let isWord = isBesideLetter && run.contains { NumberMask.isLetter(text[$0]) }
      if isWord {
        for index in run { add(text[index]) }
        return
      }
      if run.count == 1, start == nil {
        var next = run.upperBound
        while next < text.count, NumberMask.isSeparator(text[next]) { next += 1 }
        let isInside = next < text.count && text[next] &- UInt8(ascii: "0") < 10
        if isInside || hasLettersBefore {
          if NumberMask.isLetter(text[run.lowerBound]) { hasLettersBefore = true }
          return
        }
      }
      if start == nil { start = run.lowerBound }
      wildcards += run.count
      // Two or more stars are one digit each; a single one, or some among other wildcards, could be any number of
      // digits.
      var stars = 0
      for index in run where text[index] == UInt8(ascii: "*") { stars += 1 }
      if stars > 0, run.count == 1 || stars < run.count { singleStars += 1 }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// Whether the byte may occur between and after wildcards: ASCII that is neither a letter nor a digit.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte < 0x80 && byte &- UInt8(ascii: "0") >= 10 && !isLetter(byte)
  }

  /// The text with wildcards, digits, dashes and spaces of other scripts replaced by ASCII; most texts are unchanged.
  private static func folded(_ text: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var isASCII = true
    for index in text.indices {
      bytes.append(text[index])
      if text[index] >= 0x80 { isASCII = false }
    }
    if isASCII { return bytes }
    var folded: [UInt8] = []
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if let byte = Wildcard.ascii(scalar) {
        folded.append(byte)
      } else {
        folded.append(contentsOf: String(scalar).utf8)
      }
    }
    return folded
  }

  // MARK: Quick check

  /// Whether the text has a character that can be a wildcard, or `..`. It may be the text of a whole batch, so eight
  /// bytes are checked at a time.
  static func mayHaveWildcards(_ text: Span<UInt8>) -> Bool {
    let raw = unsafe text.bytes
    var index = 0
    while index + 8 <= text.count {
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      // Most texts are all digits, and no digit is a wildcard. The upper half of a byte separates 0 to 9 and six more
      // characters from all others; after adding six, it separates those six, too.
      let upper: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
      let digits: UInt64 = 0x3030_3030_3030_3030
      let areDigits = word & upper == digits && (word &+ 0x0606_0606_0606_0606) & upper == digits
      if !areDigits, mayHaveWildcards(text, from: index, to: index + 8) { return true }
      index += 8
    }
    return mayHaveWildcards(text, from: index, to: text.count)
  }

  private static func mayHaveWildcards(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    for index in start..<end {
      let byte = text[index]
      // The wildcards of other scripts start with these two bytes.
      if Wildcard.isWildcard(byte) || byte == 0xEF || byte == 0xE2 || isTwoDots(text, at: index) {
        return true
      }
    }
    return false
  }

  /// Whether `..` starts at `index`.
  static func isTwoDots(_ text: Span<UInt8>, at index: Int) -> Bool {
    text[index] == UInt8(ascii: ".") && index + 1 < text.count && text[index + 1] == UInt8(ascii: ".")
  }
}
