// The public key that an app has of its publisher, and its text form.
//
// Not for: private keys (SigningKey in Publishing), which no app has.

import Hashing

/// A public key. The holder of its private key signs manifests.
///
/// Its text form is what `cdpipe keys generate` prints: `ed25519:` and 64 lower-case hexadecimal digits.
///
///     let key = ManifestKey("ed25519:8f40c5adb68f25624ae5b214ea767a6ec94d829d3d7b5e1ad1ba6f3e2138285f")
public struct ManifestKey: Hashable, Sendable, LosslessStringConvertible {
  /// What the text form starts with.
  public static let prefix = "ed25519:"

  /// The 32 bytes of the key.
  package let bytes: [UInt8]

  /// Makes a key of its 32 bytes; nil for any other number of them.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Ed25519.keyByteCount else { return nil }
    self.bytes = bytes
  }

  /// Parses the text form; nil for any other text.
  public init?(_ text: String) {
    guard text.hasPrefix(Self.prefix),
      let bytes = Hexadecimal.bytes(text.dropFirst(Self.prefix.count), count: Ed25519.keyByteCount)
    else { return nil }
    self.bytes = bytes
  }

  /// The text form.
  public var description: String { Self.prefix + Hexadecimal.text(bytes) }

  /// The key's identifier in signature files: 16 hexadecimal digits, the start of its SHA-256.
  public var id: String {
    var hasher = SHA256Hasher()
    hasher.update(bytes.span)
    return Hexadecimal.text(hasher.digest.prefix(8))
  }
}
