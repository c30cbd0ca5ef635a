// The first 8 bytes of the SHA-256 of a short message. Shards of a keyword database are chosen by them.
//
// One call of swift-crypto costs 175 ns, most of it to make and copy its state; a number's row costs 60 ns besides.
// Hence a C function for processors with instructions for SHA-256. Not for: hashes of files (SHA256Hasher).

import CSHA256Block

/// Computes the first bytes of the SHA-256 of short messages.
package enum ShortMessageHash {
  private static let hasInstructions = cdp_sha256_block_supported() != 0

  /// The first 8 bytes of a message's SHA-256 as a little-endian number.
  package static func prefix(_ message: Span<UInt8>) -> UInt64 {
    if hasInstructions, message.count <= Int(CDP_SHA256_BLOCK_MESSAGE_MAX) {
      return unsafe message.withUnsafeBufferPointer {
        unsafe cdp_sha256_block_prefix($0.baseAddress, $0.count)
      }
    }
    var hasher = SHA256Hasher()
    hasher.update(message)
    return littleEndian(hasher.digest)
  }

  /// The first 8 bytes of a hash as a little-endian number.
  package static func littleEndian(_ digest: [UInt8]) -> UInt64 {
    digest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
