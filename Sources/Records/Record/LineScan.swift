// Finds the ends of lines.

/// Finds the ends of lines.
@usableFromInline
package enum LineScan {
  /// The index of the next line feed, or the end. Tests eight bytes per step.
  @inlinable @inline(__always)
  package static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int {
    let raw = unsafe bytes.bytes
    var index = start
    while index + 8 <= bytes.count {
      // Line feeds become zero bytes in `differing`; the standard zero-byte test finds the lowest one.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let differing = UInt64(littleEndian: word) ^ 0x0A0A_0A0A_0A0A_0A0A
      let zeros = (differing &- 0x0101_0101_0101_0101) & ~differing & 0x8080_8080_8080_8080
      if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, bytes[index] != 0x0A { index += 1 }
    return index
  }

  /// Marks the bytes of a word that end the plain part of a raw row's text: tabs, line feeds and other control
  /// characters, and backslashes. Only the lowest mark is exact.
  @inlinable @inline(__always)
  package static func textStops(_ word: UInt64) -> UInt64 {
    let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return
      (((backslash &- 0x0101_0101_0101_0101) & ~backslash) | ((word &- 0x2020_2020_2020_2020) & ~word))
      & 0x8080_8080_8080_8080
  }
}
