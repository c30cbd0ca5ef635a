// One number text to its E.164 number, by the order of rules that the documentation names.

import CallRecord
import NumberPlan

/// Reads number texts under fixed options.
///
/// The rules, in this order: libphonenumber's entry if it calls the number valid; else the digits as they stand,
/// if they start with the region's calling code and are possible there; else libphonenumber's entry if it is
/// possible; else a reject.
struct NumberReader {
  let options: NormalizeOptions
  /// Whether a number is possible that is only dialled inside its area. Nobody means those by `+1212*`.
  var allowsLocalOnly = true

  /// The number, or why there is none.
  @inline(__always)
  func read(_ text: Span<UInt8>) throws(NormalizeReject) -> UInt64 {
    try e164(resolve(text).number)
  }

  /// The number, or why there is none; `unseen` then knows which digits at the text's end had no say in it.
  func read(_ text: Span<UInt8>, _ unseen: inout UnseenDigits) throws(NormalizeReject) -> UInt64 {
    var plan = ObservingPlanParser()
    defer { unseen = plan.unseen }
    return try e164(resolve(text, &plan).number)
  }

  /// The number and the rule that gave it, or why there is none. It may have more digits than E.164 allows.
  @inline(__always)
  func resolve(_ text: Span<UInt8>) throws(NormalizeReject) -> (number: ParsedNumber, rule: NumberRule) {
    var plan = DirectPlanParser()
    return try resolve(text, &plan)
  }

  @inline(__always)
  private func resolve(
    _ text: Span<UInt8>, _ plan: inout some PlanParser
  ) throws(NormalizeReject) -> (number: ParsedNumber, rule: NumberRule) {
    guard let region = options.region, options.numbers != .international else {
      let number = try Self.parse { () throws(NumberParseError) in try plan.parseInternational(text) }.get()
      try check(number, &plan)
      return (number, .international)
    }
    let parsed = Self.parse { () throws(NumberParseError) in try plan.parse(text, region: region) }
    if case .success(let number) = parsed, plan.isValid(number) { return (number, .valid) }
    if options.numbers == .auto, let reparsed = parsedWithCallingCode(text, of: region, &plan) {
      try check(reparsed, &plan)
      return (reparsed, .carriesCallingCode)
    }
    let number = try parsed.get()
    try check(number, &plan)
    return (number, isPossible(number) ? .possible : .readable)
  }

  /// Whether libphonenumber calls the text a valid number.
  func isValid(_ text: Span<UInt8>) -> Bool {
    let isInternational = options.region == nil || options.numbers == .international
    let number = Self.parse { () throws(NumberParseError) in
      isInternational
        ? try NumberPlan.parseInternational(text) : try NumberPlan.parse(text, region: options.region)
    }
    if case .success(let number) = number { return NumberPlan.isValid(number) }
    return false
  }

  /// Whether libphonenumber calls a number in E.164 digits valid.
  static func isValid(e164: UInt64) -> Bool {
    guard let number = try? NumberPlan.parseInternational(Array("\(e164)".utf8).span) else { return false }
    return NumberPlan.isValid(number)
  }

  private static func parse(
    _ body: () throws(NumberParseError) -> ParsedNumber
  ) -> Result<ParsedNumber, NormalizeReject> {
    do throws(NumberParseError) {
      return .success(try body())
    } catch {
      switch error {
      case .notANumber: return .failure(.notANumber)
      case .invalidCountryCode: return .failure(.invalidCountryCode)
      case .tooShortAfterIDD, .tooShortNSN: return .failure(.tooShort)
      case .tooLong: return .failure(.tooLong)
      }
    }
  }

  /// The number that the digits are when the region's calling code at their start is taken for one.
  @inline(__always)
  private func parsedWithCallingCode(
    _ text: Span<UInt8>, of region: Region, _ plan: inout some PlanParser
  ) -> ParsedNumber? {
    guard
      case .success(let number) = Self.parse({ () throws(NumberParseError) in
        try plan.parseInternational(text)
      }),
      number.callingCode == region.callingCode, !number.stripped.contains(.internationalPrefix)
    else { return nil }
    return isPossible(number) ? number : nil
  }

  /// Whether the number is what the options want.
  private func check(_ number: ParsedNumber, _ plan: inout some PlanParser) throws(NormalizeReject) {
    switch options.require {
    case .none: break
    case .valid:
      try requirePossible(number)
      guard plan.isValid(number) else { throw .notValid }
    case .possible: try requirePossible(number)
    }
  }

  private func isPossible(_ number: ParsedNumber) -> Bool {
    switch NumberPlan.isPossible(number) {
    case .isPossible: true
    case .isPossibleLocalOnly: allowsLocalOnly
    default: false
    }
  }

  private func requirePossible(_ number: ParsedNumber) throws(NormalizeReject) {
    if isPossible(number) { return }
    switch NumberPlan.isPossible(number) {
    case .isPossible: return
    case .isPossibleLocalOnly: throw .tooShort
    case .invalidCountryCode: throw .invalidCountryCode
    case .tooShort: throw .tooShort
    case .invalidLength: throw .invalidLength
    case .tooLong: throw .tooLong
    }
  }

  /// The number's E.164 digits.
  func e164(_ number: ParsedNumber) throws(NormalizeReject) -> UInt64 {
    // E.164 has 15 digits at most; libphonenumber reads more.
    guard number.length <= PhoneNumber.digitsMax else { throw .tooLong }
    return number.e164
  }
}

/// The questions about a text that need its digits. What a number's length decides is asked of NumberPlan itself.
private protocol PlanParser {
  mutating func parse(_ text: Span<UInt8>, region: Region) throws(NumberParseError) -> ParsedNumber
  mutating func parseInternational(_ text: Span<UInt8>) throws(NumberParseError) -> ParsedNumber
  mutating func isValid(_ number: ParsedNumber) -> Bool
}

/// Asks, and no more.
private struct DirectPlanParser: PlanParser {
  @inline(__always)
  mutating func parse(_ text: Span<UInt8>, region: Region) throws(NumberParseError) -> ParsedNumber {
    try NumberPlan.parse(text, region: region)
  }
  @inline(__always)
  mutating func parseInternational(_ text: Span<UInt8>) throws(NumberParseError) -> ParsedNumber {
    try NumberPlan.parseInternational(text)
  }
  @inline(__always)
  mutating func isValid(_ number: ParsedNumber) -> Bool { NumberPlan.isValid(number) }
}

/// Asks, and keeps account of the digits that were looked at.
private struct ObservingPlanParser: PlanParser {
  var unseen = UnseenDigits()

  mutating func parse(_ text: Span<UInt8>, region: Region) throws(NumberParseError) -> ParsedNumber {
    try NumberPlan.parse(text, region: region, &unseen)
  }
  mutating func parseInternational(_ text: Span<UInt8>) throws(NumberParseError) -> ParsedNumber {
    try NumberPlan.parseInternational(text, &unseen)
  }
  mutating func isValid(_ number: ParsedNumber) -> Bool { NumberPlan.isValid(number, &unseen) }
}
