// Ed25519 signatures (RFC 8032). How they are computed depends on the system: Ed25519+CryptoKit, Ed25519+LibCrypto.
//
// Not for: what is signed (ManifestSignature in CallManifest), or the files of private keys (SigningKey in Publishing).

/// Ed25519 signatures. Keys and signatures are plain bytes in the form of RFC 8032.
package enum Ed25519 {
  /// The number of bytes of a public key, and of the seed of a private key.
  package static let keyByteCount = 32
  /// The number of bytes of a signature.
  package static let signatureByteCount = 64

  /// Why nothing can be signed or checked.
  package enum LibraryError: Error, Equatable, Sendable {
    /// The library can't be opened; never on Apple platforms. `package` is the system's package that has it, and `code`
    /// an error number: of a limit of the machine, or ENOENT if the library is not installed or can't be used.
    case unavailable(library: String, package: String, code: Int32)
    /// The library failed, for lack of memory or random numbers for example.
    case failed
  }

  /// Whether a signature of a message was made with the private key of this public key.
  ///
  /// - Complexity: O(bytes).
  package static func isValid(
    _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
  ) throws(LibraryError) -> Bool {
    guard signature.count == signatureByteCount, publicKey.count == keyByteCount else { return false }
    return try check(signature, of: message, by: publicKey)
  }

  /// A private key.
  package struct PrivateKey: Sendable {
    /// The 32 bytes that the key is made from. They are the secret.
    package let seed: [UInt8]
    /// The 32 bytes of the public key.
    package let publicKey: [UInt8]

    /// Makes a random key.
    package init() throws(LibraryError) {
      seed = try Ed25519.makeSeed()
      publicKey = try Ed25519.publicKey(of: seed)
    }

    /// Makes the key of a seed; nil unless it has 32 bytes.
    package init?(seed: [UInt8]) throws(LibraryError) {
      guard seed.count == keyByteCount else { return nil }
      self.seed = seed
      publicKey = try Ed25519.publicKey(of: seed)
    }

    /// The 64 bytes of a message's signature; nil if the cryptographic library fails, for lack of random numbers for
    /// example.
    package func signature(of message: [UInt8]) -> [UInt8]? { try? Ed25519.sign(message, seed: seed) }
  }
}
