// The wildcards for digits in patterns such as `070-XXXX-XXXX`, in any script.
//
// Not for: the meaning of a pattern (NormalizeStage for rows of a list, GenerateStage for patterns on the command
// line).

/// Recognises wildcards.
package enum Wildcard {
  /// Whether an ASCII character is a wildcard for a digit: `#`, `*`, `?`, `x` or `X`.
  package static func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "#") || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?")
      || byte | 0x20 == UInt8(ascii: "x")
  }

  /// The ASCII equivalent of a wildcard, digit, dash or blank of another script; nil for other characters.
  package static func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar.value {
    case 0..<0x80: UInt8(scalar.value)
    // Full-width forms are in the order of ASCII.
    case 0xFF01...0xFF5E: UInt8(scalar.value - 0xFF01 + 0x21)
    // Circles are wildcards in East Asian texts.
    case 0x25CB, 0x25CF, 0x25EF, 0x3007: UInt8(ascii: "#")
    case 0x2010...0x2015, 0x2212, 0x30FC, 0xFF0D: UInt8(ascii: "-")
    case 0xA0, 0xAD, 0x2000...0x200F, 0x2018...0x206F, 0x3000...0x3003, 0x3008...0x301F, 0xFEFF:
      UInt8(ascii: " ")
    default: nil
    }
  }
}
