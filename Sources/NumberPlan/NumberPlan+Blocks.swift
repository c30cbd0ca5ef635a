// Blocks of numbers with the same region and type: numbers in sorted lists are counted by block, not one by one.
// Not for single numbers (NumberPlan+Queries).

extension NumberPlan {
  /// Consecutive numbers of the same length that belong to the same region and have the same type.
  public struct Block: Sendable, Equatable {
    /// The first number of the block, as E.164 digits.
    public let first: UInt64
    /// The last number of the block.
    public let last: UInt64
    /// The country calling code of the numbers; 0 if their digits start with none.
    public let callingCode: UInt16
    /// The region of the numbers, as `region(of:)` returns it: nil if they are not valid and several regions share the
    /// calling code.
    public let region: Region?
    /// The type of the numbers; `unknown` if and only if they are not valid.
    public let type: NumberType
  }

  /// The block that contains E.164 digits. Blocks are not as large as possible: adjacent ones may be alike.
  ///
  ///     NumberPlan.block(ofDigits: 8_613_800_138_000).type  // .mobile, from 8613000000000 to 8613999999999
  ///
  /// - Complexity: O(*n*) in the digits.
  public static func block(ofDigits number: UInt64) -> Block {
    guard let code = callingCode(ofDigits: number), let members = Tables.members(Int(code)) else {
      // The first three digits decide whether there is a calling code.
      return block(around: number, freeDigits: max(0, digitCount(number) - 3), callingCode: 0, nil, .unknown)
    }
    // The national digits, the first one in the lowest bits.
    var rest = number
    var packed: UInt64 = 0
    var count = 0
    while rest != UInt64(code) {
      guard count < 16 else { return block(around: number, freeDigits: 0, callingCode: code, nil, .unknown) }
      packed = packed &<< 4 | rest % 10
      rest /= 10
      count += 1
    }
    var state = UInt(members.classes)
    // The digits up to the last one whose value matters.
    var decisive = 0
    for index in 0..<count where state != Tables.dead {
      if !isIndifferent(state) { decisive = index + 1 }
      state = Tables.nextClass(state, packed & 15)
      packed &>>= 4
    }
    let free = count - decisive
    guard state != Tables.dead, let found = Tables.numberClass(state) else {
      // If a calling code has one region, all of its numbers belong there.
      let only = members.count == 1 ? Region(index: Tables.member(Int(members.first))) : nil
      return block(around: number, freeDigits: free, callingCode: code, only, .unknown)
    }
    // The encoding of `classify`.
    return block(
      around: number, freeDigits: free, callingCode: code,
      Region(index: Tables.member(Int(members.first) + Int(found >> 4))),
      NumberType(rawValue: Int(found & 15)) ?? .unknown)
  }

  /// The block of the numbers that differ from `number` in their last digits only.
  private static func block(
    around number: UInt64, freeDigits: Int, callingCode: UInt16, _ region: Region?, _ type: NumberType
  ) -> Block {
    let width = Tables.powerOfTen(UInt8(truncatingIfNeeded: min(freeDigits, 19)))
    let first = number - number % width
    return Block(
      first: first, last: first &+ (width &- 1), callingCode: callingCode, region: region, type: type)
  }

  /// Whether the state after the next digit is the same for all digits.
  private static func isIndifferent(_ state: UInt) -> Bool {
    let next = Tables.nextClass(state, 0)
    for digit in 1..<UInt64(10) where Tables.nextClass(state, digit) != next { return false }
    return true
  }

  private static func digitCount(_ number: UInt64) -> Int {
    var count = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      count += 1
    }
    return count
  }
}
