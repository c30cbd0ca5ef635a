// Splits a pattern's text into digits, wildcards, stars and dots with their positions, without punctuation.

import Records

/// Why a pattern is invalid, and the position of the character, from 1; 0 for the whole pattern.
struct PatternTextError: Error {
  var position: Int
  var reason: NumberPatternErrorReason
}

/// The parts of a pattern.
struct PatternText {
  enum Part: Equatable {
    case digit(UInt8)
    /// Any digit: `X`, `#`, `?`, or one of two or more stars.
    case wildcard
    /// Any number of digits.
    case star
    /// The dots of a range.
    case dots
  }

  /// The parts with their positions.
  private(set) var parts: [(part: Part, position: Int)] = []

  /// Parses a text. `start` is the position of its first character.
  init(_ text: some StringProtocol, start: Int = 1) throws(PatternTextError) {
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let position = start + index
      guard let byte = Wildcard.ascii(scalars[index]) else {
        throw PatternTextError(position: position, reason: .unexpected(scalars[index]))
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
        guard next - index <= 2 else { throw PatternTextError(position: position, reason: .malformedRange) }
        if next - index == 2 { parts.append((.dots, position)) }
      case UInt8(ascii: "+"):
        let isInFront = parts.isEmpty || parts.last?.part == .dots
        guard isInFront, next - index == 1 else {
          throw PatternTextError(position: position, reason: .plusNotFirst)
        }
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "/"):
        break
      case _ where Wildcard.isWildcard(byte):
        parts.append((.wildcard, position))
        next = index + 1
      default:
        throw PatternTextError(position: position, reason: .unexpected(scalars[index]))
      }
      index = next
    }
    if parts.isEmpty { throw PatternTextError(position: 0, reason: .empty) }
  }

  /// The range between two numbers; nil if there are no dots.
  func range() throws(PatternTextError) -> DigitPattern? {
    guard let dots = parts.firstIndex(where: { $0.part == .dots }) else { return nil }
    let low = try Self.digits(parts[..<dots], dots: parts[dots].position)
    let high = try Self.digits(parts[(dots + 1)...], dots: parts[dots].position)
    let position = parts[dots].position
    guard low.count == high.count else { throw PatternTextError(position: position, reason: .unequalLengths) }
    guard low.lexicographicallyPrecedes(high) || low == high else {
      throw PatternTextError(position: position, reason: .descending)
    }
    return .range(low: low, high: high)
  }

  /// The parts as tokens. A number must not start with 0.
  func tokens() throws(PatternTextError) -> [DigitToken] {
    var tokens: [DigitToken] = []
    for (part, position) in parts {
      switch part {
      case .digit(let digit):
        if digit == 0, tokens.isEmpty { throw PatternTextError(position: position, reason: .leadingZero) }
        tokens.append(.digit(digit))
      case .wildcard: tokens.append(tokens.isEmpty ? .anyButZero : .any)
      case .star: tokens.append(.star)
      case .dots: throw PatternTextError(position: position, reason: .malformedRange)
      }
      if tokens.count(where: { !$0.isStar }) > PhoneNumber.digitsMax {
        throw PatternTextError(position: position, reason: .tooManyDigits(limit: PhoneNumber.digitsMax))
      }
    }
    return tokens
  }

  private static func digits(
    _ parts: ArraySlice<(part: Part, position: Int)>, dots: Int
  ) throws(PatternTextError) -> [UInt8] {
    var digits: [UInt8] = []
    for (part, position) in parts {
      guard case .digit(let digit) = part else {
        throw PatternTextError(position: position, reason: .malformedRange)
      }
      if digit == 0, digits.isEmpty { throw PatternTextError(position: position, reason: .leadingZero) }
      digits.append(digit)
      if digits.count > PhoneNumber.digitsMax {
        throw PatternTextError(position: position, reason: .tooManyDigits(limit: PhoneNumber.digitsMax))
      }
    }
    if digits.isEmpty { throw PatternTextError(position: dots, reason: .malformedRange) }
    return digits
  }
}
