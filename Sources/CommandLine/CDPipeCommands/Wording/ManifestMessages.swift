// Manifests that can't be used, and stores that are not as theirs says, in sentences.

import ContentHash
import EmitStage
import SystemIO
import SystemPackage

enum ManifestMessages {
  /// Who reads the manifest: that decides the way out.
  enum Reader {
    /// `emit`, as its baseline.
    case baseline
    /// Who takes the shards as they are.
    case shards
  }

  private static let anew = "without --baseline all shards are made anew, with new boundaries and no deltas"
  private static let again = "emit or fetch the whole directory again"

  static func sentence(_ failure: ManifestError, for reader: Reader = .shards) -> UserMessage {
    let anew = reader == .baseline ? Self.anew : again
    let owner = reader == .baseline ? "the baseline's " : ""
    return switch failure {
    case .unreadable(let failure):
      UserMessage(
        SystemMessages.sentence(failure).message,
        hint: reader == .baseline && failure.code == .noSuchFileOrDirectory
          ? "--baseline none is for the first time" : nil)
    case .tooLarge(let path, let limit):
      UserMessage("'\(path)' is larger than \(ByteSize.text(UInt64(limit))): is it a manifest?")
    case .notJSON(let path, let line, let column):
      UserMessage("\(place(path, line, column)): not JSON", hint: anew)
    case .notUTF8(let path, let line): UserMessage("\(path):\(line): not UTF-8", hint: anew)
    case .notAManifest(let path): UserMessage("'\(path)' is not a manifest of cdpipe emit", hint: anew)
    case .otherVersion(let path, let version):
      UserMessage(
        "'\(path)' has version \(version) of the manifest, which this cdpipe does not know",
        hint: "a newer cdpipe may")
    case .defect(let defect, let path, let key): UserMessage("\(path): \(words(defect, key))", hint: anew)
    case .missingStore(let path, let code):
      UserMessage(
        "\(owner)'\(path)' cannot be opened: \(SystemMessages.reason(Errno(rawValue: code)))",
        hint: "bring it back beside its manifest; \(anew)")
    case .damagedStore(let error, let path):
      UserMessage(
        "\(owner)\(StoreMessages.sentence(error, path).message)",
        hint: "bring it back whole; \(anew)")
    case .otherStore(let path, let wanted, let found):
      UserMessage(
        "\(owner)'\(path)' is the store \(Hexadecimal.text(found)), and its manifest names "
          + Hexadecimal.text(wanted), hint: "bring the right one back; \(anew)")
    }
  }

  private static func place(_ path: String, _ line: Int?, _ column: Int?) -> String {
    ([path] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":")
  }

  private static func words(_ defect: ManifestErrorReason, _ key: String) -> String {
    if key.isEmpty { return "a number in it is outside its limits" }
    return switch defect {
    case .missing: "'\(key)' is missing"
    case .wrongType: "'\(key)' is of another type than it should be"
    case .outOfRange: "'\(key)' is outside its limits"
    case .notAHash: "'\(key)' is not a hash of 64 digits"
    case .notAName: "'\(key)' is not the name of a shard"
    case .notInOrder: "'\(key)': boundaries must ascend, and ids differ"
    case .contradiction: "'\(key)' is not that of the shards: the file was changed by hand"
    case .twice: "'\(key)' stands twice"
    case .notTheStores: "'\(key)' is not what the store's file says: one of the two was changed"
    }
  }
}
