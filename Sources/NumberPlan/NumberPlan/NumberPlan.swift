// Parses a text and a region to a number, step by step like libphonenumber's parse.
// The order of the steps and every condition are libphonenumber's (PhoneNumberUtil.parseHelper and what it calls), even
// where they look odd; the tests verify that. Not for decoding characters (TextScanner), or for queries about a parsed
// number (NumberPlan+Queries).

/// The world's numbering plans, according to libphonenumber.
///
///     let text = ContiguousArray("0755-12345678".utf8)
///     let number = try NumberPlan.parse(text.span, region: Region("CN"))
///     number.e164                          // 8675512345678
///     NumberPlan.isValid(number)           // true
///     NumberPlan.region(of: number)?.code  // "CN"
///     NumberPlan.type(of: number)          // .fixedLine
///
///     try NumberPlan.parse(text.span, region: nil)  // throws .invalidCountryCode: unknown country
///
/// All results are those of the libphonenumber release in ``metadataVersion``. All functions are thread-safe: they only
/// read constants.
public enum NumberPlan {
  /// libphonenumber's `MIN_LENGTH_FOR_NSN` and `MAX_LENGTH_FOR_NSN`.
  static let nationalLengthMin = 2
  static let nationalLengthMax = 17

  /// The libphonenumber release whose metadata the tables hold.
  public static var metadataVersion: String { Tables.metadataVersion }

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
    var front = 0
    for index in 0..<length { front = front &* 10 &+ Int(truncatingIfNeeded: digits[index]) }
    if front != code { return nil }
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

  // The remaining digits, and what was stripped.
  private struct PrefixResult {
    var rest: Digits
    var trace = ParseTrace()
  }

  // maybeStripNationalPrefixAndCarrierCode.
  @inline(__always)
  private static func nationalPrefix(
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
  private static func fitsGeneral(_ digits: Digits, _ plan: Plan, _ observer: inout some DigitObserver)
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
