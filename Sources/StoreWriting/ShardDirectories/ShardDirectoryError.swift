// Why a directory of shards can't be used. The command layer turns the data into sentences.

package import CallManifest
import Hashing
package import Records
package import SystemIO
import SystemPackage

/// Why a directory of shards can't be used.
package enum ShardDirectoryError: Error, ErrorCause {
  case noManifest(directory: String)
  /// A directory contains no manifest but stores: the paths of the first of them.
  case storesOnly(directory: String, stores: [String])
  /// A directory contains no manifest but directories that have one: the paths of the first of them.
  case directoriesOnly(directory: String, directories: [String])
  /// A published folder contains no version yet.
  case notPublished(directory: String)
  /// A path is a symbolic link whose destination does not exist.
  case brokenLink(path: String, destination: String)
  /// A file is not a manifest, where a directory of shards is needed.
  case notShards(path: String)
  /// The manifest or a delta can't be opened or read.
  case unreadable(SystemError)
  /// The manifest is larger than any manifest can be.
  case tooLarge(path: String, limit: Int)
  /// The manifest is invalid, or a store contradicts it.
  case manifest(ManifestError, path: String)
  case missingStore(path: String, code: CInt)
  case invalidStore(StoreVerificationError, path: String)
  /// A store that the manifest names has another content hash.
  case otherStore(path: String, expected: [UInt8], found: [UInt8])
  case invalidDelta(DeltaVerificationError, path: String)
  /// A delta is valid, but not the one that the manifest names.
  case otherDelta(path: String)
  /// The manifest is that of a Live Caller ID Lookup directory, which can't be read.
  case lookup(Failure)

  /// Bad data; no input when a file is missing; an input/output error when the machine can't read it.
  package var errorClass: ErrorClass {
    switch self {
    case .noManifest, .storesOnly, .directoriesOnly, .notPublished, .brokenLink: .noInput
    case .unreadable(let error): error.errorClass
    case .lookup(let error): error.errorClass
    case .missingStore(_, let code): .opening(code)
    case .invalidDelta(let error, _): error.errorClass
    default: .badData
    }
  }
}

// MARK: - Messages for errors of manifests and of the stores next to them

extension ShardDirectoryError: UserMessageConvertible {
  package func userMessage(of stage: StageName?) -> UserMessage {
    // `emit` reads a manifest only as an optional baseline.
    let isBaseline = stage?.rawValue == "emit"
    let remake =
      isBaseline
      ? "without \(option: "baseline"), all shards are written again, with new boundaries and without deltas"
      : "emit or download the whole directory again"
    let owner = isBaseline ? "the baseline's " : ""
    return switch self {
    case .noManifest(let directory):
      UserMessage(
        "'\(directory)' is a directory without manifest.json",
        hint: isBaseline
          ? firstBaseline : "write shards with a manifest: cdpipe emit --format store -o DIRECTORY")
    case .storesOnly(let directory, let stores):
      UserMessage(
        "'\(directory)' contains stores, but no manifest.json",
        hint: isBaseline ? firstBaseline : "name the stores: \(words(stores))")
    case .directoriesOnly(let directory, let lists):
      UserMessage(
        "'\(directory)' is a directory of lists, not a list",
        hint: isBaseline ? firstBaseline : "name one of them: \(words(lists))")
    case .notPublished(let directory):
      UserMessage(
        "nothing is published yet in '\(directory)'",
        hint: isBaseline
          ? firstBaseline : "publish with 'cdpipe run' and a pipeline file that has 'publish'")
    case .brokenLink(let path, let destination):
      UserMessage(
        "'\(path)' is a link to '\(destination)', which does not exist",
        hint: "name the file itself, or make the link again")
    case .notShards(let path):
      UserMessage(
        "'\(path)' is not a directory of shards",
        hint: "name a manifest, its directory, or a published folder")
    case .unreadable(let error):
      UserMessage(
        error.userMessage.message,
        hint: isBaseline && error.code == .noSuchFileOrDirectory ? firstBaseline : nil)
    case .tooLarge(let path, let limit):
      UserMessage("'\(path)' is larger than \(Figures.bytes(limit)): is it a manifest?")
    case .manifest(let error, let path):
      UserMessage(error.text(path), hint: error.isNewer ? "use a newer cdpipe" : remake)
    case .missingStore(let path, let code):
      unopenedStore(path, Errno(rawValue: code), isBaseline: isBaseline, remake: remake)
    case .invalidStore(let error, let path):
      UserMessage(
        "\(owner)\(error.userMessage(path: path).message)", hint: "restore the file; \(remake)")
    case .otherStore(let path, let expected, let found):
      UserMessage(
        "\(owner)'\(path)' is the store \(Hexadecimal.text(found)), but its manifest lists "
          + Hexadecimal.text(expected), hint: "restore the right file; \(remake)")
    case .invalidDelta(let error, let path): error.userMessage(path: path)
    case .lookup(let error): error.of(stage).message
    case .otherDelta(let path):
      UserMessage(
        "'\(path)' is not the delta that its manifest lists", hint: "restore the right file; \(remake)")
    }
  }
}

private func words(_ paths: [String]) -> String {
  paths.map(ShellQuoting.quoted).joined(separator: " ")
}

/// Describes a store that a manifest names and that can't be opened.
private func unopenedStore(
  _ path: String, _ code: Errno, isBaseline: Bool, remake: String
) -> UserMessage {
  let restore = "restore the file next to its manifest; \(remake)"
  let owner = isBaseline ? ", which the baseline names" : ""
  if let kind = SystemMessages.kind(notOpenedWith: code) {
    return UserMessage("'\(path)'\(owner) is \(kind), not a store", hint: restore)
  }
  let isForbidden = code == .permissionDenied || code == .notPermitted
  return UserMessage(
    "cannot open '\(path)'\(owner): \(SystemMessages.reason(code))",
    hint: isForbidden ? "allow reading the file: chmod a+r \(ShellQuoting.quoted(path))" : restore)
}

private let firstBaseline = "for the first run, use \(option: "baseline=", "none")"

extension ManifestError {
  /// Whether a newer cdpipe may be able to read the manifest.
  fileprivate var isNewer: Bool {
    if case .unsupportedVersion = self { true } else { false }
  }

  fileprivate func text(_ path: String) -> String {
    switch self {
    case .notJSON(let line, let column):
      ([path] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":") + ": not JSON"
    case .notUTF8(let line): "\(path):\(line): not UTF-8"
    case .notAManifest: "'\(path)' is not a manifest of 'cdpipe emit'"
    case .unsupportedVersion(let version):
      "'\(path)' has version \(version) of the manifest format, which this cdpipe does not support"
    case .invalid(let reason, let key): "\(path): \(reason.text(key))"
    }
  }
}

extension ManifestError.Reason {
  func text(_ key: String) -> String {
    if key.isEmpty { return "a number in it is out of range" }
    return switch self {
    case .missing: "'\(key)' is missing"
    case .wrongType: "'\(key)' has the wrong type"
    case .outOfRange: "'\(key)' is out of range"
    case .notAHash: "'\(key)' is not a hash of 64 hex digits"
    case .notAName: "'\(key)' is not the name of a shard"
    case .notInOrder: "'\(key)': boundaries must ascend and ids must differ"
    case .contradiction: "'\(key)' does not match the shards: the file was edited"
    case .duplicateKey: "'\(key)' occurs twice"
    case .differsFromStore: "'\(key)' does not match the store's file: one of the two was changed"
    }
  }
}
