// Parses one number text to its E.164 number, by the documented order of rules.

import NumberPlan
import Records

/// Parses number texts under fixed options.
///
/// The rules, in this order: libphonenumber's result if it is valid; else that of the text without what follows or
/// surrounds the number (NumberNotation); else the digits unchanged, if they start with the region's calling code and
/// are possible there; else libphonenumber's result if it is possible; else a reject.
struct NumberReader: Sendable {
  let options: NormalizeOptions
  /// Whether numbers that can only be dialled within their area are possible. Patterns like `+1212*` don't mean those.
  var allowsLocalOnly = true
  /// Whether the last digits stand for wildcards, and so belong to the number.
  var isPatternEnd = false
  /// Whether numbers are looked up in a list, so that a star stands for any number of digits.
  var isLookup = false
  /// What texts have at least that are a number of the region; nil if texts are read as in no region.
  private let fewestDigits: NumberPlan.FewestDigits?

  init(options: NormalizeOptions, allowsLocalOnly: Bool = true, isPatternEnd: Bool = false) {
    self.options = options
    self.allowsLocalOnly = allowsLocalOnly
    self.isPatternEnd = isPatternEnd
    fewestDigits = options.numbers == .international ? nil : options.region.flatMap(NumberPlan.fewestDigits)
  }

  @inline(__always)
  func read(_ text: Span<UInt8>) throws(NormalizeReject) -> UInt64 { try e164(resolve(text).number) }

  /// Returns the number, or throws why there is none. Sets `unseen` to the digits at the end that were not examined.
  func read(_ text: Span<UInt8>, _ unseen: inout UnseenDigits) throws(NormalizeReject) -> UInt64 {
    var plan = ObservingPlanParser()
    defer { unseen = plan.unseen }
    return try e164(resolve(text, &plan).number)
  }

  /// Returns the number and the rule that produced it. It may have more digits than E.164 allows.
  @inline(__always)
  func resolve(_ text: Span<UInt8>) throws(NormalizeReject) -> (number: ParsedNumber, rule: NumberRule) {
    var plan = DirectPlanParser()
    return try resolve(text, &plan)
  }

  @inline(__always)
  private func resolve(
    _ text: Span<UInt8>, _ plan: inout some PlanParser
  ) throws(NormalizeReject) -> (number: ParsedNumber, rule: NumberRule) {
    let shape = TextShape(text)
    let group = shape.groupEnd(text, from: 0)
    if group < text.count, text[group] == UInt8(ascii: "."), NumberNotation.isIPAddress(text) {
      throw .notANumber
    }
    if shape.hasWords {
      if Self.joinsNumbers(text) { throw .notANumber }
      if NumberNotation.mayBeginURI(text), let number = NumberNotation.number(ofURI: text) {
        return try resolveAgain(number.span)
      }
      if NumberNotation.hasNumberAfterWord(text, shape) { throw .notANumber }
    }
    guard let region = options.region, options.numbers != .international else {
      let parsed = Self.parse { () throws(NumberParseError) in try plan.parseInternational(text) }
      if let number = try withoutFormerTrunkPrefix(text, shape, parsed, &plan) {
        return (number, .international)
      }
      if let other = try resolveUndressed(text, shape, parsed) { return other }
      let number = try parsed.get()
      try check(number, &plan)
      try checkCallingCode(text, shape, number, &plan)
      try checkGroups(text, shape, of: number)
      return (number, .international)
    }
    let parsed = Self.parse { () throws(NumberParseError) in try plan.parse(text, region: region) }
    if case .success(let number) = parsed, plan.isValid(number) {
      try checkCallingCode(text, shape, number, &plan)
      guard let end = NumberNotation.countStart(text) else {
        if shape.hasGroups(text), NumberNotation.mayHaveExtraDigits(text, shape) {
          try requireInvalidRests(text, shape, number)
        }
        return (number, .valid)
      }
      return try resolveAgain(text.extracting(0..<end))
    }
    if let number = try withoutFormerTrunkPrefix(text, shape, parsed, &plan) { return (number, .valid) }
    if let other = try resolveUndressed(text, shape, parsed) { return other }
    if options.numbers == .auto, let reparsed = parsedWithCallingCode(text, of: region, &plan) {
      try check(reparsed, &plan)
      try checkGroups(text, shape, of: reparsed)
      return (reparsed, .carriesCallingCode)
    }
    let number = try parsed.get()
    try check(number, &plan)
    try requireWhole(text, shape, number)
    if shape.hasGroups(text) { try requireInvalidRests(text, shape, number) }
    return (number, isPossible(number) ? .possible : .readable)
  }

