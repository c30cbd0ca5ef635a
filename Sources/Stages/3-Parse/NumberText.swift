// The characters that people write phone numbers with, to distinguish numbers, labels and headers.

import Records
import SystemIO

enum NumberText {
  /// Whether an ASCII byte is used in numbers: digits, signs, wildcards, white space.
  static func isCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x20, 0x09: true
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "."),
      UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "x"), UInt8(ascii: "X"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether a character outside ASCII is used in numbers: digits of any script, dashes, spaces, direction marks that
  /// are copied along with numbers, and the full-width forms of `+ ( ) . / *` and `#`.
  static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // A sign of Japanese words that is typed as a dash, too.
    case 0x30FC: return true
    case 0xFF03, 0xFF08...0xFF0B, 0xFF0E, 0xFF0F: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .decimalNumber, .dashPunctuation, .format, .spaceSeparator: return true
    default: return scalar.value == 0x2212
    }
  }

  /// The size of a comma or semicolon of another script at the index; nil if there is none.
  static func separatorLength(_ bytes: Span<UInt8>, at index: Int) -> Int? {
    guard bytes[index] == 0xD8 || bytes[index] == 0xE3 || bytes[index] == 0xEF else { return nil }
    let separators: [StaticString] = ["\u{60C}", "\u{61B}", "\u{3001}", "\u{FF0C}", "\u{FF1B}"]
    return separators.first { bytes.startsIgnoringCase($0, at: index) }?.utf8CodeUnitCount
  }

  /// The contents of a text: its numbers of digits of any script and of letters, and whether it has other characters.
  struct Contents {
    var digits = 0
    var letters = 0
    var hasOther = false

    /// Whether this can be a number: enough digits, and only characters that are used in numbers.
    func isNumber(digitsMin: Int) -> Bool { digits >= digitsMin && !hasOther }
  }

  /// Counts the contents of the text from `start` to `end`.
  ///
  /// - Complexity: O(bytes).
  static func contents(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Contents {
    var contents = Contents()
    var index = start
    while index < end {
      let byte = bytes[index]
      if byte < 0x80 {
        if byte &- 0x30 < 10 { contents.digits += 1 }
        if (byte | 0x20) &- 0x61 < 26 { contents.letters += 1 }
        if !isCharacter(byte) { contents.hasOther = true }
        index += 1
        continue
      }
      guard let (scalar, length) = scalar(bytes, at: index, end: end) else {
        contents.hasOther = true
        contents.letters += 1
        index += 1
        continue
      }
      if isDigit(scalar) {
        contents.digits += 1
      } else if isLetter(scalar) {
        contents.letters += 1
      }
      if !isCharacter(scalar) { contents.hasOther = true }
      index += length
    }
    return contents
  }

  /// The number in what programs write around it: a scheme (`tel:`, `sip:` with a host), the apostrophe of a spreadsheet's
  /// text, quotes. `normalize` reads them, too.
  ///
  /// - Complexity: O(1) for a text that begins with a digit or a sign of a number, O(bytes) for others.
  static func body(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Range<Int> {
    let text = withoutQuotes(bytes, from: start, to: end)
    guard let first = text.first, first > start || (bytes[first] | 0x20) &- 0x61 < 26 else { return text }
    if first > start || bytes.extracting(text).startsIgnoringCase("SIP"),
      let address = SIPAddress(bytes, from: first, to: text.upperBound)
    {
      return address.number
    }
    let schemes: [StaticString] = ["TEL:", "CALLTO:", "PHONE:"]
    guard let scheme = schemes.first(where: { bytes.extracting(text).startsIgnoringCase($0) }) else {
      return text
    }
    let number = bytes.skippingSpace(from: first + scheme.utf8CodeUnitCount, to: text.upperBound)
    var last = number
    while last < text.upperBound, bytes[last] != UInt8(ascii: ";") { last += 1 }
    return number..<last
  }

  /// A text without the quotes before it, and those after it if some are before it.
  private static func withoutQuotes(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Range<Int> {
    var (first, last) = (start, end)
    while first < last {
      switch bytes[first] {
      case UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "\""), UInt8(ascii: "<"):
        while last > first + 1, "'`\">".utf8.contains(bytes[last - 1]) { last -= 1 }
        first += 1
      // The right single quotation mark.
      case 0xE2 where bytes.extracting(first..<last).startsIgnoringCase("\u{2019}"): first += 3
      default: return first..<last
      }
    }
    return first..<last
  }

  /// Whether a character is a decimal digit of any script.
  @inline(__always)
  static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    if isIdeographOrSyllable(scalar) { return false }
    return scalar.properties.generalCategory == .decimalNumber
  }

  /// Whether a character is alphabetic.
  @inline(__always)
  static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    isIdeographOrSyllable(scalar) || scalar.properties.isAlphabetic
  }

  /// Chinese characters and Korean syllables, which need no search in the tables of properties.
  @inline(__always)
  private static func isIdeographOrSyllable(_ scalar: Unicode.Scalar) -> Bool {
    0x4E00...0x9FFF ~= scalar.value || 0xAC00...0xD7A3 ~= scalar.value
  }

  /// The character that starts at `index`, and its length in bytes; nil if the bytes are not UTF-8.
  static func scalar(_ bytes: Span<UInt8>, at index: Int, end: Int) -> (Unicode.Scalar, length: Int)? {
    let lead = bytes[index]
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
    guard length > 0, index + length <= end, UTF8Check.isValid(bytes.extracting(index..<index + length))
    else {
      return nil
    }
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for next in index + 1..<index + length { value = value << 6 | UInt32(bytes[next] & 0x3F) }
    return Unicode.Scalar(value).map { ($0, length) }
  }
}

