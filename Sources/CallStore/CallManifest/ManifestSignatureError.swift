// Why a manifest is not trusted.

/// Why a manifest is not trusted: an app that gets any of these errors keeps the list that it has.
public enum ManifestSignatureError: Error, Equatable, Sendable {
  /// There is no signature.
  case unsigned
  /// The signature file does not have the form of one.
  case damaged
  /// The signature file has a version that this library does not support: the app is too old.
  case unsupportedVersion(Int)
  /// Only keys that are not trusted signed the manifest; their identifiers.
  case wrongKey(signedBy: [String])
  /// The signature file or the manifest was changed after it was signed, or the two do not belong together.
  case altered
  /// The serial number is lower than that of a manifest that was accepted before.
  case olderThanAccepted(serial: Int64, accepted: Int64)
  /// The time until which the signature was valid has passed; in seconds since 1970.
  case expired(at: Int64)
  /// The library that checks signatures is missing or fails. Never on Apple platforms; on Linux, it is libcrypto.
  case cannotCheck
  /// The manifest is signed, and can't be used.
  case manifest(ManifestError)
}
