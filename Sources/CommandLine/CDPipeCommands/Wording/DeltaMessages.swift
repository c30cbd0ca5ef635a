// Deltas that can't be used, in sentences.

import ArgumentParser
import CallDeltaReader
import CallDeltaWriter
import CallStoreReader
import CallStoreWriter
import ContentHash
import EmitStage
import SystemIO
import SystemPackage

enum DeltaMessages {
  static func sentence(_ failure: DeltaError) -> UserMessage {
    switch failure {
    case .unreadableStore(let error, let path): StoreMessages.sentence(error, path)
    case .unreadableDelta(let error, let path): sentence(error, path)
    case .otherBaseline(let delta, let wanted, let found):
      UserMessage(
        "'\(delta)' changes the store \(Hexadecimal.text(wanted)), and this one is \(Hexadecimal.text(found))",
        hint: "the content hashes must be the same: deltas are given in the order of their steps")
    case .doesNotFit(let delta, let number):
      UserMessage(
        "'\(delta)' does not fit the store at \(number)",
        hint: "one of the two is damaged: 'cdpipe verify' says which")
    case .wrongResult(let delta, let wanted, let computed):
      UserMessage(
        "'\(delta)' should give the store \(Hexadecimal.text(wanted)), and gave \(Hexadecimal.text(computed))",
        hint: "one of the two is damaged: 'cdpipe verify' says which")
    case .notForStore(let error): EmitMessages.sentence(.notForStore(error, row: 0))
    case .tooManySteps(let limit, let entries):
      UserMessage(
        "the delta of one shard would take more than \(limit) steps of \(Figures.grouped(entries)) numbers",
        hint: "a larger --delta-entries makes fewer")
    }
  }

  static func sentence(_ error: CallDeltaError, _ path: String) -> UserMessage {
    switch error {
    case .cannotOpen(let code): StoreMessages.sentence(.cannotOpen(code), path)
    case .notADelta: UserMessage("'\(path)' is not a delta")
    case .unsupportedVersion(let version):
      UserMessage(
        "'\(path)' has version \(version) of the delta format, which this cdpipe does not know",
        hint: "a newer cdpipe may")
    case .wrongLength: UserMessage("'\(path)' is cut short, or something stands behind its end", hint: again)
    case .damagedHeader: UserMessage("'\(path)' is damaged: its header fails its check", hint: again)
    case .removals(let error): part("removals", .unreadable(error), path)
    case .additions(let error): part("additions", .unreadable(error), path)
    }
  }

  static func sentence(_ error: DeltaVerificationError, _ path: String) -> UserMessage {
    switch error {
    case .unreadable(let error): sentence(error, path)
    case .removals(let error): part("removals", error, path)
    case .additions(let error): part("additions", error, path)
    }
  }

  /// The status that a delta which can't be read ends a command with.
  static func status(_ error: CallDeltaError) -> ExitCode {
    if case .cannotOpen = error { Status.noInput } else { Status.badData }
  }

  private static let again = "emit or fetch it again"

  private static func part(_ name: String, _ error: StoreVerificationError, _ path: String) -> UserMessage {
    let said: String =
      switch error {
      case .unreadable(.damaged(let section)): "\(StoreMessages.name(of: section)) fails its check"
      case .unreadable(.unsupportedVersion(let version)): "it has version \(version) of the store format"
      case .unreadable: "it is not a whole store"
      case .wrongContentHash: "its content hash is wrong"
      }
    return UserMessage("'\(path)' is damaged: in the store of its \(name), \(said)", hint: again)
  }
}
