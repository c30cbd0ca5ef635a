// Number texts that stand for ranges: those that end in wildcards (`33162######`, `+33162*`, `070-XXXX-XXXX`), and
// two numbers with dots between (`33162000000..33162999999`).

import CallRecord

/// A number text that ends in wildcards.
struct NumberPattern {
  /// The most digits that wildcards can stand for.
  private static let wildcardsMax = 15

  /// The text before the first wildcard.
  private var prefix: [UInt8]
  /// How many digits the wildcards stand for; nil for `*`, any number of them.
  private var digits: Int?

  /// Whether the text has a character that can be a wildcard, or the dots of a range. It may be all the texts of a batch, so eight bytes
  /// are looked at in one step.
  static func mayBe(_ text: Span<UInt8>) -> Bool {
    let raw = unsafe text.bytes
    var index = 0
    while index + 8 <= text.count {
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      // Digits are all that most texts are made of, and no digit is a wildcard. The upper halves tell 0 to 9 and six
      // more from all others; six added, those six are told too.
      let upper: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
      let digits: UInt64 = 0x3030_3030_3030_3030
      let areDigits = word & upper == digits && (word &+ 0x0606_0606_0606_0606) & upper == digits
      if !areDigits, hasWildcard(text, from: index, to: index + 8) { return true }
      index += 8
    }
    return hasWildcard(text, from: index, to: text.count)
  }

  private static func hasWildcard(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    for index in start..<end where isWildcard(text[index]) || isDots(text, at: index) { return true }
    return false
  }

  private static func isDots(_ text: Span<UInt8>, at index: Int) -> Bool {
    text[index] == UInt8(ascii: ".") && index + 1 < text.count && text[index + 1] == UInt8(ascii: ".")
  }

  /// The run of numbers from the one before `..` to the one behind it, both read like any other; nil when there
  /// are no dots. They must have equally many digits.
  static func range(
    _ text: Span<UInt8>, _ reading: NumberReading
  ) throws(NormalizeReject) -> ClosedRange<UInt64>? {
    var dots = 0
    while dots < text.count, !isDots(text, at: dots) { dots += 1 }
    guard dots < text.count else { return nil }
    let low = try reading.read(text.extracting(0..<dots))
    let high = try reading.read(text.extracting(dots + 2..<text.count))
    guard low <= high, Decimal.digitCount(low) == Decimal.digitCount(high) else { throw .badPattern }
    return low...high
  }

  /// Reads a text; nil when it is none that ends in wildcards: no digit before them, letters before them, or
  /// something other than wildcards and separators behind them.
  init?(_ text: Span<UInt8>) {
    var start = 0
    var hasDigit = false
    while start < text.count, !Self.isWildcard(text[start]) {
      let byte = text[start]
      if byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") { return nil }
      if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") || byte >= 0x80 { hasDigit = true }
      start += 1
    }
    guard hasDigit, start < text.count else { return nil }
    var count = 0
    var isOpen = false
    for index in start..<text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "*") {
        guard !isOpen, count == 0 else { return nil }
        isOpen = true
      } else if Self.isWildcard(byte) {
        guard !isOpen else { return nil }
        count += 1
      } else {
        guard Self.isSeparator(byte) else { return nil }
      }
    }
    guard count <= Self.wildcardsMax else { return nil }
    prefix = []
    for index in 0..<start { prefix.append(text[index]) }
    digits = isOpen ? nil : count
  }

  /// The runs of numbers that the pattern stands for, ascending; every length that the country has for `*`.
  func ranges(_ reading: NumberReading) throws(NormalizeReject) -> [ClosedRange<UInt64>] {
    if let digits {
      guard let range = try range(digits, reading) else { throw .badPattern }
      return [range]
    }
    var reading = reading
    reading.takesLocalOnly = false
    var found: [ClosedRange<UInt64>] = []
    for count in 0...Self.wildcardsMax {
      guard let range = try? range(count, reading), !found.contains(range) else { continue }
      found.append(range)
    }
    guard !found.isEmpty else { throw .badPattern }
    return found.sorted { $0.lowerBound < $1.lowerBound }
  }

  /// The run of numbers with `count` digits for the wildcards, or nil when they are not one run: the lowest and
  /// the highest of them are read, and must lie as far apart as the wildcards reach.
  private func range(_ count: Int, _ reading: NumberReading) throws(NormalizeReject) -> ClosedRange<UInt64>? {
    let low = try reading.read((prefix + [UInt8](repeating: UInt8(ascii: "0"), count: count)).span)
    let high = try reading.read((prefix + [UInt8](repeating: UInt8(ascii: "9"), count: count)).span)
    var reach: UInt64 = 1
    for _ in 0..<count { reach *= 10 }
    return high >= low && high - low == reach - 1 ? low...high : nil
  }

  private static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "#") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?")
      || byte | 0x20 == UInt8(ascii: "x")
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
