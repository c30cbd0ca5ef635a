// Parsing: from text and a region to a number, step by step as libphonenumber's parse does it.
// The order of the steps and every condition are libphonenumber's (PhoneNumberUtil.parseHelper and what it calls);
// where one looks odd, it is theirs, and the tests hold it. Not for reading characters (TextScanner) and not for
// asking about a parsed number (NumberPlan+Questions).

/// The world's numbering plans, as libphonenumber knows them.
///
///     let text = ContiguousArray("0755-12345678".utf8)
///     let number = try NumberPlan.parse(text.span, region: Region("CN"))
///     number.e164                          // 8675512345678
///     NumberPlan.isValid(number)           // true
///     NumberPlan.region(of: number)?.code  // "CN"
///     NumberPlan.type(of: number)          // .fixedLine
///
///     try NumberPlan.parse(text.span, region: nil)  // throws .invalidCountryCode: whose 0755?
///
/// All answers are libphonenumber's, of the release that ``metadataVersion`` names. All functions can be called from
/// any thread: there is nothing but constants behind them.
public enum NumberPlan {
  /// libphonenumber's `MIN_LENGTH_FOR_NSN` and `MAX_LENGTH_FOR_NSN`.
  static let nationalLengthMin = 2
  static let nationalLengthMax = 17

  /// The libphonenumber release whose metadata the tables hold.
  public static var metadataVersion: String { Tables.metadataVersion }

  /// Reads one phone number.
  ///
  /// As libphonenumber's `parse`: text in front of the number and punctuation are passed over, letters can stand for
  /// digits (`1-800-FLOWERS`), digits may be of any script, an extension is told apart, and the parameters
  /// `;phone-context=`, `;ext=` and `;isub=` of a `tel:` address are understood.
  ///
  /// - Parameters:
  ///   - text: UTF-8. A byte that is none is read as a character that belongs to no number.
  ///   - region: whose rules apply to a number without plus sign; nil when there is none.
  /// - Throws: why libphonenumber would not parse the text either.
  /// - Complexity: O(*n*) in the text's length, and O(*n*²) at most where it ends as texts with extensions do; of more
  ///   than 250 characters nothing but their number is read. Allocates nothing, save for a text whose phone context is
  ///   a number.
  public static func parse(_ text: Span<UInt8>, region: Region?) throws(NumberParseError) -> ParsedNumber {
    var watch = NoDigitObserver()
    return try interpret(try TextScanner.scan(text), region: region, &watch)
  }

  /// Reads one phone number that begins with its calling code, whether a plus sign stands there or not.
  ///
  ///     let text = ContiguousArray("8675512345678".utf8)
  ///     try NumberPlan.parseInternational(text.span).e164  // 8675512345678
  ///
  /// - Throws: what `parse` throws for the same text with a plus sign in front.
  /// - Complexity: as `parse`.
  public static func parseInternational(_ text: Span<UInt8>) throws(NumberParseError) -> ParsedNumber {
    var scanned = try TextScanner.scan(text)
    scanned.hasPlus = true
    var watch = NoDigitObserver()
    return try interpret(scanned, region: nil, &watch)
  }

