// Decides whether a manifest is to be trusted: signed with a known key, unaltered, not older than before, not expired.
//
//     let signed = try SignedManifest(
//       manifest: manifestBytes, signature: signatureBytes, keys: [key], lastAccepted: settings.serial, now: now)
//     settings.serial = signed.signature.serial        // once the update is complete
//
// Nothing is read from a file or the network, and no clock is read.

import Hashing

/// What a signature is of. No signature of one is valid for the other: its bytes begin with another word.
public enum SignedContent: String, Sendable {
  /// The manifest of a list: `manifest.json.sig`.
  case manifest = "cdpipe-manifest-signature"
  /// Compiled rules for messages: the name of their file, and `.sig`.
  case rules = "cdpipe-rules-signature"
}

/// The signature of a manifest, or of other content, checked. A value exists only if a trusted key signed it.
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
    try self.init(bytes: bytes, of: .manifest, keys: keys, lastAccepted: lastAccepted, now: now)
  }

  /// Checks the bytes of a signature file of any content; see ``init(bytes:keys:lastAccepted:now:)``.
  public init(
    bytes: [UInt8]?, of content: SignedContent, keys: [ManifestKey], lastAccepted: Int64?, now: Int64
  ) throws(ManifestSignatureError) {
    guard let bytes, !bytes.isEmpty else { throw .unsigned }
    let file = try SignatureFile(bytes, of: content)
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
    return covers(sha256: hasher.digest)
  }

  /// Whether this is the SHA-256 of the signed bytes, 32 bytes.
  public func covers(sha256: [UInt8]) -> Bool { sha256 == manifestHash }
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

/// What a signature file contains. Nothing in it is trusted.
///
/// The file beside a manifest that has its signatures: `manifest.json.sig`.
///
/// ```text
/// cdpipe-manifest-signature 1
/// serial 1774931400
/// expires 1776141000
/// sha256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
/// ed25519 56475aa75463474c 6291d657de…
/// ed25519 9d0f1f2e3c4b5a69 c3a58b0c11…
/// ```
///
/// The bytes of the first four lines are signed. Their first line is the domain: no signature of anything else
/// starts with it. docs/formats/manifest-signature.md defines the format.
package struct SignatureFile: Equatable, Sendable {
  package struct Statement: Equatable, Sendable {
    /// The serial number: a later state of the list has a higher one.
    package var serial: Int64
    /// The last second in which the signature is valid, in seconds since 1970.
    package var expires: Int64
    /// The SHA-256 of the manifest's bytes, or of those of the other content.
    package var manifestHash: [UInt8]
    package var content: SignedContent

    package init(
      serial: Int64, expires: Int64, manifestHash: [UInt8], content: SignedContent = .manifest
    ) {
      self.content = content
      self.serial = serial
      self.expires = expires
      self.manifestHash = manifestHash
    }

    /// The bytes that are signed, and with which the file starts.
    package var bytes: [UInt8] {
      Array(
        """
        \(content.rawValue) \(SignatureFile.version)
        serial \(serial)
        expires \(expires)
        sha256 \(Hexadecimal.text(manifestHash))

        """.utf8)
    }
  }

  package struct KeySignature: Equatable, Sendable {
    /// The ``ManifestKey/id``.
    package var keyID: String
    /// The 64 bytes of the signature.
    package var signature: [UInt8]

    package init(keyID: String, signature: [UInt8]) {
      self.keyID = keyID
      self.signature = signature
    }
  }

  /// The version of the format that this library reads and writes.
  package static let version = 1
  /// The maximum number of signatures: two are enough to replace a key, more help when several are in use.
  package static let signaturesMax = 8
  /// The maximum serial number, and time of expiry: 18 digits.
  package static let numberMax: Int64 = 999_999_999_999_999_999
  private static let keyIDDigitCount = 16
  private static let statementLineCount = 4

  package var statement: Statement
  package var signatures: [KeySignature]

  package init(statement: Statement, signatures: [KeySignature]) {
    self.statement = statement
    self.signatures = signatures
  }

  package var bytes: [UInt8] {
    let lines = signatures.map { "ed25519 \($0.keyID) \(Hexadecimal.text($0.signature))\n" }
    return statement.bytes + Array(lines.joined().utf8)
  }

  /// Parses a file. There is exactly one form for each content.
  ///
  /// - Complexity: O(bytes), of which at most ``ManifestSignature/bytesMax`` are accepted.
  package init(_ bytes: [UInt8], of content: SignedContent = .manifest) throws(ManifestSignatureError) {
    guard bytes.count <= ManifestSignature.bytesMax, bytes.last == UInt8(ascii: "\n"),
      bytes.allSatisfy({ $0 == UInt8(ascii: "\n") || (0x20..<0x7F).contains($0) })
    else { throw .damaged }
    let lines = String(decoding: bytes.dropLast(), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, let version = Self.number(first, after: content.rawValue) else {
      throw .damaged
    }
    guard version == Self.version else { throw .unsupportedVersion(Int(version)) }
    let signatureCount = lines.count - Self.statementLineCount
    guard (1...Self.signaturesMax).contains(signatureCount),
      let serial = Self.number(lines[1], after: "serial"),
      let expires = Self.number(lines[2], after: "expires"),
      let hash = Self.words(lines[3], after: "sha256", count: 1)?.first,
      let manifestHash = Hexadecimal.sha256(String(hash))
    else { throw .damaged }
    statement = Statement(
      serial: serial, expires: expires, manifestHash: manifestHash, content: content)
    signatures = []
    for line in lines[Self.statementLineCount...] {
      guard let words = Self.words(line, after: "ed25519", count: 2),
        words[0].utf8.count == Self.keyIDDigitCount, words[0].utf8.allSatisfy(Hexadecimal.isDigit),
        let signature = Hexadecimal.bytes(words[1], count: Ed25519.signatureByteCount),
        !signatures.contains(where: { $0.keyID == words[0] })
      else { throw .damaged }
      signatures.append(KeySignature(keyID: String(words[0]), signature: signature))
    }
    // Numbers with leading zeros or signs, for example, have another form.
    guard self.bytes == bytes else { throw .damaged }
  }

  /// The words of a line after its first one; nil if the line differs in form.
  private static func words(_ line: Substring, after name: String, count: Int) -> [Substring]? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    return words.count == count + 1 && words[0] == name ? Array(words.dropFirst()) : nil
  }

  /// The number of a line; nil if the line differs in form.
  private static func number(_ line: Substring, after name: String) -> Int64? {
    guard let number = words(line, after: name, count: 1).flatMap({ Int64($0[0]) }),
      (1...numberMax).contains(number)
    else { return nil }
    return number
  }
}
