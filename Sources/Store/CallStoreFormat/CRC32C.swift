// The checksum of every section: CRC-32C (Castagnoli), as RFC 3720 and iSCSI have it.
//
// Not for: the store's identity, which is a SHA-256 that only the writer's side computes.

/// CRC-32C over bytes, eight at a time (M. E. Kounavis, F. L. Berry, "Novel Table Lookup-Based Algorithms for
/// High-Performance CRC Generation").
package enum CRC32C {
  /// Eight tables of 256, one behind the other: table n advances a byte past n further zero bytes.
  private static let tables: ContiguousArray<UInt32> = {
    var tables = ContiguousArray<UInt32>(repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
      tables[byte] = value
    }
    for index in 256..<(8 * 256) {
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
  /// - Complexity: O(bytes), above 1 GB/s.
  package static func checksum(_ bytes: RawSpan) -> UInt32 {
    // Unchecked: a table index is a byte plus a multiple of 256 below 2048, and a load ends at `count` at most.
    unsafe tables.withUnsafeBufferPointer { table in
      unsafe bytes.withUnsafeBytes { buffer in
        var crc = ~UInt32(0)
        var at = 0
        let count = buffer.count
        while at + 8 <= count {
          let word =
            unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            ^ UInt64(crc)
          crc =
            unsafe table[1792 + Int(word & 0xFF)] ^ table[1536 + Int(word >> 8 & 0xFF)]
            ^ table[1280 + Int(word >> 16 & 0xFF)] ^ table[1024 + Int(word >> 24 & 0xFF)]
            ^ table[768 + Int(word >> 32 & 0xFF)] ^ table[512 + Int(word >> 40 & 0xFF)]
            ^ table[256 + Int(word >> 48 & 0xFF)] ^ table[Int(word >> 56)]
          at += 8
        }
        while at < count {
          crc = unsafe (crc >> 8) ^ table[Int((crc ^ UInt32(buffer[at])) & 0xFF)]
          at += 1
        }
        return ~crc
      }
    }
  }
}
