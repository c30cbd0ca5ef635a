// Why a delta can't be made or carried out. It carries data; the command layer makes the sentences.

public import CallDeltaReader
public import CallStoreReader
public import CallStoreWriter
public import PipeStage

/// Why a delta can't be made or carried out.
public enum DeltaError: Error, ErrorCause, Equatable {
  /// A store can't be read.
  case unreadableStore(CallStoreError, path: String)
  /// A delta can't be read.
  case unreadableDelta(CallDeltaError, path: String)
  /// The delta changes another store than the one at hand.
  case otherBaseline(delta: String, wanted: [UInt8], found: [UInt8])
  /// A record to remove is not in the store, or one to add stands in the way of another.
  case doesNotFit(delta: String, number: UInt64)
  /// What came of it is not what the delta says.
  case wrongResult(delta: String, wanted: [UInt8], computed: [UInt8])
  /// The records can't stand in a store.
  case notForStore(StoreEncodingError)
  /// The way from one store to the other would take more than ``DeltaLimits/stepsMax`` steps of so many entries.
  case tooManySteps(limit: Int, entries: UInt64)

  /// Bad data, or no input where a file can't be opened.
  public var errorClass: ErrorClass {
    switch self {
    case .unreadableStore(.cannotOpen, _), .unreadableDelta(.cannotOpen, _): .noInput
    case .tooManySteps: .usage
    default: .badData
    }
  }
}
