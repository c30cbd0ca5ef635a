// Why a directory of shards can't be used.

package import CallManifest
import CallStoreReader
import Hashing
package import Records
package import SystemIO
import SystemPackage

/// What a directory of shards is read for. It decides what messages advise.
package enum ShardUse: Sendable {
  case input
  /// `emit` reads a manifest only as an optional baseline.
  case baseline
  /// A published version that is checked: messages name the file, and what becomes of the version is said elsewhere.
  case version

  fileprivate var remake: String {
    self == .baseline
      ? "without \(option: "baseline"), all shards are written again, with new boundaries and without deltas"
      : "emit or download the whole directory again"
  }

  fileprivate var owner: String { self == .baseline ? "the baseline's " : "" }

  /// What to do if there is no list; a first run has no baseline.
  fileprivate func hint(_ hint: String?) -> String? {
    self == .baseline ? "for the first run, use \(option: "baseline=", "none")" : hint
  }
}

extension Failure {
  private static let prefix = "shards-"

  /// Whether a list, its manifest or one of its files can't be used.
  package var isOfShards: Bool { code.hasPrefix(Self.prefix) }

  /// The failure as one of a list.
  var ofShards: Failure {
    var failure = self
    failure.code = Self.prefix + code
    return failure
  }

  private static func shards(
    _ code: String, _ text: String, hint: String? = nil, _ errorClass: ErrorClass = .badData
  ) -> Failure {
    Failure(nil, errorClass, prefix + code, text, hint: hint)
  }

  /// Another directory was put in place while this one was read.
  package static func replaced(path: String) -> Failure {
    Failure(
      nil, .badData, "replaced", "'\(path)' was replaced while the directory was read",
      hint: "run the command again")
  }

  static func noManifest(directory: String, _ use: ShardUse = .input) -> Failure {
    shards(
      "no-manifest", "'\(directory)' is a directory without manifest.json",
      hint: use.hint("write shards with a manifest: cdpipe emit --format store -o DIRECTORY"), .noInput)
  }

  /// A directory contains no manifest but stores: the paths of the first of them.
  static func storesOnly(directory: String, stores: [String], _ use: ShardUse = .input) -> Failure {
    shards(
      "stores-only", "'\(directory)' contains stores, but no manifest.json",
      hint: use.hint("name the stores: \(words(stores))"), .noInput)
  }

  /// A directory contains no manifest but directories that have one: the paths of the first of them.
  static func directoriesOnly(
    directory: String, directories: [String], _ use: ShardUse = .input
  ) -> Failure {
    shards(
      "directories-only", "'\(directory)' is a directory of lists, not a list",
      hint: use.hint("name one of them: \(words(directories))"), .noInput)
  }

  /// A published folder contains no version yet.
  static func notPublished(directory: String, _ use: ShardUse = .input) -> Failure {
    shards(
      "not-published", "nothing is published yet in '\(directory)'",
      hint: use.hint("publish with 'cdpipe run' and a pipeline file that has 'publish'"), .noInput)
  }

  /// A path is a symbolic link whose destination does not exist.
  static func brokenLink(path: String, destination: String) -> Failure {
    shards(
      "broken-link", "'\(path)' is a link to '\(destination)', which does not exist",
      hint: "name the file itself, or make the link again", .noInput)
  }

  /// A file is not a manifest, where a directory of shards is needed.
  package static func notShards(path: String) -> Failure {
    shards(
      "not-shards", "'\(path)' is not a directory of shards",
      hint: "name a manifest, its directory, or a published folder")
  }

  /// The manifest or a delta can't be opened or read.
  package static func unreadableShards(_ error: SystemError, _ use: ShardUse = .input) -> Failure {
    shards(
      "unreadable", error.userMessage.message,
      hint: error.code == .noSuchFileOrDirectory ? use.hint(nil) : nil, error.errorClass)
  }

  /// The manifest is larger than any manifest can be.
  static func largeManifest(path: String, limit: Int) -> Failure {
    shards("too-large", "'\(path)' is larger than \(Figures.bytes(limit)): is it a manifest?")
  }

  /// The manifest is invalid, or a store contradicts it.
  package static func invalidManifest(
    _ error: ManifestError, path: String, _ use: ShardUse = .input
  ) -> Failure {
    shards("manifest", error.text(path), hint: error.isNewer ? "use a newer cdpipe" : use.remake)
  }

  /// A store that the manifest names can't be opened.
  static func missingShard(path: String, code: CInt, _ use: ShardUse = .input) -> Failure {
    let (errorClass, code) = (ErrorClass.opening(code), Errno(rawValue: code))
    if use == .version {
      let message = CallStoreError.cannotOpen(code.rawValue).userMessage(path: path).message
      return shards("missing-store", message, errorClass)
    }
    let restore = "restore the file next to its manifest; \(use.remake)"
    let owner = use == .baseline ? ", which the baseline names" : ""
    if let kind = SystemText.kind(notOpenedWith: code) {
      return shards("missing-store", "'\(path)'\(owner) is \(kind), not a store", hint: restore, errorClass)
    }
    let isForbidden = code == .permissionDenied || code == .notPermitted
    return shards(
      "missing-store", "cannot open '\(path)'\(owner): \(SystemText.reason(code))",
      hint: isForbidden ? "allow reading the file: chmod a+r \(ShellQuoting.quoted(path))" : restore,
      errorClass)
  }

  static func invalidShard(
    _ error: StoreVerificationError, path: String, _ use: ShardUse = .input
  ) -> Failure {
    shards(
      "invalid-store", use.owner + error.userMessage(path: path).message,
      hint: "restore the file; \(use.remake)")
  }

  /// A store that the manifest names has another content hash.
  static func otherShard(
    path: String, expected: [UInt8], found: [UInt8], _ use: ShardUse = .input
  ) -> Failure {
    shards(
      "other-store",
      use == .version
        ? "'\(path)' is not the store that the manifest lists"
        : "\(use.owner)'\(path)' is the store \(Hexadecimal.text(found)), but its manifest lists "
          + Hexadecimal.text(expected), hint: "restore the right file; \(use.remake)")
  }

  static func invalidListedDelta(_ error: DeltaVerificationError, path: String) -> Failure {
    let message = error.userMessage(path: path)
    return shards("invalid-delta", message.sentence, hint: message.suggestion, error.errorClass)
  }

  /// A delta is valid, but not the one that the manifest names.
  static func otherDelta(path: String, _ use: ShardUse = .input) -> Failure {
    shards(
      "other-delta", "'\(path)' is not the delta that its manifest lists",
      hint: "restore the right file; \(use.remake)")
  }
}

/// Runs system calls that read a list.
func asShards<Result: ~Copyable>(
  _ use: ShardUse = .input, _ body: () throws(SystemError) -> Result
) throws(Failure) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw .unreadableShards(error, use)
  }
}

private func words(_ paths: [String]) -> String {
  paths.map(ShellQuoting.quoted).joined(separator: " ")
}

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
