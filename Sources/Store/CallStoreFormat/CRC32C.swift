// The checksum of every section: CRC-32C (Castagnoli), as RFC 3720 and iSCSI have it.
//
// Not for: the store's identity, which is a SHA-256 that only the writer's side computes.

import CCRC32C

/// CRC-32C over bytes: by the processor's instruction where it has one, else by tables, sixteen bytes at a time
/// (M. E. Kounavis, F. L. Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC Generation").
package enum CRC32C {
  /// Whether the processor has an instruction for it.
  package static let hasInstruction = cdp_has_crc32c()

  /// Sixteen tables of 256, one behind the other: table n advances a byte past n further zero bytes.
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

  /// The checksum of the bytes.
  package static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    // Bytes are bytes: no padding, no invalid values.
    unsafe checksum(bytes.bytes)
  }

  /// The checksum of the bytes.
  ///
  /// - Complexity: O(bytes), above 2 GB/s by tables and 8 GB/s by the instruction.
  package static func checksum(_ bytes: RawSpan) -> UInt32 {
    guard hasInstruction else { return checksumByTables(bytes) }
    // The span's own bytes, as many as it has.
    return unsafe bytes.withUnsafeBytes { unsafe ~cdp_crc32c(~0, $0.baseAddress, $0.count) }
  }

  /// The checksum of the bytes, the same on every processor.
  package static func checksumByTables(_ bytes: RawSpan) -> UInt32 {
    // Unchecked: a table index is a byte plus a multiple of 256 below 4096, and a load ends at `count` at most.
    unsafe tables.withUnsafeBufferPointer { table in
      unsafe bytes.withUnsafeBytes { buffer in
        var crc = ~UInt32(0)
        var at = 0
        let count = buffer.count
        // What is loaded second does not wait for the checksum so far, so two words take hardly longer than one.
        while at + 16 <= count {
          let first =
            unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            ^ UInt64(crc)
          let second = unsafe UInt64(
            littleEndian: buffer.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self))
          crc = unsafe advanced(first, table, 2048) ^ advanced(second, table, 0)
          at += 16
        }
        while at < count {
          crc = unsafe (crc >> 8) ^ table[Int((crc ^ UInt32(buffer[at])) & 0xFF)]
          at += 1
        }
        return ~crc
      }
    }
  }

  /// What eight bytes do to the checksum; `last` is where the table of the last of them begins.
  @inline(__always)
  private static func advanced(_ word: UInt64, _ table: UnsafeBufferPointer<UInt32>, _ last: Int) -> UInt32 {
    unsafe table[last + 1792 + Int(word & 0xFF)] ^ table[last + 1536 + Int(word >> 8 & 0xFF)]
      ^ table[last + 1280 + Int(word >> 16 & 0xFF)] ^ table[last + 1024 + Int(word >> 24 & 0xFF)]
      ^ table[last + 768 + Int(word >> 32 & 0xFF)] ^ table[last + 512 + Int(word >> 40 & 0xFF)]
      ^ table[last + 256 + Int(word >> 48 & 0xFF)] ^ table[last + Int(word >> 56)]
  }
}
