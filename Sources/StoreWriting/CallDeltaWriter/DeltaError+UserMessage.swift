// Messages for errors of deltas.

package import CallDeltaReader
import CallStoreReader
import Hashing
package import Records

extension DeltaError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .unreadableStore(let error, let path): error.userMessage(path: path)
    case .unreadableDelta(let error, let path): error.userMessage(path: path)
    case .otherBaseline(let delta, let wanted, let found):
      UserMessage(
        "'\(delta)' applies to the store \(Hexadecimal.text(wanted)), but this one is \(Hexadecimal.text(found))",
        hint: "list the deltas in the order of their steps, starting from the store's content hash")
    case .noBaseline(let delta, let wanted, let directory):
      UserMessage(
        "'\(delta)' applies to the store \(Hexadecimal.text(wanted)), which is not in '\(directory)'",
        hint: "name the directory of the version that the delta starts from")
    case .doesNotFit(let delta, let number):
      UserMessage(
        "'\(delta)' does not fit the store at \(number)",
        hint: "one of the two is damaged: run 'cdpipe verify' on both")
    case .wrongResult(let delta, let wanted, let computed):
      UserMessage(
        "'\(delta)' should result in the store \(Hexadecimal.text(wanted)), but resulted in "
          + Hexadecimal.text(computed), hint: "one of the two is damaged: run 'cdpipe verify' on both")
    case .notForStore(let error): error.userMessage(row: 0)
    case .tooManySteps(let limit, let entries):
      UserMessage(
        "the delta of one shard needs more than \(limit) steps of \(Figures.grouped(entries)) numbers",
        hint: "use a larger --delta-entries")
    }
  }
}

extension CallDeltaError {
  /// Describes why a delta can't be read.
  package func userMessage(path: String) -> UserMessage {
    switch self {
    case .cannotOpen(let code): CallStoreError.cannotOpen(code).userMessage(path: path)
    case .notADelta: UserMessage("'\(path)' is not a delta")
    case .unsupportedVersion(let version):
      UserMessage(
        "'\(path)' has version \(version) of the delta format, which this cdpipe does not support",
        hint: "use a newer cdpipe")
    case .wrongLength: UserMessage("'\(path)' is truncated or has extra bytes at its end", hint: emitAgain)
    case .damagedHeader:
      UserMessage("'\(path)' is damaged: the checksum of its header is wrong", hint: emitAgain)
    case .removals(let error): part("removals", .unreadable(error), path)
    case .additions(let error): part("additions", .unreadable(error), path)
    }
  }
}

extension DeltaVerificationError {
  /// Describes why a delta is not valid.
  package func userMessage(path: String) -> UserMessage {
    switch self {
    case .unreadable(let error): error.userMessage(path: path)
    case .removals(let error): part("removals", error, path)
    case .additions(let error): part("additions", error, path)
    }
  }
}

private let emitAgain = "emit or download it again"

/// Describes an error in one of a delta's two stores.
private func part(_ name: String, _ error: StoreVerificationError, _ path: String) -> UserMessage {
  let reason: String =
    switch error {
    case .unreadable(.damaged(let section)): "the checksum of \(section.phrase) is wrong"
    case .unreadable(.unsupportedVersion(let version)):
      "version \(version) of the store format is not supported"
    case .unreadable: "not a complete store"
    case .wrongContentHash: "the content hash is wrong"
    }
  return UserMessage("'\(path)' is damaged: in the store of its \(name): \(reason)", hint: emitAgain)
}
