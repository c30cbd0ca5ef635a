// A pattern of numbers that are left out: `*000*`, a beginning, a mask, a range.

enum ExcludedPattern {
  /// Reads a pattern. Digits alone are a beginning: all numbers that begin so are left out.
  static func pattern(_ typed: String) throws(PatternTextError) -> DigitPattern {
    let text = try PatternText(typed)
    if let range = try text.range() { return range }
    let tokens = try text.tokens()
    return .glob(tokens.allSatisfy { $0.digit != nil } ? tokens + [.star] : tokens)
  }
}
