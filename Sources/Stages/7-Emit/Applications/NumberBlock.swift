// Ranges as the blocks of numbers that patterns stand for: the first digits, and the number of digits that follow.
//
// Not for: reading patterns (NumberMask).

/// All numbers of a length that begin with the same digits.
struct NumberBlock: Equatable {
  /// The digits that the numbers begin with.
  var prefix: UInt64
  /// The number of digits that follow; 0 for a single number.
  var openDigits: Int

  /// The numbers of open digits that a block may have.
  static let anyOpenDigits = 1...18

  /// Calls `body` with the fewest blocks that make up a range, in ascending order. A block has as many open digits as
  /// `openDigits` allows, or none.
  ///
  /// - Complexity: O(digits): at most 18 blocks per digit, if `openDigits` allows any number.
  static func forEach<E: Error>(
    in range: ClosedRange<UInt64>, openDigits: ClosedRange<Int> = anyOpenDigits,
    _ body: (NumberBlock) throws(E) -> Void
  ) throws(E) {
    var first = range.lowerBound
    while first <= range.upperBound {
      var size: UInt64 = 1
      var open = 0
      // A block ten times as large must begin here, have at least one fixed digit, and end within the range. Blocks of
      // more than 10^18 numbers could overflow.
      while open < openDigits.upperBound, first != 0, first % (size * 10) == 0,
        range.upperBound - first >= size * 10 - 1
      {
        size *= 10
        open += 1
      }
      if open < openDigits.lowerBound { (size, open) = (1, 0) }
      try body(NumberBlock(prefix: first / size, openDigits: open))
      let next = first.addingReportingOverflow(size)
      if next.overflow { return }
      first = next.partialValue
    }
  }

  /// Appends the digits, followed by one `placeholder` per open digit.
  func append(to text: inout [UInt8], placeholder: UInt8) {
    text += String(prefix).utf8
    text.append(contentsOf: repeatElement(placeholder, count: openDigits))
  }
}
