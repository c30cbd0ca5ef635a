// A pattern of included numbers; unspecified lengths are taken from the numbering plan.

import Records
import NumberPlan

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
        throw PatternTextError(position: text.parts[star].position, reason: .starNotLast)
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
    var lastError = PatternTextError(position: 0, reason: .noCallingCode)
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

  /// Tokens followed by any digits, for each possible length.
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
      throw PatternTextError(position: 0, reason: lengths == nil ? .noNumbers : .noLength)
    }
    return patterns
  }

  /// The lengths of numbers with this prefix: those of valid numbers, else all lengths that the country has.
  private static func plannedLengths(
    _ tokens: [DigitToken], from shortest: Int
  ) throws(PatternTextError) -> UInt64 {
    let digits = leading(tokens)
    guard let code = NumberPlan.callingCode(ofDigits: digits.value) else {
      throw PatternTextError(position: 0, reason: .noCallingCode)
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
      if digits.count >= 3 || digits.count == tokens.count {
        throw PatternTextError(position: 0, reason: .noCallingCode)
      }
      return
    }
    let national = tokens.count - Decimal.digitCount(UInt64(code))
    guard NumberPlan.possibleLengths(callingCode: code) >> UInt32(national) & 1 == 1 else {
      throw PatternTextError(
        position: 0, reason: .impossibleLength(digits: tokens.count, callingCode: code))
    }
  }

  /// The digits before the first wildcard.
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
