// The notation of patterns: text, its parts, and the automaton over digits that it stands for.

import NumberPlan
import Records

/// An element of a pattern: a set of digits at one position, or, for a star, any number of any digits.
struct DigitToken: Equatable, Sendable {
  private static let starBit: UInt16 = 1 << 15

  /// Bit `d` for the digit `d`.
  private let mask: UInt16

  private init(mask: UInt16) { self.mask = mask }

  static func digit(_ digit: UInt8) -> DigitToken { DigitToken(mask: 1 << UInt16(digit)) }
  static let any = DigitToken(mask: 0x3FF)
  /// Any digit except 0, which no number starts with.
  static let anyButZero = DigitToken(mask: 0x3FE)
  static let star = DigitToken(mask: 0x3FF | starBit)

  var isStar: Bool { mask & Self.starBit != 0 }
  func matches(_ digit: UInt8) -> Bool { mask >> UInt16(digit) & 1 == 1 }

  /// The digit, if there is exactly one.
  var digit: UInt8? { mask.nonzeroBitCount == 1 ? UInt8(mask.trailingZeroBitCount) : nil }
}

enum DigitPattern: Equatable, Sendable {
  case glob([DigitToken])
  /// The numbers between two numbers of the same length.
  case range(low: [UInt8], high: [UInt8])

  /// A position in a pattern after some digits. For a range, the two lowest bits are set if the digits so far equal
  /// those of its low and of its high end.
  typealias Position = UInt32

  private static let atLow: Position = 1
  private static let atHigh: Position = 2

  var start: [Position] {
    switch self {
    case .glob(let tokens): Self.closure(0, tokens)
    case .range: [Self.atLow | Self.atHigh]
    }
  }

  func next(_ position: Position, _ digit: UInt8) -> [Position] {
    let index = Int(position >> 2)
    switch self {
    case .glob(let tokens):
      guard index < tokens.count, tokens[index].matches(digit) else { return [] }
      return Self.closure(tokens[index].isStar ? index : index + 1, tokens)
    case .range(let low, let high):
      guard index < low.count else { return [] }
      var flags: Position = 0
      if position & Self.atLow != 0 {
        if digit < low[index] { return [] }
        if digit == low[index] { flags |= Self.atLow }
      }
      if position & Self.atHigh != 0 {
        if digit > high[index] { return [] }
        if digit == high[index] { flags |= Self.atHigh }
      }
      return [Position(index + 1) << 2 | flags]
    }
  }

  func accepts(_ position: Position) -> Bool {
    switch self {
    case .glob(let tokens): Int(position >> 2) == tokens.count
    case .range(let low, _): Int(position >> 2) == low.count
    }
  }

  func acceptsAll(after position: Position) -> Bool {
    guard case .glob(let tokens) = self else { return false }
    return Int(position >> 2) == tokens.count - 1 && tokens[tokens.count - 1].isStar
  }

  /// The epsilon closure: a position, and those after stars that match nothing.
  private static func closure(_ index: Int, _ tokens: [DigitToken]) -> [Position] {
    var positions = [Position(index) << 2]
    var index = index
    while index < tokens.count, tokens[index].isStar {
      index += 1
      positions.append(Position(index) << 2)
    }
    return positions
  }
}

/// Why a pattern is invalid, and the position of the character, from 1; 0 for the whole pattern.
struct PatternTextError: Error {
  var position: Int
  var text: String
  var hint: String?
  /// Whether there is nothing to quote.
  var isEmpty = false

  static func unexpected(_ scalar: Unicode.Scalar, at position: Int) -> PatternTextError {
    PatternTextError(
      position: position, text: "'\(PrintableText.line(String(scalar)))' is not a digit or a wildcard",
      hint: "use X, # or ? for one digit, * for any number of digits")
  }
  static func leadingZero(at position: Int) -> PatternTextError {
    PatternTextError(
      position: position, text: "no international number starts with 0",
      hint: "write the country calling code without the trunk zero: +82 70 …, not 070 …")
  }
  static func tooManyDigits(limit: Int, at position: Int) -> PatternTextError {
    PatternTextError(position: position, text: "more than \(limit) digits")
  }
  static func starNotLast(at position: Int) -> PatternTextError {
    PatternTextError(
      position: position, text: "a star is allowed only at the end", hint: "use X, # or ? for one digit")
  }
  static func malformedRange(at position: Int) -> PatternTextError {
    PatternTextError(position: position, text: "a range is two complete numbers with two dots between them")
  }
  static let noCallingCode = PatternTextError(position: 0, text: "unknown country calling code")
}

