// Parses a text and a region to a number, step by step like libphonenumber's parse. The order of the steps
// and every condition are libphonenumber's (PhoneNumberUtil.parseHelper and what it calls), even where they
// look odd; the tests verify that.

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

/// Why a text is not a number; libphonenumber's `NumberParseException.ErrorType`.
public enum NumberParseError: Error, Sendable, Hashable, CaseIterable {
  /// The text does not look like a phone number.
  case notANumber
  /// The calling code is not assigned, or there is neither a calling code nor a region.
  case invalidCountryCode
  /// Too few digits after an international prefix.
  case tooShortAfterIDD
  /// Fewer than two digits of national number.
  case tooShortNSN
  /// More than 250 characters, or more than 17 digits of national number.
  case tooLong
}

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

/// The digits of a text that has nothing else than digits and plain punctuation, of which parts may be numbers, too.
package struct PlainNumberText {
  private let scanned: ScannedText

  /// Returns nil for a text with other characters.
  @inline(__always)
  package init?(_ text: Span<UInt8>) {
    guard let scanned = TextScanner.scanPlain(text) else { return nil }
    self.scanned = scanned
  }

  /// The number of the digits in a range that begins with the first or ends with the last one, if it is valid. Without a
  /// region, they begin with a calling code.
  @inline(__always)
  package func validNumber(digits range: Range<Int>, region: Region?) -> ParsedNumber? {
    guard range.count >= TextScanner.digitsMin else { return nil }
    var part = ScannedText()
    part.digits = scanned.digits.prefix(range.upperBound).dropFirst(range.lowerBound)
    part.hasPlus = region == nil || range.lowerBound == 0 && scanned.hasPlus
    var observer = NoDigitObserver()
    guard let number = try? NumberPlan.interpret(part, region: region, &observer), NumberPlan.isValid(number)
    else { return nil }
    return number
  }
}

extension NumberPlan {
  /// What texts have at least that are a number of a country.
  package struct FewestDigits: Sendable {
    /// The number of digits of the shortest number, without a plus sign.
    package let count: Int
    /// A bit for each digit that a prefix for calls to other countries begins with, 0 lowest.
    package let internationalFirsts: UInt16
  }

  /// What texts have at least that are a number of the region's country: what is stripped makes them shorter still, unless
  /// they are dialled to another country. Nil if the country's rules prepend digits.
  package static func fewestDigits(in region: Region) -> FewestDigits? {
    guard region.isGeographic else { return nil }
    let plan = Plan(index: region.index)
    guard let country = Tables.callingCode(Int(plan.callingCode))?.plan, plan.transform == nil else {
      return nil
    }
    var firsts: UInt16 = 0
    for digit in UInt64(0)..<10 where Tables.next(UInt(plan.internationalPrefix), digit) != Tables.dead {
      firsts |= 1 << UInt16(digit)
    }
    return FewestDigits(
      count: (plan.lengths | country.lengths).trailingZeroBitCount, internationalFirsts: firsts)
  }
}

// Old trunk prefixes, which libphonenumber does not know.
extension NumberPlan {
  /// The number without a trunk prefix that its country has given up, such as Poland's `0 22 123 45 67`, if it is valid
  /// only without it.
  package static func withoutFormerTrunkPrefix(_ number: ParsedNumber) -> ParsedNumber? {
    var observer = NoDigitObserver()
    return droppingFormerTrunkPrefix(number, &observer)
  }

  @inline(__always)
  fileprivate static func droppingFormerTrunkPrefix(
    _ number: ParsedNumber, _ observer: inout some DigitObserver
  ) -> ParsedNumber? {
    guard hasFormerTrunkPrefix(number.callingCode) else { return nil }
    return droppingFormerTrunkPrefix(number, of: number.callingCode, &observer)
  }

  /// Whether numbers of the country were once dialled with a prefix that is not in its plan.
  @inline(__always)
  private static func hasFormerTrunkPrefix(_ callingCode: UInt16) -> Bool {
    switch callingCode {
    case 30, 39, 45, 47, 48, 52, 351, 371, 372, 420: true
    default: false
    }
  }

  @inline(never)
  private static func droppingFormerTrunkPrefix(
    _ number: ParsedNumber, of callingCode: UInt16, _ observer: inout some DigitObserver
  ) -> ParsedNumber? {
    // Greece, Italy (before mobile numbers), Denmark, Norway, Poland, Portugal, Latvia, Estonia and Czechia; Mexico,
    // where calls to and from mobile phones had others.
    let prefixes: [StaticString] = callingCode == 52 ? ["01", "02", "044", "045", "1"] : ["0"]
    let digits = number.digits
    observer.examined(allButLast: max(digits.count - formerPrefixDigitsMax, 0))
    guard let code = Tables.callingCode(Int(callingCode)) else { return nil }
    for prefix in prefixes where begins(digits, prefix) {
      if Automaton.accepts(code.valid, digits, &observer) { return nil }
      let rest = digits.dropFirst(prefix.utf8CodeUnitCount)
      guard rest.count >= nationalLengthMin, Automaton.accepts(code.valid, rest, &observer) else { continue }
      return number.droppingFirst(prefix.utf8CodeUnitCount)
    }
    return nil
  }

  private static let formerPrefixDigitsMax = 3

  /// Whether the first digits of a valid number may be its calling code: its country has a trunk prefix, the number was
  /// written without it, and what follows those digits is valid, too. `491711234567` is a mobile number of Germany, or
  /// one in the area 04917.
  package static func mayBeginWithCallingCode(_ number: ParsedNumber) -> Bool {
    var observer = NoDigitObserver()
    return isReadTwoWays(number, &observer)
  }

