// Numbers: their limits and their decimal form.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The limits of an E.164 number. It is stored as an unsigned 64-bit integer of its digits without `+`, country calling
/// code first. CallKit stores it as an `Int64`.
///
/// Source: ITU-T E.164 (at most 15 digits).
public enum PhoneNumber {
  public static let digitsMax = 15

  /// The largest number, 999,999,999,999,999. It needs 50 bits.
  public static let max: UInt64 = 999_999_999_999_999

  /// The number of bits that hold any number.
  public static let bits = 50
}

// MARK: Numbers as they are typed

extension PhoneNumber {
  /// A number, or `A..B`; with or without a plus sign.
  package static func range(_ text: String) -> ClosedRange<UInt64>? {
    if let number = number(text) { return number...number }
    guard let dots = text.firstRange(of: ".."), let first = number(text[..<dots.lowerBound]),
      let last = number(text[dots.upperBound...]), first <= last
    else { return nil }
    return first...last
  }

  /// The numbers of any length that start with some digits, which may follow a plus sign: a range for each length.
  package static func ranges(ofPrefix text: String) -> [ClosedRange<UInt64>]? {
    number(text).map(ranges(startingWith:))
  }

  /// The numbers of any length that start with the digits of a number: a range for each length.
  package static func ranges(startingWith prefix: UInt64) -> [ClosedRange<UInt64>] {
    var (first, width): (UInt64, UInt64) = (prefix, 1)
    var ranges: [ClosedRange<UInt64>] = []
    while (1...max).contains(first) {
      ranges.append(first...first + (width - 1))
      first *= 10
      width *= 10
    }
    return ranges
  }

  private static func number(_ text: some StringProtocol) -> UInt64? {
    let digits = Array(text.utf8.drop { $0 == UInt8(ascii: "+") })
    guard text.utf8.count - digits.count < 2,
      let (value, end) = Decimal.read(digits.span, from: 0, to: digits.count), end == digits.count
    else { return nil }
    return value
  }
}

extension FixedWidthInteger {
  /// The sum, or the largest or smallest value if it is beyond: counts of numbers saturate rather than trap.
  @inlinable
  public func addingSaturated(_ other: Self) -> Self {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? (other < 0 ? .min : .max) : sum
  }
}

