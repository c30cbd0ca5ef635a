// SHA-256 of bytes that arrive in pieces: the one place that chooses its implementation. Apple platforms have a library for
// it; elsewhere it is PlainSHA256, which has the same interface.
//
// Not for: the checksums inside stores (CCRC32C), nor signatures.

#if canImport(CryptoKit)
  import CryptoKit
#endif

/// Computes the SHA-256 of bytes that arrive in pieces.
package struct SHA256Hasher: Sendable {
  /// The number of bytes so far.
  package private(set) var byteCount: UInt64 = 0

  #if canImport(CryptoKit)
    private var hash = SHA256()
  #else
    private var hash = PlainSHA256()
  #endif

  /// Creates a hasher that has seen no bytes.
  package init() {}

  /// Adds bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    // Bytes have no padding and no invalid values.
    unsafe update(bytes.bytes)
  }

  /// Adds bytes.
  package mutating func update(_ bytes: RawSpan) {
    byteCount += UInt64(bytes.byteCount)
    unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
  }

  /// Adds the UTF-8 bytes of a text.
  package mutating func update(_ text: String) {
    update(Array(text.utf8).span)
  }

  /// The 32 bytes of the hash so far. More bytes may be added afterwards.
  package var digest: [UInt8] { Array(hash.finalize()) }

  /// The hash so far as 64 lower-case hexadecimal digits. More bytes may be added afterwards.
  package var hex: String { Hexadecimal.text(digest) }

  /// The hash of a text's UTF-8 bytes, as 64 lower-case hexadecimal digits.
  package static func hex(of text: String) -> String {
    var hasher = SHA256Hasher()
    hasher.update(text)
    return hasher.hex
  }
}
