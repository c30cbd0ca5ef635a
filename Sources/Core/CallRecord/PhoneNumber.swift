// What a number is, its limits, and its decimal form.
//
// Not for: numbering plans (which digits make a real number). That is NumberPlan's.

/// The limits of an E.164 number as this project keeps it: the digits without `+`, country calling code
/// first, as an unsigned 64-bit integer (CallKit's `Int64`).
///
/// Source: ITU-T E.164 (15 digits at most).
public enum PhoneNumber {
  /// The most digits that a number can have.
  public static let digitsMax = 15

  /// The largest number, 999,999,999,999,999. It needs 50 bits.
  public static let max: UInt64 = 999_999_999_999_999

  /// The number of bits that hold any number.
  public static let bits = 50
}

/// Reads and writes numbers as ASCII digits.
public enum Decimal {
  /// Reads 1 to 15 ASCII digits from `start` on and stops at the first byte that is none.
  ///
  /// Returns the value and the index behind the last digit, or nil when there is no digit, a leading
  /// zero, or more than 15 digits.
  @inlinable
  public static func read(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> (value: UInt64, end: Int)? {
    var value: UInt64 = 0
    var index = start
    if start >= 0, start &+ 8 <= end, end <= bytes.count {
      // A UInt64 has no invalid values, and the eight bytes were just seen to be there.
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
      if let eight = eightDigits(of: UInt64(littleEndian: word)) {
        value = eight
        index = start &+ 8
      }
    }
    while index < end {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { break }
      value = value &* 10 &+ UInt64(digit)
      index += 1
      if index - start > PhoneNumber.digitsMax { return nil }
    }
    guard index > start, value > 0, bytes[start] != 0x30 else { return nil }
    return (value, index)
  }

  /// The fewest digits that ``readWhole(_:from:count:_:)`` reads.
  public static let wholeDigitsMin = 8

  /// What is to be known of the digits behind the first eight of a number, and depends on its length only.
  @frozen
  public struct Behind: BitwiseCopyable, Sendable {
    /// All bits of their bytes in the number's last eight.
    @usableFromInline let mask: UInt64
    /// What the first eight digits are multiplied with.
    @usableFromInline let power: UInt64

    /// For numbers of `count` digits.
    ///
    /// - Precondition: `count` is in 8...15.
    public init(count: Int) {
      precondition(count >= wholeDigitsMin && count <= PhoneNumber.digitsMax)
      mask = ~(UInt64.max >> UInt64(8 * (count - wholeDigitsMin)))
      power = tenToThe(count - wholeDigitsMin)
    }
  }

  /// Reads a number of 8 to 15 digits, leading zeros allowed, in two steps of eight: the value of its first eight digits,
  /// and of all of them. Nil when one of the bytes is no ASCII digit.
  ///
  /// - Precondition: `count` is in 8...15, `behind` was made for it, and so many bytes are there from `start` on. Unsafe,
  ///   since that is not checked.
  @unsafe
  @inlinable
  @inline(__always)
  public static func readWhole(
    _ bytes: RawSpan, from start: Int, count: Int, _ behind: Behind
  ) -> (eight: UInt64, all: UInt64)? {
    // Eight bytes are any UInt64, and `count` is at least eight. Both words together hold all the digits.
    let front = unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
    let back = unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: start &+ count &- 8, as: UInt64.self))
    // A digit's upper half is 3, and still is when 6 is added.
    let zeros: UInt64 = 0x3030_3030_3030_3030
    let six: UInt64 = 0x0606_0606_0606_0606
    let (ahead, tail) = (front ^ zeros, back ^ zeros)
    let others = ahead | (ahead &+ six) | tail | (tail &+ six)
    guard others & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
    // The digits that the first word has too become zeros in front.
    let eight = joined(ahead)
    return (eight, eight &* behind.power &+ joined(tail & behind.mask))
  }

  /// The value of eight digits, one in each byte, the first in the lowest.
  ///
  /// Each step joins neighbours in all lanes: the lower one is multiplied and added to the upper one, by one
  /// multiplication with, say, 10 × 2⁸ + 1.
  @inlinable
  @inline(__always)
  static func joined(_ digits: UInt64) -> UInt64 {
    let pairs = ((digits &* (10 << 8 + 1)) &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = ((pairs &* (100 << 16 + 1)) &>> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* (10000 << 32 + 1)) &>> 32
  }

  /// The value of eight ASCII digits, the first one in the lowest byte; nil when one of the bytes is no digit.
  ///
  /// Digits are joined to pairs, fours and eight, in parallel lanes of one word.
  @inlinable
  static func eightDigits(of word: UInt64) -> UInt64? {
    // A digit's upper half is 3, and still is when 6 is added: only 0 to 9 pass both.
    let upperHalves = word & 0xF0F0_F0F0_F0F0_F0F0
    let raisedHalves = (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0
    guard upperHalves == 0x3030_3030_3030_3030, raisedHalves == upperHalves else { return nil }
    return joined(word &- 0x3030_3030_3030_3030)
  }

  /// 10 to the power of `exponent`, which is 0 to 19.
  package static func tenToThe(_ exponent: Int) -> UInt64 {
    var power: UInt64 = 1
    for _ in 0..<exponent { power &*= 10 }
    return power
  }

  /// The number of decimal digits in `value`.
  @inlinable
  public static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10000 {
      rest /= 10000
      count += 4
    }
    return rest >= 1000 ? count + 3 : rest >= 100 ? count + 2 : rest >= 10 ? count + 1 : count
  }

  /// The eight ASCII digits of a value below 100,000,000, the first digit in the lowest byte.
  ///
  /// Halves the value three times in parallel lanes of one word: 4 and 4 digits, 2 × 2, 4 × 1. The factors are
  /// the reciprocals of 100 and 10 scaled to the lanes.
  @inlinable
  public static func eightDigits(_ value: UInt32) -> UInt64 {
    let halves = UInt64(value / 10000) | (UInt64(value % 10000) << 32)
    let hundreds = ((halves &* 10486) >> 20) & 0x0000_007F_0000_007F
    let pairs = hundreds | ((halves &- hundreds &* 100) << 16)
    let tens = ((pairs &* 103) >> 10) & 0x000F_000F_000F_000F
    return (tens | ((pairs &- tens &* 10) << 8)) | 0x3030_3030_3030_3030
  }
}