  /// Throws if it is not certain which digits of a valid number are the calling code: those of a number without a plus
  /// sign, or only some of a group after one, `+8 495 123-45-01`.
  @inline(__always)
  private func checkCallingCode(
    _ text: Span<UInt8>, _ shape: TextShape, _ number: ParsedNumber, _ plan: inout some PlanParser
  ) throws(NormalizeReject) {
    if number.stripped.isEmpty {
      guard options.numbers == .auto, !isInternational, options.require != .none else { return }
      if plan.mayBeginWithCallingCode(number) { throw .ambiguous }
    } else if !beginsWithCallingCode(text, number), number.stripped.contains(.plus), shape.hasGroups(text),
      splitsCallingCode(text, shape, number), options.require != .none
    {
      throw .invalidCountryCode
    }
  }

  /// Whether the digits of the calling code follow a plus sign directly, as in most texts that have one.
  @inline(__always)
  private func beginsWithCallingCode(_ text: Span<UInt8>, _ number: ParsedNumber) -> Bool {
    number.callingCode < 10
      || text.count > 3 && text[0] == UInt8(ascii: "+") && text[2].isDigit
        && (number.callingCode < 100 || text[3].isDigit) && text[1].isDigit
  }

  @inline(never)
  private func splitsCallingCode(_ text: Span<UInt8>, _ shape: TextShape, _ number: ParsedNumber) -> Bool {
    let first = shape.nextDigit(text, from: 0)
    let end = shape.groupEnd(text, from: first)
    guard end > first, end - first < Decimal.digitCount(UInt64(number.callingCode)) else { return false }
    // `+38 (067) 123-45-01` is the common form in Ukraine: area codes begin with the last digit of its calling code.
    let next = shape.nextDigit(text, from: end)
    return number.callingCode != 380 || end - first < 2 || text[next] != UInt8(ascii: "0")
  }

  @inline(__always)
  private func withoutFormerTrunkPrefix(
    _ text: Span<UInt8>, _ shape: TextShape, _ parsed: Result<ParsedNumber, NormalizeReject>,
    _ plan: inout some PlanParser
  ) throws(NormalizeReject) -> ParsedNumber? {
    guard case .success(let number) = parsed, let rest = plan.withoutFormerTrunkPrefix(number) else {
      return nil
    }
    if NumberNotation.mayHaveExtraDigits(text, shape) { try requireInvalidRests(text, shape, rest) }
    return rest
  }

  /// Throws if a text whose number is not valid is only the beginning of one, an area code with its trunk prefix
  /// (`0211`), or a postal code among local numbers (`01310-100`).
  @inline(__always)
  private func requireWhole(
    _ text: Span<UInt8>, _ shape: TextShape, _ number: ParsedNumber
  ) throws(NormalizeReject) {
    guard number.nationalLength <= Self.partDigitsMax, options.require != .none, !isPatternEnd,
      !options.arePrefixes
    else { return }
    if number.callingCode == Self.brazil, NumberNotation.isPostalCode(text, shape) {
      throw .notANumber
    }
    if isAreaCode(text, shape, number) { throw .tooShort }
  }

  /// The maximum number of digits of an area code with its trunk prefix, and of a postal code.
  private static let partDigitsMax = 8
  private static let areaCodeDigitsMax = 5
  private static let brazil: UInt16 = 55

