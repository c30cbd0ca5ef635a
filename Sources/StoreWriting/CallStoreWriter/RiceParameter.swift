// The parameter of a group's Rice code: the number of low bits of a gap that are stored unchanged.
//
// Not for: the code itself (SequenceWriter).

import CallStoreFormat

/// Chooses parameters. It reuses its buffer from one group to the next.
package struct RiceParameter {
  /// A group's gaps without the bits that all candidate parameters cut off.
  private var quotients = ContiguousArray<Int16>(repeating: 0, count: SequenceLayout.groupCount)

  /// Makes a chooser.
  package init() {}

  /// The cheapest of the parameters around the logarithm of the mean gap; the smallest if several cost the same.
  ///
  /// - Parameters:
  ///   - gaps: the gaps of a group, as many as a full group has. Those from `count` on are 0.
  ///   - widest: at least as large as every gap.
  ///   - mean: the average of the gaps plus 1, rounded down.
  /// - Complexity: about 500 instructions.
  package mutating func cheapest(
    _ gaps: Span<UInt64>, count: Int, widest: UInt64, mean: UInt64
  ) -> Int {
    guard count > 0 else { return 0 }
    let guess = SequenceWriter.width(mean) - 1
    // An outlier raises the mean but not the cheapest parameter, so more parameters below the guess are tried than
    // above.
    let shiftMin = min(max(0, guess - 4), SequenceLayout.shiftMax)
    let shiftMax = max(shiftMin, min(guess + 1, SequenceLayout.shiftMax))
    Self.divide(gaps, by: shiftMin, widest, &quotients)
    var best = (bits: Int.max, shift: 0)
    for shift in shiftMin...shiftMax {
      let bits = Self.cost(quotients.span, shift - shiftMin, shift)
      // The unused places after the last gap were counted as gaps of 0.
      let own = bits &- (SequenceLayout.groupCount &- count) &* (shift &+ 1)
      if own < best.bits { best = (own, shift) }
    }
    return best.shift
  }

  /// A quotient of at least this is an escape with each of the up to six parameters: 24 × 2 ** 5 is less.
  private static let quotientMax = UInt64(Int16.max)

  private static func divide(
    _ gaps: Span<UInt64>, by shift: Int, _ widest: UInt64, _ quotients: inout ContiguousArray<Int16>
  ) {
    var quotients = quotients.mutableSpan
    precondition(gaps.count == SequenceLayout.groupCount && quotients.count == SequenceLayout.groupCount)
    let shift = UInt64(truncatingIfNeeded: shift)
    // The precondition has checked the bounds. The loops have no branches, so that the compiler can vectorize them.
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
  /// The choice is arithmetic: a branch, or even a conditional value, would keep the compiler from vectorizing the
  /// loop.
  private static func cost(_ quotients: Span<Int16>, _ more: Int, _ shift: Int) -> Int {
    precondition(quotients.count == SequenceLayout.groupCount)
    let escape = Int16(SequenceLayout.escapeZeros + SequenceLayout.valueWidthMax)
    let last = Int16(SequenceLayout.escapeZeros - 1)
    let more = Int16(truncatingIfNeeded: more)
    let rest = Int16(truncatingIfNeeded: shift &+ 1)
    // At most 32 × 74.
    var bits: Int16 = 0
    for index in 0..<SequenceLayout.groupCount {
      let quotient = unsafe quotients[unchecked: index] &>> more
      let isEscape = (last &- quotient) &>> 15
      bits &+= (quotient &+ rest) & ~isEscape | escape & isEscape
    }
    return Int(bits)
  }
}
