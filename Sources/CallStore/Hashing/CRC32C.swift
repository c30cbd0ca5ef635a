// The checksum of stores, deltas, compiled rules and the packed form: CRC-32C (Castagnoli), like in RFC 3720 and iSCSI.

import CIntrinsics

/// CRC-32C over bytes: with the processor's instruction where there is one, otherwise with tables, sixteen bytes at a
/// time (M. E. Kounavis, F. L. Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC Generation").
package enum CRC32C {
  /// Whether the processor has an instruction for CRC-32C.
  package static let hasInstruction = cdp_has_crc32c()

  /// Sixteen tables of 256 entries, one after another: table n advances a byte past n more zero bytes.
  private static let tables: ContiguousArray<UInt32> = {
    var tables = ContiguousArray<UInt32>(repeating: 0, count: 16 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<(16 * 256) {
      let before = tables[index - 256]
      tables[index] = (before >> 8) ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  /// The checksum of the bytes, or of bytes with the checksum `earlier` and these after them.
  package static func checksum(_ bytes: Span<UInt8>, after earlier: UInt32 = 0) -> UInt32 {
    // UInt8 has no padding and no invalid values.
    unsafe checksum(bytes.bytes, after: earlier)
  }

  /// The checksum of the bytes, or of bytes with the checksum `earlier` and these after them.
  ///
  /// - Complexity: O(bytes), more than 2 GB/s with tables and 8 GB/s with the instruction.
  package static func checksum(_ bytes: RawSpan, after earlier: UInt32 = 0) -> UInt32 {
    guard hasInstruction else { return checksumByTables(bytes, after: earlier) }
    // The pointer and the count are those of the span.
    return unsafe bytes.withUnsafeBytes { unsafe ~cdp_crc32c(~earlier, $0.baseAddress, $0.count) }
  }

  /// The checksum of the bytes, the same on every processor.
  package static func checksumByTables(_ bytes: RawSpan, after earlier: UInt32 = 0) -> UInt32 {
    // Unchecked: a table index is a byte plus a multiple of 256 below 4096, and a load ends at `count` at the latest.
    unsafe tables.withUnsafeBufferPointer { table in
      var crc = ~earlier
      var at = 0
      let count = bytes.byteCount
      // The second word does not depend on the checksum so far, so two words take hardly longer than one.
      while at + 16 <= count {
        let first = unsafe word(bytes, at) ^ UInt64(crc)
        let second = unsafe word(bytes, at + 8)
        crc = unsafe advanced(first, table, 2048) ^ advanced(second, table, 0)
        at += 16
      }
      while at < count {
        let byte = unsafe bytes.unsafeLoad(fromByteOffset: at, as: UInt8.self)
        crc = unsafe (crc >> 8) ^ table[Int((crc ^ UInt32(byte)) & 0xFF)]
        at += 1
      }
      return ~crc
    }
  }

  /// The word at an offset. Unchecked: the caller guarantees that all eight bytes are in the span.
  @unsafe @inline(__always)
  private static func word(_ bytes: RawSpan, _ at: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self))
  }

  /// The contribution of eight bytes to the checksum; `last` is the start of the last byte's table.
  @inline(__always)
  private static func advanced(_ word: UInt64, _ table: UnsafeBufferPointer<UInt32>, _ last: Int) -> UInt32 {
    unsafe table[last + 1792 + Int(word & 0xFF)] ^ table[last + 1536 + Int(word >> 8 & 0xFF)]
      ^ table[last + 1280 + Int(word >> 16 & 0xFF)] ^ table[last + 1024 + Int(word >> 24 & 0xFF)]
      ^ table[last + 768 + Int(word >> 32 & 0xFF)] ^ table[last + 512 + Int(word >> 40 & 0xFF)]
      ^ table[last + 256 + Int(word >> 48 & 0xFF)] ^ table[last + Int(word >> 56)]
  }
}
