// The texts of a sample's numbers, prepared for trying regions: without wildcards, and apart from those that carry their
// country code.
//
// Not for: reading numbers (normalize).

import NumberPlan

/// The number texts of a sample.
struct NumberTexts {
  /// A text, and what decides how likely it is valid by chance.
  struct Text {
    var bytes: ContiguousArray<UInt8>
    /// The number of ASCII digits.
    var digits: Int
    /// Whether the first digit is 0.
    var startsWithZero: Bool
  }

  /// The texts that may lack a country code.
  private(set) var national: [Text] = []
  /// The number of texts with a plus sign.
  private(set) var internationalCount = 0
  /// The valid ones among them, by calling code.
  private(set) var callingCodes: [UInt16: Int] = [:]
  /// The number of national texts that are valid if they are read as international.
  private(set) var validInternationally = 0

  /// The maximum number of national texts that are tried.
  static let nationalMax = 1000
  /// The maximum size of a text that may be a number, in bytes.
  private static let bytesMax = 64
  /// The minimum number of digits of a text that is tried.
  private static let digitsMin = 3

  /// Prepares the texts of some rows, spread evenly over them.
  init(_ rows: [SampledRow]) {
    let step = max(1, rows.count / Self.nationalMax)
    var random = TrialDigits()
    for index in stride(from: 0, to: rows.count, by: step) {
      add(rows[index].text, &random)
    }
  }

  private mutating func add(_ text: [UInt8], _ random: inout TrialDigits) {
    guard text.count <= Self.bytesMax else { return }
    var bytes = ContiguousArray<UInt8>()
    var digits = 0
    var first: UInt8?
    for (index, byte) in text.enumerated() {
      // The first number of a range stands for all of them.
      if byte == UInt8(ascii: "."), index + 1 < text.count, text[index + 1] == byte { break }
      let isWildcard = "#*?_xX".utf8.contains(byte)
      let shown = isWildcard ? random.next() : byte
      if shown &- 0x30 < 10 {
        digits += 1
        first = first ?? shown
      }
      bytes.append(shown)
    }
    if Self.hasPlus(bytes) {
      internationalCount += 1
      if let number = try? NumberPlan.parseInternational(bytes.span), NumberPlan.isValid(number) {
        callingCodes[number.callingCode, default: 0] += 1
      }
      return
    }
    guard digits >= Self.digitsMin || bytes.contains(where: { $0 >= 0x80 }) else { return }
    national.append(Text(bytes: bytes, digits: digits, startsWithZero: first == UInt8(ascii: "0")))
    if let number = try? NumberPlan.parseInternational(bytes.span), NumberPlan.isValid(number) {
      validInternationally += 1
    }
  }

  /// Whether a text has a plus sign, of ASCII or full width, before its first digit.
  private static func hasPlus(_ bytes: ContiguousArray<UInt8>) -> Bool {
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "+") { return true }
      if byte == 0xEF, index + 2 < bytes.count, bytes[index + 1] == 0xBC, bytes[index + 2] == 0x8B {
        return true
      }
      if byte &- 0x30 < 10 { return false }
    }
    return false
  }

  /// The share of the valid numbers with a plus sign that have a calling code, 0 to 1.
  func shareOfCallingCode(_ code: UInt16) -> Double {
    let valid = callingCodes.values.reduce(0, +)
    return valid > 0 ? Double(callingCodes[code] ?? 0) / Double(valid) : 0
  }
}

/// Digits for trials, the same in every run.
struct TrialDigits {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// The next digit in ASCII.
  mutating func next() -> UInt8 {
    // A linear congruential generator (Knuth, MMIX); its high bits are good enough for digits.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return 0x30 + UInt8(truncatingIfNeeded: (state >> 33) % 10)
  }
}
