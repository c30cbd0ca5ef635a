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
@usableFromInline
package enum Decimal {
  /// Reads 1 to 15 ASCII digits from `start` on and stops at the first byte that is none.
  ///
  /// Returns the value and the index behind the last digit, or nil when there is no digit, a leading
  /// zero, or more than 15 digits.
  @inlinable
  package static func read(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> (value: UInt64, end: Int)? {
    var value: UInt64 = 0
    var index = start
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

  /// The number of decimal digits in `value`.
  @inlinable
  package static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10000 {
      rest /= 10000
      count += 4
    }
    return rest >= 1000 ? count + 3 : rest >= 100 ? count + 2 : rest >= 10 ? count + 1 : count
  }

  /// Writes `value` as digits that end just before `end`, and returns the index of the first.
  ///
  /// The caller leaves at least 20 bytes before `end`.
  @inlinable
  package static func write(_ value: UInt64, into bytes: inout MutableSpan<UInt8>, endingAt end: Int) -> Int {
    var index = end
    var rest = value
    repeat {
      index -= 1
      bytes[index] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    return index
  }
}
