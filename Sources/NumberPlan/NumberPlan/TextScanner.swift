// Scans digits in a text: the common case in one pass. It handles ASCII digits with spaces, hyphens, dots, slashes and
// brackets between them; everything else goes to TextScanner+Unicode. Not for interpreting the digits.

/// The result of scanning a text.
struct ScannedText {
  var digits = Digits()
  /// Whether the number starts with a plus sign.
  var hasPlus = false
  /// The position of the extension's digits.
  var extensionPosition = ExtensionPosition()
}

enum TextScanner {
  /// libphonenumber's `MAX_INPUT_STRING_LENGTH`, in characters.
  static let charactersMax = 250
  /// libphonenumber's pattern of a viable number requires three digits, or exactly two and nothing else.
  static let digitsMin = 3

  /// The digits of the number in `text`, and whether it has a plus sign.
  @inline(__always)
  static func scan(_ text: Span<UInt8>) throws(NumberParseError) -> ScannedText {
    let count = text.count
    if count > charactersMax { return try scanAnyText(text) }
    var result = ScannedText()
    var index = 0
    // The number starts with the first plus sign or digit.
    search: while index < count {
      let byte = text[index]
      if byte &- UInt8(ascii: "0") < 10 { break }
      // After a semicolon, what looks like a number may be a phone context.
      if byte >= 0x80 || byte == UInt8(ascii: ";") { return try scanAnyText(text) }
      index &+= 1
      if byte == UInt8(ascii: "+") {
        result.hasPlus = true
        while index < count, text[index] == UInt8(ascii: "+") { index &+= 1 }
        break search
      }
    }
    while index < count {
      let byte = text[index]
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        result.digits.append(UInt64(digit))
      } else if !isPlainPunctuation(byte) {
        return try scanAnyText(text)
      }
      index &+= 1
    }
    // Too few digits for the fast path: apply the exact rules.
    if result.digits.count < digitsMin { return try scanAnyText(text) }
    return result
  }

  /// Space ( ) - . / [ ]: allowed between digits without any other effect.
  @inline(__always)
  private static func isPlainPunctuation(_ byte: UInt8) -> Bool {
    // One bit for each byte from 32 to 95.
    let set: UInt64 = 1 << 0 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 14 | 1 << 15 | 1 << 59 | 1 << 61
    let place = byte &- 32
    return place < 64 && (set &>> UInt64(place)) & 1 == 1
  }
}
