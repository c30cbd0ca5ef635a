// The prefixes of keywords: sets of hashed prefixes, which show for most positions in a text that no keyword starts
// there.
//
// A long keyword has two prefixes of five symbols, one from its first symbol and one from its second, so that examining
// every other position of a text is enough to find it. A short one is found by its first two symbols. Not for:
// following keywords (KeywordSearch).

/// The sets of keyword prefixes. A test has false positives, but no false negatives.
@safe
package struct KeywordPrefixes {
  /// The number of sets: one for the first two symbols of short keywords, one for five symbols of long ones.
  package static let setCount = 2
  /// The minimum number of bits in a set: one word.
  package static let bitsMin = 64
  /// The maximum number of bits in a set: 128 KiB, so that both sets fit into a second-level cache.
  package static let bitsMax = 1 << 20
  /// The bits per keyword: at most one in sixteen of the examined positions is a false positive.
  private static let bitsEach = 32
  /// The maximum number of symbols of a short keyword: a longer one has two prefixes.
  package static let shortMax = symbols
  /// The number of symbols that are examined at a position of a text.
  package static let symbols = 5

  /// The number of bits in a set for this many keywords.
  package static func bits(forKeywords count: Int) -> Int {
    var bits = bitsMin
    while bits < bitsMax, bits < bitsEach * count { bits *= 2 }
    return bits
  }

  /// Whether a set can have this number of bits.
  static func isValidBitCount(_ bits: Int) -> Bool {
    bits >= bitsMin && bits <= bitsMax && bits & (bits - 1) == 0
  }

  private let pairs: UnsafePointer<UInt64>
  private let longs: UnsafePointer<UInt64>
  private let shift: UInt64

  /// Uses the sets in place; they must stay in memory as long as this value exists.
  ///
  /// Unchecked: there are two sets of this size, for which ``isValidBitCount(_:)`` is true.
  init(_ start: UnsafeRawPointer, bits: Int) {
    unsafe pairs = start.assumingMemoryBound(to: UInt64.self)
    unsafe longs = pairs + bits / 64
    shift = Self.shift(bits)
  }

  /// The first position, among every other one from `start` on, where a keyword may start, or one before or after it;
  /// at least `end` if there is none.
  ///
  /// All sets are tested at every position and the results combined, because a branch on each result would be
  /// mispredicted: a misprediction costs more than all of the tests. Unchecked: a set has a bit for every hash, and the
  /// symbols are followed by padding.
  func next(in symbols: UnsafePointer<UInt16>, from start: Int, to end: Int) -> Int {
    var at = start
    while at < end {
      let four = unsafe Self.four(symbols, at)
      let long = unsafe Self.bit(
        of: longs, Self.bitIndex(ofFour: four, andFifth: symbols[at &+ Self.symbols &- 1], shift))
      let first = UInt32(truncatingIfNeeded: four)
      let second = UInt32(truncatingIfNeeded: four >> 16)
      let short = unsafe Self.bit(of: pairs, Self.bitIndex(ofTwo: first, shift))
      let other = unsafe Self.bit(of: pairs, Self.bitIndex(ofTwo: second, shift))
      if (long | short | other) & 1 != 0 { return at }
      at &+= 2
    }
    return at
  }

  /// Whether a long keyword may start at a position or at the one before it.
  func hasLong(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> Bool {
    unsafe Self.bit(
      of: longs,
      Self.bitIndex(ofFour: Self.four(symbols, at), andFifth: symbols[at &+ Self.symbols &- 1], shift)) & 1
      != 0
  }

  /// Whether a short keyword may start at a position.
  func hasShort(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> Bool {
    let two = unsafe UInt32(symbols[at]) | UInt32(symbols[at &+ 1]) << 16
    return unsafe Self.bit(of: pairs, Self.bitIndex(ofTwo: two, shift)) & 1 != 0
  }

  /// The bit at an index, in the lowest bit of the result.
  @inline(__always)
  private static func bit(of set: UnsafePointer<UInt64>, _ place: Int) -> UInt64 {
    unsafe UInt64(littleEndian: set[place &>> 6]) &>> UInt64(truncatingIfNeeded: place)
  }

  /// Four symbols from a position on, the first one in the lowest bits.
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

  // The factors are odd and without a pattern; the first is 2^64 divided by the golden ratio (Knuth, The Art of
  // Computer Programming, volume 3, section 6.4), the second a prime of xxHash (Y. Collet).
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let otherFactor: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  /// The shift of hashes for sets of this many bits: their upper bits are the bit index.
  @inline(__always)
  package static func shift(_ bits: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: bits.leadingZeroBitCount &+ 1)
  }

  /// The bit index of two symbols, the first one in the lower half.
  @inline(__always)
  package static func bitIndex(ofTwo symbols: UInt32, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (UInt64(symbols) &* factor) &>> shift)
  }

  /// The bit index of five symbols, the first one in the lowest bits.
  @inline(__always)
  package static func bitIndex(ofFour symbols: UInt64, andFifth symbol: UInt16, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (symbols &* factor &+ UInt64(symbol) &* otherFactor) &>> shift)
  }
}
