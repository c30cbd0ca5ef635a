// Whether bytes are UTF-8.

/// A UTF-8 validator over a span.
public enum UTF8Check {
  /// Whether the bytes are well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
  ///
  /// Source: The Unicode Standard, table 3-7.
  ///
  /// - Complexity: O(bytes).
  public static func isValid(_ bytes: Span<UInt8>) -> Bool {
    let raw = unsafe bytes.bytes
    let count = bytes.count
    var index = 0
    while index < count {
      let left = count &- index
      // Eight bytes of ASCII at a time; at the end what is left of the last eight.
      if count >= 8 {
        let place = min(index, count &- 8)
        let word = unsafe UInt64(
          littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
        if (word &>> UInt64(8 &* (index &- place))) & 0x8080_8080_8080_8080 == 0 {
          if left <= 8 { return true }
          index &+= 8
          continue
        }
      }
      if left >= 4 {
        // Three bytes, as most of what is written in China, Japan and Korea: 1110xxxx 10xxxxxx 10xxxxxx.
        let word = unsafe UInt32(
          littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
        if word & 0x00C0_C0F0 == 0x0080_80E0 {
          let upper = (word & 0x0F) &<< 6 | (word &>> 8) & 0x3F
          // Below U+0800 two bytes were enough; U+D800 to U+DFFF are surrogates.
          guard upper >= 0x20, upper &>> 5 != 0x1B else { return false }
          index &+= 3
          continue
        }
      }
      guard let length = length(at: index, in: bytes) else { return false }
      index &+= length
    }
    return true
  }

  /// The bytes of the character at `index`, or nil when none is well-formed.
  private static func length(at index: Int, in bytes: Span<UInt8>) -> Int? {
    let lead = bytes[index]
    if lead < 0x80 { return 1 }
    let length: Int
    var low: UInt8 = 0x80
    var high: UInt8 = 0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, low) = (3, 0xA0)
    case 0xED: (length, high) = (3, 0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, low) = (4, 0x90)
    case 0xF4: (length, high) = (4, 0x8F)
    case 0xF1...0xF3: length = 4
    default: return nil
    }
    guard index + length <= bytes.count, bytes[index + 1] >= low, bytes[index + 1] <= high else { return nil }
    for next in (index + 2)..<max(index + 2, index + length) where bytes[next] & 0xC0 != 0x80 { return nil }
    return length
  }
}
