// Errors of simulations.

package import CallDeltaReader
package import CallStoreReader
package import Records
package import StoreWriting

/// An error of a simulation.
package enum SimulationError: ErrorCause, Error {
  case manifest(ShardDirectoryError)
  case store(CallStoreError, path: String)
  case delta(CallDeltaError, path: String)
  /// A delta without a store that it applies to.
  case deltaAlone(path: String)
  /// A delta does not apply to the result of the previous one.
  case deltasDoNotFit(path: String)
  /// The result of the deltas is not the store named with them.
  case deltasLeadElsewhere(store: String)
  /// Only one of `--incremental` and the argument is a manifest.
  case manifestAndStore(from: String)
  /// Several stores for a single store of `--incremental`.
  case severalStores
  case tooManyExtensions(limit: Int)
  /// The phone's database can't be created.
  case phone
  /// The record of what is loaded can't be written.
  case cannotWriteRecord(directory: String)

  /// The error class.
  package var errorClass: ErrorClass {
    switch self {
    case .manifest(let error): error.errorClass
    case .store(.cannotOpen(let code), _), .delta(.cannotOpen(let code), _): .opening(code)
    case .store, .delta, .deltasDoNotFit, .deltasLeadElsewhere: .badData
    case .deltaAlone, .manifestAndStore, .severalStores, .tooManyExtensions: .usage
    case .phone: .inputOutput
    case .cannotWriteRecord: .cannotCreate
    }
  }
}
