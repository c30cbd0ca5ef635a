// Why a set operation ended early.

public import CallStoreReader
public import PipeStage

/// Why a set operation ended early. A place is a line of a text, or a record of a store, counted from 1.
public enum SetError: ErrorCause {
  /// A record begins below the one before it.
  case notSorted(list: String, line: UInt64, previous: UInt64, number: UInt64)
  /// A record is wider than the one before it, which begins with the same number.
  case widerRangeAfter(list: String, line: UInt64, number: UInt64)
  /// A record begins within the one before it, where the list must be disjoint.
  case overlapsItself(list: String, line: UInt64, number: UInt64)
  /// A line is no record, in a list that numbers are compared with: without it the answer would be wrong.
  case notARecord(list: String, line: UInt64, TextFormReject, text: [UInt8])
  /// A store can't be read.
  case store(CallStoreError, list: String)
  /// A directory has no manifest of shards.
  case noManifest(directory: String)
  /// More lists than one operation takes.
  case tooManyLists(count: Int, limit: Int)

  /// The data is wrong, is not there, or there is too much of it.
  public var errorClass: ErrorClass {
    switch self {
    case .store(.cannotOpen, _), .noManifest: .noInput
    case .tooManyLists: .usage
    default: .badData
    }
  }
}
