// Why a delta can't be made or applied. The errors carry data; the command layer writes the messages.

package import CallDeltaReader
package import CallStoreReader
import Hashing
package import Records
package import SystemIO

/// Why a delta can't be made or applied.
package enum DeltaError: Error, ErrorCause, Equatable {
  /// A store can't be read.
  case unreadableStore(CallStoreError, path: String)
  /// A delta can't be read.
  case unreadableDelta(CallDeltaError, path: String)
  /// The delta changes a different store.
  case otherBaseline(delta: String, wanted: [UInt8], found: [UInt8])
  /// No store of a directory of shards is the one that the delta changes.
  case noBaseline(delta: String, wanted: [UInt8], directory: String)
  /// A record to remove is not in the store, or a record to add overlaps another.
  case doesNotFit(delta: String, number: UInt64)
  /// The content hash of the result is not the one in the delta's header.
  case wrongResult(delta: String, wanted: [UInt8], computed: [UInt8])
  /// The records can't be part of a store.
  case notForStore(StoreEncodingError)
  /// More than ``DeltaLimits/stepsMax`` steps of at most `entries` single numbers would be needed.
  case tooManySteps(limit: Int, entries: UInt64)

  /// Bad data; no input or an input/output error where a file can't be opened; wrong usage where there are too many
  /// steps.
  package var errorClass: ErrorClass {
    switch self {
    case .unreadableStore(.cannotOpen(let code), _), .unreadableDelta(.cannotOpen(let code), _):
      .opening(code)
    case .tooManySteps: .usage
    default: .badData
    }
  }
}

/// Why a file can't be written: a delta, or the store that results from one.
package enum DeltaWritingError: Error, Equatable {
  /// The delta can't be made or applied.
  case delta(DeltaError)
  /// The file can't be written or read back.
  case file(SystemError)

  /// The error to report.
  package var cause: any ErrorCause {
    switch self {
    case .delta(let error): error
    case .file(let error): error
    }
  }
}

// MARK: - Messages for errors of deltas

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
