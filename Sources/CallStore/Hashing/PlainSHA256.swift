// SHA-256 by functions in C, for systems without a library of their own: it is part of most outputs, and opening a library
// for it would take longer than hashing a short list.
//
// Not for: what other targets use (SHA256Hasher).

import CIntrinsics

/// The SHA-256 of bytes that arrive in pieces, with the interface of CryptoKit's.
package struct PlainSHA256: Sendable {
  private static let byteCount = 32
  private var hash = cdp_sha256_start()

  /// Whether the processor has instructions for SHA-256.
  package static var hasInstructions: Bool { cdp_sha256_has_instructions() }

  /// Creates a hash of no bytes. Tests do without the processor's instructions.
  package init(usesInstructions: Bool = true) {
    hash.is_portable = !usesInstructions
  }

  /// Adds bytes.
  package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
    unsafe cdp_sha256_add(&hash, bytes.baseAddress, bytes.count)
  }

  /// The 32 bytes of the hash so far.
  package func finalize() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
      unsafe cdp_sha256_finish(hash, digest.baseAddress)
      count = Self.byteCount
    }
  }
}
