// Signs the manifests of versions, and renews their signatures before they expire. Signs compiled rules.
//
// A signature is written beside the manifest that it is for, in the version's folder: the link `current` switches both in
// one step.

package import CallManifest
import Hashing
package import Records
import StoreWriting
import SystemIO
import SystemPackage

/// Private keys, each of which signs.
struct SigningKeys {
  private let keys: [(key: SigningKey, path: String)]

  var publicKeys: [ManifestKey] { keys.map(\.key.publicKey) }

  /// Reads key files.
  init(_ paths: [String]) throws(Failure) {
    var keys: [(key: SigningKey, path: String)] = []
    for path in paths {
      let key = try SigningKey(path: path)
      if !keys.contains(where: { $0.key.publicKey == key.publicKey }) { keys.append((key, path)) }
    }
    self.keys = keys
  }

  func sign(_ statement: SignatureFile.Statement) throws(Failure) -> SignatureFile {
    var file = SignatureFile(statement: statement, signatures: [])
    for (key, path) in keys {
      guard let signature = key.signature(of: statement.bytes) else { throw .cannotSign(path) }
      file.signatures.append(SignatureFile.KeySignature(keyID: key.publicKey.id, signature: signature))
    }
    return file
  }
}

/// Signs compiled rules.
package enum RulesSigning {
  /// How long a signature is valid by default: an app that has accepted rules keeps them, but accepts no others with an
  /// expired signature.
  package static let defaultSeconds: Int64 = 365 * 86_400

  /// The path of the signature of compiled rules.
  package static func path(of rules: String) -> String { rules + ".sig" }

  /// The bytes of the signature file.
  ///
  /// - Parameters:
  ///   - keys: the paths of private keys.
  ///   - former: the signature file that is replaced, if any: phones refuse a lower serial number.
  package static func signature(
    of rules: ContiguousArray<UInt8>, keys: [String], validSeconds: Int64, now: Int64, former: [UInt8]?
  ) throws(Failure) -> [UInt8] {
    guard now > 0 else { throw .clockBefore1970 }
    let last = former.flatMap { try? SignatureFile($0, of: .rules) }?.statement.serial ?? 0
    guard last < SignatureFile.numberMax else { throw .exhaustedSerials }
    var hasher = SHA256Hasher()
    hasher.update(rules.span)
    let statement = SignatureFile.Statement(
      serial: max(now, last + 1), expires: now + validSeconds, manifestHash: hasher.digest, content: .rules)
    return try SigningKeys(keys).sign(statement).bytes
  }

  /// The signature beside compiled rules, if one of the keys has signed them and it is valid at a time, in seconds since
  /// 1970.
  package static func verified(
    _ rules: ContiguousArray<UInt8>, at path: String, by keys: [ManifestKey], now: Int64
  ) throws(Failure) -> ManifestSignature {
    try ShardFolder.openSignatureLibrary()
    let file = try asFailure(nil) { () throws(SystemError) in
      try SymbolicLink.isPresent(Self.path(of: path), calls: KernelCalls())
        ? try InputFile.bytes(of: Self.path(of: path), limit: ManifestSignature.bytesMax) : nil
    }
    do throws(ManifestSignatureError) {
      let signature = try ManifestSignature(bytes: file, of: .rules, keys: keys, lastAccepted: nil, now: now)
      var hasher = SHA256Hasher()
      hasher.update(rules.span)
      guard signature.covers(sha256: hasher.digest) else { throw ManifestSignatureError.altered }
      return signature
    } catch {
      throw .untrusted(error, path: path, of: .rules)
    }
  }
}

struct ManifestSigner {
  private let keys: SigningKeys
  private let validSeconds: Int64
  private let now: Int64

  /// Reads the key files; nil if there are none.
  init?(_ options: PublishOptions, now: Int64) throws(Failure) {
    if options.signingKeys.isEmpty { return nil }
    keys = try SigningKeys(options.signingKeys)
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
      bytes: bytes, keys: keys.publicKeys, lastAccepted: nil, now: 0)
  }

  /// The last second of the year 9999: no clock makes a higher serial number.
  private static let clockMax: Int64 = 253_402_300_799

  /// The serial number of the next signature: higher than `known` and than those of all versions in the folder, since
  /// phones refuse a lower one.
  func nextSerial(
    after known: Int64, in folder: PublishedFolder, calls: any SystemCalls
  ) throws(Failure) -> Int64 {
    guard now >= 0 else { throw .clockBefore1970 }
    var last = known
    for id in try asFailure(nil, { () throws(SystemError) in try folder.ids(calls: calls) }) {
      last = max(last, try serial(in: folder.version(id), calls))
    }
    guard last < SignatureFile.numberMax else { throw .exhaustedSerials }
    return max(now, last + 1)
  }

  /// The serial number of the signature in a folder; 0 if there is none. That of another key counts, since the key may
  /// have been replaced, but not one that can't be the time of a signature.
  private func serial(in folder: String, _ calls: any SystemCalls) throws(Failure) -> Int64 {
    if let signature = try signature(in: folder, calls) { return signature.serial }
    let path = "\(folder)/\(ManifestSignature.fileName)"
    guard let bytes = try Self.bytes(path, limit: ManifestSignature.bytesMax, calls),
      let serial = (try? SignatureFile(bytes))?.statement.serial, serial <= Self.clockMax
    else { return 0 }
    return serial
  }

  func sign(
    _ version: String, serial: Int64, in folder: PublishedFolder, calls: any SystemCalls
  ) throws(Failure) {
    var hasher = SHA256Hasher()
    let manifest = "\(version)/\(Manifest.fileName)"
    let bytes = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: manifest, limit: Manifest.bytesMax, calls: calls)
    }
    hasher.update(bytes.span)
    let statement = SignatureFile.Statement(
      serial: serial, expires: now + validSeconds,
      manifestHash: hasher.digest)
    try write(try keys.sign(statement), to: version, folder, calls)
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
  /// Signs the manifest in a version's folder, if versions are signed. For phones, it is newer than all versions so far.
  func sign(_ version: String) throws(Failure) {
    guard let signer else { return }
    let serial = try signer.nextSerial(after: state.serial ?? 0, in: folder, calls: calls)
    // Saved first: a signature that is lost later must not take its number with it.
    state.serial = serial
    try save()
    try signer.sign(version, serial: serial, in: folder, calls: calls)
  }

  /// Throws if versions have been signed, and this run has no key. Apps that have the public key would refuse its version,
  /// or the current one once its signature expires.
  func checkSigned(_ options: PublishOptions) throws(Failure) {
    guard signer == nil, !options.allowsUnsigned else { return }
    let signature = current.map { "\(folder.version($0))/\(ManifestSignature.fileName)" }
    let isSigned = try asFailure(nil) { () throws(SystemError) in
      try signature.map { (path) throws(SystemError) in try SymbolicLink.isPresent(path, calls: calls) }
        ?? false
    }
    if isSigned || state.serial != nil { throw .unsignedRun(folder.directory) }
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
