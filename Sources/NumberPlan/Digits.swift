// Up to 46 decimal digits in three registers: the representation of a number while it is parsed.
// Not for text, nor for the parsed number (ParsedNumber).

/// Digits of four bits each, the first one lowest, so that dropping leading digits is a shift.
///
/// More than 46 digits are counted but not stored. No number can use them: the longest prefixes that may be stripped
/// one after another have 25 digits together (8 of an international prefix, 3 of a calling code, twice 7 of a national
/// prefix), and a number has at most 17.
struct Digits {
  static let capacity = 46
  // The capacity of `low` and `high`; the remaining digits are stored above the count. Few texts have that many.
  private static let registersCapacity = 32

  private var low: UInt64 = 0
  private var high: UInt64 = 0
  // The lowest eight bits are the count: no text has more digits than characters, 250, and no plan prepends more than
  // four. The other bits are the digits from the 33rd on.
  private var countAndRest: UInt64 = 0

  /// The number of digits, including those that are not stored.
  @inline(__always)
  var count: Int { Int(truncatingIfNeeded: countAndRest & 0xFF) }

  init() {}

  /// `count` digits in packed form; at most 16.
  init(packed: UInt64, count: Int) {
    low = packed
    countAndRest = UInt64(truncatingIfNeeded: count)
  }

  /// The packed form of the first 16 digits, or of all if there are fewer.
  var firstSixteen: UInt64 { low }

  @inline(__always)
  mutating func append(_ digit: UInt64) {
    let count = self.count
    if count < 16 {
      low |= digit &<< UInt64(truncatingIfNeeded: count &* 4)
    } else if count < Self.registersCapacity {
      high |= digit &<< UInt64(truncatingIfNeeded: count &* 4 &- 64)
    } else if count < Self.capacity {
      countAndRest |= digit &<< UInt64(truncatingIfNeeded: (count &- Self.registersCapacity) &* 4 &+ 8)
    }
    countAndRest &+= 1
  }

  /// Eight digits of one byte each in packed form.
  @inline(__always)
  static func packed(_ unpacked: UInt64) -> UInt64 {
    // Bytes to pairs, to fours, to eights.
    var word = (unpacked | unpacked &>> 4) & 0x00FF_00FF_00FF_00FF
    word = (word | word &>> 8) & 0x0000_FFFF_0000_FFFF
    word = (word | word &>> 16) & 0x0000_0000_FFFF_FFFF
    return word
  }

  /// Appends the first `count` of up to eight digits, one in each byte, the first one lowest.
  @inline(__always)
  mutating func append(unpacked digits: UInt64, count: Int) {
    var word = Self.packed(digits) & ((1 &<< UInt64(truncatingIfNeeded: count &* 4)) &- 1)
    let before = self.count
    if before <= 8 {
      low |= word &<< UInt64(truncatingIfNeeded: before &* 4)
      countAndRest &+= UInt64(truncatingIfNeeded: count)
    } else {
      for _ in 0..<count {
        append(word & 15)
        word &>>= 4
      }
    }
  }

  mutating func append(_ digits: Digits) {
    for index in 0..<digits.count { append(digits[index]) }
  }

  /// The digit at `index`; 0 for digits that are not stored.
  @inline(__always)
  subscript(index: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: index &* 4)
    if index < 16 { return (low &>> shift) & 15 }
    if index < Self.registersCapacity { return (high &>> (shift &- 64)) & 15 }
    return index < Self.capacity ? (countAndRest &>> (shift &- 120)) & 15 : 0
  }

  /// The first 1, 2 or 3 digits as a number.
  @inline(__always)
  func leadingValue(_ length: Int) -> Int {
    let one = low & 15
    let two = one &* 10 &+ (low &>> 4) & 15
    let three = two &* 10 &+ (low &>> 8) & 15
    return Int(truncatingIfNeeded: length == 1 ? one : length == 2 ? two : three)
  }

  /// The digits after the first `length`.
  @inline(__always)
  func dropFirst(_ length: Int) -> Digits {
    precondition(length >= 0 && length <= count)
    var rest = self
    let shift = UInt64(truncatingIfNeeded: length &* 4)
    rest.countAndRest = countAndRest &- UInt64(truncatingIfNeeded: length)
    if high == 0, length < 16 {
      rest.low = low &>> shift
    } else {
      rest.low = length < 16 ? (low >> shift) | (high << (64 &- shift)) : (high >> (shift &- 64))
      rest.high = high >> shift
    }
    if countAndRest > 0xFF { rest.refill(droppedFirst: length) }
    return rest
  }

  // Moves digits from above the count to the space that a shift by `length` has freed.
  @inline(never)
  private mutating func refill(droppedFirst length: Int) {
    var moved = Digits()
    for index in 0..<max(Self.registersCapacity - length, 0) { moved.append(self[index]) }
    for index in max(Self.registersCapacity, length)..<Self.capacity {
      moved.append((countAndRest >> UInt64((index - Self.registersCapacity) * 4 + 8)) & 15)
    }
    moved.countAndRest = moved.countAndRest & ~0xFF | countAndRest & 0xFF
    self = moved
  }

  /// The first `length` digits.
  func prefix(_ length: Int) -> Digits {
    var result = Digits()
    for index in 0..<length { result.append(self[index]) }
    return result
  }

  /// The number of leading zeros, not counting the last digit.
  @inline(__always)
  var leadingZeros: Int {
    let zeros = low != 0 ? low.trailingZeroBitCount / 4 : 16 &+ high.trailingZeroBitCount / 4
    return min(zeros, max(count &- 1, 0))
  }

  /// The digits as a number, for at most 19 digits.
  @inline(__always)
  var value: UInt64 {
    precondition(count <= 19)
    if count == 0 { return 0 }
    var result = Self.value(packed: low, count: min(count, 16))
    var index = 16
    while index < count {
      result = result &* 10 &+ self[index]
      index &+= 1
    }
    return result
  }

  /// The number of 1 to 16 packed digits.
  @inline(__always)
  static func value(packed: UInt64, count: Int) -> UInt64 {
    // Right-align, then combine adjacent digits: nibbles to pairs, to fours, to eights.
    var word = packed &<< UInt64(truncatingIfNeeded: 64 &- count &* 4)
    word = (word & 0x0F0F_0F0F_0F0F_0F0F) &* 10 &+ ((word &>> 4) & 0x0F0F_0F0F_0F0F_0F0F)
    word = (word & 0x00FF_00FF_00FF_00FF) &* 100 &+ ((word &>> 8) & 0x00FF_00FF_00FF_00FF)
    word = (word & 0x0000_FFFF_0000_FFFF) &* 10_000 &+ ((word &>> 16) & 0x0000_FFFF_0000_FFFF)
    return (word & 0xFFFF_FFFF) &* 100_000_000 &+ (word &>> 32)
  }
}