  @inline(never)
  fileprivate static func isReadTwoWays(
    _ number: ParsedNumber, _ observer: inout some DigitObserver
  ) -> Bool {
    let callingCode = Int(number.callingCode)
    let length = callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3
    let digits = number.digits
    guard number.stripped.isEmpty, digits.leadingValue(length) == callingCode,
      let code = Tables.callingCode(callingCode), code.plan.nationalPrefix != Tables.dead
    else { return false }
    let rest = digits.dropFirst(length)
    return Automaton.accepts(code.valid, rest, &observer)
      || Automaton.accepts(code.valid, nationalPrefix(of: rest, code.plan, &observer).rest, &observer)
  }

  private static func begins(_ digits: Digits, _ prefix: StaticString) -> Bool {
    let count = prefix.utf8CodeUnitCount
    return digits.count > count
      && prefix.withUTF8Buffer { bytes in
        (0..<count).allSatisfy { unsafe UInt64(bytes[$0] &- 0x30) == digits[$0] }
      }
  }
}

struct PrefixMatch {
  /// The number of digits matched.
  var length = 0
  /// The start and end of both groups; -1 if a group did not participate.
  var bounds: (Int8, Int8, Int8, Int8) = (-1, -1, -1, -1)

  /// The range of digits in group 1 or 2, or nil.
  func group(_ number: Int) -> Range<Int>? {
    let (start, end) = number == 1 ? (bounds.0, bounds.1) : (bounds.2, bounds.3)
    return start >= 0 && end >= start ? Int(start)..<Int(end) : nil
  }
}

/// Executes the backtracking programs of national prefixes with captures, with exactly Java's choices. The patterns
/// are a few digits long with bounded repeats, so backtracking is bounded, too.
enum PrefixProgram {
  // Operations, in the four high bits of a word; see ProgramWord in the generator.
  private static let split: UInt16 = 1
  private static let jump: UInt16 = 2
  private static let save: UInt16 = 3
  private static let end: UInt16 = 4
  private static let match: UInt16 = 5

  /// Matches the program at `start` with a prefix of `digits`.
  static func run(_ start: Int, _ digits: Digits) -> PrefixMatch? {
    var result = PrefixMatch()
    return run(start, start, 0, digits, &result) ? result : nil
  }

  private static func run(
    _ start: Int, _ entry: Int, _ position: Int, _ digits: Digits, _ result: inout PrefixMatch
  ) -> Bool {
    var counter = entry
    var position = position
    while true {
      let word = Tables.programWord(counter)
      let operand = word & 0x0FFF
      counter += 1
      switch word >> 12 {
      case split:
        let saved = result
        if run(start, counter, position, digits, &result) { return true }
        result = saved
        counter = start + Int(operand)
      case jump:
        counter = start + Int(operand)
      case save:
        let place = Int8(truncatingIfNeeded: position)
        switch operand {
        case 0: result.bounds.0 = place
        case 1: result.bounds.1 = place
        case 2: result.bounds.2 = place
        default: result.bounds.3 = place
        }
      case end:
        if position != digits.count { return false }
      case match:
        result.length = position
        return true
      default:
        guard position < digits.count, position < Digits.capacity,
          operand >> UInt16(truncatingIfNeeded: digits[position]) & 1 == 1
        else { return false }
        position += 1
      }
    }
  }
}

/// Observes which digits are examined while a number is parsed. Callers that parse many numbers can reuse results
/// for texts with the same prefix, since digits that were not examined can't affect the result.
protocol DigitObserver {
  /// Called when all digits except the last `count` may have been examined.
  mutating func examined(allButLast count: Int)
}

struct NoDigitObserver: DigitObserver {
  @inline(__always)
  mutating func examined(allButLast count: Int) {}
}

/// The digits at a number's end that were never examined.
///
/// A text of ASCII digits only, optionally after a plus sign, that has the same length and differs in these digits
/// only is parsed in the same way: the same leading digits are stripped, the same calling code is prepended, and all
/// queries have the same results.
package struct UnseenDigits: DigitObserver, Sendable {
  /// The number of these digits; all of them before any query.
  package private(set) var count = Int.max

  package init() {}

  mutating func examined(allButLast count: Int) {
    self.count = min(self.count, count)
  }
}

extension NumberPlan {
  /// Like ``parse(_:region:)``, and records the digits that were examined.
  package static func parse(
    _ text: Span<UInt8>, region: Region?, _ unseen: inout UnseenDigits
  ) throws(NumberParseError) -> ParsedNumber {
    try interpret(try TextScanner.scan(text), region: region, &unseen)
  }

  /// Like ``parseInternational(_:)``, and records the digits that were examined.
  package static func parseInternational(
    _ text: Span<UInt8>, _ unseen: inout UnseenDigits
  ) throws(NumberParseError) -> ParsedNumber {
    var scanned = try TextScanner.scan(text)
    scanned.hasPlus = true
    return try interpret(scanned, region: nil, &unseen)
  }

  /// Like ``withoutFormerTrunkPrefix(_:)``, and records the digits that were examined.
  package static func withoutFormerTrunkPrefix(
    _ number: ParsedNumber, _ unseen: inout UnseenDigits
  ) -> ParsedNumber? { droppingFormerTrunkPrefix(number, &unseen) }

  /// Like ``mayBeginWithCallingCode(_:)``, and records the digits that were examined.
  package static func mayBeginWithCallingCode(
    _ number: ParsedNumber, _ unseen: inout UnseenDigits
  ) -> Bool { isReadTwoWays(number, &unseen) }

  /// Like ``isValid(_:)``, and records the digits that were examined.
  package static func isValid(_ number: ParsedNumber, _ unseen: inout UnseenDigits) -> Bool {
    guard let code = Tables.callingCode(Int(number.callingCode)) else { return false }
    return Automaton.accepts(code.valid, number.digits, &unseen)
  }
}
