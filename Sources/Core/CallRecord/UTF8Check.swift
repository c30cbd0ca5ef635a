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
    // The last eight bytes stand for all that is behind them; fewer than eight are put into a word once.
    let last = max(0, count &- 8)
    let short = count < 8 ? shortWord(bytes) : 0
    var index = 0
    while index < count {
      // The eight bytes from `index` on, zeros behind the end.
      let place = min(index, last)
      let loaded =
        count < 8
        ? short
        : unsafe UInt64(
          littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self))
      let word = loaded &>> UInt64(truncatingIfNeeded: 8 &* (index &- place))
      let others = word & 0x8080_8080_8080_8080
      if others & 0x80 == 0 {
        // ASCII up to the next other byte, or all eight.
        index &+= others.trailingZeroBitCount &>> 3
      } else if word & 0x00C0_C0F0 == 0x0080_80E0 {
        // Three bytes, as most of what is written in China, Japan and Korea: 1110xxxx 10xxxxxx 10xxxxxx.
        // Below U+0800 two bytes were enough; U+D800 to U+DFFF are surrogates.
        let range = word & 0x200F
        guard range != 0, range != 0x200D else { return false }
        index &+= 3
      } else if word & 0xC0E0 == 0x80C0 {
        // Two bytes: 110xxxxx 10xxxxxx. Below U+0080 one was enough.
        guard word & 0x1E != 0 else { return false }
        index &+= 2
      } else {
        guard let length = length(at: index, in: bytes) else { return false }
        index &+= length
      }
    }
    return true
  }

  /// Fewer than eight bytes in a word, the first one lowest.
  private static func shortWord(_ bytes: Span<UInt8>) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<bytes.count { word |= UInt64(bytes[index]) &<< UInt64(8 &* index) }
    return word
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
