// What a phone answers, in sentences: its error numbers, their meaning, and a way out.

import ArgumentParser
import EmitStage
import PipeStage
import SimulatedPhone
import SystemPackage

enum PhoneMessages {
  /// A load that was refused.
  static func sentence(_ failure: LoadError, _ outcome: LoadOutcome, _ path: String) -> UserMessage {
    let meaning = meaning(failure, outcome.interruption)
    let name = name(of: failure).map { " (\($0))" } ?? ""
    return UserMessage(
      "'\(path)' would not load: iOS answers \(failure.code)\(name): \(meaning.message)", hint: meaning.hint)
  }

  /// The name that Apple's enum has for an error.
  static func name(of failure: LoadError) -> String? {
    guard case .directory(let code) = failure, code != .extensionUnavailable else { return nil }
    return "\(code)"
  }

  /// What an error means, and what to do.
  static func meaning(_ failure: LoadError, _ interruption: LoadInterruption?) -> UserMessage {
    if let interruption { return meaning(interruption) }
    switch failure {
    case .directory(let code): return meaning(code)
    case .database(let code):
      return UserMessage("the directory's database refuses, with SQLite's error \(code)")
    case .cancelled(let reason): return UserMessage("the extension gave up: \(reason.text)")
    }
  }

  private static func meaning(_ code: CallDirectoryErrorCode) -> UserMessage {
    switch code {
    case .unknown: UserMessage("the directory can't be opened or changed")
    case .noExtensionFound: UserMessage("there is no such extension")
    case .loadingInterrupted: UserMessage("the extension ended in the middle of the request")
    case .entriesOutOfOrder: UserMessage("a number is lower than the one before it")
    case .duplicateEntries: UserMessage("a number came twice")
    case .maximumEntriesExceeded:
      UserMessage(
        "a request may not bring 2,000,000 entries, of both kinds together",
        hint: "'cdpipe emit --format store -o DIR' makes shards of 1,999,999, one for each extension")
    case .extensionDisabled: UserMessage("the extension is switched off")
    case .currentlyLoading: UserMessage("the extension is being loaded")
    case .unexpectedIncrementalRemoval: UserMessage("a removal in a request that is not incremental")
    case .extensionUnavailable: UserMessage("the extension is unavailable; Apple's enum lacks this number")
    }
  }

  private static func meaning(_ interruption: LoadInterruption) -> UserMessage {
    switch interruption {
    case .memory(let held, let limit):
      UserMessage(
        "the extension's process was ended: it held \(ByteSize.text(UInt64(clamping: held))) of memory, and may have "
          + ByteSize.limit(UInt64(clamping: limit)))
    case .killed: UserMessage("the extension's process was killed")
    case .signal(let number): UserMessage("the extension's process ended by signal \(number)")
    case .exit(let status): UserMessage("the extension's process ended with status \(status)")
    case .timeLimit: UserMessage("the extension took too long")
    case .exception: UserMessage("the extension did what raises an exception")
    case .nonsense: UserMessage("the extension sent what no extension sends")
    case .notStarted(let code):
      UserMessage("the extension's process can't be started: \(SystemMessages.reason(Errno(rawValue: code)))")
    }
  }

  // MARK: What can't be simulated

  static func sentence(_ failure: SimulationError) -> UserMessage {
    switch failure {
    case .manifest(let failure): ManifestMessages.sentence(failure, for: .shards)
    case .store(let error, let path): StoreMessages.sentence(error, path)
    case .delta(let error, let path): DeltaMessages.sentence(error, path)
    case .deltaAlone(let path):
      UserMessage("'\(path)' is a delta", hint: "--incremental names the store that it changes")
    case .deltasDoNotFit(let path):
      UserMessage(
        "'\(path)' changes another store than the one that stands before it",
        hint: "deltas are given in the order of their steps; 'cdpipe info' shows what each leads from")
    case .deltasLeadElsewhere(let store):
      UserMessage(
        "the deltas do not lead to '\(store)'",
        hint: "without a store the last delta's state is loaded; 'cdpipe info' shows where each leads to")
    case .manifestAndStore(let former):
      UserMessage(
        "--incremental '\(former)' and what is loaded must both be manifests, or both stores",
        hint: "a directory stands for the manifest in it")
    case .severalStores:
      UserMessage("--incremental with a store takes its deltas, or one store that follows it")
    case .tooManyExtensions(let limit):
      UserMessage("there are more than \(Figures.grouped(UInt64(limit))) extensions")
    case .phone: UserMessage("the simulated phone's directory can't be made")
    case .noRoomForRecord(let directory):
      UserMessage("cannot write in '\(directory)'", hint: "TMPDIR names another directory")
    }
  }

  static func status(_ failure: SimulationError) -> ExitCode {
    switch failure {
    case .manifest(let failure): Status.of(failure.errorClass)
    case .store(let error, _): StoreMessages.status(error)
    case .delta(let error, _): DeltaMessages.status(error)
    case .deltaAlone, .manifestAndStore, .severalStores, .tooManyExtensions: Status.usage
    case .deltasDoNotFit, .deltasLeadElsewhere: Status.badData
    case .phone: Status.of(.inputOutput)
    case .noRoomForRecord: Status.of(.cannotCreate)
    }
  }
}
