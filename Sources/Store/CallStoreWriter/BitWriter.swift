// Writes fields of some bits, most significant bit first.

struct BitWriter {
  private(set) var bytes: ContiguousArray<UInt8> = []
  private var pending: UInt64 = 0
  private var pendingCount = 0

  /// The number of bits written.
  var bitCount: Int { bytes.count * 8 + pendingCount }

  /// Appends the lower `width` bits of `value`; the others are 0. `width` is 0 to 56.
  mutating func append(_ value: UInt64, width: Int) {
    pending = pending &<< UInt64(width) | value
    pendingCount &+= width
    while pendingCount >= 8 {
      pendingCount &-= 8
      bytes.append(UInt8(truncatingIfNeeded: pending &>> UInt64(pendingCount)))
    }
  }

  /// Appends zero bits.
  mutating func appendZeros(_ count: Int) {
    var left = count
    while left > 0 {
      append(0, width: min(left, 56))
      left -= 56
    }
  }

  /// Fills the last byte with zero bits.
  mutating func align() {
    if pendingCount > 0 { append(0, width: 8 - pendingCount) }
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    pending = 0
    pendingCount = 0
  }
}

extension ContiguousArray<UInt8> {
  /// Appends an integer, least significant byte first.
  mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
    for byte in 0..<(Integer.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: value >> Integer(truncatingIfNeeded: 8 * byte)))
    }
  }

  /// Replaces a u32 that stands at an offset already.
  mutating func set(_ value: UInt32, at offset: Int) {
    for byte in 0..<4 { self[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt32(8 * byte)) }
  }
}
