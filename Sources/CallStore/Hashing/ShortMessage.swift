// A message of up to 16 bytes and its SHA-256. Shards of a keyword database are chosen by it.
//
// A call of swift-crypto costs 175 ns, most of it to make and copy its state; everything else that a number's row costs is
// 100 ns. Hence a C function for processors with instructions for SHA-256. Not for: hashes of files (SHA256Hasher).

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

  private static let hasInstructions = cdp_sha256_block_supported() != 0

  /// The first 8 bytes of the SHA-256 as a little-endian number.
  package var hash: UInt64 {
    Self.hasInstructions ? cdp_sha256_block_prefix(low, high, UInt32(count)) : portableHash
  }

  /// The same by the hasher for messages of any length.
  package var portableHash: UInt64 {
    var hasher = SHA256Hasher()
    hasher.update(bytes.span)
    return hasher.digest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
