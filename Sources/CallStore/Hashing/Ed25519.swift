// Ed25519 signatures (RFC 8032): the one place that imports CryptoKit or Crypto for signing (SHA256Hasher chooses).
//
// Not for: what is signed (ManifestSignature in CallManifest), or the files of private keys (SigningKey in Publishing).

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// Ed25519 signatures. Keys and signatures are plain bytes in the form of RFC 8032.
package enum Ed25519 {
  /// The number of bytes of a public key, and of the seed of a private key.
  package static let keyByteCount = 32
  /// The number of bytes of a signature.
  package static let signatureByteCount = 64

  /// Whether a signature of a message was made with the private key of this public key.
  ///
  /// - Complexity: O(bytes).
  package static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard signature.count == signatureByteCount, publicKey.count == keyByteCount,
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
    else { return false }
    return key.isValidSignature(signature, for: message)
  }

  /// A private key.
  package struct PrivateKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// Makes a random key.
    package init() {
      key = Curve25519.Signing.PrivateKey()
    }

    /// Makes the key of a seed; nil unless it has 32 bytes.
    package init?(seed: [UInt8]) {
      guard seed.count == keyByteCount,
        let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
      else { return nil }
      self.key = key
    }

    /// The 32 bytes that the key is made from. They are the secret.
    package var seed: [UInt8] { Array(key.rawRepresentation) }

    /// The 32 bytes of the public key.
    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    /// The 64 bytes of a message's signature; nil if the cryptographic library fails, for lack of random numbers for
    /// example.
    package func signature(of message: [UInt8]) -> [UInt8]? {
      (try? key.signature(for: message)).map { Array($0) }
    }
  }
}
