// The bytes of text: those with a meaning in the text form and their escapes, ends of lines, the UTF-8 check.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// ASCII bytes by name.
public enum Byte {
  @inlinable public static var tab: UInt8 { 0x09 }
  @inlinable public static var lineFeed: UInt8 { 0x0A }
  @inlinable public static var carriageReturn: UInt8 { 0x0D }
  @inlinable public static var dot: UInt8 { 0x2E }
  @inlinable public static var backslash: UInt8 { 0x5C }

  /// The letter that follows the backslash in the escape of `byte`; nil if it needs no escape.
  public static func escape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case backslash: backslash
    case tab: UInt8(ascii: "t")
    case lineFeed: UInt8(ascii: "n")
    case carriageReturn: UInt8(ascii: "r")
    default: nil
    }
  }

  /// Whether `letter` may follow a backslash.
  public static func isEscaped(_ letter: UInt8) -> Bool {
    letter == backslash || letter == UInt8(ascii: "t") || letter == UInt8(ascii: "n")
      || letter == UInt8(ascii: "r")
  }

  /// The byte that a backslash followed by `letter` means.
  public static func unescaped(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "t"): tab
    case UInt8(ascii: "n"): lineFeed
    case UInt8(ascii: "r"): carriageReturn
    default: letter
    }
  }
}

public enum LineScan {
  /// The index of the next line feed, or the end. Tests eight bytes per step.
  @inlinable @inline(__always)
  public static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int {
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
  public static func textStops(_ word: UInt64) -> UInt64 {
    let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
    return
      (((backslash &- 0x0101_0101_0101_0101) & ~backslash) | ((word &- 0x2020_2020_2020_2020) & ~word))
      & 0x8080_8080_8080_8080
  }
}

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
    // No word is loaded beyond the last eight bytes. Fewer than eight bytes are collected in a word once.
    let last = max(0, count &- 8)
    let short = count < 8 ? shortWord(bytes) : 0
    var index = 0
    while index < count {
      // The eight bytes from `index` on, with zeros after the end.
      let place = min(index, last)
      let loaded =
        count < 8
        ? short
        : unsafe UInt64(
          littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self))
      let word = loaded &>> UInt64(truncatingIfNeeded: 8 &* (index &- place))
      let passed = completeBytes(word)
      if passed == 0 { return false }
      index &+= passed
    }
    return true
  }

  /// Whether the bytes from `start` to `end` are well-formed UTF-8. Faster than checking a span that ends there.
  ///
  /// - Precondition: There are at least eight bytes from `end` on, and the byte at `end` is ASCII, such as a quote, so
  ///   that it ends a truncated character.
  /// - Complexity: O(bytes).
  public static func isValid(_ bytes: Span<UInt8>, from start: Int, endingBeforeASCIIAt end: Int) -> Bool {
    precondition(start >= 0 && end >= start && end <= bytes.count &- 8 && bytes[end] < 0x80)
    let raw = unsafe bytes.bytes
    var index = start
    while index < end {
      let passed = unsafe completeBytes(
        UInt64(littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)))
      if passed == 0 { return false }
      index &+= passed
    }
    return true
  }

  /// The number of bytes of the complete characters at the start of a word, or of the first of them; 0 when there are
  /// none.
  @inline(__always)
  private static func completeBytes(_ word: UInt64) -> Int {
    // ASCII up to the first other byte, or all eight bytes.
    if word & 0x80 == 0 { return (word & 0x8080_8080_8080_8080).trailingZeroBitCount &>> 3 }
    // Most Chinese, Japanese and Korean characters, so another one is likely to follow.
    if startsWithThreeByteCharacter(word) { return startsWithThreeByteCharacter(word &>> 24) ? 6 : 3 }
    // 110xxxxx 10xxxxxx; characters below U+0080 would be overlong.
    if word & 0xC0E0 == 0x80C0, word & 0x1E != 0 { return 2 }
    // 11110xxx and 10xxxxxx three times.
    return word & 0xC0C0_C0F8 == 0x8080_80F0 && plane(word) &- 1 < 16 ? 4 : 0
  }

  /// Whether a word starts with a character of three bytes, 1110xxxx 10xxxxxx 10xxxxxx. Characters below U+0800 would
  /// be overlong; U+D800 to U+DFFF are surrogates.
  @inline(__always)
  private static func startsWithThreeByteCharacter(_ word: UInt64) -> Bool {
    let range = word & 0x200F
    return word & 0xC0_C0F0 == 0x80_80E0 && range != 0 && range != 0x200D
  }

  /// The upper five bits of a character of four bytes; U+10000 to U+10FFFF are planes 1 to 16.
  @inline(__always)
  private static func plane(_ word: UInt64) -> UInt64 { (word & 7) &<< 2 | (word &>> 12) & 3 }

  /// Fewer than eight bytes as a word, the first one lowest.
  private static func shortWord(_ bytes: Span<UInt8>) -> UInt64 {
    let count = bytes.count
    if count >= 4 {
      // Two halves that may overlap; the shared bytes are equal in both.
      let raw = unsafe bytes.bytes
      let front = unsafe UInt32(
        littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self))
      let back = unsafe UInt32(
        littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self))
      return UInt64(front) | UInt64(back) &<< UInt64(8 &* (count &- 4))
    }
    var word: UInt64 = 0
    for index in 0..<count { word |= UInt64(bytes[index]) &<< UInt64(8 &* index) }
    return word
  }
}
