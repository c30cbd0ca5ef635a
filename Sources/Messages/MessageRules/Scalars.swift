// Decodes the characters of UTF-8 text that may contain invalid bytes. Not for: folding them.

/// Decodes characters of UTF-8 text.
package enum Scalars {
  static let replacement: UInt32 = 0xFFFD

  /// A character of three bytes, like nearly all of East Asia's; nil if it must be decoded in full.
  @inline(__always)
  static func eastAsian(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt32? {
    guard at &+ 2 < text.count else { return nil }
    let lead = unsafe UInt32(text[at])
    let second = unsafe UInt32(text[at &+ 1])
    let third = unsafe UInt32(text[at &+ 2])
    // From U+2000 on, without surrogates: leads E2 to EC, EE, EF.
    guard lead &- 0xE2 < 14, lead != 0xED, (second & 0xC0) == 0x80, (third & 0xC0) == 0x80 else { return nil }
    return (lead & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
  }

  /// The next scalar of a text. An invalid UTF-8 byte becomes U+FFFD. Conjoining Korean letters are combined into the
  /// syllable that they form.
  @inline(__always)
  package static func next(_ text: Span<UInt8>, _ at: inout Int) -> UInt32 {
    let first = decode(text, &at)
    if first &- 0x1100 < 19 { return syllable(first, text, &at) }
    return first
  }

  @inline(__always)
  private static func decode(_ text: Span<UInt8>, _ at: inout Int) -> UInt32 {
    let lead = UInt32(text[at])
    if lead < 0x80 {
      at &+= 1
      return lead
    }
    if lead & 0xF0 == 0xE0, at &+ 2 < text.count {
      let second = UInt32(text[at &+ 1])
      let third = UInt32(text[at &+ 2])
      let scalar = (lead & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F
      if second & 0xC0 == 0x80, third & 0xC0 == 0x80, scalar >= 0x800, scalar &- 0xD800 >= 0x800 {
        at &+= 3
        return scalar
      }
    } else if lead & 0xE0 == 0xC0, at &+ 1 < text.count {
      let second = UInt32(text[at &+ 1])
      if second & 0xC0 == 0x80, lead >= 0xC2 {
        at &+= 2
        return (lead & 0x1F) << 6 | second & 0x3F
      }
    } else if lead & 0xF8 == 0xF0, at &+ 3 < text.count {
      let second = UInt32(text[at &+ 1])
      let third = UInt32(text[at &+ 2])
      let fourth = UInt32(text[at &+ 3])
      let scalar = (lead & 0x07) << 18 | (second & 0x3F) << 12 | (third & 0x3F) << 6 | fourth & 0x3F
      if second & 0xC0 == 0x80, third & 0xC0 == 0x80, fourth & 0xC0 == 0x80, scalar >= 0x10000,
        scalar < 0x110000
      {
        at &+= 4
        return scalar
      }
    }
    at &+= 1
    return replacement
  }

  /// Combines Korean letters into a syllable. Source: The Unicode Standard, section 3.12.
  @inline(never)
  private static func syllable(_ lead: UInt32, _ text: Span<UInt8>, _ at: inout Int) -> UInt32 {
    var next = at
    guard next < text.count else { return lead }
    let vowel = decode(text, &next) &- 0x1161
    guard vowel < 21 else { return lead }
    at = next
    var scalar = 0xAC00 + ((lead - 0x1100) * 21 + vowel) * 28
    guard next < text.count else { return scalar }
    let trail = decode(text, &next) &- 0x11A7
    if trail > 0, trail < 28 {
      at = next
      scalar += trail
    }
    return scalar
  }
}
