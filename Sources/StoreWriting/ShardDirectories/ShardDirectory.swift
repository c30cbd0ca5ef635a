// An existing directory of shards: its manifest, and the stores and deltas that the manifest names.
//
// Not for: checking all files (ShardDirectory+Files), writing one (ShardTarget in EmitStage), the manifest's format
// (CallManifest).

package import CallManifest
import CallStoreFormat
package import SystemIO
import SystemPackage

/// An existing directory of shards, described by its manifest.
package struct ShardDirectory: Sendable {
  /// One shard.
  package struct Shard: Sendable {
    /// The number of the extension, from 1.
    package let id: Int
    /// The shard's first possible number. It holds the numbers from here to the next shard's.
    package let from: UInt64
    /// The shard's store.
    package let store: ManifestStore
    /// The store's identity, 64 hexadecimal digits.
    package let contentHash: String
    /// The chains of deltas that lead to the store, keyed by the identity of the store that each starts from: paths in
    /// the order of their steps.
    package let deltas: [String: [String]]
  }

  /// The shards, in the order of their numbers.
  package let shards: [Shard]
  /// The manifest.
  package let manifest: Manifest
  /// The paths of the manifest and of the files next to it.
  let location: ManifestLocation

  /// The name of a shard's store: its id, and the first digits of its content hash.
  package static func storeName(id: Int, contentHash: [UInt8]) -> String {
    ManifestNames.shard(id, contentHash)
  }

  /// Reads and validates a manifest, named by its own path or that of its directory. Links are resolved. The stores are
  /// not opened.
  package init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(ShardDirectoryError) {
    let location: ManifestLocation
    do throws(SystemError) {
      location = try ManifestLocation(path, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    let manifest = try Manifest(path: location.path, calls: calls)
    self.location = location
    self.manifest = manifest
    shards = manifest.shards.enumerated().map { index, shard in
      Shard(
        id: shard.id, from: shard.from,
        store: ManifestStore(
          path: location.file(shard.store.name), description: shard.store, manifest: location.path,
          key: "shards[\(index)]"),
        contentHash: shard.store.contentHash,
        deltas: shard.chains.mapValues { $0.map { location.file($0.name) } })
    }
  }

  /// The manifest's path. If it was named through a link, it is the path that the link led to.
  package var manifestPath: String { location.path }
  /// The id of the version in a published folder; nil for any other directory.
  package var version: String? {
    let directory = FilePath(location.path).removingLastComponent()
    guard let id = directory.lastComponent?.string, PublishedNames.isID(id),
      directory.removingLastComponent().lastComponent?.string == PublishedNames.versions
    else { return nil }
    return id
  }
  /// The identity of all shards together, 64 hexadecimal digits.
  package var contentID: String { manifest.contentID }
  /// The number of single numbers in all shards, of both kinds.
  package var entries: UInt64 { manifest.entries.sum }
  /// The names of the shards' stores, without those of other files.
  package var shardNames: [String] { manifest.shards.map(\.store.name) }
  /// The names of the deltas.
  package var deltaNames: [String] { manifest.shards.flatMap { ($0.deltas ?? []).map(\.name) } }

  /// Checks that every shard's store exists and that its own header agrees with the manifest. The stores' blocks are
  /// not read. Returns the paths of the stores, in the order of their numbers.
  @discardableResult
  package func checkHeaders() throws(ShardDirectoryError) -> [String] {
    for shard in shards { try shard.store.checkHeader() }
    return shards.map(\.store.path)
  }

  /// Counts the single numbers that differ from an earlier state, from the deltas that start there; nil if it is not the
  /// baseline of this directory, or if there are no deltas. Shards that have not changed are not read.
  ///
  /// - Complexity: O(records of the deltas, and of shards that are new).
  package func changes(since earlier: [Shard]) throws(DeltaError) -> NumberChanges? {
    guard manifest.baseline != nil else { return nil }
    var known = Dictionary(earlier.map { ($0.id, $0.contentHash) }) { first, _ in first }
    var (old, new): ([NumberChanges.Part], [NumberChanges.Part]) = ([], [])
    for shard in shards {
      guard let hash = known.removeValue(forKey: shard.id) else {
        new.append(.store(shard.store.path))
        continue
      }
      if hash == shard.contentHash { continue }
      guard let deltas = shard.deltas[hash] else { return nil }
      old += deltas.map { NumberChanges.Part.removals(delta: $0) }
      new += deltas.map { NumberChanges.Part.additions(delta: $0) }
    }
    guard known.isEmpty else { return nil }
    return try NumberChanges(old: old, new: new)
  }
}
