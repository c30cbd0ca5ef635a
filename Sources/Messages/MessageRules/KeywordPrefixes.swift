// How keywords begin: sets of hashed beginnings, which tell for most places of a text that no keyword begins there.
//
// A long keyword has two beginnings of five symbols, from its first symbol and from its second, so that every other
// place of a text is enough to see it. A short one is looked for by its first two symbols. Not for: following keywords
// (KeywordSearch).

/// The sets of keywords' beginnings. They say "perhaps" or "no", and never "no" where a keyword is.
@safe
package struct KeywordPrefixes {
  /// The sets: two symbols of short keywords, five symbols of long ones.
  package static let setCount = 2
  /// The fewest bits of a set: one word.
  package static let bitsMin = 64
  /// The most bits of a set: 128 KiB, so that both of them fit a second-level cache.
  package static let bitsMax = 1 << 20
  /// Bits for each keyword: of a text's places that are looked at one in sixteen is taken for a beginning by mistake, or
  /// fewer.
  private static let bitsEach = 32
  /// The most symbols of a short keyword: a long one has two beginnings.
  package static let shortMax = symbols
  /// How many symbols are looked at from a place of a text.
  package static let symbols = 5

  /// How many bits a set has for some keywords.
  package static func bits(forKeywords count: Int) -> Int {
    var bits = bitsMin
    while bits < bitsMax, bits < bitsEach * count { bits *= 2 }
    return bits
  }

  /// Whether a set can have the given number of bits.
  static func areBits(_ bits: Int) -> Bool {
    bits >= bitsMin && bits <= bitsMax && bits & (bits - 1) == 0
  }

  private let pairs: UnsafePointer<UInt64>
  private let longs: UnsafePointer<UInt64>
  private let shift: UInt64

  /// Uses the sets where they are in memory, for as long as they are there.
  ///
  /// Unchecked: there are two sets of this size, a number that ``areBits(_:)``.
  init(_ start: UnsafeRawPointer, bits: Int) {
    unsafe pairs = start.assumingMemoryBound(to: UInt64.self)
    unsafe longs = pairs + bits / 64
    shift = Self.shift(bits)
  }

  /// The first position, of every other one from `start` on, where a keyword may begin, or one before it or after it; what is
  /// no less than `end` if there is none.
  ///
  /// All sets are asked at every place and the answers put together, because an answer is not to be guessed: a jump
  /// guessed wrong costs more than all of the tests. Unchecked: a set has a bit for every hash, and there are some
  /// symbols after the end.
  func next(in symbols: UnsafePointer<UInt16>, from start: Int, to end: Int) -> Int {
    var at = start
    while at < end {
      let four = unsafe Self.four(symbols, at)
      let long = unsafe Self.bit(
        of: longs, Self.place(ofFour: four, andFifth: symbols[at &+ Self.symbols &- 1], shift))
      let first = UInt32(truncatingIfNeeded: four)
      let second = UInt32(truncatingIfNeeded: four >> 16)
      let short = unsafe Self.bit(of: pairs, Self.place(ofTwo: first, shift))
      let other = unsafe Self.bit(of: pairs, Self.place(ofTwo: second, shift))
      if (long | short | other) & 1 != 0 { return at }
      at &+= 2
    }
    return at
  }

  /// Whether a long keyword may begin at a place or in front of it.
  func hasLong(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> Bool {
    unsafe Self.bit(
      of: longs,
      Self.place(ofFour: Self.four(symbols, at), andFifth: symbols[at &+ Self.symbols &- 1], shift)) & 1 != 0
  }

  /// Whether a short keyword may begin at a place.
  func hasShort(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> Bool {
    let two = unsafe UInt32(symbols[at]) | UInt32(symbols[at &+ 1]) << 16
    return unsafe Self.bit(of: pairs, Self.place(ofTwo: two, shift)) & 1 != 0
  }

  /// The bit at a place, as the lowest one.
  @inline(__always)
  private static func bit(of set: UnsafePointer<UInt64>, _ place: Int) -> UInt64 {
    unsafe UInt64(littleEndian: set[place &>> 6]) &>> UInt64(truncatingIfNeeded: place)
  }

  /// Four symbols from a place on, the first one in the lowest bits.
  @inline(__always)
  private static func four(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> UInt64 {
    #if _endian(little)
      unsafe UnsafeRawPointer(symbols + at).loadUnaligned(as: UInt64.self)
    #else
      unsafe UInt64(symbols[at]) | UInt64(symbols[at &+ 1]) << 16 | UInt64(symbols[at &+ 2]) << 32
        | UInt64(symbols[at &+ 3]) << 48
    #endif
  }

  // MARK: Places

  // The factors are odd and without a pattern; the first is 2^64 divided by the golden ratio (Knuth, The Art of Computer
  // Programming, volume 3, section 6.4), the second a prime of xxHash (Y. Collet).
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let otherFactor: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  /// How far hashes are shifted for sets of some bits: their uppermost bits are places.
  @inline(__always)
  package static func shift(_ bits: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: bits.leadingZeroBitCount &+ 1)
  }

  /// The place of two symbols, the first one in the lower half.
  @inline(__always)
  package static func place(ofTwo symbols: UInt32, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (UInt64(symbols) &* factor) &>> shift)
  }

  /// The place of five symbols, the first one in the lowest bits.
  @inline(__always)
  package static func place(ofFour symbols: UInt64, andFifth symbol: UInt16, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (symbols &* factor &+ UInt64(symbol) &* otherFactor) &>> shift)
  }
}
