// What can be asked about a parsed number or a calling code. Not for parsing.

extension NumberPlan {
  /// What the number's length says under the rules of its calling code's main region.
  ///
  /// As libphonenumber's `isPossibleNumberWithReason`, and with its limits: of regions that share a calling code
  /// only the main one is asked.
  ///
  /// - Complexity: O(1).
  public static func isPossible(_ number: ParsedNumber) -> Possibility {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return .invalidCountryCode }
    return possibility(Int(number.nationalLength), code.plan)
  }

  /// Whether the number fits the pattern of some kind of number in the region it belongs to.
  ///
  /// As libphonenumber's `isValidNumber`. Real numbers can be invalid: short service numbers are.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func isValid(_ number: ParsedNumber) -> Bool {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return false }
    var watch = NoDigitObserver()
    return Automaton.accepts(code.valid, number.digits, &watch)
  }

  /// The region that the number belongs to; nil when no region of its calling code has such numbers.
  ///
  /// As libphonenumber's `getRegionCodeForNumber`. Where only one region has the calling code, that is the answer,
  /// valid or not. Of a network without a country, such as +800, it is a region with the code `001`.
  ///
  ///     let text = ContiguousArray("+1 604 234 5678".utf8)
  ///     NumberPlan.region(of: try NumberPlan.parse(text.span, region: nil))?.code  // "CA"
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func region(of number: ParsedNumber) -> Region? { classify(number).region }

  /// What kind of line the number is for; `unknown` if, and only if, it is not valid.
  ///
  /// As libphonenumber's `getNumberType`.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func type(of number: ParsedNumber) -> NumberType { classify(number).type }

  /// Region and type together, for the price of one of them.
  ///
  /// - Complexity: O(*n*) in the number's digits.
  public static func classify(_ number: ParsedNumber) -> (region: Region?, type: NumberType) {
    guard let members = Tables.members(Int(number.callingCode)) else { return (nil, .unknown) }
    guard let found = Automaton.numberClass(members.classes, number.digits) else {
      // A code that only one has leaves no doubt whose the number is.
      return (members.count == 1 ? Region(index: Tables.member(Int(members.first))) : nil, .unknown)
    }
    // The four lowest bits are the type; one that is none of libphonenumber's stands for unknown.
    let type = NumberType(rawValue: Int(found & 15)) ?? .unknown
    return (Region(index: Tables.member(Int(members.first) + Int(found >> 4))), type)
  }

  /// The regions that share a calling code, the main one first; empty when nobody has the code.
  ///
  ///     NumberPlan.regions(callingCode: 44).map(\.code)  // ["GB", "GG", "IM", "JE"]
  ///
  /// - Complexity: O(*n*) in the regions.
  public static func regions(callingCode: UInt16) -> [Region] {
    guard let members = Tables.members(Int(callingCode)) else { return [] }
    return (0..<Int(members.count)).map { Region(index: Tables.member(Int(members.first) + $0)) }
  }

  /// The lengths that national numbers of this calling code can have: bit `n` for `n` digits, 1...17.
  ///
  /// Empty when nobody has the code. Lengths that are only dialled inside an area are not among them.
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
    // Shorter than the shortest: no smaller length is possible.
    return plan.lengths & (bit &- 1) == 0 ? .tooShort : .invalidLength
  }
}
