// Why a delta can't be made or applied. The errors carry data; the command layer writes the messages.

package import CallDeltaReader
package import CallStoreReader
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
