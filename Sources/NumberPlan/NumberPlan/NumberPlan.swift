// Parsing: from text and a region to a number, step by step as libphonenumber's parse does it.
// The order of the steps and every condition are libphonenumber's (PhoneNumberUtil.parseHelper and what it calls);
// where one looks odd, it is theirs, and the tests hold it. Not for reading characters (TextScanner) and not for
// asking about a parsed number (NumberPlan+Questions).

/// The world's numbering plans, as libphonenumber knows them.
///
///     let cn = Region("CN")
///     let bytes = ContiguousArray("0755-12345678".utf8)
///     let number = try NumberPlan.parse(bytes.span, region: cn)
///     number.e164  // 8675512345678
public enum NumberPlan {
  /// libphonenumber's `MIN_LENGTH_FOR_NSN` and `MAX_LENGTH_FOR_NSN`.
  static let nationalLengthMin = 2
  static let nationalLengthMax = 17

  /// The libphonenumber release whose metadata the tables hold.
  public static var metadataVersion: String { Tables.metadataVersion }

  /// Reads one phone number.
  ///
  /// - Parameters:
  ///   - text: UTF-8. Text in front of the number, punctuation and extensions are passed over.
  ///   - region: whose rules apply to a number without plus sign; nil when there is none.
  /// - Throws: why libphonenumber would not parse the text either. A `;phone-context=` is not supported and
  ///   always `notANumber`.
  /// - Complexity: O(*n*) in the text's length, which is limited to 250 characters. Allocates nothing.
  public static func parse(_ text: Span<UInt8>, region: Region?) throws(ParseFailure) -> ParsedNumber {
    try interpret(try TextScanner.scan(text), region: region)
  }

  /// Reads one phone number that begins with its calling code, whether a plus sign stands there or not.
  ///
  /// - Throws: what `parse` throws for the same text with a plus sign in front.
  /// - Complexity: as `parse`.
  public static func parseInternational(_ text: Span<UInt8>) throws(ParseFailure) -> ParsedNumber {
    var scanned = try TextScanner.scan(text)
    scanned.hasPlus = true
    return try interpret(scanned, region: nil)
  }

  @inline(__always)
  private static func interpret(_ scanned: ScannedText, region: Region?) throws(ParseFailure) -> ParsedNumber
  {
    if region == nil && !scanned.hasPlus { throw .invalidCountryCode }
    var national = scanned.digits
    var stripped: ParsedNumber.Stripped = []
    let code = try extractCallingCode(
      &national, hasPlus: scanned.hasPlus, region: region.map { Plan(index: $0.index) }, &stripped)

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
    let prefix = nationalPrefix(of: national, plan)
    switch possibility(prefix.rest.count, plan) {
    case .tooShort, .isPossibleLocalOnly, .invalidLength:
      break
    default:
      national = prefix.rest
      stripped.formUnion(prefix.stripped)
    }
    if national.count < nationalLengthMin { throw .tooShortNSN }
    // Digits that were not kept belong to a text of more than 32, of which no plan can take off enough.
    if national.count > nationalLengthMax || !national.isComplete { throw .tooLong }
    return ParsedNumber(callingCode: plan.callingCode, national: national, stripped: stripped)
  }

  // maybeExtractCountryCode, with parse's second try after a plus sign. Leaves the national number in `digits`.
  @inline(__always)
  private static func extractCallingCode(
    _ digits: inout Digits, hasPlus: Bool, region: Plan?, _ stripped: inout ParsedNumber.Stripped
  ) throws(ParseFailure) -> CallingCode? {
    if hasPlus {
      if digits.count <= nationalLengthMin { throw .tooShortAfterIDD }
      if let code = takeCallingCode(&digits) {
        stripped.insert(.plus)
        return code
      }
    }
    guard let region else { return nil }
    if let length = Automaton.prefixLength(region.internationalPrefix, digits) {
      let rest = digits.dropFirst(length)
      // No calling code begins with 0.
      if rest.count == 0 || rest[0] != 0 {
        if rest.count <= nationalLengthMin { throw .tooShortAfterIDD }
        digits = rest
        guard let code = takeCallingCode(&digits) else { throw .invalidCountryCode }
        stripped.insert(.internationalPrefix)
        return code
      }
    }
    if let code = takeCallingCode(of: region, &digits) {
      stripped.insert(.callingCode)
      return code
    }
    if hasPlus { throw .invalidCountryCode }
    return nil
  }

