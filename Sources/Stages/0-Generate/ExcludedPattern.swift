// A pattern of excluded numbers: `*000*`, a prefix, a mask, a range.

enum ExcludedPattern {
  /// Parses a pattern. Digits alone are a prefix: all numbers that start with it are excluded.
  static func pattern(_ pattern: String) throws(PatternTextError) -> DigitPattern {
    let text = try PatternText(pattern)
    if let range = try text.range() { return range }
    let tokens = try text.tokens()
    return .glob(tokens.allSatisfy { $0.digit != nil } ? tokens + [.star] : tokens)
  }
}
