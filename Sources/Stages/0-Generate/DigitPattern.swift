// A pattern as a machine over digits: which numbers it stands for, one digit after another.
//
// Not for how patterns are written (PatternText), nor for several at once (DigitAutomaton).

/// What may stand at a position of a number: some of the ten digits, or, for a star, any digits.
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
  /// Any digit but 0, with which no number begins.
  static let anyButZero = DigitToken(mask: 0x3FE)
  /// Any number of digits, none included.
  static let star = DigitToken(mask: 0x3FF | starBit)

  var isStar: Bool { mask & Self.starBit != 0 }
  func matches(_ digit: UInt8) -> Bool { mask >> UInt16(digit) & 1 == 1 }

  /// The digit, if it is just one.
  var digit: UInt8? { mask.nonzeroBitCount == 1 ? UInt8(mask.trailingZeroBitCount) : nil }
}

/// A pattern.
enum DigitPattern: Equatable, Sendable {
  /// Tokens one after another.
  case glob([DigitToken])
  /// The numbers from one to another of equally many digits.
  case range(low: [UInt8], high: [UInt8])

  /// A position in a pattern: how far a number has come in it. Of a range the two lowest bits tell whether the digits so
  /// far are those of its low and of its high end.
  typealias Position = UInt32

  private static let atLow: Position = 1
  private static let atHigh: Position = 2

  /// The positions where a number begins.
  var start: [Position] {
    switch self {
    case .glob(let tokens): Self.closure(0, tokens)
    case .range: [Self.atLow | Self.atHigh]
    }
  }

  /// The positions behind one more digit.
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

  /// Whether a number that ends here is one of the pattern's.
  func accepts(_ position: Position) -> Bool {
    switch self {
    case .glob(let tokens): Int(position >> 2) == tokens.count
    case .range(let low, _): Int(position >> 2) == low.count
    }
  }

  /// Whether every number that comes by here is one of the pattern's, however it goes on.
  func acceptsAll(after position: Position) -> Bool {
    guard case .glob(let tokens) = self else { return false }
    return Int(position >> 2) == tokens.count - 1 && tokens[tokens.count - 1].isStar
  }

  /// A position, and those behind stars that may stand for nothing.
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
