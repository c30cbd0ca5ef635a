// Area codes with the name of their plan: `nanp:212`, and `nanp:212-555` with a prefix of the local number.
//
// Source: ATIS-0300055 and the website of the North American Numbering Plan Administrator: an area code is NXX with N
// from 2 to 9; N11 are service codes; N9X are reserved for longer numbers; 37X and 96X are set aside.

import Records
import NumberPlan

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
        throw PatternTextError(position: start, reason: .areaNotThreeDigits)
      }
      area = area * 10 + Int(digit)
    }
    if let reason = reason(of: area) { throw PatternTextError(position: start, reason: reason) }
    var tokens: [DigitToken] = [.digit(1)]
    for (index, (part, position)) in text.parts.enumerated() {
      switch part {
      case .digit(let digit): tokens.append(.digit(digit))
      case .wildcard: tokens.append(.any)
      case .star:
        if index < text.parts.count - 1 { throw PatternTextError(position: position, reason: .starNotLast) }
        continue
      case .dots: throw PatternTextError(position: position, reason: .malformedRange)
      }
      if tokens.count > digits {
        throw PatternTextError(position: position, reason: .tooManyDigits(limit: digits - 1))
      }
    }
    while tokens.count < digits { tokens.append(.any) }
    return .glob(tokens)
  }

  /// Why three digits are not an area code; nil if they are.
  private static func reason(of area: Int) -> NumberPatternErrorReason? {
    if area < 200 { return .areaBelow200(code: area) }
    if area % 100 == 11 { return .areaIsService(code: area) }
    if area / 10 % 10 == 9 || area / 10 == 37 || area / 10 == 96 { return .areaIsReserved(code: area) }
    if NumberPlan.validLengths(ofDigits: UInt64(1000 + area)) == 0 { return .areaNotAssigned(code: area) }
    return nil
  }
}
