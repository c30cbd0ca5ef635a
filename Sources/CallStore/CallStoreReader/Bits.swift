// Reads bit fields, most significant bit first, at any bit of a span.

import CallStoreFormat

enum Bits {
  /// The bits from `position` on, at the top of a word: at least 57 of them. Zero where eight bytes from there are not
  /// inside the span; a decoder notices that by its position.
  @inline(__always)
  static func peek(_ bytes: RawSpan, _ position: Int) -> UInt64 {
    let byte = position &>> 3
    guard byte >= 0, byte <= bytes.byteCount &- 8 else { return 0 }
    // The line above has checked the bounds.
    return unsafe bytes.u64(unchecked: byte).byteSwapped &<< UInt64(position & 7)
  }

  /// The field of `width` bits at `position`; `width` is 0 to 57.
  @inline(__always)
  static func read(_ bytes: RawSpan, _ position: Int, width: Int) -> UInt64 {
    top(peek(bytes, position), width)
  }

  /// The `width` uppermost bits of a word; `width` is 0 to 63.
  @inline(__always)
  static func top(_ word: UInt64, _ width: Int) -> UInt64 {
    (word &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- width)
  }
}
