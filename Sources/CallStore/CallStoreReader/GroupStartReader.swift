// Reads the starts of the groups of a bit-packed piece from narrow fields: see GroupStarts.

import CallStoreFormat

/// The parameters of the starts of a piece's groups.
struct GroupStartReader {
  /// The width of a field in bits. The creator of the value checks that it is at most ``GroupStarts/widthMax``.
  let width: Int
  /// The mean length of a group in 256ths of a bit.
  let mean: Int
  /// Is subtracted from the fields: the writer added it, so that no field is negative.
  let bias: Int

  /// The bit at which a group starts, counted from the first group. Negative or beyond the piece if the block is
  /// damaged. `field` is the bit at which the group's field starts.
  @inline(__always)
  func start(_ bytes: RawSpan, field: Int, ofGroup group: Int) -> Int {
    let offset = Int(truncatingIfNeeded: Bits.read(bytes, field, width: width))
    return GroupStarts.expected(group, mean: mean) &+ offset &- bias
  }
}
