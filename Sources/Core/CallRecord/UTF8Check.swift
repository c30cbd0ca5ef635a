// Whether bytes are UTF-8.

/// A UTF-8 validator over a span.
public enum UTF8Check {
  /// Whether the bytes are well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
  ///
  /// Source: The Unicode Standard, table 3-7.
  ///
  /// - Complexity: O(bytes).
  public static func isValid(_ bytes: Span<UInt8>) -> Bool {
    var index = 0
    let count = bytes.count
    while index < count {
      let lead = bytes[index]
      if lead < 0x80 {
        index += 1
        continue
      }
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
      default: return false
      }
      guard index + length <= count, bytes[index + 1] >= low, bytes[index + 1] <= high else { return false }
      var next = index + 2
      while next < index + length {
        guard bytes[next] & 0xC0 == 0x80 else { return false }
        next += 1
      }
      index += length
    }
    return true
  }
}
