// Whole numbers as spreadsheets and data frames write them into text: `49301234567.0`, `4.9301234567e+10`. Taken as
// text, their digits would be another number.
//
// Not for: numbers of JSON, which have a type of their own (JSONNumber).

/// The text of a number's cell that was a floating-point number once.
enum SpreadsheetNumber {
  /// So many zeros behind the point mean a whole number: one is what data frames write, two are a spreadsheet's. With
  /// more it may be a number in groups (`555.0000`).
  private static let zerosMax = 2
  /// Digits of an exponent: `e+10`, or `E+010` as some systems have it.
  private static let exponentDigitsMax = 3
  private static let byteE = UInt8(ascii: "e")

  /// Makes the whole number of a text that is none in its form; other texts stay.
  ///
  /// Throws ``ParseReject/notWhole`` for one with an exponent that has fewer digits than the number it stands for, as
  /// a spreadsheet shows it, or that has a fraction.
  ///
  /// - Complexity: O(bytes).
  static func makeWhole(_ text: inout ContiguousArray<UInt8>) throws(ParseReject) {
    if hasExponent(text.span) {
      text = try whole(text.span)
    } else if let zeros = zeros(text.span) {
      text.removeLast(zeros)
    }
  }

  private static func whole(_ text: Span<UInt8>) throws(ParseReject) -> ContiguousArray<UInt8> {
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

  /// Whether a text that ends at `end` has one of the two forms, perhaps: a quick look that says yes too often and
  /// never no too often. The window must hold eight bytes before `end`, or the answer is yes.
  @inline(__always)
  static func mayNeedCare(_ window: Span<UInt8>, _ raw: RawSpan, endingAt end: Int) -> Bool {
    guard end >= 8 else { return true }
    let word = WordScan.word(raw, end - 8)
    let letters = (word | (WordScan.ones &* 0x20)) ^ (WordScan.ones &* UInt64(byteE))
    if ((letters &- WordScan.ones) & ~letters) & WordScan.highs != 0 { return true }
    let last = UInt32(truncatingIfNeeded: word >> 40)
    return last >> 8 == 0x302E || last == 0x30302E
  }

  /// How many bytes a whole number has behind its digits: the point and its zeros; nil if the text is none.
  private static func zeros(_ text: Span<UInt8>) -> Int? {
    var end = text.count
    while end > 0, text[end - 1] == UInt8(ascii: "0") { end -= 1 }
    let zeros = text.count - end
    guard zeros > 0, zeros <= zerosMax, end > 1, text[end - 1] == UInt8(ascii: ".") else { return nil }
    let start = text[0] == UInt8(ascii: "+") ? 1 : 0
    guard start < end - 1 else { return nil }
    for index in start..<end - 1 where text[index] &- 0x30 > 9 { return nil }
    return zeros + 1
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