// Whole numbers as spreadsheets and data frames write them as text: `49301234567.0`, `4.9301234567e+10`. Their digits
// alone would be a different number, as would those of fractions and negative numbers.

/// The text of a number that was once a floating-point number, or that is negative.
///
/// Phone numbers that people write with one point (`030.12345678`, `555.1234`, `1.2025550123`) are not changed: a
/// fraction has one or two digits after its point, or a whole phone number before it.
enum SpreadsheetNumber {
  /// At most this many digits after a point are a fraction: data frames write one, spreadsheets two. More digits may be
  /// a group of digits in a phone number (`555.0000`).
  private static let fractionDigitsShort = 2
  /// With at least this many digits before the point, a fraction may be longer: those digits are a whole number
  /// already.
  private static let wholeDigitsLong = 7
  /// With more digits than this after the point, it is not a fraction but a group of digits.
  private static let fractionDigitsMax = 7
  /// The maximum number of digits in an exponent: `e+10`, or `E+010` on some systems.
  static let exponentDigitsMax = 3
  private static let byteE = UInt8(ascii: "e")

  private enum Notation {
    /// Not another notation: the text is used as it is.
    case plain
    /// A whole number with zeros after the point; its sign and digits.
    case zeros(start: Int, end: Int)
    case exponent(start: Int, end: Int)
    /// A fraction, a negative number, or one with an exponent and too few digits.
    case notWhole
  }

  /// The digits of a whole number that is written in another notation; nil for a text that is used as it is. White
  /// space around it is ignored.
  ///
  /// Throws ``ParseReject/notWhole`` for a number that has a fraction, is negative, or has an exponent and lacks
  /// digits, as spreadsheets display it.
  ///
  /// - Complexity: O(bytes).
  static func whole(_ text: Span<UInt8>) throws(ParseReject) -> ContiguousArray<UInt8>? {
    switch notation(text) {
    case .plain: return nil
    case .zeros(let start, let end): return ContiguousArray(copying: text.extracting(start..<end))
    case .exponent(let start, let end):
      let first = text[start] == UInt8(ascii: "+") ? start + 1 : start
      guard let whole = try JSONNumber.whole(text, from: first, to: end, signed: false) else {
        throw .notWhole
      }
      return whole
    case .notWhole: throw .notWhole
    }
  }

  /// Replaces a text by its whole number, if it is in another notation. Throws like ``whole(_:)``.
  static func makeWhole(_ text: inout ContiguousArray<UInt8>) throws(ParseReject) {
    if let whole = try whole(text.span) { text = whole }
  }

  /// Whether a text can't be used as it is.
  static func needsConversion(_ text: Span<UInt8>) -> Bool {
    if case .plain = notation(text) { false } else { true }
  }

