// Which characters of a number text stand for digits: the trailing ones of `33162######`, `070-XXXX-XXXX` and
// `+33162*`; not the x of an extension, the letters of 1-800-FOXX, or stars in front of a number.
// Not for what the numbers are (NumberPattern).

import CallRecord

/// The wildcards of a text, and the bytes in front of them.
struct NumberMask {
  enum Extent: Equatable {
    /// So many digits, one for each wildcard.
    case digits(Int)
    /// Any number of digits: one star.
    case anyLength
    /// Digits, letters or a second star follow, or letters stand in front: no run of numbers.
    case invalid
  }

  /// The most digits that wildcards can stand for.
  static let wildcardsMax = 15

  /// The bytes in front of the first wildcard.
  let prefix: [UInt8]
  /// What the wildcards stand for.
  let extent: Extent

  /// Nil when the text has no wildcards behind a digit.
  ///
  /// A single `#`, `x`, `?` or `*` in front of a digit is none: the
  /// first two are how extensions are written, and libphonenumber knows the star as punctuation.
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

  /// What was seen so far.
  private struct Scan {
    var hasDigit = false
    var hasLettersBefore = false
    /// Where the first wildcard stands.
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
        // Perhaps a digit of another script.
        hasDigit = true
      }
    }

    /// Takes neighbouring wildcards.
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
      // Two stars and more are a digit each; one, or some among other wildcards, could be any number of digits.
      var stars = 0
      for index in run where text[index] == UInt8(ascii: "*") { stars += 1 }
      if stars > 0, run.count == 1 || stars < run.count { singleStars += 1 }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// What may stand between wildcards and behind them: ASCII that is neither a letter nor a digit.
  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte < 0x80 && byte &- UInt8(ascii: "0") >= 10 && !isLetter(byte)
  }

  /// The text with the wildcards, digits, dashes and blanks of other scripts as ASCII; most texts as they are.
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

  // MARK: A quick look

  /// Whether the text has a character that can be a wildcard, or the dots of a range. It may be all the texts of a
  /// batch, so eight bytes are looked at in one step.
  static func mayHaveWildcards(_ text: Span<UInt8>) -> Bool {
    let raw = unsafe text.bytes
    var index = 0
    while index + 8 <= text.count {
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      // Digits are all that most texts are made of, and no digit is a wildcard. The upper halves tell 0 to 9 and six
      // more from all others; six added, those six are told too.
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
      // The wildcards of other scripts begin with these two bytes.
      if Wildcard.isWildcard(byte) || byte == 0xEF || byte == 0xE2 || isTwoDots(text, at: index) {
        return true
      }
    }
    return false
  }

  /// Whether two dots begin at `index`.
  static func isTwoDots(_ text: Span<UInt8>, at index: Int) -> Bool {
    text[index] == UInt8(ascii: ".") && index + 1 < text.count && text[index + 1] == UInt8(ascii: ".")
  }
}
