// The full check of a delta: its header, and both of its stores with their content hashes.
//
// Not for: whether it fits a baseline, which only carrying it out can tell (DeltaApplication).

public import CallDeltaReader
import CallStoreReader
public import CallStoreWriter

/// Why a delta is not sound.
public enum DeltaVerificationError: Error, Equatable, Sendable {
  /// The reader refuses it.
  case unreadable(CallDeltaError)
  /// The store of removals is not sound.
  case removals(StoreVerificationError)
  /// The store of additions is not sound.
  case additions(StoreVerificationError)
}

/// The full check of a delta.
public enum DeltaVerification {
  /// Checks the delta that a descriptor names, and returns its header. The descriptor stays the caller's.
  ///
  /// - Complexity: O(bytes).
  @discardableResult
  public static func verify(descriptor: Int32) throws(DeltaVerificationError) -> DeltaHeader {
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
