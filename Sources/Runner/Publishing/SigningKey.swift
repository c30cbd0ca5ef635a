// Private keys that sign manifests, and their files.

package import CallManifest
import FoundationEssentials
import Hashing
package import Records
import StoreWriting
package import SystemIO
import SystemPackage

/// A private key that signs manifests. Its secret is not printed, and leaves the process only in a file of its own.
package struct SigningKey: Sendable, CustomStringConvertible {
  private let key: Ed25519.PrivateKey
  package let publicKey: ManifestKey

  /// The maximum size of a key file in bytes; one has 119.
  private static let bytesMax = 4096
  private static let firstLine = "-----BEGIN PRIVATE KEY-----"
  private static let lastLine = "-----END PRIVATE KEY-----"
  /// What precedes the seed in the DER form of an Ed25519 key without attributes (RFC 8410).
  private static let prefix: [UInt8] = [
    0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]

  private init(_ key: Ed25519.PrivateKey) {
    guard let publicKey = ManifestKey(bytes: key.publicKey) else {
      preconditionFailure("an Ed25519 key has 32 bytes")
    }
    self.key = key
    self.publicKey = publicKey
  }

  package static func make(
    at path: String, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> SigningKey {
    let key = SigningKey(
      try signing(path) { () throws(Ed25519.LibraryError) in try Ed25519.PrivateKey() })
    try key.write(to: path, calls: calls)
    return key
  }

  private init(text: [UInt8], _ path: String) throws(Failure) {
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
    if lines.first?.hasPrefix("-----BEGIN ENCRYPTED") ?? false { throw .encryptedKey(path) }
    if lines.first?.hasPrefix(ManifestKey.prefix) ?? false || lines.first == "-----BEGIN PUBLIC KEY-----" {
      throw .publicKey(path)
    }
    guard lines.count == 3, lines[0] == Self.firstLine, lines[2] == Self.lastLine,
      let bytes = Data(base64Encoded: String(lines[1])).map({ Array($0) }), bytes.starts(with: Self.prefix)
    else { throw .notAKey(path) }
    let seed = Array(bytes.dropFirst(Self.prefix.count))
    let key = try signing(path) { () throws(Ed25519.LibraryError) in try Ed25519.PrivateKey(seed: seed) }
    guard let key else { throw .notAKey(path) }
    self.init(key)
  }

  private var text: String {
    "\(Self.firstLine)\n\(Data(Self.prefix + key.seed).base64EncodedString())\n\(Self.lastLine)\n"
  }

  /// The public key: a description must not contain the secret.
  package var description: String { publicKey.description }

  /// The signature of a message; nil if the cryptographic library fails.
  func signature(of message: [UInt8]) -> [UInt8]? { key.signature(of: message) }

  // MARK: Files

  /// Reads a key file. Only its owner may be able to read or write it.
  package init(path: String, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    let (text, permissions) = try Self.read(path, calls)
    try self.init(text: text, path)
    guard permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) else {
      throw .exposedKey(path, permissions)
    }
  }

  private static func read(
    _ path: String, _ calls: any SystemCalls
  ) throws(Failure) -> (text: [UInt8], permissions: FilePermissions) {
    var text: [UInt8] = []
    let status: FileStatus
    do throws(SystemError) {
      // Without waiting for the writer of a named pipe, which is refused.
      var file = try InputFile(path, calls: calls, waits: false)
      do throws(Errno) {
        status = try calls.status(file.descriptor)
      } catch {
        throw SystemError(.openInput, path, error)
      }
      if status.type == .regular {
        var chunk = ByteChunk(capacity: bytesMax)
        while chunk.freeCapacity > 0, try file.read(into: &chunk) > 0 {}
        text.append(copying: chunk.span)
      }
    } catch {
      throw .unreadableKey(path, error)
    }
    guard status.type == .regular, path != InputFile.standardInput else { throw .notAKeyFile(path) }
    return (text, status.permissions)
  }

  /// Writes a new key file, which only its owner can read. An existing file is not replaced.
  package func write(to path: String, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    let place = FilePath(path)
    var isMade = false
    do throws(Errno) {
      let file = try calls.open(
        place, .writeOnly, [.create, .exclusiveCreate, .noFollow], [.ownerReadWrite])
      isMade = true
      defer { try? calls.close(file) }
      try calls.writeAll(file, Array(text.utf8).span)
      try calls.sync(file)
    } catch {
      if isMade { try? calls.unlink(place) }
      if error == .fileExists { throw .keyExists(path) }
      throw .key(SystemError(.createOutput, path, error))
    }
    do throws(SystemError) {
      try Directory.sync(place.removingLastComponent().string, calls: calls)
    } catch {
      throw .key(error)
    }
  }
}

