// CRC-32, computed by zlib.

import CLibZ

/// The checksum of gzip and zip (CRC-32 of ISO 3309).
struct CRC32 {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: Span<UInt8>) {
    let before = value
    value = unsafe bytes.withUnsafeBytes { unsafe cdp_crc32(before, $0.baseAddress, $0.count) }
  }
}
