// The full check of a store: everything that its reader can check, and the content hash.

package import CallStoreReader
import Hashing

/// Why a store is not valid.
package enum StoreVerificationError: Error, Equatable, Sendable {
  /// The store can't be read.
  case unreadable(CallStoreError)
  /// The content hash in the store is not that of its bytes.
  case wrongContentHash(stored: [UInt8], computed: [UInt8])
}

/// The hashes of a valid store, 32 bytes each.
package struct StoreHashes: Equatable, Sendable {
  /// The store's identity.
  package let content: [UInt8]
  /// The SHA-256 of the whole store, including its content hash.
  package let file: [UInt8]
}

/// The full check of a store.
package enum StoreVerification {
  /// Pages are released after this number of hashed bytes.
  private static let hashedBytes = 1 << 20

  /// Checks the store at a path, and returns its content hash.
  ///
  /// - Complexity: O(bytes); ranges are not expanded.
  @discardableResult
  package static func verify(path: String) throws(StoreVerificationError) -> [UInt8] {
    try hashes(path: path).content
  }

  /// Checks the store at a path, and returns its hashes. The file is read once.
  ///
  /// - Complexity: O(bytes).
  package static func hashes(path: String) throws(StoreVerificationError) -> StoreHashes {
    try hashes { () throws(CallStoreError) in try CallStore(path: path) }
  }

  /// Checks a store by an open file's descriptor, and returns its content hash. The caller keeps the descriptor.
  @discardableResult
  package static func verify(descriptor: Int32) throws(StoreVerificationError) -> [UInt8] {
    try hashes { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }.content
  }

  /// Checks a store that is part of another file, and returns its content hash.
  @discardableResult
  package static func verify(
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
    // The hash continues: the bytes hashed so far are the beginning of the file.
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