struct PatternText {
  enum Part: Equatable {
    case digit(UInt8)
    /// Any digit: `X`, `#`, `?`, or one of two or more stars.
    case wildcard
    case star
    case dots
  }

  private(set) var parts: [(part: Part, position: Int)] = []

  /// Parses a text. `start` is the position of its first character.
  init(_ text: some StringProtocol, start: Int = 1) throws(PatternTextError) {
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let position = start + index
      guard let byte = Wildcard.ascii(scalars[index]) else {
        throw PatternTextError.unexpected(scalars[index], at: position)
      }
      var next = index + 1
      while next < scalars.count, Wildcard.ascii(scalars[next]) == byte { next += 1 }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        parts.append((.digit(byte - UInt8(ascii: "0")), position))
        next = index + 1
      case UInt8(ascii: "*"):
        let count = next - index
        if count == 1 { parts.append((.star, position)) }
        if count > 1 { for one in 0..<count { parts.append((.wildcard, position + one)) } }
      case UInt8(ascii: "."):
        // A single dot is punctuation; three or more are invalid.
        guard next - index <= 2 else { throw PatternTextError.malformedRange(at: position) }
        if next - index == 2 { parts.append((.dots, position)) }
      case UInt8(ascii: "+"):
        let isInFront = parts.isEmpty || parts.last?.part == .dots
        guard isInFront, next - index == 1 else {
          throw PatternTextError(position: position, text: "a plus sign is allowed only at the start")
        }
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "/"):
        break
      case _ where Wildcard.isWildcard(byte):
        parts.append((.wildcard, position))
        next = index + 1
      default:
        throw PatternTextError.unexpected(scalars[index], at: position)
      }
      index = next
    }
    if parts.isEmpty { throw PatternTextError(position: 0, text: "has no digits", isEmpty: true) }
  }

  /// The range between two numbers; nil if there are no dots.
  func range() throws(PatternTextError) -> DigitPattern? {
    guard let dots = parts.firstIndex(where: { $0.part == .dots }) else { return nil }
    let low = try Self.digits(parts[..<dots], dots: parts[dots].position)
    let high = try Self.digits(parts[(dots + 1)...], dots: parts[dots].position)
    let position = parts[dots].position
    guard low.count == high.count else {
      throw PatternTextError(
        position: position, text: "the two ends of the range have different numbers of digits")
    }
    guard low.lexicographicallyPrecedes(high) || low == high else {
      throw PatternTextError(position: position, text: "the range ends before it starts")
    }
    return .range(low: low, high: high)
  }

  /// The parts as tokens. A number must not start with 0.
  func tokens() throws(PatternTextError) -> [DigitToken] {
    var tokens: [DigitToken] = []
    for (part, position) in parts {
      switch part {
      case .digit(let digit):
        if digit == 0, tokens.isEmpty { throw PatternTextError.leadingZero(at: position) }
        tokens.append(.digit(digit))
      case .wildcard: tokens.append(tokens.isEmpty ? .anyButZero : .any)
      case .star: tokens.append(.star)
      case .dots: throw PatternTextError.malformedRange(at: position)
      }
      if tokens.count(where: { !$0.isStar }) > PhoneNumber.digitsMax {
        throw PatternTextError.tooManyDigits(limit: PhoneNumber.digitsMax, at: position)
      }
    }
    return tokens
  }

  private static func digits(
    _ parts: ArraySlice<(part: Part, position: Int)>, dots: Int
  ) throws(PatternTextError) -> [UInt8] {
    var digits: [UInt8] = []
    for (part, position) in parts {
      guard case .digit(let digit) = part else { throw PatternTextError.malformedRange(at: position) }
      if digit == 0, digits.isEmpty { throw PatternTextError.leadingZero(at: position) }
      digits.append(digit)
      if digits.count > PhoneNumber.digitsMax {
        throw PatternTextError.tooManyDigits(limit: PhoneNumber.digitsMax, at: position)
      }
    }
    if digits.isEmpty { throw PatternTextError.malformedRange(at: dots) }
    return digits
  }
}

