// Whole numbers as spreadsheets and data frames write them into text: `49301234567.0`, `4.9301234567e+10`. Taken as
// text, their digits would be another number; so would those of fractions and of numbers below zero.
//
// Not for: numbers of JSON, which have a type of their own (JSONNumber).

/// The text of a number that was a floating-point number once, or is below zero.
///
/// What people write with one point in it (`030.12345678`, `555.1234`, `1.2025550123`) stands as it is: a fraction has one
/// or two digits behind its point, or a whole phone number before it.
enum SpreadsheetNumber {
  /// So few digits behind a point are a fraction: one is what data frames write, two are a spreadsheet's. More may be a
  /// number in groups (`555.0000`).
  private static let fractionDigitsShort = 2
  /// Behind so many digits it is a fraction whatever its length: they are a number already.
  private static let wholeDigitsLong = 7
  /// But with more digits than this behind the point, all of them are more than a number has, or it is a group.
  private static let fractionDigitsMax = 7
  /// Digits of an exponent: `e+10`, or `E+010` as some systems have it.
  private static let exponentDigitsMax = 3
  private static let byteE = UInt8(ascii: "e")

  /// What a text is.
  private enum Form {
    /// No fraction: it stands for itself.
    case plain
    /// A whole number, whose digits and sign end here.
    case zeros(start: Int, end: Int)
    /// A number with an exponent, from here to there.
    case exponent(start: Int, end: Int)
    /// A fraction, a number below zero, or one with an exponent and too few digits.
    case notWhole
  }

  /// The whole number of a text that is one but not in its form; nil for a text that stands for itself. White space
  /// around it does not matter.
  ///
  /// Throws ``ParseReject/notWhole`` for one that has a fraction, is below zero, or has an exponent and fewer digits than
  /// the number it stands for, as a spreadsheet shows it.
  ///
  /// - Complexity: O(bytes).
  static func whole(_ text: Span<UInt8>) throws(ParseReject) -> ContiguousArray<UInt8>? {
    switch form(text) {
    case .plain: return nil
    case .zeros(let start, let end): return ContiguousArray(copying: text.extracting(start..<end))
    case .exponent(let start, let end): return try whole(exponentIn: text.extracting(start..<end))
    case .notWhole: throw .notWhole
    }
  }

  /// Makes the whole number of a text that is none in its form; other texts stay. Throws as ``whole(_:)`` does.
  static func makeWhole(_ text: inout ContiguousArray<UInt8>) throws(ParseReject) {
    if let whole = try whole(text.span) { text = whole }
  }

  /// Whether a text can't be taken as it stands.
  static func needsCare(_ text: Span<UInt8>) -> Bool {
    if case .plain = form(text) { false } else { true }
  }