  /// Whether a number is a trunk prefix and an area code, and nothing else: one group of digits that longer valid
  /// numbers begin with.
  private func isAreaCode(_ text: Span<UInt8>, _ shape: TextShape, _ number: ParsedNumber) -> Bool {
    let digits = Int(number.nationalLength) - Int(number.leadingZeros)
    guard digits <= Self.areaCodeDigitsMax, number.stripped.isSubset(of: .nationalPrefix),
      number.leadingZeros > 0 || number.stripped == .nationalPrefix, shape.isOneGroup(text)
    else { return false }
    let code = UInt64(number.callingCode) * Decimal.tenToThe(digits) + number.nationalNumber
    return NumberPlan.validLengths(ofDigits: code) >> UInt64(Decimal.digitCount(code) + 1) != 0
  }

  /// The number in a text that is not a valid number as a whole, without what follows or surrounds it; nil if there is
  /// nothing. Throws if it is not certain where the number ends.
  @inline(__always)
  private func resolveUndressed(
    _ text: Span<UInt8>, _ shape: TextShape, _ parsed: Result<ParsedNumber, NormalizeReject>
  ) throws(NormalizeReject) -> (number: ParsedNumber, rule: NumberRule)? {
    if let end = NumberNotation.remarkStart(text) { return try resolveBefore(end, text) }
    if let end = NumberNotation.extensionStart(text, shape), isTooLong(parsed),
      isValid(text.extracting(0..<end))
    {
      return try resolveAgain(text.extracting(0..<end))
    }
    guard case .failure = parsed else { return nil }
    if shape.hasWords, let spaced = NumberNotation.withPlainSpaces(text) {
      return try resolveAgain(spaced.span)
    }
    guard let number = NumberNotation.number(inAddress: text) else { return nil }
    return try resolveAgain(number.span)
  }

  /// Whether no number of the country has as many digits.
  private func isTooLong(_ parsed: Result<ParsedNumber, NormalizeReject>) -> Bool {
    switch parsed {
    case .success(let number): NumberPlan.isPossible(number) == .tooLong
    case .failure(let reason): reason == .tooLong
    }
  }

  @inline(never)
  private func resolveBefore(
    _ end: Int, _ text: Span<UInt8>
  ) throws(NormalizeReject) -> (number: ParsedNumber, rule: NumberRule)? {
    if NumberNotation.countStart(text) == nil, isValid(text) { return nil }
    let front = text.extracting(0..<end)
    guard isValid(front) else { throw .notANumber }
    return try resolveAgain(front)
  }

  /// Throws if a text whose number is not valid, or may not be all of it, is a valid number without a few digits at its
  /// start or its end.
  @inline(__always)
  private func checkGroups(
    _ text: Span<UInt8>, _ shape: TextShape, of number: ParsedNumber
  ) throws(NormalizeReject) {
    // Texts of digits only must not observe the plan here: their prefixes are cached.
    guard shape.hasGroups(text) else { return }
    if NumberNotation.mayHaveExtraDigits(text, shape) || !NumberPlan.isValid(number) {
      try requireInvalidRests(text, shape, number)
    }
  }

  /// Throws if the text is another valid number without a few digits at its start or its end: a count, a day, the end of
  /// another number.
  @inline(never)
  private func requireInvalidRests(
    _ text: Span<UInt8>, _ shape: TextShape, _ number: ParsedNumber
  ) throws(NormalizeReject) {
    guard options.require != .none, !areRestsTooShort(text, shape) else { return }
    let region = isInternational ? nil : options.region
    var plain: PlainNumberText??
    let isOther = NumberNotation.containsWithoutExtraDigits(text, shape) { rest in
      if isPatternEnd, rest.lowerBound == 0 { return false }
      if hasTooFewDigits(text, shape, rest) { return false }
      if plain == nil { plain = .some(shape.hasWords ? nil : PlainNumberText(text)) }
      let other =
        if let plain = plain ?? nil, let digits = shape.digits(in: rest) {
          plain.validNumber(digits: digits, region: region)
        } else {
          validNumber(text.extracting(rest))
        }
      return other.map { $0.e164 != number.e164 } ?? false
    }
    if isOther, !isFormatted(text, number) { throw .extraDigits }
  }

