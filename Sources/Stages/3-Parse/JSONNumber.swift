// A JSON number as a phone number or a score: spreadsheets and data frames turn 8613800138000 into 8613800138000.0 or
// 8.6138001380e12, whose digits, read as text, would be a different number.
//
// Not for: labels, which keep a number unchanged; finding the token (JSONToken).

/// Converts JSON numbers to whole numbers.
enum JSONNumber {
  /// The maximum number of digits of a whole number that is written with a point or an exponent. A phone number has at
  /// most 15, a score 19.
  static let digitsMax = 32
  /// A larger exponent is out of range for any digits.
  private static let exponentMax = 1 << 40

  /// The digits of the whole number from `start` to `end`; nil if the bytes need no change, because they are plain
  /// digits or not a JSON number.
  ///
  /// Throws ``ParseReject/notWhole`` for a JSON number that has a fraction, is out of range, or is negative where
  /// that is not allowed.
  package static func whole(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, signed: Bool
  ) throws(ParseReject) -> ContiguousArray<UInt8>? {
    guard let parts = notation(bytes, from: start, to: end) else { return nil }
    if parts.isPlain, !parts.isNegative { return nil }
    if parts.isNegative, !signed { throw .notWhole }
    // The value is `digits`, without zeros at either end, times ten to the power of `exponent`.
    var digits: ContiguousArray<UInt8> = []
    var exponent = parts.exponent
    var zeros = 0
    var isFraction = false
    for index in parts.start..<parts.end {
      let byte = bytes[index]
      if byte == UInt8(ascii: ".") {
        isFraction = true
        continue
      }
      if isFraction { exponent -= 1 }
      if byte == UInt8(ascii: "0") {
        zeros += 1
        continue
      }
      if !digits.isEmpty {
        guard digits.count + zeros < digitsMax else { throw .notWhole }
        for _ in 0..<zeros { digits.append(UInt8(ascii: "0")) }
      }
      zeros = 0
      digits.append(byte)
    }
    if digits.isEmpty { return [UInt8(ascii: "0")] }
    exponent += zeros
    guard exponent >= 0, digits.count + exponent <= digitsMax else { throw .notWhole }
    for _ in 0..<exponent { digits.append(UInt8(ascii: "0")) }
    return parts.isNegative ? [UInt8(ascii: "-")] + digits : digits
  }

  /// The parts of a JSON number.
  private struct Notation {
    var isNegative: Bool
    /// Whether it has neither a point nor an exponent.
    var isPlain: Bool
    /// The range of the digits, which may contain a point.
    var start: Int
    var end: Int
    var exponent: Int
  }

  private static func notation(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Notation? {
    guard start < end else { return nil }
    let isNegative = bytes[start] == UInt8(ascii: "-")
    let digits = isNegative ? start + 1 : start
    var index = skipDigits(bytes, from: digits, to: end)
    guard index > digits, bytes[digits] != UInt8(ascii: "0") || index == digits + 1 || index == end else {
      return nil
    }
    if index < end, bytes[index] == UInt8(ascii: ".") {
      let fraction = index + 1
      index = skipDigits(bytes, from: fraction, to: end)
      guard index > fraction else { return nil }
    }
    var parts = Notation(
      isNegative: isNegative, isPlain: index == end, start: digits, end: index, exponent: 0)
    if index == end {
      for at in digits..<end where bytes[at] == UInt8(ascii: ".") { parts.isPlain = false }
      return parts
    }
    guard bytes[index] | 0x20 == UInt8(ascii: "e") else { return nil }
    index += 1
    guard index < end else { return nil }
    let hasSign = bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+")
    let hasMinus = bytes[index] == UInt8(ascii: "-")
    if hasSign { index += 1 }
    guard index < end, skipDigits(bytes, from: index, to: end) == end else { return nil }
    for at in index..<end { parts.exponent = min(parts.exponent * 10 + Int(bytes[at] &- 0x30), exponentMax) }
    if hasMinus { parts.exponent = -parts.exponent }
    return parts
  }

  private static func skipDigits(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, bytes[index] &- 0x30 < 10 { index += 1 }
    return index
  }
}
