// Messages for errors of simulations and of the simulated phone.

import StoreWriting
import CallDeltaReader
import CallStoreReader
package import Records
import SimulatedPhone
import SystemPackage

extension SimulationError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of stage: StageName?) -> UserMessage {
    switch self {
    case .manifest(let error): error.userMessage(of: stage)
    case .store(let error, let path): error.userMessage(path: path)
    case .delta(let error, let path): error.userMessage(path: path)
    case .deltaAlone(let path):
      UserMessage("'\(path)' is a delta", hint: "name the store that it changes with --incremental")
    case .deltasDoNotFit(let path):
      UserMessage(
        "'\(path)' does not apply to the result of the previous one",
        hint: "list the deltas in the order of their steps; 'cdpipe info' shows where each starts")
    case .deltasLeadElsewhere(let store):
      UserMessage(
        "the result of the deltas is not '\(store)'",
        hint: "leave out the store to load the deltas' result; 'cdpipe info' shows where each leads")
    case .manifestAndStore(let former):
      UserMessage(
        "--incremental '\(former)' and the argument must both be manifests, or both be stores",
        hint: "a directory counts as the manifest in it")
    case .severalStores:
      UserMessage("with a store for --incremental, the arguments must be its deltas or a single new store")
    case .tooManyExtensions(let limit):
      UserMessage("more than \(Figures.grouped(UInt64(limit))) extensions")
    case .phone: UserMessage("cannot create the simulated phone's database")
    case .cannotWriteRecord(let directory):
      UserMessage("cannot write in '\(directory)'", hint: "choose another directory with TMPDIR")
    }
  }
}

/// Describes errors of a phone: their codes, their meaning, and what to do.
enum PhoneMessages {
  /// Describes a load that failed.
  static func message(_ error: LoadError, _ outcome: LoadOutcome, _ path: String) -> UserMessage {
    let meaning = meaning(error, outcome.interruption)
    let name = name(of: error).map { " (\($0))" } ?? ""
    return UserMessage(
      "'\(path)' does not load: iOS error \(error.code)\(name): \(meaning.message)", hint: meaning.hint)
  }

  /// The name of an error in Apple's enum.
  static func name(of error: LoadError) -> String? {
    guard case .directory(let code) = error, code != .extensionUnavailable else { return nil }
    return "\(code)"
  }

  /// What an error means, and what to do.
  static func meaning(_ error: LoadError, _ interruption: LoadInterruption?) -> UserMessage {
    if let interruption { return meaning(interruption) }
    switch error {
    case .directory(let code): return meaning(code)
    case .database(let code): return UserMessage("the directory's database failed with SQLite error \(code)")
    case .cancelled(let reason): return UserMessage("the extension cancelled the request: \(reason.text)")
    }
  }

  private static func meaning(_ code: CallDirectoryErrorCode) -> UserMessage {
    switch code {
    case .unknown: UserMessage("the directory can't be opened or changed")
    case .noExtensionFound: UserMessage("the extension does not exist")
    case .loadingInterrupted: UserMessage("the extension ended during the request")
    case .entriesOutOfOrder: UserMessage("a number is lower than the previous one")
    case .duplicateEntries: UserMessage("a number occurs twice")
    case .maximumEntriesExceeded:
      UserMessage(
        "a request must have fewer than 2,000,000 entries of both kinds together",
        hint: "write shards of 1,999,999 entries, one per extension: cdpipe emit --format store -o DIR")
    case .extensionDisabled: UserMessage("the extension is switched off")
    case .currentlyLoading: UserMessage("the extension is being loaded")
    case .unexpectedIncrementalRemoval: UserMessage("a removal in a request that is not incremental")
    case .extensionUnavailable:
      UserMessage("the extension is unavailable; Apple's enum does not contain this number")
    }
  }

  private static func meaning(_ interruption: LoadInterruption) -> UserMessage {
    switch interruption {
    case .memory(let held, let limit):
      UserMessage(
        "the extension's process was ended: it used \(Figures.bytes(held)) of memory; the limit is "
          + Figures.byteLimit(UInt64(clamping: limit)))
    case .killed: UserMessage("the extension's process was killed")
    case .signal(let number): UserMessage("the extension's process ended by signal \(number)")
    case .exit(let status): UserMessage("the extension's process ended with status \(status)")
    case .timeLimit: UserMessage("the extension took too long")
    case .exception: UserMessage("the extension raised an exception")
    case .nonsense: UserMessage("the extension sent an invalid message")
    case .notStarted(let code):
      UserMessage("cannot start the extension's process: \(SystemMessages.reason(Errno(rawValue: code)))")
    }
  }
}
