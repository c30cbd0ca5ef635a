// Ed25519 by CryptoKit, on Apple platforms.

#if canImport(CryptoKit)
  import CryptoKit

  extension Ed25519 {
    /// Opens the library if there is one to be opened.
    package static func open() throws(LibraryError) {}

    static func check(
      _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(LibraryError) -> Bool {
      // Bytes that are no point of the curve have signed nothing.
      guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
      return key.isValidSignature(signature, for: message)
    }

    static func makeSeed() throws(LibraryError) -> [UInt8] {
      Array(Curve25519.Signing.PrivateKey().rawRepresentation)
    }

    static func publicKey(of seed: [UInt8]) throws(LibraryError) -> [UInt8] {
      Array(try key(seed).publicKey.rawRepresentation)
    }

    static func sign(_ message: [UInt8], seed: [UInt8]) throws(LibraryError) -> [UInt8] {
      guard let signature = try? key(seed).signature(for: message) else { throw .failed }
      return Array(signature)
    }

    private static func key(_ seed: [UInt8]) throws(LibraryError) -> Curve25519.Signing.PrivateKey {
      guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { throw .failed }
      return key
    }
  }
#endif
