// Hexadecimal digits of hashes, keys and signatures, as in messages, manifests and file names.

/// Converts between bytes and hexadecimal digits.
package enum Hexadecimal {
  /// The number of digits of a SHA-256.
  package static let sha256DigitCount = 64

  /// Writes two lower-case digits per byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The 32 bytes of a SHA-256 written as 64 lower-case digits; nil for any other text.
  package static func sha256(_ text: String) -> [UInt8]? { bytes(text, count: sha256DigitCount / 2) }

  /// The bytes of a text of lower-case digits, two for each; nil for any other text, and unless they are this many.
  package static func bytes(_ text: some StringProtocol, count: Int) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 2 * count else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// A SHA-256 in digits of either case, as lower-case digits; nil for any other text.
  package static func normalizedSHA256(_ text: String) -> String? {
    let isHash = text.utf8.count == sha256DigitCount && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    return isHash ? text.lowercased() : nil
  }

  /// Whether a byte is a lower-case hexadecimal digit.
  package static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil }

  /// The value of a lower-case digit.
  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
