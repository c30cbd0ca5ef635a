// Signs the manifests of versions, and renews their signatures before they expire.
//
// A signature is written beside the manifest that it is for, in the version's folder: the link `current` switches both in
// one step.

import CallManifest
import Hashing
package import Records
import SystemIO
import SystemPackage

struct ManifestSigner {
  private let keys: [(key: SigningKey, path: String)]
  private let validSeconds: Int64
  private let now: Int64

  /// Reads the key files; nil if there are none.
  init?(_ options: PublishOptions, now: Int64) throws(Failure) {
    if options.signingKeys.isEmpty { return nil }
    var keys: [(key: SigningKey, path: String)] = []
    for path in options.signingKeys {
      let key = try SigningKey(path: path)
      if !keys.contains(where: { $0.key.publicKey == key.publicKey }) { keys.append((key, path)) }
    }
    self.keys = keys
    validSeconds = options.signatureSeconds
    self.now = now
  }

  /// Whether one of the keys has signed the manifest in a folder as it is. The signature may have expired.
  ///
  /// Throws when the machine can't read the files.
  func hasSigned(_ folder: String, calls: any SystemCalls) throws(Failure) -> Bool {
    guard let signature = try signature(in: folder, calls),
      let manifest = try Self.bytes("\(folder)/\(Manifest.fileName)", limit: Manifest.bytesMax, calls)
    else { return false }
    return signature.covers(manifest)
  }

  /// The signature in a folder; nil if none of the keys made it, or it is damaged.
  private func signature(
    in folder: String, _ calls: any SystemCalls
  ) throws(Failure) -> ManifestSignature? {
    let path = "\(folder)/\(ManifestSignature.fileName)"
    let bytes = try Self.bytes(path, limit: ManifestSignature.bytesMax, calls)
    return try? ManifestSignature(
      bytes: bytes, keys: keys.map(\.key.publicKey), lastAccepted: nil, now: 0)
  }

  func sign(
    _ version: String, after current: String?, in folder: PublishedFolder, calls: any SystemCalls
  ) throws(Failure) {
    var previous: Int64 = 0
    for place in [version, current].compactMap({ $0 }) {
      previous = max(previous, try signature(in: place, calls)?.serial ?? 0)
    }
    var hasher = SHA256Hasher()
    let manifest = "\(version)/\(Manifest.fileName)"
    let bytes = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: manifest, limit: Manifest.bytesMax, calls: calls)
    }
    hasher.update(bytes.span)
    let statement = SignatureFile.Statement(
      serial: min(max(now, previous + 1), SignatureFile.numberMax), expires: now + validSeconds,
      manifestHash: hasher.digest)
    var file = SignatureFile(statement: statement, signatures: [])
    for (key, path) in keys {
      guard let signature = key.signature(of: statement.bytes) else { throw .cannotSign(path) }
      file.signatures.append(SignatureFile.KeySignature(keyID: key.publicKey.id, signature: signature))
    }
    try write(file, to: version, folder, calls)
  }

  private func write(
    _ file: SignatureFile, to version: String, _ folder: PublishedFolder, _ calls: any SystemCalls
  ) throws(Failure) {
    let target = "\(version)/\(ManifestSignature.fileName)"
    try asFailure(nil) { () throws(SystemError) in
      var output = try OutputFile(folder.unplacedSignature, calls: calls)
      try output.write(file.bytes.span)
      try output.publish()
      do throws(Errno) {
        try calls.rename(FilePath(folder.unplacedSignature), to: FilePath(target))
      } catch {
        throw SystemError(.publishOutput, target, error)
      }
      try Directory.sync(version, calls: calls)
    }
  }

  /// Reads a file; nil if it is missing or can't be opened. Throws when the machine can't read it.
  private static func bytes(
    _ path: String, limit: Int, _ calls: any SystemCalls
  ) throws(Failure) -> [UInt8]? {
    do throws(SystemError) {
      return try InputFile.bytes(of: path, limit: limit, calls: calls)
    } catch {
      if error.code.blamesMachine { throw Failure(nil, error) }
      return nil
    }
  }
}

extension Publisher {
  /// Signs the manifest in a version's folder, if versions are signed. For phones, it is newer than the current version.
  func sign(_ version: String) throws(Failure) {
    try signer?.sign(version, after: current.map(folder.version), in: folder, calls: calls)
  }

  /// Renews the signature of the current version, if versions are signed: phones refuse it once it has expired.
  ///
  /// The manifest is read from the folder, where others may have changed it, so it must have been signed before.
  package func renewSignature() throws(Failure) {
    guard let signer, let current else { return }
    let version = folder.version(current)
    guard try signer.hasSigned(version, calls: calls) else { throw .damagedCurrent(current, .unsigned) }
    try sign(version)
  }
}
