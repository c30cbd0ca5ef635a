// The published state that new shards and deltas build on: a manifest and its stores, checked before they are used.

import Records
import StoreWriting
import SystemIO

/// A directory of shards whose boundaries are kept, and from which deltas start.
struct Baseline: Sendable {
  /// The identity of all shards together.
  let contentID: String
  /// The shards in the order of their numbers; the first one starts at 1.
  let shards: [ShardDirectory.Shard]

  /// Reads the manifest of a directory of shards, named in any way that ``ListInput`` accepts, and checks the headers of
  /// its stores.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    do throws(ShardDirectoryError) {
      let directory = try ListInput.directory(path, calls: calls)
      try directory.checkHeaders()
      contentID = directory.contentID
      shards = directory.shards
    } catch {
      throw Failure(.emit, error)
    }
  }
}