  private static func notation(_ text: Span<UInt8>) -> Notation {
    let end = text.trimmedEnd(from: 0, to: text.count)
    let start = text.skippingSpace()
    guard start < end else { return .plain }
    let hasMinus = text[start] == UInt8(ascii: "-")
    let first = hasMinus || text[start] == UInt8(ascii: "+") ? start + 1 : start
    let point = text.skippingDigits(from: first, to: end)
    let digits = point - first
    guard digits > 0 else { return .plain }
    if point == end {
      // Negative numbers have no leading zero: with one, it is a dash before a number with a trunk prefix.
      return hasMinus && (text[first] != UInt8(ascii: "0") || digits == 1) ? .notWhole : .plain
    }
    var index = point
    var fraction = 0
    var isZero = true
    // A spreadsheet in another language: `4,92211E+11`.
    let hasComma = text[point] == UInt8(ascii: ",")
    if hasComma || text[point] == UInt8(ascii: ".") {
      index = text.skippingDigits(from: point + 1, to: end)
      fraction = index - point - 1
      guard fraction > 0 else { return .plain }
      for at in point + 1..<index where text[at] != UInt8(ascii: "0") { isZero = false }
    }
    if index < end {
      guard text[index] | 0x20 == byteE else { return .plain }
      index += 1
      let isNegative = index < end && text[index] == UInt8(ascii: "-")
      let hasSign = isNegative || index < end && text[index] == UInt8(ascii: "+")
      if hasSign { index += 1 }
      let length = end - index
      guard length > 0, length <= exponentDigitsMax, text.skippingDigits(from: index, to: end) == end else {
        return .plain
      }
      // With neither point nor sign the `e` may be a letter on a keypad, unless it follows a whole number; then there
      // are no digits after a point that the exponent could move.
      if fraction == 0, !hasSign { return digits < wholeDigitsLong ? .plain : .notWhole }
      var exponent = 0
      for at in index..<end { exponent = exponent * 10 + Int(text[at] &- 0x30) }
      // If there are fewer digits after the point than the exponent requires, digits are lost.
      return hasMinus || hasComma || !isNegative && exponent > fraction
        ? .notWhole : .exponent(start: start, end: end)
    }
    if hasComma { return .plain }
    if hasMinus { return .notWhole }
    guard fraction <= fractionDigitsShort || (digits >= wholeDigitsLong && fraction <= fractionDigitsMax)
    else { return .plain }
    return isZero ? .zeros(start: start, end: point) : .notWhole
  }

  /// Whether the text is a number with an exponent: digits with a point among them, or with a sign after the `e`.
  /// Without both, the letters may be on a keypad.
  static func hasExponent(_ text: Span<UInt8>) -> Bool {
    guard let at = exponentAt(text) else { return false }
    var index = 0
    if text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-") { index = 1 }
    var digits = 0
    var points = 0
    while index < at {
      if text[index] == UInt8(ascii: ".") { points += 1 } else { digits += 1 }
      guard text[index] &- 0x30 < 10 || text[index] == UInt8(ascii: ".") else { return false }
      index += 1
    }
    let hasSign = text[at + 1] == UInt8(ascii: "+") || text[at + 1] == UInt8(ascii: "-")
    let isSet = points == 0 || (text[at - 1] != UInt8(ascii: ".") && text[0] != UInt8(ascii: "."))
    return digits > 0 && points <= 1 && isSet && (points == 1 || hasSign)
  }

  /// Whether ``needsConversion(_:)`` may be true for the text from `start` to `end`: a quick check with false
  /// positives, but without false negatives. True if the window has fewer than eight bytes before `end`; `start` must
  /// be in the window.
  @inline(__always) static func mayNeedConversion(
    _ window: Span<UInt8>, _ raw: RawSpan, from start: Int, endingAt end: Int
  ) -> Bool {
    guard end >= 8 else { return true }
    // A point is at most seven digits from the end; an exponent is closer.
    let word = WordScan.word(raw, end - 8)
    let letters = (word | (WordScan.ones &* 0x20)) ^ (WordScan.ones &* UInt64(byteE))
    let points = word ^ (WordScan.ones &* UInt64(UInt8(ascii: ".")))
    let found = ((letters &- WordScan.ones) & ~letters) | ((points &- WordScan.ones) & ~points)
    if found & WordScan.highs != 0 { return true }
    return window[start] == UInt8(ascii: "-") || window[start] <= 0x20 || word >> 56 <= 0x20
  }

  /// The index of the `e`, if only a sign and a few digits follow it.
  private static func exponentAt(_ text: Span<UInt8>) -> Int? {
    var index = text.count
    while index > 0, text[index - 1] &- 0x30 < 10 { index -= 1 }
    let digits = text.count - index
    guard digits > 0, digits <= exponentDigitsMax, index > 1 else { return nil }
    if text[index - 1] == UInt8(ascii: "+") || text[index - 1] == UInt8(ascii: "-") { index -= 1 }
    guard index > 1, text[index - 1] | 0x20 == byteE else { return nil }
    return index - 1
  }
}
