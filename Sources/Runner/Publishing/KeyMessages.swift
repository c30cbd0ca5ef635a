// Messages about keys and signatures.

package import CallManifest
package import Records
import StoreWriting
import SystemIO
import SystemPackage

/// What commands report about keys and signatures.
package enum KeyMessages {
  /// A private key was made.
  package static func generated(_ path: String) -> String {
    "'\(path)' has the private key: keep it secret, and keep a copy of it"
  }

  /// A text is not a public key.
  package static let notAPublicKey =
    "expected a public key as 'cdpipe keys show FILE' prints it: ed25519: and 64 hex digits"

  /// A time in seconds since 1970.
  package static func date(_ seconds: Int64) -> String { WallClock.text(Double(seconds)) }

  /// The library that makes and checks signatures can't be used.
  package static func libraryMissing(_ name: String, package: String) -> UserMessage {
    UserMessage(
      "cannot load \(name), which makes and checks signatures", hint: "install the package \(package)")
  }

  /// A file that has no signature of its own.
  package static func cannotBeSigned(_ path: String) -> UserMessage {
    UserMessage(
      "'\(path)' is not a directory of shards: only a manifest has a signature",
      hint: "name a published folder, its manifest, or the manifest's directory")
  }
}

extension SigningKeyError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of stage: StageName?) -> UserMessage {
    let shell = ShellQuoting.quoted(path)
    switch reason {
    case .unreadable(let error):
      var message = error.userMessage(of: stage)
      if error.code == .noSuchFileOrDirectory {
        message.hint = "make a key with: cdpipe keys generate -o \(shell)"
      }
      return message
    case .notAFile:
      return UserMessage(
        "\(InputName.quoted(path)) is not a regular file", hint: "keep the private key in a file of its own")
    case .exposed(let permissions):
      let mode = "0" + String(permissions, radix: 8)
      return UserMessage(
        "'\(path)' has a private key, and others have access to it (permissions \(mode))",
        hint: "chmod 600 \(shell); if somebody may have read the key, make another one")
    case .encrypted:
      return UserMessage(
        "'\(path)' is encrypted with a password",
        hint:
          "write it without a password to a file that only its owner can read: openssl pkey -in \(shell) …")
    case .publicKey:
      return UserMessage(
        "'\(path)' has a public key, not a private one",
        hint: "name the file that 'cdpipe keys generate' wrote")
    case .notAKey:
      return UserMessage(
        "'\(path)' is not an Ed25519 private key in a PEM file",
        hint: "make one with: cdpipe keys generate -o FILE")
    case .exists:
      return UserMessage(
        "'\(path)' exists; a key is not replaced", hint: "choose another name with --output FILE")
    case .unwritable(let error): return error.userMessage(of: stage)
    case .libraryMissing(let name, let package): return KeyMessages.libraryMissing(name, package: package)
    case .libraryUnreadable(let error): return error.userMessage(of: stage)
    case .cannotSign:
      return UserMessage("cannot sign with '\(path)': the cryptographic library failed", hint: "try again")
    }
  }
}

extension ManifestSignatureError {
  /// Describes the error for users.
  ///
  /// - Parameter path: the path of the manifest.
  package func userMessage(path: String) -> UserMessage {
    let file = "\(path).sig"
    return switch self {
    case .unsigned:
      UserMessage(
        "'\(path)' is not signed: there is no '\(ManifestSignature.fileName)' beside it",
        hint: "sign it with 'publish: { sign: KEYFILE }' in the pipeline file")
    case .damaged:
      UserMessage("'\(file)' is not the signature of a manifest", hint: "fetch it again, or publish again")
    case .unsupportedVersion(let version):
      UserMessage(
        "'\(file)' has version \(version) of the signature format, which this cdpipe does not support",
        hint: "use a newer cdpipe")
    case .wrongKey(let keys):
      UserMessage(
        "'\(path)' is signed with another key (\(keys.joined(separator: ", ")))",
        hint: "do not use the list, unless the publisher has changed its key")
    case .altered:
      UserMessage(
        "'\(path)' or its signature was altered after it was signed",
        hint: "fetch both files again; if that does not help, do not use the list")
    case .olderThanAccepted(let serial, let accepted):
      UserMessage(
        "'\(path)' is older than the last accepted one: its serial number is \(serial), not at least \(accepted)",
        hint: "do not use the list")
    case .expired(let time):
      UserMessage(
        "the signature of '\(path)' expired at \(KeyMessages.date(time))",
        hint: "run the pipeline file again: every run renews the signature")
    case .cannotCheck:
      UserMessage(
        "cannot check the signature of '\(path)': the cryptographic library failed", hint: "try again")
    case .manifest(let error): ShardDirectoryError.manifest(error, path: path).userMessage
    }
  }
}
