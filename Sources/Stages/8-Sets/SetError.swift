// Why a set operation ended early.

package import CallStoreReader
package import Records

/// Why a set operation ended early. `line` is a line of a text or a record of a store, counted from 1.
package enum SetError: ErrorCause {
  /// A record starts below the one before it.
  case notSorted(list: String, line: UInt64, previous: UInt64, number: UInt64)
  /// A record is wider than the one before it, which starts at the same number.
  case widerRangeAfter(list: String, line: UInt64, number: UInt64)
  /// A record starts within the one before it, in a list that must be disjoint.
  case overlapsItself(list: String, line: UInt64, number: UInt64)
  /// A line is not a record, in a list that selects numbers: the result would be wrong without it.
  case notARecord(list: String, line: UInt64, TextFormReject, text: [UInt8])
  /// A store can't be read.
  case store(CallStoreError, list: String)
  /// A pipe is named twice. What is read for one list is missing in the other.
  case sharedPipe(list: String)
  /// More lists than one operation accepts.
  case tooManyLists(count: Int, limit: Int)

  /// Bad data, missing input, or a usage error.
  package var errorClass: ErrorClass {
    switch self {
    case .store(.cannotOpen(let code), _): .opening(code)
    case .tooManyLists, .sharedPipe: .usage
    default: .badData
    }
  }
}
