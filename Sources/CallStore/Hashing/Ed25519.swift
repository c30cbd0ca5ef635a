// Ed25519 signatures (RFC 8032): by CryptoKit on Apple platforms, elsewhere by OpenSSL's libcrypto, which is
// opened when the first key is used: few commands sign or check signatures.

/// Ed25519 signatures. Keys and signatures are plain bytes in the form of RFC 8032.
package enum Ed25519 {
  /// The number of bytes of a public key, and of the seed of a private key.
  package static let keyByteCount = 32
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

  package struct PrivateKey: Sendable {
    /// The 32 bytes that the key is made from. They are the secret.
    package let seed: [UInt8]
    /// The 32 bytes of the public key.
    package let publicKey: [UInt8]

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

#if !canImport(CryptoKit)
  import CLibCrypto

  extension Ed25519 {
    /// The library's file name, and whether it can be opened and has the functions that are needed. Opens it.
    package static var library: (name: String, isUsable: Bool) {
      (unsafe String(cString: cdp_crypto_library_name()), cdp_crypto_load() == 0)
    }

    /// Tries to open a library by this name; returns the error, or nil if it can be used.
    package static func problem(opening name: String) -> LibraryError? {
      unsafe cdp_crypto_library_is_usable(name) ? nil : unavailable(name, code: noSuchFile)
    }

    /// Opens the library.
    package static func open() throws(LibraryError) {
      let code = cdp_crypto_load()
      if code != 0 { throw unavailable(unsafe String(cString: cdp_crypto_library_name()), code: code) }
    }

    private static let noSuchFile: Int32 = 2

    private static func unavailable(_ name: String, code: Int32) -> LibraryError {
      // The Debian package; most distributions use a similar name.
      .unavailable(library: name, package: "libssl3", code: code)
    }

    static func check(
      _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]
    ) throws(LibraryError) -> Bool {
      try open()
      var isValid = false
      guard unsafe cdp_ed25519_check(publicKey, message, message.count, signature, &isValid) else {
        throw .failed
      }
      return isValid
    }

    static func makeSeed() throws(LibraryError) -> [UInt8] {
      try open()
      return try bytes(keyByteCount) { unsafe cdp_ed25519_make_seed(&$0) }
    }

    static func publicKey(of seed: [UInt8]) throws(LibraryError) -> [UInt8] {
      try open()
      return try bytes(keyByteCount) { unsafe cdp_ed25519_public_key(seed, &$0) }
    }

    static func sign(_ message: [UInt8], seed: [UInt8]) throws(LibraryError) -> [UInt8] {
      try open()
      return try bytes(signatureByteCount) { unsafe cdp_ed25519_sign(seed, message, message.count, &$0) }
    }

    /// The bytes that a function writes; it returns whether it succeeded.
    private static func bytes(
      _ count: Int, _ write: (inout [UInt8]) -> Bool
    ) throws(LibraryError) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      if !write(&bytes) { throw .failed }
      return bytes
    }
  }
#endif

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
