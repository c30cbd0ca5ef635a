// The fields for the starts of the groups of a bit-packed piece; GroupStartReader reads them.

import CallStoreFormat

/// The parameters of the starts of a piece's groups, for fields as narrow as possible.
struct GroupStartFields {
  /// The mean length of a group, in 256ths of a bit.
  let mean: Int
  /// Is added to each field, so that no field is negative.
  let bias: Int
  /// The width of a field in bits.
  let width: Int

  /// Chooses the parameters for the starts of groups.
  ///
  /// - Precondition: there is at least one start, and the first is 0.
  init(_ starts: Span<Int>) {
    let last = starts.count - 1
    let mean = last > 0 ? starts[last] << GroupStarts.meanShift / last : 0
    // The first group starts where it is expected, so the minimum is not positive.
    var offsetMin = 0
    var offsetMax = 0
    for group in 0..<starts.count {
      let offset = starts[group] - GroupStarts.expected(group, mean: mean)
      offsetMin = min(offsetMin, offset)
      offsetMax = max(offsetMax, offset)
    }
    self.mean = mean
    bias = -offsetMin
    width = SequenceWriter.width(UInt64(offsetMax - offsetMin))
  }

  /// The field of a group that starts at bit `start`.
  @inline(__always)
  func field(_ group: Int, start: Int) -> UInt64 {
    UInt64(start - GroupStarts.expected(group, mean: mean) + bias)
  }
}
