// The numbers with the same first digits and the same number of digits.

import Records
import NumberPlan

/// The numbers with the same prefix and the same number of digits.
package struct PrefixBlock: Equatable {
  /// The first and the last number; an empty block has first > last.
  package private(set) var first: UInt64 = 1
  package private(set) var last: UInt64 = 0
  /// The prefix of the numbers.
  package private(set) var prefix: UInt64 = 0
  /// The calling code of the numbers; 0 for none.
  package private(set) var callingCode: UInt16 = 0

  /// Creates an empty block.
  package init() {}

  /// The maximum number of digits of a calling code.
  private static let codeDigitsMax = 3

  /// Creates the block that contains a number. Its prefix is the calling code and the next `count` digits; for a number
  /// without a known calling code, it has at least as many digits as the longest one.
  ///
  /// - Complexity: O(digits).
  package init(of number: UInt64, digits count: Int) {
    callingCode = NumberPlan.callingCode(ofDigits: number) ?? 0
    let codeDigits =
      callingCode == 0 ? max(0, Self.codeDigitsMax - count) : callingCode < 10 ? 1 : callingCode < 100 ? 2 : 3
    var digits = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    // Numbers have at most 15 digits, so these powers can't overflow; longer ones are not split.
    var width: UInt64 = 1
    if digits <= PhoneNumber.digitsMax {
      for _ in 0..<max(0, digits - codeDigits - count) { width *= 10 }
    }
    prefix = number / width
    first = prefix * width
    last = first + (width - 1)
  }
}
