// The state that shards and deltas build upon: a manifest and the stores beside it, checked before they are used.

import PipeStage
import SystemIO

/// A baseline.
struct Baseline: Sendable {
  /// One of its shards.
  struct Shard: Sendable {
    var id: Int
    /// Numbers from here on, up to the next shard's, are this shard's.
    var from: UInt64
    fileprivate var store: NamedStore

    /// The store's file.
    var path: String { store.path }
    var contentHash: [UInt8] { store.contentHash }

    /// Checks every byte of the store, and that it is the one that the manifest names.
    func verify() throws(StageError) {
      do throws(ManifestError) {
        try store.verify()
      } catch {
        throw StageError(.emit, error)
      }
    }
  }

  /// The word in place of a path that stands for no baseline, so that the first of many runs can be told so.
  static let none = "none"

  let contentID: String
  /// In the order of their numbers; the first begins at 1.
  let shards: [Shard]

  /// Reads a manifest, and looks whether its stores are there. A directory stands for the manifest in it.
  init(_ path: String, calls: any SystemCalls) throws(StageError) {
    let place = ManifestLocation(path)
    do throws(ManifestError) {
      let manifest = try Manifest(reading: place.path, calls: calls)
      let stores = manifest.namedStores(place)
      for store in stores { try store.look() }
      contentID = manifest.contentID
      shards = zip(manifest.shards, stores).map { shard, store in
        Shard(id: shard.id, from: shard.from, store: store)
      }
    } catch {
      throw StageError(.emit, error)
    }
  }
}
