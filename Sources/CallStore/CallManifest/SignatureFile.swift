// The file beside a manifest that has its signatures: `manifest.json.sig`.
//
//     cdpipe-manifest-signature 1
//     serial 1774931400
//     expires 1776141000
//     sha256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
//     ed25519 56475aa75463474c 6291d657de…
//     ed25519 9d0f1f2e3c4b5a69 c3a58b0c11…
//
// The bytes of the first four lines are signed. Their first line is the domain: no signature of anything else starts
// with it. docs/formats/manifest-signature.md defines the format. Not for: whether a signature is to be trusted
// (ManifestSignature).

import Hashing

/// What a signature file contains. Nothing in it is trusted.
package struct SignatureFile: Equatable, Sendable {
  /// What the signatures are for.
  package struct Statement: Equatable, Sendable {
    /// The serial number: a later state of the list has a higher one.
    package var serial: Int64
    /// The last second in which the signature is valid, in seconds since 1970.
    package var expires: Int64
    /// The SHA-256 of the manifest's bytes.
    package var manifestHash: [UInt8]

    /// Creates a statement.
    package init(serial: Int64, expires: Int64, manifestHash: [UInt8]) {
      self.serial = serial
      self.expires = expires
      self.manifestHash = manifestHash
    }

    /// The bytes that are signed, and with which the file starts.
    package var bytes: [UInt8] {
      Array(
        """
        \(SignatureFile.format) \(SignatureFile.version)
        serial \(serial)
        expires \(expires)
        sha256 \(Hexadecimal.text(manifestHash))

        """.utf8)
    }
  }

  /// The signature by one key.
  package struct KeySignature: Equatable, Sendable {
    /// The ``ManifestKey/id``.
    package var keyID: String
    /// The 64 bytes of the signature.
    package var signature: [UInt8]

    /// Creates a signature.
    package init(keyID: String, signature: [UInt8]) {
      self.keyID = keyID
      self.signature = signature
    }
  }

  /// The first word of the file.
  package static let format = "cdpipe-manifest-signature"
  /// The version of the format that this library reads and writes.
  package static let version = 1
  /// The maximum number of signatures: two are enough to replace a key, more help when several are in use.
  package static let signaturesMax = 8
  /// The maximum serial number, and time of expiry: 18 digits.
  package static let numberMax: Int64 = 999_999_999_999_999_999
  private static let keyIDDigitCount = 16
  private static let statementLineCount = 4

  /// What the signatures are for.
  package var statement: Statement
  /// The signatures, each by another key.
  package var signatures: [KeySignature]

  /// Creates a file.
  package init(statement: Statement, signatures: [KeySignature]) {
    self.statement = statement
    self.signatures = signatures
  }

  /// The bytes of the file.
  package var bytes: [UInt8] {
    let lines = signatures.map { "ed25519 \($0.keyID) \(Hexadecimal.text($0.signature))\n" }
    return statement.bytes + Array(lines.joined().utf8)
  }

  /// Parses a file. There is exactly one form for each content.
  ///
  /// - Complexity: O(bytes), of which at most ``ManifestSignature/bytesMax`` are accepted.
  package init(_ bytes: [UInt8]) throws(ManifestSignatureError) {
    guard bytes.count <= ManifestSignature.bytesMax, bytes.last == UInt8(ascii: "\n"),
      bytes.allSatisfy({ $0 == UInt8(ascii: "\n") || (0x20..<0x7F).contains($0) })
    else { throw .damaged }
    let lines = String(decoding: bytes.dropLast(), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, let version = Self.number(first, after: Self.format) else {
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
    statement = Statement(serial: serial, expires: expires, manifestHash: manifestHash)
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
