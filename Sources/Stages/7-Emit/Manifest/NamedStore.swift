// A store that a manifest names, held against what the manifest says of it.
//
// Not for: the manifest's own text (Manifest+Check).

import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import ContentHash
public import SystemIO
import SystemPackage

/// A store beside a manifest.
struct NamedStore: Sendable {
  /// The store's file.
  let path: String
  /// What the manifest says of it.
  let said: Manifest.Store
  /// Where it says so: the manifest, and the way to the place in it.
  let manifest: String
  let key: String

  /// The identity that the manifest has for it. That it is one was checked when the manifest was read.
  var contentHash: [UInt8] { Hexadecimal.sha256(said.contentHash) ?? [] }

  /// Looks whether the store is there and says of itself what the manifest says of it. Its blocks are not read.
  ///
  /// - Complexity: O(blocks + bytes of the label table).
  func look() throws(ManifestError) {
    let found: Facts
    do throws(CallStoreError) {
      found = Facts(try CallStore(path: path))
    } catch {
      throw failure(.unreadable(error))
    }
    guard found.contentHash == contentHash else {
      throw .otherStore(path: path, wanted: contentHash, found: found.contentHash)
    }
    try demand(found.bytes == said.bytes, "bytes")
    try demand(found.entries == said.entries, "entries")
    try demand(found.records == said.records, "records")
    try demand(found.first == said.first, "first")
    try demand(found.last == said.last, "last")
  }

  /// Checks every byte of the store, that it is the one that the manifest names, and the file's own hash.
  ///
  /// - Complexity: O(bytes).
  func verify() throws(ManifestError) {
    let found: StoreHashes
    do throws(StoreVerificationError) {
      found = try StoreVerification.hashes(path: path)
    } catch {
      throw failure(error)
    }
    guard found.content == contentHash else {
      throw .otherStore(path: path, wanted: contentHash, found: found.content)
    }
    try demand(found.file == Hexadecimal.sha256(said.sha256), "sha256")
  }

  /// What a store says of itself.
  private struct Facts {
    let contentHash: [UInt8]
    let bytes: UInt64
    let entries: Manifest.ByKind
    let records: Manifest.ByKind
    let first: UInt64?
    let last: UInt64?

    init(_ store: borrowing CallStore) {
      contentHash = store.contentHash
      bytes = UInt64(store.byteCount)
      entries = Manifest.ByKind(
        blocking: store.entryCount(of: .blocking), identification: store.entryCount(of: .identification))
      records = Manifest.ByKind(
        blocking: store.recordCount(of: .blocking), identification: store.recordCount(of: .identification))
      first = store.firstNumber
      last = store.lastNumber
    }
  }

  private func demand(_ isRight: Bool, _ part: String) throws(ManifestError) {
    if !isRight { throw .defect(.notTheStores, path: manifest, key: "\(key).\(part)") }
  }

  private func failure(_ error: StoreVerificationError) -> ManifestError {
    if case .unreadable(.cannotOpen(let code)) = error { return .missingStore(path: path, code: code) }
    return .damagedStore(error, path: path)
  }
}

extension Manifest {
  /// The stores of its shards, in the order of their numbers.
  func namedStores(_ place: ManifestLocation) -> [NamedStore] {
    shards.enumerated().map { index, shard in
      NamedStore(
        path: place.file(shard.store.name), said: shard.store, manifest: place.path, key: "shards[\(index)]")
    }
  }
}

/// The stores of a directory of shards, for those who read them.
public enum ShardStores {
  /// Whether a manifest stands in a directory.
  public static func hasManifest(_ directory: String) -> Bool {
    Directory.holdsFile(FilePath(directory).appending(ManifestNames.manifest).string)
  }

  /// Reads a manifest, or the one of a directory, and holds the stores beside it against it: their paths, in the order
  /// of their numbers.
  ///
  /// Throws what is wrong with the manifest, or the first store that is not there, is another one or says something else
  /// of itself. The blocks of the stores are not read.
  @discardableResult
  public static func checked(
    _ path: String, calls: any SystemCalls = KernelCalls()
  ) throws(ManifestError) -> [String] {
    let place = ManifestLocation(path)
    let stores = try Manifest(reading: place.path, calls: calls).namedStores(place)
    for store in stores { try store.look() }
    return stores.map(\.path)
  }
}
