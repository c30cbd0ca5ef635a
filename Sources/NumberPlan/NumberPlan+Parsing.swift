// Parses a text and a region to a number, step by step like libphonenumber's parse.
// The order of the steps and every condition are libphonenumber's (PhoneNumberUtil.parseHelper and what it calls), even
// where they look odd; the tests verify that. Not for decoding characters (TextScanner), the national prefix
// (NumberPlan+NationalPrefix), or queries about a parsed number (NumberPlan+Queries).

extension NumberPlan {
  /// Parses one phone number.
  ///
  /// Like libphonenumber's `parse`: text before the number and punctuation are ignored, letters can stand for digits
  /// (`1-800-FLOWERS`), digits may be of any script, an extension is recognized, and so are the parameters
  /// `;phone-context=`, `;ext=` and `;isub=` of a `tel:` address.
  ///
  /// - Parameters:
  ///   - text: UTF-8. An invalid byte is treated as a character that is not part of a number.
  ///   - region: the region for a number without plus sign; nil if there is none.
  /// - Throws: the reason why libphonenumber does not parse the text.
  /// - Complexity: O(*n*) in the text's length, and at most O(*n*²) if it ends like a text with an extension; of more
  ///   than 250 characters only the count is computed. Allocates nothing, except for a phone context that is a number.
  public static func parse(_ text: Span<UInt8>, region: Region?) throws(NumberParseError) -> ParsedNumber {
    var observer = NoDigitObserver()
    return try interpret(try TextScanner.scan(text), region: region, &observer)
  }

  /// Parses one phone number that starts with its calling code, with or without a plus sign.
  ///
  ///     let text = ContiguousArray("8675512345678".utf8)
  ///     try NumberPlan.parseInternational(text.span).e164  // 8675512345678
  ///
  /// - Throws: like `parse` for the same text after a plus sign.
  /// - Complexity: like `parse`.
  public static func parseInternational(_ text: Span<UInt8>) throws(NumberParseError) -> ParsedNumber {
    var scanned = try TextScanner.scan(text)
    scanned.hasPlus = true
    var observer = NoDigitObserver()
    return try interpret(scanned, region: nil, &observer)
  }

  @inline(__always)
  static func interpret(
    _ scanned: ScannedText, region: Region?, _ observer: inout some DigitObserver
  ) throws(NumberParseError) -> ParsedNumber {
    let region = region.flatMap { $0.isGeographic ? $0 : nil }
    if region == nil && !scanned.hasPlus { throw .invalidCountryCode }
    var national = scanned.digits
    var trace = ParseTrace()
    let code = try extractCallingCode(
      &national, hasPlus: scanned.hasPlus, region: region.map { Plan(index: $0.index) }, &trace, &observer)

    let plan: Plan
    if let code {
      plan = code.plan
    } else if let region {
      plan = Plan(index: region.index)
    } else {
      throw .invalidCountryCode
    }
    if national.count < nationalLengthMin { throw .tooShortNSN }
    // The prefix is only stripped if the rest is long enough: otherwise it may be a short number.
    let prefix = nationalPrefix(of: national, plan, &observer)
    switch possibility(prefix.rest.count, plan) {
    case .tooShort, .isPossibleLocalOnly, .invalidLength:
      break
    default:
      national = prefix.rest
      trace.formUnion(prefix.trace)
    }
    if national.count < nationalLengthMin { throw .tooShortNSN }
    if national.count > nationalLengthMax { throw .tooLong }
    return ParsedNumber(
      callingCode: plan.callingCode, national: national, trace: trace,
      extensionPosition: scanned.extensionPosition)
  }

  // maybeExtractCountryCode, with parse's second attempt after a plus sign. Leaves the national number in `digits`.
  @inline(__always)
  private static func extractCallingCode(
    _ digits: inout Digits, hasPlus: Bool, region: Plan?, _ trace: inout ParseTrace,
    _ observer: inout some DigitObserver
  ) throws(NumberParseError) -> CallingCode? {
    if hasPlus {
      if digits.count <= nationalLengthMin { throw .tooShortAfterIDD }
      if let code = stripCallingCode(&digits, &observer) {
        trace.insert(.plus)
        return code
      }
    }
    guard let region else { return nil }
    if let length = Automaton.prefixLength(region.internationalPrefix, digits, &observer) {
      let rest = digits.dropFirst(length)
      // No calling code begins with 0.
      observer.examined(allButLast: max(rest.count &- 1, 0))
      if rest.count == 0 || rest[0] != 0 {
        if rest.count <= nationalLengthMin { throw .tooShortAfterIDD }
        trace.insertInternationalPrefix(digits, count: length)
        digits = rest
        guard let code = stripCallingCode(&digits, &observer) else { throw .invalidCountryCode }
        return code
      }
    }
    if let code = stripCallingCode(of: region, &digits, &trace, &observer) { return code }
    if hasPlus { throw .invalidCountryCode }
    return nil
  }

  // extractCountryCode.
  @inline(__always)
  private static func stripCallingCode(_ digits: inout Digits, _ observer: inout some DigitObserver)
    -> CallingCode?
  {
    if digits.count == 0 { return nil }
    observer.examined(allButLast: digits.count &- 1)
    if digits[0] == 0 { return nil }
    var candidate = 0
    for length in 1...3 where length <= digits.count {
      observer.examined(allButLast: digits.count &- length)
      candidate = candidate &* 10 &+ Int(truncatingIfNeeded: digits[length &- 1])
      if let code = Tables.callingCode(candidate) {
        digits = digits.dropFirst(length)
        return code
      }
    }
    return nil
  }

  // The region's own calling code without a plus sign: stripped only if the digits are not a number of the region and
  // the rest is, or if they are too long.
  @inline(__always)
  private static func stripCallingCode(
    of region: Plan, _ digits: inout Digits, _ trace: inout ParseTrace, _ observer: inout some DigitObserver
  ) -> CallingCode? {
    let code = Int(region.callingCode)
    let length = code < 10 ? 1 : code < 100 ? 2 : 3
    if digits.count < length { return nil }
    observer.examined(allButLast: digits.count &- length)
    if digits.leadingValue(length) != code { return nil }
    let prefix = nationalPrefix(of: digits.dropFirst(length), region, &observer)
    // The length first: that check is cheaper, and sufficient for most numbers written this way.
    let isBetter =
      possibility(digits.count, region) == .tooLong
      || !fitsGeneral(digits, region, &observer) && fitsGeneral(prefix.rest, region, &observer)
    if !isBetter { return nil }
    digits = prefix.rest
    trace.insert(.callingCode)
    // libphonenumber drops a carrier code that it finds here.
    if prefix.trace.stripped.contains(.nationalPrefix) { trace.insert(.nationalPrefix) }
    return Tables.callingCode(code)
  }
}
