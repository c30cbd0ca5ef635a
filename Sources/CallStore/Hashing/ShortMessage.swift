// A message of up to 16 bytes and its SHA-256. Shards of a keyword database are chosen by it.
//
// Everything else that a number's row costs is 100 ns, and a hasher for any length may take longer: most of it to make and
// copy its state. Hence a function for short messages. Not for: hashes of files (SHA256Hasher).

import CIntrinsics

/// A message of up to 16 bytes.
package struct ShortMessage: Equatable, Sendable {
  /// The maximum number of bytes.
  package static let bytesMax = 16

  /// The first 8 bytes, the first one lowest; 0 beyond the message.
  package var low: UInt64
  /// The bytes after them.
  package var high: UInt64
  /// The number of bytes.
  package var count: Int

  package init(low: UInt64, high: UInt64, count: Int) {
    self.low = low
    self.high = high
    self.count = count
  }

  /// A byte of the message.
  package subscript(index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: index < 8 ? low >> UInt64(8 * index) : high >> UInt64(8 * (index - 8)))
  }

  /// The bytes.
  package var bytes: [UInt8] { (0..<count).map { self[$0] } }

  /// The first 8 bytes of the SHA-256 as a little-endian number.
  package var hash: UInt64 { cdp_sha256_prefix(low, high, UInt32(count), false) }

  /// The same without the processor's instructions for SHA-256, for tests.
  package var portableHash: UInt64 { cdp_sha256_prefix(low, high, UInt32(count), true) }
}
