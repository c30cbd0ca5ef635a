// Up to 46 decimal digits in three registers: what a number is while it is being taken apart.
// Not for text, and not for the finished number (ParsedNumber).

/// Digits, four bits each, the first one lowest, so that dropping leading digits is a shift.
///
/// More than 46 digits are counted but not kept. No number can use them: of the prefixes that may be taken off one after
/// another the longest are 25 digits together (8 for abroad, 3 of a calling code, twice 7 inside the country), and 17
/// is the most that a number has.
struct Digits {
  static let capacity = 46
  // Digits that `low` and `high` have room for; the others stand above the count. Few texts have so many.
  private static let registersCapacity = 32

  private var low: UInt64 = 0
  private var high: UInt64 = 0
  // The count in the lowest eight bits: no text has more digits than characters, 250, and no plan puts more than four
  // in front of them. Above it the digits from the 33rd on.
  private var countAndRest: UInt64 = 0

  /// How many digits there are, those included that are not kept.
  @inline(__always)
  var count: Int { Int(truncatingIfNeeded: countAndRest & 0xFF) }

  init() {}

  /// `count` digits already in packed form; at most 16.
  init(packed: UInt64, count: Int) {
    low = packed
    countAndRest = UInt64(truncatingIfNeeded: count)
  }

  /// The packed form of the first 16 digits, or of all when there are fewer.
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

  mutating func append(_ digits: Digits) {
    for index in 0..<digits.count { append(digits[index]) }
  }

  /// The digit at `index`; 0 for those that were not kept.
  @inline(__always)
  subscript(index: Int) -> UInt64 {
    let shift = UInt64(truncatingIfNeeded: index &* 4)
    if index < 16 { return (low &>> shift) & 15 }
    if index < Self.registersCapacity { return (high &>> (shift &- 64)) & 15 }
    return index < Self.capacity ? (countAndRest &>> (shift &- 120)) & 15 : 0
  }

  /// The digits behind the first `length`.
  @inline(__always)
  func dropFirst(_ length: Int) -> Digits {
    precondition(length >= 0 && length <= count)
    var rest = self
    let shift = UInt64(truncatingIfNeeded: length &* 4)
    rest.low = length < 16 ? (low >> shift) | (high << (64 &- shift)) : (high >> (shift &- 64))
    rest.high = high >> shift
    rest.countAndRest = countAndRest &- UInt64(truncatingIfNeeded: length)
    if countAndRest > 0xFF { rest.refill(droppedFirst: length) }
    return rest
  }

  // Digits above the count come down into the room that a shift by `length` has left behind.
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

  /// Zeros in front, the last digit not counted.
  @inline(__always)
  var leadingZeros: Int {
    let zeros = low != 0 ? low.trailingZeroBitCount / 4 : 16 &+ high.trailingZeroBitCount / 4
    return min(zeros, max(count &- 1, 0))
  }

  /// The digits read as a number. Only for at most 19 digits.
  @inline(__always)
  var value: UInt64 {
    precondition(count <= 19)
    if count == 0 { return 0 }
    let head = min(count, 16)
    // Right-align, then join neighbours: nibbles to pairs, to fours, to eights.
    var word = low << UInt64(truncatingIfNeeded: 64 &- head &* 4)
    word = (word & 0x0F0F_0F0F_0F0F_0F0F) &* 10 &+ ((word &>> 4) & 0x0F0F_0F0F_0F0F_0F0F)
    word = (word & 0x00FF_00FF_00FF_00FF) &* 100 &+ ((word &>> 8) & 0x00FF_00FF_00FF_00FF)
    word = (word & 0x0000_FFFF_0000_FFFF) &* 10_000 &+ ((word &>> 16) & 0x0000_FFFF_0000_FFFF)
    var result = (word & 0xFFFF_FFFF) &* 100_000_000 &+ (word &>> 32)
    var index = 16
    while index < count {
      result = result &* 10 &+ self[index]
      index &+= 1
    }
    return result
  }
}
