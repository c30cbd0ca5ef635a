// The fields that say where the groups of a bit-packed piece start; the reader's half is GroupStartReader.

import CallStoreFormat

/// What a piece says about its groups' starts: as narrow as the starts allow.
struct GroupStartFields {
  /// The mean length of a group, in 256ths of a bit.
  let mean: Int
  /// So much is added to each field, so that none is negative.
  let bias: Int
  /// The bits of a field.
  let width: Int

  /// The fields for starts, of which the first is 0. There is at least one.
  init(_ starts: Span<Int>) {
    let last = starts.count - 1
    let mean = last > 0 ? starts[last] << GroupStarts.meanShift / last : 0
    // The first lies where it is expected, so the least is not positive.
    var least = 0
    var most = 0
    for group in 0..<starts.count {
      let offset = starts[group] - GroupStarts.expected(group, mean: mean)
      least = min(least, offset)
      most = max(most, offset)
    }
    self.mean = mean
    bias = -least
    width = SequenceWriter.width(UInt64(most - least))
  }

  /// The field of a group that starts at bit `start`.
  @inline(__always)
  func field(_ group: Int, start: Int) -> UInt64 {
    UInt64(start - GroupStarts.expected(group, mean: mean) + bias)
  }
}
