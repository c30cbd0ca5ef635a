// A pattern as an automaton over digits.
//
// Not for: the text of patterns (PatternText), or several patterns at once (DigitAutomaton).

/// An element of a pattern: a set of digits at one position, or, for a star, any number of any digits.
struct DigitToken: Equatable, Sendable {
  private static let starBit: UInt16 = 1 << 15

  /// Bit `d` for the digit `d`.
  private let mask: UInt16

  private init(mask: UInt16) {
    self.mask = mask
  }

  /// One digit.
  static func digit(_ digit: UInt8) -> DigitToken { DigitToken(mask: 1 << UInt16(digit)) }
  /// Any digit.
  static let any = DigitToken(mask: 0x3FF)
  /// Any digit except 0, which no number starts with.
  static let anyButZero = DigitToken(mask: 0x3FE)
  /// Any number of digits, including none.
  static let star = DigitToken(mask: 0x3FF | starBit)

  var isStar: Bool { mask & Self.starBit != 0 }
  func matches(_ digit: UInt8) -> Bool { mask >> UInt16(digit) & 1 == 1 }

  /// The digit, if there is exactly one.
  var digit: UInt8? { mask.nonzeroBitCount == 1 ? UInt8(mask.trailingZeroBitCount) : nil }
}

/// A pattern.
enum DigitPattern: Equatable, Sendable {
  /// A sequence of tokens.
  case glob([DigitToken])
  /// The numbers between two numbers of the same length.
  case range(low: [UInt8], high: [UInt8])

  /// A position in a pattern after some digits. For a range, the two lowest bits are set if the digits so far equal
  /// those of its low and of its high end.
  typealias Position = UInt32

  private static let atLow: Position = 1
  private static let atHigh: Position = 2

  /// The start positions.
  var start: [Position] {
    switch self {
    case .glob(let tokens): Self.closure(0, tokens)
    case .range: [Self.atLow | Self.atHigh]
    }
  }

  /// The positions after one more digit.
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

  /// Whether the pattern matches a number that ends here.
  func accepts(_ position: Position) -> Bool {
    switch self {
    case .glob(let tokens): Int(position >> 2) == tokens.count
    case .range(let low, _): Int(position >> 2) == low.count
    }
  }

  /// Whether the pattern matches every continuation from here.
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
