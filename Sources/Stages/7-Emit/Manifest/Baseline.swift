// The state that shards and deltas build upon: a manifest and the stores beside it, checked before they are used.

import CallStoreReader
import CallStoreWriter
import PipeStage
import SystemIO

/// A baseline.
struct Baseline: Sendable {
  /// One of its shards.
  struct Shard: Sendable {
    var id: Int
    /// Numbers from here on, up to the next shard's, are this shard's.
    var from: UInt64
    /// The store's file.
    var path: String
    var contentHash: [UInt8]

    /// Checks every byte of the store, and that it is the one that the manifest names.
    func verify() throws(PipeFailure) {
      let found: [UInt8]
      do throws(StoreVerificationError) {
        found = try StoreVerification.verify(path: path)
      } catch {
        throw PipeFailure(.emit, Self.failure(error, path))
      }
      guard found == contentHash else {
        throw PipeFailure(
          .emit, ManifestFailure.otherStore(path: path, wanted: contentHash, found: found))
      }
    }

    /// Looks whether the store is there and claims to be the one that is named.
    fileprivate func look() throws(ManifestFailure) {
      let found: [UInt8]
      do throws(CallStoreError) {
        found = try CallStore(path: path).contentHash
      } catch {
        throw Self.failure(.unreadable(error), path)
      }
      guard found == contentHash else {
        throw .otherStore(path: path, wanted: contentHash, found: found)
      }
    }

    private static func failure(_ error: StoreVerificationError, _ path: String) -> ManifestFailure {
      if case .unreadable(.cannotOpen(let code)) = error { return .missingStore(path: path, code: code) }
      return .damagedStore(error, path: path)
    }
  }

  /// The word in place of a path that stands for no baseline, so that the first of many runs can be told so.
  static let none = "none"

  let contentID: String
  /// In the order of their numbers; the first begins at 1.
  let shards: [Shard]

  /// Reads a manifest, and looks whether its stores are there. A directory stands for the manifest in it.
  init(_ path: String, calls: any SystemCalls) throws(PipeFailure) {
    let place = ManifestPlace(path)
    do throws(ManifestFailure) {
      let manifest = try Manifest(reading: place.path, calls: calls)
      contentID = manifest.contentID
      shards = manifest.shards.map { shard in
        Shard(
          id: shard.id, from: shard.from, path: place.file(shard.store.name),
          // It was checked when it was read.
          contentHash: ManifestNames.hash(shard.store.contentHash) ?? [])
      }
      for shard in shards { try shard.look() }
    } catch {
      throw PipeFailure(.emit, error)
    }
  }
}
