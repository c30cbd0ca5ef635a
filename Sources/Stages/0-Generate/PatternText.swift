// A pattern's text taken apart: digits, wildcards, stars and dots, each with its place, punctuation left out.

import CallRecord

/// What is wrong with a pattern, and at which of its characters, counted from 1; 0 for the whole.
struct PatternTextError: Error {
  var place: Int
  var fault: NumberPatternErrorReason
}

/// The parts of a pattern.
struct PatternText {
  enum Part: Equatable {
    case digit(UInt8)
    /// Any digit: `X`, `#`, `?`, and two stars or more, which are a digit each.
    case wildcard
    /// Any number of digits.
    case star
    /// The dots of a range.
    case dots
  }

  /// The parts and their places.
  private(set) var parts: [(part: Part, place: Int)] = []

  /// Takes a text apart. `start` is the place of its first character.
  init(_ text: some StringProtocol, start: Int = 1) throws(PatternTextError) {
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let place = start + index
      guard let byte = Wildcard.ascii(scalars[index]) else {
        throw PatternTextError(place: place, fault: .unexpected(scalars[index]))
      }
      var next = index + 1
      while next < scalars.count, Wildcard.ascii(scalars[next]) == byte { next += 1 }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        parts.append((.digit(byte - UInt8(ascii: "0")), place))
        next = index + 1
      case UInt8(ascii: "*"):
        let count = next - index
        if count == 1 { parts.append((.star, place)) }
        if count > 1 { for one in 0..<count { parts.append((.wildcard, place + one)) } }
      case UInt8(ascii: "."):
        // A single dot is punctuation; three are no range.
        guard next - index <= 2 else { throw PatternTextError(place: place, fault: .brokenRange) }
        if next - index == 2 { parts.append((.dots, place)) }
      case UInt8(ascii: "+"):
        let isInFront = parts.isEmpty || parts.last?.part == .dots
        guard isInFront, next - index == 1 else { throw PatternTextError(place: place, fault: .plusInside) }
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "/"):
        break
      case _ where Wildcard.isWildcard(byte):
        parts.append((.wildcard, place))
        next = index + 1
      default:
        throw PatternTextError(place: place, fault: .unexpected(scalars[index]))
      }
      index = next
    }
    if parts.isEmpty { throw PatternTextError(place: 0, fault: .empty) }
  }

  /// The two numbers of a range; nil when there are no dots.
  func range() throws(PatternTextError) -> DigitPattern? {
    guard let dots = parts.firstIndex(where: { $0.part == .dots }) else { return nil }
    let low = try Self.digits(parts[..<dots], dots: parts[dots].place)
    let high = try Self.digits(parts[(dots + 1)...], dots: parts[dots].place)
    let place = parts[dots].place
    guard low.count == high.count else { throw PatternTextError(place: place, fault: .unequalEnds) }
    guard low.lexicographicallyPrecedes(high) || low == high else {
      throw PatternTextError(place: place, fault: .descending)
    }
    return .range(low: low, high: high)
  }

  /// The parts as tokens. A number begins with a digit above 0.
  func tokens() throws(PatternTextError) -> [DigitToken] {
    var tokens: [DigitToken] = []
    for (part, place) in parts {
      switch part {
      case .digit(let digit):
        if digit == 0, tokens.isEmpty { throw PatternTextError(place: place, fault: .leadingZero) }
        tokens.append(.digit(digit))
      case .wildcard: tokens.append(tokens.isEmpty ? .anyButZero : .any)
      case .star: tokens.append(.star)
      case .dots: throw PatternTextError(place: place, fault: .brokenRange)
      }
      if tokens.count(where: { !$0.isStar }) > PhoneNumber.digitsMax {
        throw PatternTextError(place: place, fault: .tooManyDigits(limit: PhoneNumber.digitsMax))
      }
    }
    return tokens
  }

  private static func digits(
    _ parts: ArraySlice<(part: Part, place: Int)>, dots: Int
  ) throws(PatternTextError) -> [UInt8] {
    var digits: [UInt8] = []
    for (part, place) in parts {
      guard case .digit(let digit) = part else { throw PatternTextError(place: place, fault: .brokenRange) }
      if digit == 0, digits.isEmpty { throw PatternTextError(place: place, fault: .leadingZero) }
      digits.append(digit)
      if digits.count > PhoneNumber.digitsMax {
        throw PatternTextError(place: place, fault: .tooManyDigits(limit: PhoneNumber.digitsMax))
      }
    }
    if digits.isEmpty { throw PatternTextError(place: dots, fault: .brokenRange) }
    return digits
  }
}
