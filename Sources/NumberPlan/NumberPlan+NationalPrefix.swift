// Strips the national prefix (the trunk zero, for example) and a carrier code from a number's digits.
//
// Conditions and order are libphonenumber's (maybeStripNationalPrefixAndCarrierCode).

extension NumberPlan {
  // The remaining digits, and what was stripped.
  struct PrefixResult {
    var rest: Digits
    var trace = ParseTrace()
  }

  // maybeStripNationalPrefixAndCarrierCode.
  @inline(__always)
  static func nationalPrefix(
    of digits: Digits, _ plan: Plan, _ observer: inout some DigitObserver
  ) -> PrefixResult {
    guard digits.count > 0, let length = Automaton.prefixLength(plan.nationalPrefix, digits, &observer) else {
      return PrefixResult(rest: digits)
    }
    observer.examined(allButLast: digits.count &- 1)
    if !plan.isCaptureless(from: digits[0]) {
      // Digits may be prepended to the rest, and those are not tracked.
      observer.examined(allButLast: 0)
      return capturedPrefix(of: digits, plan)
    }
    var result = PrefixResult(rest: digits.dropFirst(length))
    // An optional prefix may be empty.
    if length > 0 { result.trace.insert(.nationalPrefix) }
    return viable(result, insteadOf: digits, plan, &observer)
  }

  @inline(never)
  private static func capturedPrefix(of digits: Digits, _ plan: Plan) -> PrefixResult {
    guard let program = plan.nationalPrefixProgram, let match = PrefixProgram.run(program, digits) else {
      return PrefixResult(rest: digits)
    }
    var result = PrefixResult(rest: digits.dropFirst(match.length))
    if match.length > 0 { result.trace.insert(.nationalPrefix) }
    var mayHaveCarrier = true
    if let transform = plan.transform, match.group(plan.nationalPrefixGroups) != nil {
      var transformed = transform.digits
      if let kept = match.group(transform.group) {
        transformed.append(digits.prefix(kept.upperBound).dropFirst(kept.lowerBound))
      }
      transformed.append(result.rest)
      result.rest = transformed
      // The only group is the one that is kept.
      mayHaveCarrier = plan.nationalPrefixGroups > 1
    }
    if mayHaveCarrier, let carrier = match.group(1), !carrier.isEmpty {
      result.trace.insertCarrierCode(digits.dropFirst(carrier.lowerBound), count: carrier.count)
    }
    var observer = NoDigitObserver()
    return viable(result, insteadOf: digits, plan, &observer)
  }

  // matchNationalNumber with the general description. Most mismatches have a wrong length, which is checked first.
  @inline(__always)
  static func fitsGeneral(_ digits: Digits, _ plan: Plan, _ observer: inout some DigitObserver)
    -> Bool
  {
    digits.count < 32 && (plan.generalLengths &>> UInt32(truncatingIfNeeded: digits.count)) & 1 == 1
      && Automaton.accepts(plan.general, digits, &observer)
  }

  // Stripping must not turn a number that matches the general description into one that does not.
  @inline(__always)
  private static func viable(
    _ result: PrefixResult, insteadOf digits: Digits, _ plan: Plan, _ observer: inout some DigitObserver
  ) -> PrefixResult {
    !fitsGeneral(result.rest, plan, &observer) && fitsGeneral(digits, plan, &observer)
      ? PrefixResult(rest: digits) : result
  }
}
