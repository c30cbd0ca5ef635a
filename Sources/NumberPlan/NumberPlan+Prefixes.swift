// Queries about a prefix of E.164 digits. Not for whole numbers (NumberPlan+Queries).

extension NumberPlan {
  /// The country calling code that E.164 digits start with; nil if there is none.
  ///
  /// No calling code is a prefix of another one, so there is at most one.
  ///
  ///     NumberPlan.callingCode(ofDigits: 8270)  // 82
  ///
  /// - Complexity: O(1).
  public static func callingCode(ofDigits digits: UInt64) -> UInt16? {
    var code = digits
    while code >= 1000 { code /= 10 }
    var found: UInt16?
    while code > 0 {
      if Tables.callingCode(Int(code)) != nil { found = UInt16(code) }
      code /= 10
    }
    return found
  }

  /// The lengths of the valid numbers with this prefix of E.164 digits: bit `n` for `n` digits, including the calling
  /// code.
  ///
  /// 0 if there are no such numbers; valid is as defined by `isValid`.
  ///
  ///     NumberPlan.validLengths(ofDigits: 8270)  // bit 12: +82 70 XXXX XXXX
  ///
  /// - Complexity: O(*n*) in the digits.
  public static func validLengths(ofDigits digits: UInt64) -> UInt64 {
    guard let code = callingCode(ofDigits: digits), let entry = Tables.callingCode(Int(code)) else {
      return 0
    }
    // The national digits, last digit first.
    var rest = digits
    var national: [UInt64] = []
    while rest != UInt64(code) {
      national.append(rest % 10)
      rest /= 10
    }
    var state = UInt(entry.valid)
    for digit in national.reversed() { state = Tables.next(state, digit) }
    let codeLength = code < 10 ? 1 : code < 100 ? 2 : 3
    return UInt64(Tables.lengths(state)) << UInt64(national.count + codeLength)
  }
}