  /// Whether no part of a text without words is a number: without any of its digits, they are fewer than those of the
  /// region's numbers, and no group of them begins like a call to another country.
  @inline(__always)
  private func areRestsTooShort(_ text: Span<UInt8>, _ shape: TextShape) -> Bool {
    guard let fewestDigits, !shape.hasWords, let digits = shape.digits(in: 0..<text.count),
      digits.count <= fewestDigits.count
    else { return false }
    var isInGroup = false
    for index in text.indices {
      let byte = text[index]
      if byte == UInt8(ascii: "+") { return false }
      if byte.isDigit, !isInGroup, fewestDigits.internationalFirsts >> UInt16(byte & 15) & 1 != 0 {
        return false
      }
      isInGroup = byte.isDigit
    }
    return true
  }

  /// Whether a part of a text without words has fewer digits than the region's numbers.
  @inline(__always)
  private func hasTooFewDigits(_ text: Span<UInt8>, _ shape: TextShape, _ part: Range<Int>) -> Bool {
    guard let fewestDigits, !shape.hasWords, let digits = shape.digits(in: part),
      digits.count < fewestDigits.count
    else { return false }
    let first = shape.nextDigit(text, from: part.lowerBound)
    guard first < text.count, fewestDigits.internationalFirsts >> UInt16(text[first] & 15) & 1 == 0 else {
      return false
    }
    for index in part.lowerBound..<first where text[index] == UInt8(ascii: "+") { return false }
    return true
  }

  /// Whether a valid number is written in the groups of its country's format: `331 0123 4501` in Italy.
  private func isFormatted(_ text: Span<UInt8>, _ number: ParsedNumber) -> Bool {
    guard number.length <= PhoneNumber.digitsMax, NumberPlan.isValid(number) else { return false }
    let groups = Self.groups(text)
    return [NumberForm.national, .international].contains { form in
      var formatted: [UInt8] = []
      NumberPlan.append(number.e164, as: form, to: &formatted)
      return groups == Self.groups(formatted.span)
    }
  }

  /// The sizes of a text's groups of digits.
  private static func groups(_ text: Span<UInt8>) -> [Int] {
    var sizes: [Int] = []
    for index in text.indices where text[index].isDigit {
      if index > 0, text[index - 1].isDigit { sizes[sizes.count - 1] += 1 } else { sizes.append(1) }
    }
    return sizes
  }

  @inline(never)
  private func resolveAgain(
    _ text: Span<UInt8>
  ) throws(NormalizeReject) -> (number: ParsedNumber, rule: NumberRule) {
    try resolve(text)
  }

  /// Whether all digits are read as if they began with a calling code.
  var isInternational: Bool { options.region == nil || options.numbers == .international }

  /// A reader that accepts possible numbers where this one accepts only valid ones.
  var withoutValidity: NumberReader {
    guard options.require == .valid else { return self }
    var options = options
    options.require = .possible
    return NumberReader(options: options, allowsLocalOnly: allowsLocalOnly, isPatternEnd: isPatternEnd)
  }

  /// Words between two numbers. libphonenumber reads the letters as digits, or skips them.
  private static var joiningWords: [StaticString] {
    [
      "bis", "to", "till", "until", "thru", "through", "and", "or", "und", "oder", "et", "ou", "hasta",
      "fino", "tot",
      "do",
    ]
  }

