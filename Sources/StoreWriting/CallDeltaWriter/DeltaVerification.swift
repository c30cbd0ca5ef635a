// The full check of a delta: its header, and both of its stores with their content hashes.
//
// Not for: whether it fits a baseline; only applying it shows that (DeltaApplication).

package import CallDeltaReader
import CallStoreReader
package import Records

/// Why a delta is not valid.
package enum DeltaVerificationError: Error, Equatable, Sendable {
  /// The delta can't be read.
  case unreadable(CallDeltaError)
  /// The store of removals is not valid.
  case removals(StoreVerificationError)
  /// The store of additions is not valid.
  case additions(StoreVerificationError)

  /// The class of the error.
  package var errorClass: ErrorClass {
    switch self {
    case .unreadable(.cannotOpen(let code)), .removals(.unreadable(.cannotOpen(let code))),
      .additions(.unreadable(.cannotOpen(let code))):
      .opening(code)
    default: .badData
    }
  }
}

/// The full check of a delta.
package enum DeltaVerification {
  /// Checks a delta by an open file's descriptor, and returns its header. The caller keeps the descriptor.
  ///
  /// - Complexity: O(bytes).
  @discardableResult
  package static func verify(descriptor: Int32) throws(DeltaVerificationError) -> DeltaHeader {
    let header: DeltaHeader
    do throws(CallDeltaError) {
      header = try DeltaHeader(descriptor: descriptor)
    } catch {
      throw .unreadable(error)
    }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: descriptor, part: header.removals)
    } catch {
      throw .removals(error)
    }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: descriptor, part: header.additions)
    } catch {
      throw .additions(error)
    }
    return header
  }
}
