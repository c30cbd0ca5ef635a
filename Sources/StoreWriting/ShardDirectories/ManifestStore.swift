// A store that a manifest names, checked against its description in the manifest.
//
// Not for: the manifest's own text (Manifest+Check).

import CallManifest
import CallStoreFormat
import CallStoreReader
import Hashing

/// A store that a manifest names.
package struct ManifestStore: Sendable {
  /// The path of the store's file.
  package let path: String
  /// The manifest's description of the store.
  let description: Manifest.Store
  /// The manifest's path, for errors.
  let manifest: String
  /// The key of the description in the manifest, for errors.
  let key: String

  /// The file's name.
  package var name: String { description.name }

  /// The content hash in the manifest. Reading the manifest has checked that it is one.
  package var contentHash: [UInt8] { Hexadecimal.sha256(description.contentHash) ?? [] }

  /// Checks that the store exists and that its own header agrees with the manifest. Its blocks are not read.
  ///
  /// - Complexity: O(blocks + bytes of the label table).
  package func checkHeader() throws(ShardDirectoryError) { _ = try open() }

  /// Opens the store and checks that its own header agrees with the manifest.
  ///
  /// - Complexity: O(blocks + bytes of the label table).
  func open() throws(ShardDirectoryError) -> CallStore {
    let store = try unchecked()
    let found = StoreSummaryFields(store)
    try checkContentHash(found.contentHash)
    try require(found.bytes == description.bytes, "bytes")
    try require(found.entries == description.entries, "entries")
    try require(found.records == description.records, "records")
    try require(found.first == description.first, "first")
    try require(found.last == description.last, "last")
    return store
  }

  private func unchecked() throws(ShardDirectoryError) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(path: path)
    } catch {
      throw storeError(.unreadable(error))
    }
  }

  /// Checks every byte of the store, its content hash and the SHA-256 of its file.
  ///
  /// - Complexity: O(bytes).
  package func verify() throws(ShardDirectoryError) {
    let found = try verifyContent()
    try require(found.file == Hexadecimal.sha256(description.sha256), "sha256")
  }

  /// Checks every byte of the store and its content hash.
  ///
  /// - Complexity: O(bytes).
  @discardableResult
  func verifyContent() throws(ShardDirectoryError) -> StoreHashes {
    let found: StoreHashes
    do throws(StoreVerificationError) {
      found = try StoreVerification.hashes(path: path)
    } catch {
      throw storeError(error)
    }
    try checkContentHash(found.content)
    return found
  }

  /// The fields of a store that its manifest repeats.
  private struct StoreSummaryFields {
    let contentHash: [UInt8]
    let bytes: UInt64
    let entries: KindCounts
    let records: KindCounts
    let first: UInt64?
    let last: UInt64?

    init(_ store: borrowing CallStore) {
      contentHash = store.contentHash
      bytes = UInt64(store.byteCount)
      entries = store.entryCounts
      records = store.recordCounts
      first = store.firstNumber
      last = store.lastNumber
    }
  }

  private func checkContentHash(_ found: [UInt8]) throws(ShardDirectoryError) {
    guard found == contentHash else { throw .otherStore(path: path, expected: contentHash, found: found) }
  }

  private func require(_ isEqual: Bool, _ part: String) throws(ShardDirectoryError) {
    if !isEqual { throw .manifest(.invalid(.differsFromStore, key: "\(key).\(part)"), path: manifest) }
  }

  private func storeError(_ error: StoreVerificationError) -> ShardDirectoryError {
    if case .unreadable(.cannotOpen(let code)) = error { return .missingStore(path: path, code: code) }
    return .invalidStore(error, path: path)
  }
}
