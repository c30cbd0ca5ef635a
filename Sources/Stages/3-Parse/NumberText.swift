// The characters that people write phone numbers with, to distinguish numbers, labels and headers.
//
// Not for: which number it is, or whether it is one (normalize).

import Records

/// The characters of written numbers.
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
    case 0xFF03, 0xFF08...0xFF0B, 0xFF0E, 0xFF0F: return true
    default: break
    }
    switch scalar.properties.generalCategory {
    case .decimalNumber, .dashPunctuation, .format, .spaceSeparator: return true
    default: return scalar.value == 0x2212
    }
  }

  /// The contents of a text: its numbers of digits of any script and of letters, and whether it has other characters.
  struct Contents {
    package var digits = 0
    package var letters = 0
    var hasOther = false

    /// Whether this can be a number: enough digits, and only characters that are used in numbers.
    package func isNumber(digitsMin: Int) -> Bool { digits >= digitsMin && !hasOther }
  }

  /// Counts the contents of the text from `start` to `end`.
  ///
  /// - Complexity: O(bytes).
  package static func contents(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Contents {
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
      if scalar.properties.generalCategory == .decimalNumber {
        contents.digits += 1
      } else if scalar.properties.isAlphabetic {
        contents.letters += 1
      }
      if !isCharacter(scalar) { contents.hasOther = true }
      index += length
    }
    return contents
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
