// What a phone answers, in sentences: its error numbers, their meaning, and a way out.

import ArgumentParser
import EmitStage
import PipeStage
import SimulatedPhone
import SystemPackage

enum PhoneWording {
  /// A load that was refused.
  static func sentence(_ failure: LoadFailure, _ outcome: LoadOutcome, _ path: String) -> Sentence {
    let meaning = meaning(failure, outcome.interruption)
    let name = name(of: failure).map { " (\($0))" } ?? ""
    return Sentence(
      "'\(path)' would not load: iOS answers \(failure.code)\(name): \(meaning.message)", hint: meaning.hint)
  }

  /// The name that Apple's enum has for an error.
  static func name(of failure: LoadFailure) -> String? {
    guard case .directory(let code) = failure, code != .extensionUnavailable else { return nil }
    return "\(code)"
  }

  /// What an error means, and what to do.
  static func meaning(_ failure: LoadFailure, _ interruption: Interruption?) -> Sentence {
    if let interruption { return meaning(interruption) }
    switch failure {
    case .directory(let code): return meaning(code)
    case .database(let code):
      return Sentence("the directory's database refuses, with SQLite's error \(code)")
    case .cancelled(let reason): return Sentence("the extension gave up: \(reason.text)")
    }
  }

  private static func meaning(_ code: CallDirectoryErrorCode) -> Sentence {
    switch code {
    case .unknown: Sentence("the directory can't be opened or changed")
    case .noExtensionFound: Sentence("there is no such extension")
    case .loadingInterrupted: Sentence("the extension ended in the middle of the request")
    case .entriesOutOfOrder: Sentence("a number is lower than the one before it")
    case .duplicateEntries: Sentence("a number came twice")
    case .maximumEntriesExceeded:
      Sentence(
        "a request may not bring 2,000,000 entries, of both kinds together",
        hint: "'cdpipe emit --format store -o DIR' makes shards of 1,999,999, one for each extension")
    case .extensionDisabled: Sentence("the extension is switched off")
    case .currentlyLoading: Sentence("the extension is being loaded")
    case .unexpectedIncrementalRemoval: Sentence("a removal in a request that is not incremental")
    case .extensionUnavailable: Sentence("the extension is unavailable; Apple's enum lacks this number")
    }
  }

  private static func meaning(_ interruption: Interruption) -> Sentence {
    switch interruption {
    case .memory(let held, let limit):
      Sentence(
        "the extension's process was ended: it held \(ByteSize.text(UInt64(clamping: held))) of memory, and may have "
          + ByteSize.limit(UInt64(clamping: limit)))
    case .killed: Sentence("the extension's process was killed")
    case .signal(let number): Sentence("the extension's process ended by signal \(number)")
    case .exit(let status): Sentence("the extension's process ended with status \(status)")
    case .timeLimit: Sentence("the extension took too long")
    case .exception: Sentence("the extension did what raises an exception")
    case .nonsense: Sentence("the extension sent what no extension sends")
    case .notStarted(let code):
      Sentence("the extension's process can't be started: \(SystemWording.reason(Errno(rawValue: code)))")
    }
  }

  // MARK: What can't be simulated

  static func sentence(_ failure: SimulationFailure) -> Sentence {
    switch failure {
    case .manifest(let failure): ManifestWording.sentence(failure, for: .shards)
    case .store(let error, let path): StoreWording.sentence(error, path)
    case .delta(let error, let path): DeltaWording.sentence(error, path)
    case .deltaAlone(let path):
      Sentence("'\(path)' is a delta", hint: "--incremental names the store that it changes")
    case .deltasDoNotFit(let path):
      Sentence(
        "'\(path)' changes another store than the one that stands before it",
        hint: "deltas are given in the order of their steps; 'cdpipe info' shows what each leads from")
    case .deltasLeadElsewhere(let store):
      Sentence(
        "the deltas do not lead to '\(store)'",
        hint: "without a store the last delta's state is loaded; 'cdpipe info' shows where each leads to")
    case .manifestAndStore(let former):
      Sentence(
        "--incremental '\(former)' and what is loaded must both be manifests, or both stores",
        hint: "a directory stands for the manifest in it")
    case .severalStores: Sentence("--incremental with a store takes its deltas, or one store that follows it")
    case .tooManyExtensions(let limit):
      Sentence("there are more than \(Figures.grouped(UInt64(limit))) extensions")
    case .phone: Sentence("the simulated phone's directory can't be made")
    case .noRoomForRecord(let directory):
      Sentence("cannot write in '\(directory)'", hint: "TMPDIR names another directory")
    }
  }

  static func status(_ failure: SimulationFailure) -> ExitCode {
    switch failure {
    case .manifest(let failure): Status.of(failure.failureClass)
    case .store(let error, _): StoreWording.status(error)
    case .delta(let error, _): DeltaWording.status(error)
    case .deltaAlone, .manifestAndStore, .severalStores, .tooManyExtensions: Status.usage
    case .deltasDoNotFit, .deltasLeadElsewhere: Status.badData
    case .phone: Status.of(.inputOutput)
    case .noRoomForRecord: Status.of(.cannotCreate)
    }
  }
}
