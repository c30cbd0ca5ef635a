// The full check of a store: all that its reader can check, and the content hash.

public import CallStoreReader
import ContentHash

/// Why a store is not sound.
public enum StoreVerificationError: Error, Equatable, Sendable {
  /// The reader refuses it.
  case unreadable(CallStoreError)
  /// Its bytes are not those that its content hash is of.
  case wrongContentHash(stored: [UInt8], computed: [UInt8])
}

/// The hashes of a store that is sound, 32 bytes each.
public struct StoreHashes: Equatable, Sendable {
  /// The store's identity.
  public let content: [UInt8]
  /// The SHA-256 of all its bytes, of which the identity itself is the last part.
  public let file: [UInt8]
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
    try hashes(path: path).content
  }

  /// Checks the store at a path, and returns its hashes. It is read once.
  ///
  /// - Complexity: O(bytes).
  public static func hashes(path: String) throws(StoreVerificationError) -> StoreHashes {
    try hashes { () throws(CallStoreError) in try CallStore(path: path) }
  }

  /// Checks the store that a descriptor names, and returns its content hash. The descriptor stays the caller's.
  @discardableResult
  public static func verify(descriptor: Int32) throws(StoreVerificationError) -> [UInt8] {
    try hashes { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }.content
  }

  /// Checks a store that stands inside another file, and returns its content hash.
  @discardableResult
  public static func verify(
    descriptor: Int32, part: Range<Int>
  ) throws(StoreVerificationError) -> [UInt8] {
    try hashes { () throws(CallStoreError) in try CallStore(descriptor: descriptor, part: part) }.content
  }

  private static func hashes(
    _ open: () throws(CallStoreError) -> CallStore
  ) throws(StoreVerificationError) -> StoreHashes {
    let store = try readable(open)
    do throws(CallStoreError) {
      try store.verify()
    } catch {
      throw .unreadable(error)
    }
    var hash = SHA256Hasher()
    add(0..<store.hashedByteCount, of: store, to: &hash)
    let computed = hash.digest
    guard computed == store.contentHash else {
      throw .wrongContentHash(stored: store.contentHash, computed: computed)
    }
    // What was hashed so far is the beginning of the file: it goes on from there.
    add(store.hashedByteCount..<store.byteCount, of: store, to: &hash)
    return StoreHashes(content: computed, file: hash.digest)
  }

  private static func add(_ bytes: Range<Int>, of store: borrowing CallStore, to hash: inout SHA256Hasher) {
    var start = bytes.lowerBound
    while start < bytes.upperBound {
      let end = min(start + hashedBytes, bytes.upperBound)
      let piece = store.fileBytes.extracting(start..<end)
      hash.update(piece)
      store.releasePages()
      start = end
    }
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
