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
    if let digits = onlyDigits(text, from: index) {
      result.digits = digits
      return result
    }
    // Eight bytes at a time.
    while index < count {
      let length = min(count &- index, 8)
      let values = word(text, index, length) ^ zeros
      let others = nonDigits(values) & (UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- length &* 8))
      guard appendDigits(values, count: length, besides: others, to: &result.digits) else {
        return try scanAnyText(text)
      }
      index &+= length
    }
    // Too few digits for the fast path: apply the exact rules.
    if result.digits.count < digitsMin { return try scanAnyText(text) }
    return result
  }

  private static var zeros: UInt64 { 0x3030_3030_3030_3030 }

  /// The high bit of each byte that is not the value of a digit.
  @inline(__always)
  private static func nonDigits(_ values: UInt64) -> UInt64 {
    // No carry leaves its byte.
    (((values & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
  }

  /// The digits from `index` on; nil if there are other characters, or not 8 to 16.
  @inline(__always)
  private static func onlyDigits(_ text: Span<UInt8>, from index: Int) -> Digits? {
    let count = text.count &- index
    guard count >= 8, count <= 16 else { return nil }
    // The two words overlap, and agree where they do.
    let front = word(text, index, 8) ^ zeros
    let back = word(text, text.count &- 8, 8) ^ zeros
    guard nonDigits(front) | nonDigits(back) == 0 else { return nil }
    let shift = UInt64(truncatingIfNeeded: (count &- 8) &* 4)
    return Digits(packed: Digits.packed(front) | Digits.packed(back) &<< shift, count: count)
  }

  /// The bytes of the text from `index` on, the first one lowest; the bytes after `length` are undefined.
  @inline(__always)
  private static func word(_ text: Span<UInt8>, _ index: Int, _ length: Int) -> UInt64 {
    let bytes = unsafe text.bytes
    // Checked loads; any eight bytes are a valid UInt64.
    if length == 8 {
      return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
    if text.count >= 8 {
      let last = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self)
      return UInt64(littleEndian: last) &>> UInt64(truncatingIfNeeded: 64 &- length &* 8)
    }
    var word: UInt64 = 0
    for offset in 0..<length {
      word |= UInt64(text[index &+ offset]) &<< UInt64(truncatingIfNeeded: offset &* 8)
    }
    return word
  }

  /// Appends the digits among `count` values of a byte each; `others` has the high bit of each byte that is not one.
  /// Returns false if one of those is not plain punctuation.
  @inline(__always)
  private static func appendDigits(
    _ values: UInt64, count: Int, besides others: UInt64, to digits: inout Digits
  ) -> Bool {
    var (values, others, count) = (values, others, count)
    // From the last one on, so that the positions of the ones before stay the same.
    while others != 0 {
      let shift = UInt64(truncatingIfNeeded: 56 &- (others.leadingZeroBitCount & ~7))
      guard isPlainPunctuation(UInt8(truncatingIfNeeded: values &>> shift) ^ 0x30) else { return false }
      let before = (1 &<< shift) &- 1
      values = (values & before) | ((values &>> 8) & ~before)
      others &= before
      count &-= 1
    }
    digits.append(unpacked: values, count: count)
    return true
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
