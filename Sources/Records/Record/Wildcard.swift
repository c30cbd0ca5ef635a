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

  /// The ASCII equivalent of a wildcard, digit, dash or blank of another script; nil for other characters, among them
  /// the ellipses.
  package static func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar.value {
    case 0..<0x80: UInt8(scalar.value)
    // Full-width forms are in the order of ASCII.
    case 0xFF01...0xFF5E: UInt8(scalar.value - 0xFF01 + 0x21)
    // Multiplication signs, bullets, blocks, squares and circles hide digits, or leave space for them.
    case 0xD7, 0x2022, 0x2580...0x25FF, 0x2610...0x2612, 0x26AA, 0x26AB, 0x2B1A...0x2B1C, 0x2B24, 0x2B55,
      0x3007:
      UInt8(ascii: "#")
    // Stars and asterisks, reference marks.
    case 0x203B, 0x204E, 0x2217, 0x22C6, 0x2605, 0x2606, 0x2722...0x274B, 0x2B50: UInt8(ascii: "*")
    case 0x2753, 0x2754: UInt8(ascii: "?")
    case 0x2053, 0x223C, 0x301C: UInt8(ascii: "~")
    case 0x2010...0x2015, 0x2212, 0x30FC, 0xFF0D: UInt8(ascii: "-")
    case 0xA0, 0xAD, 0x2000...0x200F, 0x2018...0x2024, 0x2027...0x203A, 0x203C...0x204D, 0x204F...0x2052,
      0x2054...0x206F, 0x3000...0x3003, 0x3008...0x301B, 0x301D...0x301F, 0xFEFF:
      UInt8(ascii: " ")
    default: nil
    }
  }
}
