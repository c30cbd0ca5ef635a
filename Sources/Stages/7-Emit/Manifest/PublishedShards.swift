// The files that a manifest names, for those who read a directory of shards.
//
// Not for: whether these files are there and sound (Baseline), or the rest of a manifest.

import PipeStage
public import SystemIO
import SystemPackage

/// The files of a directory of shards, as its manifest names them.
public struct PublishedShards: Sendable {
  /// One shard.
  public struct Shard: Sendable {
    /// Which extension's it is, from 1.
    public let id: Int
    /// The path of its store.
    public let store: String
    /// The paths of the deltas that lead to it from the state before, in the order of their steps.
    public let deltas: [String]
  }

  /// In the order of their numbers.
  public let shards: [Shard]
  /// The path of the store to begin with.
  public let bootstrap: String?

  /// Reads a manifest. A directory stands for the manifest in it.
  public init(_ path: String, calls: any SystemCalls) throws(ManifestFailure) {
    let place = ManifestPlace(path)
    let manifest = try Manifest(reading: place.path, calls: calls)
    shards = manifest.shards.map { shard in
      Shard(
        id: shard.id, store: place.file(shard.store.name),
        deltas: (shard.deltas ?? []).sorted { $0.step < $1.step }.map { place.file($0.name) })
    }
    bootstrap = manifest.bootstrap.map { place.file($0.name) }
  }
}

/// Where a manifest is, and the files beside it.
struct ManifestPlace {
  /// The manifest's path.
  let path: String
  private let directory: FilePath

  /// A directory stands for the manifest in it.
  init(_ typed: String) {
    let isDirectory = FileKind(of: FilePath(typed)) == .directory
    let file = isDirectory ? FilePath(typed).appending(ManifestNames.manifest) : FilePath(typed)
    path = file.string
    directory = file.removingLastComponent()
  }

  /// The path of a file beside it.
  func file(_ name: String) -> String { directory.appending(name).string }
}
