// Where the groups of a bit-packed piece start, told from a narrow field: see GroupStarts.

import CallStoreFormat

/// What a piece says about its groups' starts.
struct GroupStartReader {
  /// The bits of a field, at most ``GroupStarts/widthMax``; whoever makes the value checks it.
  let width: Int
  /// The mean length of a group in 256ths of a bit.
  let mean: Int
  /// So much is taken off the fields, so that none is negative.
  let bias: Int

  /// The bit that a group starts at, counted from the first group; negative or beyond the piece where the block is
  /// damaged. The group's field stands at bit `field`.
  @inline(__always)
  func start(_ bytes: RawSpan, field: Int, ofGroup group: Int) -> Int {
    let offset = Int(truncatingIfNeeded: Bits.read(bytes, field, width: width))
    return GroupStarts.expected(group, mean: mean) &+ offset &- bias
  }
}
