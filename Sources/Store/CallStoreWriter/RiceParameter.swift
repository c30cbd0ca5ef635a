// The parameter of a group's Rice code: how many low bits of a gap stand as they are.
//
// Not for: the code itself (SequenceWriter).

import CallStoreFormat

/// Chooses parameters, and keeps its room from one group to the next.
package struct RiceParameter {
  /// A group's gaps without the bits that every parameter in question cuts off.
  private var quotients = ContiguousArray<Int16>(repeating: 0, count: SequenceLayout.groupCount)

  /// A chooser.
  package init() {}

  /// The cheapest parameter of those around the logarithm of the mean gap; the least of those that cost the same.
  ///
  /// - Parameters:
  ///   - gaps: as many as a group has at most, those from `count` on 0.
  ///   - widest: no smaller than any gap.
  ///   - mean: what the gaps and one for each are on average, rounded down.
  /// - Complexity: about 500 instructions.
  package mutating func cheapest(
    _ gaps: Span<UInt64>, count: Int, widest: UInt64, mean: UInt64
  ) -> Int {
    guard count > 0 else { return 0 }
    let guess = SequenceWriter.width(mean) - 1
    // An outlier lifts the mean but not the cheapest parameter, so look further down than up.
    let least = min(max(0, guess - 4), SequenceLayout.shiftMax)
    let most = max(least, min(guess + 1, SequenceLayout.shiftMax))
    Self.divide(gaps, by: least, widest, &quotients)
    var best = (bits: Int.max, shift: 0)
    for shift in least...most {
      let bits = Self.cost(quotients.span, shift - least, shift)
      // What stands behind the last gap costs as much as gaps of 0.
      let own = bits &- (SequenceLayout.groupCount &- count) &* (shift &+ 1)
      if own < best.bits { best = (own, shift) }
    }
    return best.shift
  }

  /// What is no smaller than this is an escape with each of the up to six parameters: 24 × 2 ** 5 is less.
  private static let quotientMax = UInt64(Int16.max)

  private static func divide(
    _ gaps: Span<UInt64>, by shift: Int, _ widest: UInt64, _ quotients: inout ContiguousArray<Int16>
  ) {
    var quotients = quotients.mutableSpan
    precondition(gaps.count == SequenceLayout.groupCount && quotients.count == SequenceLayout.groupCount)
    let shift = UInt64(truncatingIfNeeded: shift)
    // Both spans are as long as was checked. The loops have no branch, so that the compiler does several gaps at once.
    if widest &>> shift <= quotientMax {
      for index in 0..<SequenceLayout.groupCount {
        unsafe quotients[unchecked: index] = Int16(truncatingIfNeeded: gaps[unchecked: index] &>> shift)
      }
    } else {
      for index in 0..<SequenceLayout.groupCount {
        unsafe quotients[unchecked: index] = Int16(
          truncatingIfNeeded: min(gaps[unchecked: index] &>> shift, quotientMax))
      }
    }
  }

  /// The bits of a whole group with a parameter that cuts off `more` bits of the quotients.
  ///
  /// A choice by arithmetic: a branch, or even a choice of two values, would keep the compiler from doing eight at once.
  private static func cost(_ quotients: Span<Int16>, _ more: Int, _ shift: Int) -> Int {
    precondition(quotients.count == SequenceLayout.groupCount)
    let escape = Int16(SequenceLayout.escapeZeros + SequenceLayout.valueWidthMax)
    let last = Int16(SequenceLayout.escapeZeros - 1)
    let more = Int16(truncatingIfNeeded: more)
    let rest = Int16(truncatingIfNeeded: shift &+ 1)
    // 32 × 74 at the most.
    var bits: Int16 = 0
    for index in 0..<SequenceLayout.groupCount {
      let quotient = unsafe quotients[unchecked: index] &>> more
      let isEscape = (last &- quotient) &>> 15
      bits &+= (quotient &+ rest) & ~isEscape | escape & isEscape
    }
    return Int(bits)
  }
}