  /// Whether the text has several numbers or a range: one of these words between digits, as in `030 1234-0 bis 99`.
  private static func joinsNumbers(_ text: Span<UInt8>) -> Bool {
    for index in text.indices.dropFirst().dropLast() {
      guard text[index] == 0x20, isLetter(text[index + 1]),
        text[index - 1] &- 0x30 < 10 || text[index - 1] == UInt8(ascii: ")")
      else { continue }
      var end = index + 1
      while end < text.count, isLetter(text[end]) { end += 1 }
      guard end + 1 < text.count, text[end] == 0x20 else { continue }
      let next = text[end + 1]
      guard next &- 0x30 < 10 || next == UInt8(ascii: "+") || next == UInt8(ascii: "(") else { continue }
      if joiningWords.contains(where: { isSame($0, text.extracting(index + 1..<end)) }) { return true }
    }
    return false
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  private static func isSame(_ word: StaticString, _ text: Span<UInt8>) -> Bool {
    guard word.utf8CodeUnitCount == text.count else { return false }
    let word = "\(word)".utf8
    return zip(word, text.indices).allSatisfy { $0 == text[$1] | 0x20 }
  }

  /// Whether the text is a valid number according to libphonenumber.
  func isValid(_ text: Span<UInt8>) -> Bool { validNumber(text) != nil }

  func validNumber(_ text: Span<UInt8>) -> ParsedNumber? {
    let number = Self.parse { () throws(NumberParseError) in
      isInternational
        ? try NumberPlan.parseInternational(text) : try NumberPlan.parse(text, region: options.region)
    }
    if case .success(let number) = number, NumberPlan.isValid(number) { return number }
    return nil
  }

  /// Whether E.164 digits are a valid number according to libphonenumber.
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

  /// The number if the digits are parsed as starting with the region's calling code.
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
    // An area code alone, `030`, is not dialled within its area.
    case .isPossibleLocalOnly: allowsLocalOnly && number.leadingZeros == 0
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

  func e164(_ number: ParsedNumber) throws(NormalizeReject) -> UInt64 {
    // E.164 allows at most 15 digits; libphonenumber allows more.
    guard number.length <= PhoneNumber.digitsMax else { throw .tooLong }
    return number.e164
  }
}

/// The operations that examine a number's digits. Those that only depend on its length are called on NumberPlan
/// directly.
private protocol PlanParser {
  mutating func parse(_ text: Span<UInt8>, region: Region) throws(NumberParseError) -> ParsedNumber
  mutating func parseInternational(_ text: Span<UInt8>) throws(NumberParseError) -> ParsedNumber
  mutating func isValid(_ number: ParsedNumber) -> Bool
  mutating func withoutFormerTrunkPrefix(_ number: ParsedNumber) -> ParsedNumber?
  mutating func mayBeginWithCallingCode(_ number: ParsedNumber) -> Bool
}

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
  @inline(__always)
  mutating func withoutFormerTrunkPrefix(_ number: ParsedNumber) -> ParsedNumber? {
    NumberPlan.withoutFormerTrunkPrefix(number)
  }
  @inline(__always)
  mutating func mayBeginWithCallingCode(_ number: ParsedNumber) -> Bool {
    NumberPlan.mayBeginWithCallingCode(number)
  }
}

/// Also records which digits were examined.
private struct ObservingPlanParser: PlanParser {
  var unseen = UnseenDigits()

  mutating func parse(_ text: Span<UInt8>, region: Region) throws(NumberParseError) -> ParsedNumber {
    try NumberPlan.parse(text, region: region, &unseen)
  }
  mutating func parseInternational(_ text: Span<UInt8>) throws(NumberParseError) -> ParsedNumber {
    try NumberPlan.parseInternational(text, &unseen)
  }
  mutating func isValid(_ number: ParsedNumber) -> Bool { NumberPlan.isValid(number, &unseen) }
  mutating func withoutFormerTrunkPrefix(_ number: ParsedNumber) -> ParsedNumber? {
    NumberPlan.withoutFormerTrunkPrefix(number, &unseen)
  }
  mutating func mayBeginWithCallingCode(_ number: ParsedNumber) -> Bool {
    NumberPlan.mayBeginWithCallingCode(number, &unseen)
  }
}
