// libphonenumber's digits, plus signs, punctuation and letters, and UTF-8 decoding in both directions.
// Not for sequences of characters (TextScanner+Unicode, ExtensionFinder).

extension UInt32 {
  init(ascii scalar: Unicode.Scalar) { self = scalar.value }
}

enum Characters {
  /// The scalar for each byte that is not valid UTF-8; it is never part of a number.
  static let replacement: UInt32 = 0xFFFD

  /// The scalar at `index`, and its length in bytes.
  static func decode(_ text: Span<UInt8>, _ index: Int, _ end: Int) -> (scalar: UInt32, length: Int) {
    let first = UInt32(text[index])
    if first < 0x80 { return (first, 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first <= 0xF4, index + length <= end else { return (replacement, 1) }
    var scalar = first & (0xFF >> UInt32(length + 1))
    for offset in 1..<length {
      let byte = UInt32(text[index + offset])
      if byte & 0xC0 != 0x80 { return (replacement, 1) }
      scalar = scalar << 6 | (byte & 0x3F)
    }
    let lowest: UInt32 = length == 4 ? 0x1_0000 : length == 3 ? 0x800 : 0x80
    return scalar >= lowest && Unicode.Scalar(scalar) != nil ? (scalar, length) : (replacement, 1)
  }

  /// The scalar that ends before `end`, and its length in bytes.
  static func decodeBackward(_ text: Span<UInt8>, _ end: Int, _ start: Int) -> (scalar: UInt32, length: Int) {
    for length in 1...4 where end - length >= start {
      let byte = text[end - length]
      if byte & 0xC0 == 0x80 { continue }
      let decoded = decode(text, end - length, end)
      return decoded.length == length ? decoded : (replacement, 1)
    }
    return (replacement, 1)
  }

  /// The value of a decimal digit of any script.
  static func digit(_ scalar: UInt32) -> UInt64? {
    switch scalar {
    case 0x30...0x39: return UInt64(scalar - 0x30)
    case 0..<0x660: return nil
    case 0xFF10...0xFF19: return UInt64(scalar - 0xFF10)
    case 0x660...0x669: return UInt64(scalar - 0x660)
    case 0x6F0...0x6F9: return UInt64(scalar - 0x6F0)
    // Dashes, kana, ideographs, Hangul, full-width forms: common in such texts, and without digits.
    case 0x2000...0xA5FF, 0xAC00...0xFFFF: return nil
    default: return Tables.digit(scalar).map { UInt64($0) }
    }
  }

  /// + and its full-width form.
  static func isPlus(_ scalar: UInt32) -> Bool { scalar == 0x2B || scalar == 0xFF0B }

  /// libphonenumber's `VALID_PUNCTUATION`, and the star.
  static func isPunctuation(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x20, 0x28, 0x29, 0x2A, 0x2D, 0x2E, 0x2F, 0x5B, 0x5D, 0x7E:  // space ( ) * - . / [ ] ~
      true
    case 0x58, 0x78:  // X and x stand for a carrier code
      true
    case 0xA0, 0xAD, 0x200B, 0x2010...0x2015, 0x2053, 0x2060, 0x2212, 0x223C, 0x3000, 0x30FC:
      true
    case 0xFF08, 0xFF09, 0xFF0D...0xFF0F, 0xFF3B, 0xFF3D, 0xFF5E:
      true
    default:
      false
    }
  }

  /// The keypad digit of an ASCII letter (ITU-T E.161); nil for anything else.
  static func keypadDigit(_ scalar: UInt32) -> UInt64? {
    switch scalar & ~0x20 {
    case UInt32(ascii: "A")...UInt32(ascii: "C"): 2
    case UInt32(ascii: "D")...UInt32(ascii: "F"): 3
    case UInt32(ascii: "G")...UInt32(ascii: "I"): 4
    case UInt32(ascii: "J")...UInt32(ascii: "L"): 5
    case UInt32(ascii: "M")...UInt32(ascii: "O"): 6
    case UInt32(ascii: "P")...UInt32(ascii: "S"): 7
    case UInt32(ascii: "T")...UInt32(ascii: "V"): 8
    case UInt32(ascii: "W")...UInt32(ascii: "Z"): 9
    default: nil
    }
  }

  /// Whether Python's case-insensitive regular expressions, with which the tests compare this module, match the scalar
  /// with A to Z: the letters, I with and without its dot, the Kelvin sign, and the long s.
  static func isLetter(_ scalar: UInt32) -> Bool {
    if keypadDigit(scalar) != nil { return true }
    return scalar == 0x130 || scalar == 0x131 || scalar == 0x17F || scalar == 0x212A
  }

  /// The digit of a letter in a vanity number. Outside ASCII, only the two letters whose capitals are ASCII have one.
  static func lettersDigit(_ scalar: UInt32) -> UInt64? {
    switch scalar {
    case 0x131: 4
    case 0x17F: 7
    default: keypadDigit(scalar)
    }
  }

  /// The lower-case letter for case-insensitive matching, for the letters in extension labels.
  static func folded(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    case UInt32(ascii: "A")...UInt32(ascii: "Z"): scalar + 0x20
    case 0xD3: 0xF3  // ó
    case 0x130, 0x131: UInt32(ascii: "i")
    case 0x17F: UInt32(ascii: "s")
    case 0x414, 0x1C81: 0x434  // д
    case 0x41E, 0x1C82: 0x43E  // о
    case 0x411: 0x431  // б
    case 0xFF21...0xFF3A: scalar + 0x20
    default: scalar
    }
  }

  /// Whether the scalar is in Unicode's categories L and N, which are not trimmed at the end of a number.
  static func isLetterOrNumber(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar &- 0x30 < 10 || keypadDigit(scalar) != nil }
    return Tables.isLetterOrNumber(scalar)
  }

  /// Whether the bytes of `literal` are at `index`.
  static func matches(_ literal: StaticString, _ text: Span<UInt8>, _ index: Int) -> Bool {
    let length = literal.utf8CodeUnitCount
    guard index >= 0, index + length <= text.count else { return false }
    return literal.withUTF8Buffer { buffer in
      for offset in 0..<length {
        if unsafe buffer[offset] != text[index + offset] { return false }
      }
      return true
    }
  }
}