/// A pattern of included numbers; unspecified lengths are taken from the numbering plan.
enum IncludedPattern {
  /// Parses a pattern into one pattern per length.
  ///
  /// Digits alone are a number if the plan has it, else a prefix of numbers. A mask specifies its length, which must be
  /// possible in its country.
  static func patterns(_ pattern: String, lengths: UInt64?) throws(PatternTextError) -> [DigitPattern] {
    if let area = try AreaCode.pattern(pattern) { return [area] }
    let text = try PatternText(pattern)
    if let range = try text.range() { return [range] }
    var tokens = try text.tokens()
    if let star = tokens.firstIndex(where: \.isStar) {
      guard star == tokens.count - 1 else {
        throw PatternTextError.starNotLast(at: text.parts[star].position)
      }
      tokens.removeLast()
      if lengths != nil { return try open(tokens, lengths, from: tokens.count) }
      return try openForEveryCode(tokens)
    }
    if tokens.allSatisfy({ $0.digit != nil }) { return try number(tokens, lengths) }
    try checkLength(tokens)
    return [.glob(tokens)]
  }

  /// Digits alone: a number, or a prefix.
  private static func number(
    _ tokens: [DigitToken], _ lengths: UInt64?
  ) throws(PatternTextError) -> [DigitPattern] {
    if lengths != nil { return try open(tokens, lengths, from: tokens.count) }
    let own: UInt64 = 1 << UInt64(tokens.count)
    let valid = NumberPlan.validLengths(ofDigits: leading(tokens).value)
    if valid & own != 0 { return [.glob(tokens)] }
    if valid >> UInt64(tokens.count) != 0 { return try open(tokens, lengths, from: tokens.count + 1) }
    try checkLength(tokens)
    return [.glob(tokens)]
  }

  /// Tokens followed by any digits, for all countries whose calling code matches them.
  private static func openForEveryCode(_ tokens: [DigitToken]) throws(PatternTextError) -> [DigitPattern] {
    let digits = leading(tokens)
    let isKnown = NumberPlan.callingCode(ofDigits: digits.value) != nil
    // No calling code has more than three digits. Empty tokens would match all numbers of the world.
    if isKnown || tokens.isEmpty || digits.count >= 3 { return try open(tokens, nil, from: tokens.count) }
    var patterns: [DigitPattern] = []
    var lastError = PatternTextError.noCallingCode
    for code in UInt64(1)...999 where NumberPlan.callingCode(ofDigits: code) == UInt16(code) {
      guard let withCallingCode = withCallingCode(code, in: tokens) else { continue }
      do throws(PatternTextError) {
        patterns += try open(withCallingCode, nil, from: withCallingCode.count)
      } catch {
        // This country has no such numbers.
        lastError = error
      }
    }
    if patterns.isEmpty { throw lastError }
    return patterns
  }

  /// The tokens with a calling code's digits at the start; nil if those don't match.
  private static func withCallingCode(_ code: UInt64, in tokens: [DigitToken]) -> [DigitToken]? {
    let digits = String(code).utf8.map { $0 - UInt8(ascii: "0") }
    guard zip(tokens, digits).allSatisfy({ $0.matches($1) }) else { return nil }
    return digits.map { DigitToken.digit($0) } + Array(tokens.dropFirst(digits.count))
  }

  private static func open(
    _ tokens: [DigitToken], _ lengths: UInt64?, from shortest: Int
  ) throws(PatternTextError) -> [DigitPattern] {
    var all: UInt64
    if let lengths { all = lengths } else { all = try plannedLengths(tokens, from: shortest) }
    all &= (2 << UInt64(PhoneNumber.digitsMax)) - 1
    var patterns: [DigitPattern] = []
    for length in max(shortest, 1)...PhoneNumber.digitsMax where all >> UInt64(length) & 1 == 1 {
      var filled = tokens
      while filled.count < length { filled.append(filled.isEmpty ? .anyButZero : .any) }
      patterns.append(.glob(filled))
    }
    if patterns.isEmpty {
      throw lengths == nil
        ? PatternTextError(
          position: 0, text: "the numbering plan has no such numbers",
          hint: "set the total number of digits with \(option: "lengths", "N")")
        : PatternTextError(position: 0, text: "it has more digits than \(option: "lengths") allows")
    }
    return patterns
  }

  /// The lengths of numbers with this prefix: those of valid numbers, else all lengths that the country has.
  private static func plannedLengths(
    _ tokens: [DigitToken], from shortest: Int
  ) throws(PatternTextError) -> UInt64 {
    let digits = leading(tokens)
    guard let code = NumberPlan.callingCode(ofDigits: digits.value) else {
      throw PatternTextError.noCallingCode
    }
    let valid = NumberPlan.validLengths(ofDigits: digits.value)
    if valid >> UInt64(shortest) != 0 { return valid }
    return UInt64(NumberPlan.possibleLengths(callingCode: code))
      << UInt64(Decimal.digitCount(UInt64(code)))
  }

