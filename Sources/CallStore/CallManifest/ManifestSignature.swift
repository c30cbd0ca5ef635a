// Decides whether a manifest is to be trusted: signed with a known key, unaltered, not older than before, not expired.
//
//     let signed = try SignedManifest(
//       manifest: manifestBytes, signature: signatureBytes, keys: [key], lastAccepted: settings.serial, now: now)
//     settings.serial = signed.signature.serial        // once the update is complete
//
// Nothing is read from a file or the network, and no clock is read. Not for: the files that the manifest names; it has
// the SHA-256 of each.

import Hashing

/// The signature of a manifest, checked. A value exists only if a trusted key signed it.
///
/// It is small, and changes even if the list does not, since it expires. So an app may download it first, and the
/// manifest only if ``covers(_:)`` returns false for the one that it has.
public struct ManifestSignature: Equatable, Sendable {
  /// The name of the file beside `manifest.json`.
  public static let fileName = "manifest.json.sig"
  /// The maximum size of the file in bytes. Don't download more.
  public static let bytesMax = 4096

  /// The serial number. Store it once the update is complete, and pass it as `lastAccepted` the next time.
  public let serial: Int64
  /// The last second in which the signature is valid, in seconds since 1970.
  public let expires: Int64
  /// The trusted key that signed.
  public let key: ManifestKey
  private let manifestHash: [UInt8]

  /// Checks the bytes of a signature file.
  ///
  /// - Parameters:
  ///   - bytes: the file; nil or empty if the server has none.
  ///   - keys: the trusted keys. One of them must have signed. While a publisher replaces its key, an app has two.
  ///   - lastAccepted: the serial number of the last accepted manifest; nil if none was accepted yet. Pass the serial
  ///     number of the list in the app's bundle, if there is one, rather than nil.
  ///   - now: the time, in seconds since 1970: `Int64(Date().timeIntervalSince1970)`.
  /// - Complexity: O(bytes), with at most 8 checks of signatures.
  public init(
    bytes: [UInt8]?, keys: [ManifestKey], lastAccepted: Int64?, now: Int64
  ) throws(ManifestSignatureError) {
    guard let bytes, !bytes.isEmpty else { throw .unsigned }
    let file = try SignatureFile(bytes)
    let trusted = file.signatures.compactMap { entry in
      keys.first { $0.id == entry.keyID }.map { (key: $0, signature: entry.signature) }
    }
    guard !trusted.isEmpty else { throw .wrongKey(signedBy: file.signatures.map(\.keyID)) }
    let message = file.statement.bytes
    var valid: ManifestKey?
    do throws(Ed25519.LibraryError) {
      for entry in trusted where valid == nil {
        if try Ed25519.isValid(entry.signature, of: message, by: entry.key.bytes) { valid = entry.key }
      }
    } catch {
      throw .cannotCheck
    }
    guard let valid else { throw .altered }
    serial = file.statement.serial
    expires = file.statement.expires
    manifestHash = file.statement.manifestHash
    key = valid
    if let lastAccepted, serial < lastAccepted {
      throw .olderThanAccepted(serial: serial, accepted: lastAccepted)
    }
    if now > expires { throw .expired(at: expires) }
  }

  /// Whether these are the bytes of the signed manifest.
  ///
  /// - Complexity: O(bytes).
  public func covers(_ manifest: [UInt8]) -> Bool {
    var hasher = SHA256Hasher()
    hasher.update(manifest.span)
    return hasher.digest == manifestHash
  }
}

/// A manifest that a trusted key signed.
public struct SignedManifest: Sendable {
  /// The manifest.
  public let manifest: Manifest
  /// Its signature.
  public let signature: ManifestSignature

  /// Reads a manifest whose signature was checked before. Its bytes are not parsed unless they are the signed ones.
  ///
  /// - Complexity: O(bytes). The caller enforces ``Manifest/bytesMax``.
  public init(manifest: [UInt8], signature: ManifestSignature) throws(ManifestSignatureError) {
    guard signature.covers(manifest) else { throw .altered }
    do throws(ManifestError) {
      self.manifest = try Manifest(bytes: manifest)
    } catch {
      throw .manifest(error)
    }
    self.signature = signature
  }

  /// Checks the bytes of a signature file and of the manifest beside it; see
  /// ``ManifestSignature/init(bytes:keys:lastAccepted:now:)``.
  public init(
    manifest: [UInt8], signature: [UInt8]?, keys: [ManifestKey], lastAccepted: Int64?, now: Int64
  ) throws(ManifestSignatureError) {
    try self.init(
      manifest: manifest,
      signature: try ManifestSignature(bytes: signature, keys: keys, lastAccepted: lastAccepted, now: now))
  }
}
