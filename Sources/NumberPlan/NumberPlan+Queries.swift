// Queries about a parsed number or a calling code. Not for parsing.

extension NumberPlan {
  /// Whether the number's length is possible under the rules of its calling code's main region.
  ///
  /// Like libphonenumber's `isPossibleNumberWithReason`, with its limitation: if regions share a calling code, only the
  /// main one is considered.
  ///
  /// - Complexity: O(1).
  public static func isPossible(_ number: ParsedNumber) -> Possibility {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return .invalidCountryCode }
    return possibility(Int(number.nationalLength), code.plan)
  }

  /// Whether the number matches the pattern of some number type in its region.
  ///
  /// Like libphonenumber's `isValidNumber`. Real numbers can be invalid, such as short service numbers.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func isValid(_ number: ParsedNumber) -> Bool {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return false }
    var observer = NoDigitObserver()
    return Automaton.accepts(code.valid, number.digits, &observer)
  }

  /// The region that the number belongs to; nil if no region with its calling code has such numbers.
  ///
  /// Like libphonenumber's `getRegionCodeForNumber`. If a calling code has only one region, the result is that region,
  /// whether the number is valid or not. For a network without a country, such as +800, it has the code `001`.
  ///
  ///     let text = ContiguousArray("+1 604 234 5678".utf8)
  ///     NumberPlan.region(of: try NumberPlan.parse(text.span, region: nil))?.code  // "CA"
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func region(of number: ParsedNumber) -> Region? { classify(number).region }

  /// The type of the number; `unknown` if and only if it is not valid.
  ///
  /// Like libphonenumber's `getNumberType`.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func type(of number: ParsedNumber) -> NumberType { classify(number).type }

  /// Returns the region and the type. This is as fast as determining one of them.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func classify(_ number: ParsedNumber) -> (region: Region?, type: NumberType) {
    guard let members = Tables.members(Int(number.callingCode)) else { return (nil, .unknown) }
    guard let found = Automaton.numberClass(members.classes, number.digits) else {
      // If a calling code has one region, all of its numbers belong there.
      return (members.count == 1 ? Region(index: Tables.member(Int(members.first))) : nil, .unknown)
    }
    // The four lowest bits are the type; a value that libphonenumber does not have means unknown.
    let type = NumberType(rawValue: Int(found & 15)) ?? .unknown
    return (Region(index: Tables.member(Int(members.first) + Int(found >> 4))), type)
  }

  /// The region in which E.164 digits are a valid number; nil if they are not valid in any.
  ///
  /// For a network without a country, such as +800, it has the code `001`.
  ///
  ///     NumberPlan.region(ofDigits: 16_042_345_678)?.code  // "CA"
  ///
  /// - Complexity: O(*n*) in the digits.
  public static func region(ofDigits digits: UInt64) -> Region? {
    guard let code = callingCode(ofDigits: digits), let members = Tables.members(Int(code)) else {
      return nil
    }
    // The last digit has the highest place.
    var rest = digits
    var packed: UInt64 = 0
    var count = 0
    while rest != UInt64(code) {
      guard count < 16 else { return nil }
      packed = packed &<< 4 | rest % 10
      rest /= 10
      count += 1
    }
    guard let found = Automaton.numberClass(members.classes, Digits(packed: packed, count: count)),
      NumberType(rawValue: Int(found & 15)) != nil
    else { return nil }
    return Region(index: Tables.member(Int(members.first) + Int(found >> 4)))
  }

  /// The regions that share a calling code, the main one first; empty if it is not assigned.
  ///
  ///     NumberPlan.regions(callingCode: 44).map(\.code)  // ["GB", "GG", "IM", "JE"]
  ///
  /// - Complexity: O(*n*) in the regions.
  public static func regions(callingCode: UInt16) -> [Region] {
    guard let members = Tables.members(Int(callingCode)) else { return [] }
    return (0..<Int(members.count)).map { Region(index: Tables.member(Int(members.first) + $0)) }
  }

  /// The possible lengths of national numbers with this calling code: bit `n` for `n` digits, 1...17.
  ///
  /// 0 if it is not assigned. Lengths that can only be dialled within an area are not included.
  public static func possibleLengths(callingCode: UInt16) -> UInt32 {
    guard let code = Tables.callingCode(Int(callingCode)) else { return 0 }
    return code.plan.lengths
  }

  // testNumberLength.
  @inline(__always)
  static func possibility(_ length: Int, _ plan: Plan) -> Possibility {
    let bit: UInt32 = length < 32 ? 1 << UInt32(length) : 0
    if plan.localOnlyLengths & bit != 0 { return .isPossibleLocalOnly }
    if plan.lengths & bit != 0 { return .isPossible }
    if bit == 0 || bit > plan.lengths { return .tooLong }
    // No shorter length is possible.
    return plan.lengths & (bit &- 1) == 0 ? .tooShort : .invalidLength
  }
}
