// Deltas that can't be used, in sentences.

import ArgumentParser
import CallDeltaReader
import CallDeltaWriter
import CallStoreReader
import CallStoreWriter
import EmitStage
import SystemIO
import SystemPackage

enum DeltaWording {
  static func sentence(_ failure: DeltaFailure) -> Sentence {
    switch failure {
    case .unreadableStore(let error, let path): StoreWording.sentence(error, path)
    case .unreadableDelta(let error, let path): sentence(error, path)
    case .otherBaseline(let delta, let wanted, let found):
      Sentence(
        "'\(delta)' changes the store \(Hexadecimal.text(wanted)), and this one is \(Hexadecimal.text(found))",
        hint: "the content hashes must be the same: deltas are given in the order of their steps")
    case .doesNotFit(let delta, let number):
      Sentence(
        "'\(delta)' does not fit the store at \(number)",
        hint: "one of the two is damaged: 'cdpipe verify' says which")
    case .wrongResult(let delta, let wanted, let computed):
      Sentence(
        "'\(delta)' should give the store \(Hexadecimal.text(wanted)), and gave \(Hexadecimal.text(computed))",
        hint: "one of the two is damaged: 'cdpipe verify' says which")
    case .notForStore(let error): EmitWording.sentence(.notForStore(error, row: 0))
    case .tooManySteps(let limit, let entries):
      Sentence(
        "the delta of one shard would take more than \(limit) steps of \(Figures.grouped(entries)) numbers",
        hint: "a larger --delta-entries makes fewer")
    }
  }

  static func sentence(_ error: CallDeltaError, _ path: String) -> Sentence {
    switch error {
    case .cannotOpen(let code): StoreWording.sentence(.cannotOpen(code), path)
    case .notADelta: Sentence("'\(path)' is not a delta")
    case .unsupportedVersion(let version):
      Sentence(
        "'\(path)' has version \(version) of the delta format, which this cdpipe does not know",
        hint: "a newer cdpipe may")
    case .wrongLength: Sentence("'\(path)' is cut short, or something stands behind its end", hint: again)
    case .damagedHeader: Sentence("'\(path)' is damaged: its header fails its check", hint: again)
    case .removals(let error): part("removals", .unreadable(error), path)
    case .additions(let error): part("additions", .unreadable(error), path)
    }
  }

  static func sentence(_ error: DeltaVerificationError, _ path: String) -> Sentence {
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

  private static func part(_ name: String, _ error: StoreVerificationError, _ path: String) -> Sentence {
    let said: String =
      switch error {
      case .unreadable(.damaged(let section)): "\(StoreWording.name(of: section)) fails its check"
      case .unreadable(.unsupportedVersion(let version)): "it has version \(version) of the store format"
      case .unreadable: "it is not a whole store"
      case .wrongContentHash: "its content hash is wrong"
      }
    return Sentence("'\(path)' is damaged: in the store of its \(name), \(said)", hint: again)
  }
}