  @inline(__always)
  static func interpret(
    _ scanned: ScannedText, region: Region?, _ watch: inout some DigitObserver
  ) throws(NumberParseError) -> ParsedNumber {
    let region = region.flatMap { $0.isGeographic ? $0 : nil }
    if region == nil && !scanned.hasPlus { throw .invalidCountryCode }
    var national = scanned.digits
    var trace = ParseTrace()
    let code = try extractCallingCode(
      &national, hasPlus: scanned.hasPlus, region: region.map { Plan(index: $0.index) }, &trace, &watch)

    let plan: Plan
    if let code {
      plan = code.plan
    } else if let region {
      plan = Plan(index: region.index)
    } else {
      throw .invalidCountryCode
    }
    if national.count < nationalLengthMin { throw .tooShortNSN }
    // What is left must still be long enough, or the digits stand as they are: they may be a short number.
    let prefix = nationalPrefix(of: national, plan, &watch)
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
      callingCode: plan.callingCode, national: national, trace: trace, extensionPlace: scanned.extensionPlace)
  }

  // maybeExtractCountryCode, with parse's second try after a plus sign. Leaves the national number in `digits`.
  @inline(__always)
  private static func extractCallingCode(
    _ digits: inout Digits, hasPlus: Bool, region: Plan?, _ trace: inout ParseTrace,
    _ watch: inout some DigitObserver
  ) throws(NumberParseError) -> CallingCode? {
    if hasPlus {
      if digits.count <= nationalLengthMin { throw .tooShortAfterIDD }
      if let code = takeCallingCode(&digits, &watch) {
        trace.insert(.plus)
        return code
      }
    }
    guard let region else { return nil }
    if let length = Automaton.prefixLength(region.internationalPrefix, digits, &watch) {
      let rest = digits.dropFirst(length)
      // No calling code begins with 0.
      watch.leaves(max(rest.count &- 1, 0))
      if rest.count == 0 || rest[0] != 0 {
        if rest.count <= nationalLengthMin { throw .tooShortAfterIDD }
        trace.insertInternationalPrefix(digits, count: length)
        digits = rest
        guard let code = takeCallingCode(&digits, &watch) else { throw .invalidCountryCode }
        return code
      }
    }
    if let code = takeCallingCode(of: region, &digits, &trace, &watch) { return code }
    if hasPlus { throw .invalidCountryCode }
    return nil
  }

  // extractCountryCode.
  @inline(__always)
  private static func takeCallingCode(_ digits: inout Digits, _ watch: inout some DigitObserver)
    -> CallingCode?
  {
    if digits.count == 0 { return nil }
    watch.leaves(digits.count &- 1)
    if digits[0] == 0 { return nil }
    var candidate = 0
    for length in 1...3 where length <= digits.count {
      watch.leaves(digits.count &- length)
      candidate = candidate &* 10 &+ Int(truncatingIfNeeded: digits[length &- 1])
      if let code = Tables.callingCode(candidate) {
        digits = digits.dropFirst(length)
        return code
      }
    }
    return nil
  }

  // The region's own calling code in front, without a plus sign: taken off only if the digits were no number of
  // the region before and are one after, or were too long before.
  @inline(__always)
  private static func takeCallingCode(
    of region: Plan, _ digits: inout Digits, _ trace: inout ParseTrace, _ watch: inout some DigitObserver
  ) -> CallingCode? {
    let code = Int(region.callingCode)
    let length = code < 10 ? 1 : code < 100 ? 2 : 3
    if digits.count < length { return nil }
    watch.leaves(digits.count &- length)
    var front = 0
    for index in 0..<length { front = front &* 10 &+ Int(truncatingIfNeeded: digits[index]) }
    if front != code { return nil }
    let prefix = nationalPrefix(of: digits.dropFirst(length), region, &watch)
    // The length first: it is the cheaper question, and answers for most numbers written this way.
    let isBetter =
      possibility(digits.count, region) == .tooLong
      || !fitsGeneral(digits, region, &watch) && fitsGeneral(prefix.rest, region, &watch)
    if !isBetter { return nil }
    digits = prefix.rest
    trace.insert(.callingCode)
    // libphonenumber forgets a carrier's code that it meets here.
    if prefix.trace.stripped.contains(.nationalPrefix) { trace.insert(.nationalPrefix) }
    return Tables.callingCode(code)
  }

  // What is left of the digits, and what was taken off.
  private struct PrefixResult {
    var rest: Digits
    var trace = ParseTrace()
  }

  // maybeStripNationalPrefixAndCarrierCode.
  @inline(__always)
  private static func nationalPrefix(
    of digits: Digits, _ plan: Plan, _ watch: inout some DigitObserver
  ) -> PrefixResult {
    guard digits.count > 0, let length = Automaton.prefixLength(plan.nationalPrefix, digits, &watch) else {
      return PrefixResult(rest: digits)
    }
    watch.leaves(digits.count &- 1)
    if !plan.isCaptureless(from: digits[0]) {
      // Digits may be put in front of what is left: then nobody keeps account of them.
      watch.leaves(0)
      return capturedPrefix(of: digits, plan)
    }
    var result = PrefixResult(rest: digits.dropFirst(length))
    // An optional prefix may match nothing at all.
    if length > 0 { result.trace.insert(.nationalPrefix) }
    return viable(result, insteadOf: digits, plan, &watch)
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
    var watch = NoDigitObserver()
    return viable(result, insteadOf: digits, plan, &watch)
  }

  // matchNationalNumber with the general description. Most that do not fit have the wrong length, seen at once.
  @inline(__always)
  private static func fitsGeneral(_ digits: Digits, _ plan: Plan, _ watch: inout some DigitObserver) -> Bool {
    digits.count < 32 && (plan.generalLengths &>> UInt32(truncatingIfNeeded: digits.count)) & 1 == 1
      && Automaton.accepts(plan.general, digits, &watch)
  }

  // A number that fits the general description is not given up for one that does not.
  @inline(__always)
  private static func viable(
    _ result: PrefixResult, insteadOf digits: Digits, _ plan: Plan, _ watch: inout some DigitObserver
  ) -> PrefixResult {
    !fitsGeneral(result.rest, plan, &watch) && fitsGeneral(digits, plan, &watch)
      ? PrefixResult(rest: digits) : result
  }
}
