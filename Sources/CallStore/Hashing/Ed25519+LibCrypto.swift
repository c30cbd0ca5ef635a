// Ed25519 by OpenSSL's libcrypto, where there is no CryptoKit. It is opened when the first key is used: few commands sign or
// check signatures. This file has every unsafe call to it.

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

    /// ENOENT.
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
