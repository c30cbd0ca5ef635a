// The full check of a store: all that its reader can check, and the content hash.

public import CallStoreReader
import Crypto

/// Why a store is not sound.
public enum StoreVerificationError: Error, Equatable, Sendable {
  /// The reader refuses it.
  case unreadable(CallStoreError)
  /// Its bytes are not those that its content hash is of.
  case wrongContentHash(stored: [UInt8], computed: [UInt8])
}

/// The full check of a store.
public enum StoreVerification {
  /// Checks the store at a path, and returns its content hash.
  ///
  /// - Complexity: O(bytes); ranges are not expanded.
  @discardableResult
  public static func verify(path: String) throws(StoreVerificationError) -> [UInt8] {
    try verify { () throws(CallStoreError) in try CallStore(path: path) }
  }

  /// Checks the store that a descriptor names, and returns its content hash. The descriptor stays the caller's.
  @discardableResult
  public static func verify(descriptor: Int32) throws(StoreVerificationError) -> [UInt8] {
    try verify { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }
  }

  private static func verify(
    _ open: () throws(CallStoreError) -> CallStore
  ) throws(StoreVerificationError) -> [UInt8] {
    let store = try readable(open)
    do throws(CallStoreError) {
      try store.verify()
    } catch {
      throw .unreadable(error)
    }
    let hashed = store.fileBytes.extracting(0..<store.hashedByteCount)
    var hash = SHA256()
    unsafe hashed.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
    let computed = Array(hash.finalize())
    guard computed == store.contentHash else {
      throw .wrongContentHash(stored: store.contentHash, computed: computed)
    }
    return computed
  }

  private static func readable(
    _ open: () throws(CallStoreError) -> CallStore
  ) throws(StoreVerificationError) -> CallStore {
    do throws(CallStoreError) {
      return try open()
    } catch {
      throw .unreadable(error)
    }
  }
}
