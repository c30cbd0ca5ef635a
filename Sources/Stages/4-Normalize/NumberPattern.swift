// Number texts that end in wildcards, and the ranges they stand for: `33162######`, `+33162*`, `070-XXXX-XXXX`.

import BasicContainers

/// A number text that ends in wildcards.
struct NumberPattern {
  /// The most digits that wildcards can stand for.
  private static let wildcardsMax = 15

  /// The text before the first wildcard.
  private var prefix: [UInt8]
  /// How many digits the wildcards stand for; nil for `*`, any number of them.
  private var digits: Int?

  /// Whether the text has a character that can be a wildcard.
  @inline(__always)
  static func mayBe(_ text: Span<UInt8>) -> Bool {
    for index in 0..<text.count {
      let byte = text[index]
      // Digits and the usual separators are below or between these few.
      if byte == UInt8(ascii: "#") || byte == UInt8(ascii: "*") || byte | 0x20 == UInt8(ascii: "x")
        || byte == UInt8(ascii: "?")
      {
        return true
      }
    }
    return false
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