  // extractCountryCode.
  @inline(__always)
  private static func takeCallingCode(_ digits: inout Digits) -> CallingCode? {
    if digits.count == 0 || digits[0] == 0 { return nil }
    var candidate = 0
    for length in 1...3 where length <= digits.count {
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
  private static func takeCallingCode(of region: Plan, _ digits: inout Digits) -> CallingCode? {
    let code = Int(region.callingCode)
    let length = code < 10 ? 1 : code < 100 ? 2 : 3
    if digits.count < length { return nil }
    var front = 0
    for index in 0..<length { front = front &* 10 &+ Int(truncatingIfNeeded: digits[index]) }
    if front != code { return nil }
    let rest = nationalPrefix(of: digits.dropFirst(length), region).rest
    // The length first: it is the cheaper question, and answers for most numbers written this way.
    let isBetter =
      possibility(digits.count, region) == .tooLong
      || !fitsGeneral(digits, region) && fitsGeneral(rest, region)
    if !isBetter { return nil }
    digits = rest
    return Tables.callingCode(code)
  }

  // maybeStripNationalPrefixAndCarrierCode: what is left, and what was taken off.
  @inline(__always)
  private static func nationalPrefix(
    of digits: Digits, _ plan: Plan
  ) -> (rest: Digits, stripped: ParsedNumber.Stripped) {
    guard digits.count > 0, let length = Automaton.prefixLength(plan.nationalPrefix, digits) else {
      return (digits, [])
    }
    if !plan.isCaptureless(from: digits[0]) { return capturedPrefix(of: digits, plan) }
    let rest = digits.dropFirst(length)
    return viable(rest, insteadOf: digits, plan, .nationalPrefix)
  }

  @inline(never)
  private static func capturedPrefix(
    of digits: Digits, _ plan: Plan
  ) -> (rest: Digits, stripped: ParsedNumber.Stripped) {
    guard let program = plan.nationalPrefixProgram, let match = PrefixProgram.run(program, digits) else {
      return (digits, [])
    }
    var rest = digits.dropFirst(match.length)
    let hasCarrier: Bool
    if let transform = plan.transform, match.group(plan.nationalPrefixGroups) != nil {
      var transformed = transform.digits
      if let kept = match.group(transform.group) {
        transformed.append(digits.prefix(kept.upperBound).dropFirst(kept.lowerBound))
      }
      transformed.append(rest)
      rest = transformed
      hasCarrier = plan.nationalPrefixGroups > 1 && match.group(1) != nil
    } else {
      hasCarrier = match.group(1) != nil
    }
    // An optional prefix may match nothing at all.
    let hasPrefix = match.length > 0
    let stripped: ParsedNumber.Stripped =
      hasCarrier ? [.nationalPrefix, .carrier] : hasPrefix ? .nationalPrefix : []
    return viable(rest, insteadOf: digits, plan, stripped)
  }

  // matchNationalNumber with the general description. Most that do not fit have the wrong length, seen at once.
  @inline(__always)
  private static func fitsGeneral(_ digits: Digits, _ plan: Plan) -> Bool {
    digits.count < 32 && (plan.generalLengths &>> UInt32(truncatingIfNeeded: digits.count)) & 1 == 1
      && Automaton.accepts(plan.general, digits)
  }

  // A number that fits the general description is not given up for one that does not.
  @inline(__always)
  private static func viable(
    _ rest: Digits, insteadOf digits: Digits, _ plan: Plan, _ stripped: ParsedNumber.Stripped
  ) -> (rest: Digits, stripped: ParsedNumber.Stripped) {
    if !fitsGeneral(rest, plan) && fitsGeneral(digits, plan) { return (digits, []) }
    return (rest, stripped)
  }
}