  /// Throws if the country has no numbers of the tokens' length. Not checked if wildcards hide the calling code.
  private static func checkLength(_ tokens: [DigitToken]) throws(PatternTextError) {
    let digits = leading(tokens)
    guard let code = NumberPlan.callingCode(ofDigits: digits.value) else {
      // No calling code has more than three digits.
      if digits.count >= 3 || digits.count == tokens.count { throw PatternTextError.noCallingCode }
      return
    }
    let national = tokens.count - Decimal.digitCount(UInt64(code))
    guard NumberPlan.possibleLengths(callingCode: code) >> UInt32(national) & 1 == 1 else {
      throw PatternTextError(
        position: 0, text: "numbers of +\(code) never have \(tokens.count) digits in total",
        hint: "use a star instead of the wildcards: it stands for the lengths in the numbering plan")
    }
  }

  private static func leading(_ tokens: [DigitToken]) -> (value: UInt64, count: Int) {
    var value: UInt64 = 0
    var count = 0
    for token in tokens {
      guard let digit = token.digit else { break }
      value = value * 10 + UInt64(digit)
      count += 1
    }
    return (value, count)
  }
}

/// A pattern of excluded numbers: `*000*`, a prefix, a mask, a range.
enum ExcludedPattern {
  /// Parses a pattern. Digits alone are a prefix: all numbers that start with it are excluded.
  static func pattern(_ pattern: String) throws(PatternTextError) -> DigitPattern {
    let text = try PatternText(pattern)
    if let range = try text.range() { return range }
    let tokens = try text.tokens()
    return .glob(tokens.allSatisfy { $0.digit != nil } ? tokens + [.star] : tokens)
  }
}

// Area codes with the name of their plan: `nanp:212`, and `nanp:212-555` with a prefix of the local number.
//
// Source: ATIS-0300055 and the website of the North American Numbering Plan Administrator: an area code is NXX with N
// from 2 to 9; N11 are service codes; N9X are reserved for longer numbers; 37X and 96X are set aside.

enum AreaCode {
  private static let prefix = "nanp:"
  /// The digits of the calling code, area code, exchange and line in the North American plan.
  private static let digits = 11

  /// The numbers of an area code; nil if the text names no plan.
  static func pattern(_ pattern: String) throws(PatternTextError) -> DigitPattern? {
    guard pattern.lowercased().hasPrefix(prefix) else { return nil }
    let text = try PatternText(pattern.dropFirst(prefix.count), start: prefix.count + 1)
    let start = text.parts[0].position
    var area = 0
    for index in 0..<3 {
      guard index < text.parts.count, case .digit(let digit) = text.parts[index].part else {
        throw PatternTextError(position: start, text: "an area code has three digits")
      }
      area = area * 10 + Int(digit)
    }
    try check(area, at: start)
    var tokens: [DigitToken] = [.digit(1)]
    for (index, (part, position)) in text.parts.enumerated() {
      switch part {
      case .digit(let digit): tokens.append(.digit(digit))
      case .wildcard: tokens.append(.any)
      case .star:
        if index < text.parts.count - 1 { throw PatternTextError.starNotLast(at: position) }
        continue
      case .dots: throw PatternTextError.malformedRange(at: position)
      }
      if tokens.count > digits { throw PatternTextError.tooManyDigits(limit: digits - 1, at: position) }
    }
    while tokens.count < digits { tokens.append(.any) }
    return .glob(tokens)
  }

  private static func check(_ area: Int, at position: Int) throws(PatternTextError) {
    if area < 200 {
      throw PatternTextError(
        position: position, text: "\(area) is not an area code: area codes start with 2 to 9")
    }
    if area % 100 == 11 {
      throw PatternTextError(position: position, text: "\(area) is a service code, not an area code")
    }
    if area / 10 % 10 == 9 || area / 10 == 37 || area / 10 == 96 {
      throw PatternTextError(position: position, text: "\(area) is reserved and not an area code yet")
    }
    if NumberPlan.validLengths(ofDigits: UInt64(1000 + area)) == 0 {
      throw PatternTextError(
        position: position, text: "\(area) is not assigned",
        hint: "to include its numbers anyway, use '+1\(area)XXXXXXX'")
    }
  }
}
