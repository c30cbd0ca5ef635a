// Errors of manifests and of the stores beside them, in sentences.

import ContentHash
public import EmitStage
public import PipeStage
import SystemIO
import SystemPackage

extension ManifestError: UserMessageConvertible {
  public func userMessage(of stage: StageName?) -> UserMessage {
    // `emit` reads a manifest as its baseline, which it can do without.
    let isBaseline = stage == .emit
    let remake =
      isBaseline
      ? "without --baseline, all shards are written again, with new boundaries and without deltas"
      : "emit or download the whole directory again"
    let owner = isBaseline ? "the baseline's " : ""
    return switch self {
    case .unreadable(let error):
      UserMessage(
        error.userMessage.message,
        hint: isBaseline && error.code == .noSuchFileOrDirectory
          ? "for the first run, use --baseline none" : nil)
    case .tooLarge(let path, let limit):
      UserMessage("'\(path)' is larger than \(Figures.bytes(limit)): is it a manifest?")
    case .notJSON(let path, let line, let column):
      UserMessage("\(Self.place(path, line, column)): not JSON", hint: remake)
    case .notUTF8(let path, let line): UserMessage("\(path):\(line): not UTF-8", hint: remake)
    case .notAManifest(let path): UserMessage("'\(path)' is not a manifest of 'cdpipe emit'", hint: remake)
    case .otherVersion(let path, let version):
      UserMessage(
        "'\(path)' has version \(version) of the manifest format, which this cdpipe does not support",
        hint: "use a newer cdpipe")
    case .defect(let reason, let path, let key): UserMessage("\(path): \(reason.text(key))", hint: remake)
    case .missingStore(let path, let code):
      UserMessage(
        "cannot open \(owner)'\(path)': \(SystemMessages.reason(Errno(rawValue: code)))",
        hint: "restore the file next to its manifest; \(remake)")
    case .damagedStore(let error, let path):
      UserMessage(
        "\(owner)\(error.userMessage(path: path).message)", hint: "restore the file; \(remake)")
    case .otherStore(let path, let wanted, let found):
      UserMessage(
        "\(owner)'\(path)' is the store \(Hexadecimal.text(found)), but its manifest lists "
          + Hexadecimal.text(wanted), hint: "restore the right file; \(remake)")
    }
  }

  private static func place(_ path: String, _ line: Int?, _ column: Int?) -> String {
    ([path] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":")
  }
}

extension ManifestErrorReason {
  /// What is wrong with the value of a key.
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
    case .twice: "'\(key)' occurs twice"
    case .notTheStores: "'\(key)' does not match the store's file: one of the two was changed"
    }
  }
}
