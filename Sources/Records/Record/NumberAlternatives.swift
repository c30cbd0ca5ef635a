// Several numbers in one text, written as the alternatives of a regular expression: `(15550100|15550101)`. Call blockers
// store a whole list in one rule like this.
//
// Not for: what each alternative stands for (NormalizeStage).

/// Recognises alternatives.
package enum NumberAlternatives {
  /// The alternatives of a text, as ranges of its indices; nil if it does not consist of parentheses with alternatives
  /// in them, optionally between anchors.
  ///
  /// - Complexity: O(bytes).
  package static func ranges(of text: Span<UInt8>) -> [Range<Int>]? {
    var (start, end) = (0, text.count)
    if start < end, text[start] == UInt8(ascii: "^") { start += 1 }
    if start < end, text[end - 1] == UInt8(ascii: "$") { end -= 1 }
    guard end - start > 2, text[start] == UInt8(ascii: "("), text[end - 1] == UInt8(ascii: ")") else {
      return nil
    }
    var alternatives: [Range<Int>] = []
    var first = start + 1
    for index in first..<end {
      switch text[index] {
      case UInt8(ascii: "|"), UInt8(ascii: ")"):
        // Other parentheses are punctuation, or a part of a longer expression.
        guard index > first, index == end - 1 || text[index] == UInt8(ascii: "|") else { return nil }
        alternatives.append(first..<index)
        first = index + 1
      case UInt8(ascii: "("): return nil
      default: break
      }
    }
    return alternatives.count > 1 ? alternatives : nil
  }
}