  private static func form(_ text: Span<UInt8>) -> Form {
    var end = text.count
    while end > 0, text[end - 1].isASCIISpace { end -= 1 }
    let start = text.skippingSpace()
    guard start < end else { return .plain }
    let isBelow = text[start] == UInt8(ascii: "-")
    let first = isBelow || text[start] == UInt8(ascii: "+") ? start + 1 : start
    let point = skipDigits(text, from: first, to: end)
    let digits = point - first
    guard digits > 0 else { return .plain }
    if point == end {
      // No number is written with a zero before it: that is a dash before a number with a trunk zero.
      return isBelow && (text[first] != UInt8(ascii: "0") || digits == 1) ? .notWhole : .plain
    }
    var index = point
    var fraction = 0
    var isZero = true
    if text[point] == UInt8(ascii: ".") {
      index = skipDigits(text, from: point + 1, to: end)
      fraction = index - point - 1
      guard fraction > 0 else { return .plain }
      for at in point + 1..<index where text[at] != UInt8(ascii: "0") { isZero = false }
    }
    if index < end {
      guard text[index] | 0x20 == byteE else { return .plain }
      index += 1
      let hasSign = index < end && (text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+"))
      if hasSign { index += 1 }
      let length = end - index
      guard length > 0, length <= exponentDigitsMax, skipDigits(text, from: index, to: end) == end else {
        return .plain
      }
      // With neither point nor sign it may be a letter on a keypad; behind a whole number it is none, and has no digits
      // behind a point that the exponent could move.
      if fraction == 0, !hasSign { return digits < wholeDigitsLong ? .plain : .notWhole }
      return isBelow ? .notWhole : .exponent(start: start, end: end)
    }
    if isBelow { return .notWhole }
    guard fraction <= fractionDigitsShort || (digits >= wholeDigitsLong && fraction <= fractionDigitsMax)
    else { return .plain }
    return isZero ? .zeros(start: start, end: point) : .notWhole
  }

  private static func skipDigits(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, text[index] &- 0x30 < 10 { index += 1 }
    return index
  }

  private static func whole(
    exponentIn text: Span<UInt8>
  ) throws(ParseReject) -> ContiguousArray<UInt8> {
    // Fewer digits behind the point than the exponent moves it: the others are lost.
    guard exponent(text) <= digitsOfFraction(text) else { throw .notWhole }
    let start = text[0] == UInt8(ascii: "+") ? 1 : 0
    guard let whole = try JSONNumber.whole(text, from: start, to: text.count, signed: false) else {
      throw .notWhole
    }
    return whole
  }

  /// Whether the text is a number with an exponent: digits with a point among them or a sign behind the `e`; without
  /// both it may be letters on a keypad.
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

  /// Whether the text from `start` to `end` is one that ``needsCare(_:)`` says yes to, perhaps: a quick look that says yes
  /// too often and never no too often. The window must hold eight bytes before `end`, or the answer is yes, and `start`
  /// must be one of its bytes.
  @inline(__always)
  static func mayNeedCare(
    _ window: Span<UInt8>, _ raw: RawSpan, from start: Int, endingAt end: Int
  ) -> Bool {
    guard end >= 8 else { return true }
    // A point is at most seven digits from the end, an exponent nearer.
    let word = WordScan.word(raw, end - 8)
    let letters = (word | (WordScan.ones &* 0x20)) ^ (WordScan.ones &* UInt64(byteE))
    let points = word ^ (WordScan.ones &* UInt64(UInt8(ascii: ".")))
    let found = ((letters &- WordScan.ones) & ~letters) | ((points &- WordScan.ones) & ~points)
    if found & WordScan.highs != 0 { return true }
    return window[start] == UInt8(ascii: "-") || window[start] <= 0x20 || word >> 56 <= 0x20
  }

  /// Where the `e` is, with nothing but a sign and a few digits behind it.
  private static func exponentAt(_ text: Span<UInt8>) -> Int? {
    var index = text.count
    while index > 0, text[index - 1] &- 0x30 < 10 { index -= 1 }
    let digits = text.count - index
    guard digits > 0, digits <= exponentDigitsMax, index > 1 else { return nil }
    if text[index - 1] == UInt8(ascii: "+") || text[index - 1] == UInt8(ascii: "-") { index -= 1 }
    guard index > 1, text[index - 1] | 0x20 == byteE else { return nil }
    return index - 1
  }

  private static func exponent(_ text: Span<UInt8>) -> Int {
    var value = 0
    guard var index = exponentAt(text).map({ $0 + 1 }) else { return 0 }
    let isBelow = text[index] == UInt8(ascii: "-")
    while index < text.count {
      if text[index] &- 0x30 < 10 { value = value * 10 + Int(text[index] &- 0x30) }
      index += 1
    }
    return isBelow ? -value : value
  }

  private static func digitsOfFraction(_ text: Span<UInt8>) -> Int {
    guard let end = exponentAt(text) else { return 0 }
    for index in 0..<end where text[index] == UInt8(ascii: ".") { return end - index - 1 }
    return 0
  }
}