private func signing<T>(
  _ path: String, _ body: () throws(Ed25519.LibraryError) -> T
) throws(Failure) -> T {
  do throws(Ed25519.LibraryError) {
    return try body()
  } catch {
    switch error {
    case .unavailable(let name, let package, let code):
      let code = Errno(rawValue: code)
      throw code.blamesMachine
        ? .key(SystemError(.openInput, name, code))
        : .signatureLibraryMissing(name, package: package)
    case .failed: throw .cannotSign(path)
    }
  }
}

/// A key is never a source's fault.
extension Failure {
  fileprivate static func key(_ errorClass: ErrorClass, _ code: String, _ message: UserMessage) -> Failure {
    Failure(nil, errorClass, code, message, blamesSource: false)
  }

  fileprivate static func key(
    _ errorClass: ErrorClass, _ code: String, _ text: String, hint: String
  ) -> Failure {
    key(errorClass, code, UserMessage(text, hint: hint))
  }

  fileprivate static func key(_ error: SystemError) -> Failure {
    key(error.errorClass, "system", error.userMessage)
  }

  fileprivate static func unreadableKey(_ path: String, _ error: SystemError) -> Failure {
    var failure = key(error)
    if error.code == .noSuchFileOrDirectory {
      failure.message.hint = "make a key with: cdpipe keys generate -o \(ShellQuoting.quoted(path))"
    }
    return failure
  }

  /// A pipe or a device, or standard input.
  fileprivate static func notAKeyFile(_ path: String) -> Failure {
    key(
      .usage, "not-a-file",
      "\(InputName.quoted(path)) is not a regular file", hint: "keep the private key in a file of its own")
  }

  /// Its group or others can read, write or execute it.
  fileprivate static func exposedKey(_ path: String, _ permissions: FilePermissions) -> Failure {
    let mode = "0" + String(permissions.rawValue, radix: 8)
    return key(
      .usage, "exposed",
      "'\(path)' has a private key, and others have access to it (permissions \(mode))",
      hint:
        "chmod 600 \(ShellQuoting.quoted(path)); if somebody may have read the key, make another one")
  }

  fileprivate static func encryptedKey(_ path: String) -> Failure {
    key(
      .usage, "encrypted",
      "'\(path)' is encrypted with a password",
      hint: "write it without a password to a file that only its owner can read: openssl pkey -in "
        + "\(ShellQuoting.quoted(path)) …")
  }

  fileprivate static func publicKey(_ path: String) -> Failure {
    key(
      .usage, "public-key",
      "'\(path)' has a public key, not a private one",
      hint: "name the file that 'cdpipe keys generate' wrote")
  }

  fileprivate static func notAKey(_ path: String) -> Failure {
    key(
      .usage, "not-a-key",
      "'\(path)' is not an Ed25519 private key in a PEM file",
      hint: "make one with: cdpipe keys generate -o FILE")
  }

  fileprivate static func keyExists(_ path: String) -> Failure {
    key(
      .cannotCreate, "exists",
      "'\(path)' exists; a key is not replaced", hint: "choose another name with --output FILE")
  }

  static func cannotSign(_ path: String) -> Failure {
    key(
      .inputOutput, "cannot-sign",
      "cannot sign with '\(path)': the cryptographic library failed", hint: "try again")
  }
}

// MARK: - Messages about keys and signatures

package enum KeyText {
  package static func generated(_ path: String) -> String {
    "'\(path)' has the private key: keep it secret, and keep a copy of it"
  }

  /// A text is not a public key.
  package static let notAPublicKey =
    "expected a public key as 'cdpipe keys show FILE' prints it: ed25519: and 64 hex digits"

  package static func cannotBeSigned(_ path: String) -> UserMessage {
    UserMessage(
      "'\(path)' has no signature of its own: only a manifest and compiled rules have one",
      hint: "name a published folder, its manifest, the manifest's directory, or compiled rules")
  }
}

// MARK: - The library of signatures as `cdpipe version` reports it

extension RuntimeLibrary {
  /// libcrypto, for signatures; none on Apple platforms. Opens it.
  package static var signing: [RuntimeLibrary] {
    #if canImport(CryptoKit)
      []
    #else
      [RuntimeLibrary(name: Ed25519.library.name, command: "keys", isUsable: Ed25519.library.isUsable)]
    #endif
  }
}