public enum Decimal {
  /// Reads 1 to 15 ASCII digits from `start` on, up to the first byte that is not a digit.
  ///
  /// Returns the value and the index after the last digit; nil for a missing digit, a leading zero, or more than 15
  /// digits.
  @inlinable
  public static func read(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> (value: UInt64, end: Int)? {
    var value: UInt64 = 0
    var index = start
    if start >= 0, start &+ 8 <= end, end <= bytes.count {
      // A UInt64 has no invalid values, and the condition above checked that there are eight bytes.
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

  /// Reads a number of 8 to 15 digits without a leading zero, which ends before the first byte that is not a digit.
  /// Returns its value and its length; the length is 0 for anything else.
  ///
  /// - Precondition: There are 16 bytes from `start` on. Unsafe because this is not checked.
  @unsafe @inlinable @inline(__always)
  public static func readLong(_ bytes: RawSpan, from start: Int) -> (value: UInt64, count: Int) {
    // Any bytes are a UInt64.
    let front = unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
    let back = unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ 8, as: UInt64.self))
    // The upper half of a digit is 3, also after adding 6. A carry from a byte that is not a digit goes to later bytes.
    let zeros: UInt64 = 0x3030_3030_3030_3030
    let six: UInt64 = 0x0606_0606_0606_0606
    let upperHalves: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    let (head, rest) = (front ^ zeros, back ^ zeros)
    let restOthers = (rest | (rest &+ six)) & upperHalves
    let count = restOthers.trailingZeroBitCount &>> 3
    guard (head | (head &+ six)) & upperHalves == 0, count < 8, head & 0xFF != 0 else { return (0, 0) }
    // As 16 digits with leading zeros: the second word has the last eight digits. The shift by 8 to 64 bits is done in
    // two steps, because a shift by 64 does nothing.
    let excess = UInt64(truncatingIfNeeded: 8 &* (7 &- count))
    let upper = (head &<< 8) &<< excess
    let lower = (head &>> UInt64(truncatingIfNeeded: 8 &* count)) | ((rest &<< 8) &<< excess)
    return (joined(upper) &* 100_000_000 &+ joined(lower), count &+ 8)
  }

  /// The fewest digits that ``readWhole(_:from:count:_:)`` reads.
  public static let wholeDigitsMin = 8

  /// The constants for reading the digits after the first eight of a number. They depend only on its length.
  public struct TailFactors: BitwiseCopyable, Sendable {
    /// The bits of these digits' bytes in the word of the number's last eight digits.
    @usableFromInline let mask: UInt64
    /// The factor of the first eight digits.
    @usableFromInline let power: UInt64

    /// Creates the constants for numbers of `count` digits.
    ///
    /// - Precondition: `count` is in 8...15.
    public init(count: Int) {
      precondition(count >= wholeDigitsMin && count <= PhoneNumber.digitsMax)
      mask = ~(UInt64.max >> UInt64(8 * (count - wholeDigitsMin)))
      power = tenToThe(count - wholeDigitsMin)
    }
  }

  /// Reads a number of 8 to 15 digits, leading zeros allowed, in two steps of eight. Returns the value of its first
  /// eight digits and of all of them; nil when one of the bytes is not an ASCII digit.
  ///
  /// - Precondition: `count` is in 8...15, `tail` was created for it, and there are `count` bytes from `start` on.
  ///   Unsafe because this is not checked.
  @unsafe @inlinable @inline(__always)
  public static func readWhole(
    _ bytes: RawSpan, from start: Int, count: Int, _ tail: TailFactors
  ) -> (eight: UInt64, all: UInt64)? {
    // Eight bytes are any UInt64, and `count` is at least eight. Both words together hold all the digits.
    let front = unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
    let back = unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(
        fromUncheckedByteOffset: start &+ count &- 8, as: UInt64.self))
    // The upper half of a digit is 3, also after adding 6.
    let zeros: UInt64 = 0x3030_3030_3030_3030
    let six: UInt64 = 0x0606_0606_0606_0606
    let (head, rest) = (front ^ zeros, back ^ zeros)
    let others = head | (head &+ six) | rest | (rest &+ six)
    guard others & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
    // The digits that are in the first word too become leading zeros.
    let eight = joined(head)
    return (eight, eight &* tail.power &+ joined(rest & tail.mask))
  }

  /// The value of eight digits, one per byte, the first in the lowest byte.
  ///
  /// Each step joins adjacent lanes: one multiplication, such as with 10 × 2⁸ + 1, multiplies the lower lane and adds
  /// it to the upper one.
  @inlinable @inline(__always)
  static func joined(_ digits: UInt64) -> UInt64 {
    let pairs = ((digits &* (10 << 8 + 1)) &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = ((pairs &* (100 << 16 + 1)) &>> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* (10000 << 32 + 1)) &>> 32
  }

  /// The value of eight ASCII digits, the first one in the lowest byte; nil when one of the bytes is not a digit.
  ///
  /// Joins the digits to pairs, then fours, then eight, in parallel lanes of one word.
  @inlinable
  static func eightDigits(of word: UInt64) -> UInt64? {
    // The upper half of a digit is 3, also after adding 6. Only 0 to 9 satisfy both.
    let upperHalves = word & 0xF0F0_F0F0_F0F0_F0F0
    let raisedHalves = (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0
    guard upperHalves == 0x3030_3030_3030_3030, raisedHalves == upperHalves else { return nil }
    return joined(word &- 0x3030_3030_3030_3030)
  }

  /// 10 to the power of `exponent`, from 0 to 19.
  public static func tenToThe(_ exponent: Int) -> UInt64 {
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
  /// Splits the value three times in parallel lanes of one word: into fours, pairs and single digits. The factors are
  /// the reciprocals of 100 and 10, scaled to the lanes.
  @inlinable
  public static func eightDigits(_ value: UInt32) -> UInt64 {
    let halves = UInt64(value / 10000) | (UInt64(value % 10000) << 32)
    let hundreds = ((halves &* 10486) >> 20) & 0x0000_007F_0000_007F
    let pairs = hundreds | ((halves &- hundreds &* 100) << 16)
    let tens = ((pairs &* 103) >> 10) & 0x000F_000F_000F_000F
    return (tens | ((pairs &- tens &* 10) << 8)) | 0x3030_3030_3030_3030
  }
}
