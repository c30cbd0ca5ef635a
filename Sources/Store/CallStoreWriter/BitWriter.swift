// Writes fields of some bits, most significant bit first.
//
// Bits gather in a word and words in an array: an array's checks are paid once for 64 bits, where a byte at a
// time cost three times as much (docs/design/decisions/0018-labels-and-stores.md).

import BasicContainers

struct BitWriter: ~Copyable {
  /// The widest field that is appended at once.
  static let widthMax = 63

  /// Full words, each in the order of its bytes in the file.
  private var words = UniqueArray<UInt64>()
  /// The bits that fill no word yet, in the lowest places; what stands above them is of no meaning.
  private var pending: UInt64 = 0
  /// How many those are, below 64.
  private var pendingCount = 0

  /// The number of bits written.
  var bitCount: Int { words.count * 64 + pendingCount }

  /// Appends the lower `width` bits of `value`; the others are 0. `width` is 0 to
  /// ``widthMax``.
  @inline(__always)
  mutating func append(_ value: UInt64, width: Int) {
    let free = 64 &- pendingCount
    if width < free {
      pending = pending &<< UInt64(truncatingIfNeeded: width) | value
      pendingCount &+= width
    } else {
      // Here `free` is below 64, as is `rest`: no shift is as wide as the word.
      let rest = width &- free
      let word =
        pending &<< UInt64(truncatingIfNeeded: free) | value &>> UInt64(truncatingIfNeeded: rest)
      words.append(word.bigEndian)
      pending = value
      pendingCount = rest
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
    append(0, width: -pendingCount & 7)
  }

  /// Appends what was written, up to a byte, to `bytes`.
  func write(to bytes: inout ContiguousArray<UInt8>) {
    // Words are plain bytes in memory.
    unsafe words.span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    var left = pendingCount
    while left > 0 {
      let byte = left >= 8 ? pending &>> UInt64(left - 8) : pending &<< UInt64(8 - left)
      bytes.append(UInt8(truncatingIfNeeded: byte))
      left -= 8
    }
  }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
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

  /// Appends bytes.
  mutating func append(copying other: Span<UInt8>) {
    // One check of room for all of them.
    unsafe other.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Replaces a u32 that stands at an offset already.
  mutating func set(_ value: UInt32, at offset: Int) {
    for byte in 0..<4 { self[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt32(8 * byte)) }
  }
}
