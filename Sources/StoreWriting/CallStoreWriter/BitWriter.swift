// Writes bit fields, most significant bit first.
//
// Bits are collected in a word, and words in an array: the array's checks run once per 64 bits. One byte at a time took
// three times as long (docs/design/decisions/0018-labels-and-stores.md).

import BasicContainers

struct BitWriter: ~Copyable {
  /// The maximum width of a field.
  static let widthMax = 63

  /// Full words, each in the order of its bytes in the file.
  private var words = UniqueArray<UInt64>()
  /// The bits of the incomplete last word, in the lowest places. The bits above them have no meaning.
  private var pending: UInt64 = 0
  /// The number of pending bits, below 64.
  private var pendingCount = 0

  /// The number of bits written.
  var bitCount: Int { words.count * 64 + pendingCount }

  /// Appends the lower `width` bits of `value`. The other bits are 0. `width` is 0 to ``widthMax``.
  @inline(__always)
  mutating func append(_ value: UInt64, width: Int) {
    let free = 64 &- pendingCount
    if width < free {
      pending = pending &<< UInt64(truncatingIfNeeded: width) | value
      pendingCount &+= width
    } else {
      // `free` and `rest` are below 64 here: no shift is as wide as the word.
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

  /// Appends the written bits to `bytes`, filled up to a whole byte.
  func write(to bytes: inout ContiguousArray<UInt8>) {
    // The words are stored big-endian, so their bytes in memory are those of the file.
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
  /// Appends bytes.
  mutating func append(copying other: Span<UInt8>) {
    // One check of the capacity for all of them.
    unsafe other.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
