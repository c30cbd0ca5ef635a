// What can be asked about a parsed number or a calling code. Not for parsing.

extension NumberPlan {
  /// What the number's length says under the rules of its calling code's main region.
  ///
  /// As libphonenumber's `isPossibleNumberWithReason`, and with its limits: of regions that share a calling code
  /// only the main one is asked.
  public static func isPossible(_ number: ParsedNumber) -> Possibility {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return .invalidCountryCode }
    return possibility(Int(number.nationalLength), code.plan)
  }

  /// Whether the number fits the pattern of some kind of number in the region it belongs to.
  ///
  /// As libphonenumber's `isValidNumber`. Real numbers can be invalid: short service numbers are.
  public static func isValid(_ number: ParsedNumber) -> Bool {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return false }
    return Automaton.accepts(code.valid, number.digits)
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
