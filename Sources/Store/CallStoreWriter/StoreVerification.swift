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
  /// So many bytes are hashed before their pages are given back.
  private static let hashedBytes = 1 << 20

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

  /// Checks a store that stands inside another file, and returns its content hash.
  @discardableResult
  public static func verify(
    descriptor: Int32, part: Range<Int>
  ) throws(StoreVerificationError) -> [UInt8] {
    try verify { () throws(CallStoreError) in try CallStore(descriptor: descriptor, part: part) }
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
    var hash = SHA256()
    var start = 0
    while start < store.hashedByteCount {
      let end = min(start + hashedBytes, store.hashedByteCount)
      let piece = store.fileBytes.extracting(start..<end)
      unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
      store.releasePages()
      start = end
    }
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
