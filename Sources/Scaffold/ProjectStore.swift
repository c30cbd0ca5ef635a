// The stores of a project: those of a directory of shards, or one that becomes the store of the first extension.

import CallStoreWriter
import ContentHash
public import PipeStage
import ShardDirectories
import SystemIO

/// A store that is copied into a project.
public struct ProjectStore: Sendable {
  /// The number of the extension that loads it, from 1.
  public let id: Int
  /// The file to copy.
  let path: String
  /// The file's name in the project. It starts with the extension's number.
  let name: String
  /// The content hash, 64 hexadecimal digits.
  let contentHash: String

  /// The stores that a path names: a store, or a directory of shards as ``ListInput`` finds it.
  ///
  /// - Complexity: O(bytes of the manifest), or O(bytes of the store).
  public static func all(of path: String) throws(StageError) -> [ProjectStore] {
    let input: ListInput
    do throws(ShardDirectoryError) {
      input = try ListInput(path)
    } catch {
      throw StageError(nil, ProjectFolderError.stores(error))
    }
    switch input {
    case .shards(let directory): return directory.shards.map { ProjectStore($0) }
    case .lookup: throw StageError(nil, ProjectFolderError.stores(.notShards(path: path)))
    case .file(let path): return [try ProjectStore(single: path)]
    }
  }

  private init(_ shard: ShardDirectory.Shard) {
    id = shard.id
    path = shard.store.path
    name = shard.store.name
    contentHash = shard.contentHash
  }

  /// Makes a store outside a directory of shards the first extension's, under the name that a shard would have.
  private init(single path: String) throws(StageError) {
    do throws(SystemError) {
      _ = try InputFile(path, waits: false)
    } catch {
      throw StageError(nil, ProjectFolderError.stores(.unreadable(error)))
    }
    let hash: [UInt8]
    do throws(StoreVerificationError) {
      hash = try StoreVerification.verify(path: path)
    } catch {
      throw StageError(nil, ProjectFolderError.damagedStore(error, path: path))
    }
    id = 1
    // A link that the user named is followed; one in a directory of shards is refused.
    self.path = SymbolicLink.destination(of: path) == nil ? path : SymbolicLink.resolved(path)
    name = ShardDirectory.storeName(id: 1, contentHash: hash)
    contentHash = Hexadecimal.text(hash)
  }
}
