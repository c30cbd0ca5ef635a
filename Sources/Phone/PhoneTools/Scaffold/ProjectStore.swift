// The stores of a project: those of a directory of shards, one that becomes the store of the first extension, a bootstrap
// store, and those that rules name.

import CallManifest
import StoreWriting
import Hashing
package import Records
import SystemIO
import SystemPackage

/// A store that is copied into a project.
package struct ProjectStore: Sendable {
  /// The number of the extension that loads it, from 1; nil if it is not a shard.
  package let id: Int?
  /// The file to copy.
  let path: String
  /// The path of the copy in the project.
  let place: String
  /// The content hash, 64 hexadecimal digits.
  let contentHash: String

  /// The stores of extensions that a path names: a store, which becomes the first extension's, or a directory of shards
  /// as ``ListInput`` finds it.
  ///
  /// - Complexity: O(bytes of the manifest), or O(bytes of the store).
  package static func shards(of path: String) throws(Failure) -> [ProjectStore] {
    switch try list(path) {
    case .shards(let directory):
      return directory.shards.map { shard in
        ProjectStore(
          id: shard.id, path: shard.store.path, place: "\(ProjectPlan.storesFolder)/\(shard.store.name)",
          contentHash: shard.contentHash)
      }
    case .lookup: throw Failure(nil, ProjectFolderError.stores(.notShards(path: path)))
    case .file(let path):
      return [
        try ProjectStore(path, id: 1) { hash in
          "\(ProjectPlan.storesFolder)/\(ShardDirectory.storeName(id: 1, contentHash: hash))"
        }
      ]
    }
  }

  /// The bootstrap store that a path names, and the number of extensions that the list needs: of a directory of shards,
  /// as ``ListInput`` finds it, or a store. Nil for what the path does not tell.
  ///
  /// - Complexity: O(bytes of the manifest), or O(bytes of the store).
  package static func bootstrap(of path: String) throws(Failure) -> (store: ProjectStore?, shards: Int?) {
    let place = "\(ProjectPlan.storesFolder)/\(ProjectPlan.bootstrapName)"
    switch try list(path) {
    case .shards(let directory):
      let folder = FilePath(directory.manifestPath).removingLastComponent()
      let store = directory.manifest.bootstrap.map { store in
        ProjectStore(
          id: nil, path: folder.appending(store.name).string, place: place, contentHash: store.contentHash)
      }
      return (store, directory.shards.map(\.id).max())
    case .lookup: throw Failure(nil, ProjectFolderError.stores(.notShards(path: path)))
    case .file(let path): return (try ProjectStore(path, id: nil) { _ in place }, nil)
    }
  }

  /// A store that rules name, which is copied next to them.
  ///
  /// - Parameters:
  ///   - path: the store's path.
  ///   - name: its name in the rules, which must be a name without folders.
  /// - Complexity: O(bytes of the store).
  package static func ofRules(_ path: String, name: String) throws(Failure) -> ProjectStore {
    guard !name.contains("/") else {
      throw Failure(nil, ProjectFolderError.storeInFolder(name: name))
    }
    return try ProjectStore(path, id: nil) { _ in "\(ProjectPlan.rulesFolder)/\(name)" }
  }

  private static func list(_ path: String) throws(Failure) -> ListInput {
    do throws(ShardDirectoryError) {
      return try ListInput(path)
    } catch {
      throw Failure(nil, ProjectFolderError.stores(error))
    }
  }

  private init(id: Int?, path: String, place: String, contentHash: String) {
    self.id = id
    self.path = path
    self.place = place
    self.contentHash = contentHash
  }

  /// A store outside a directory of shards, whose place may depend on its content hash.
  private init(_ path: String, id: Int?, place: ([UInt8]) -> String) throws(Failure) {
    do throws(SystemError) {
      _ = try InputFile(path, waits: false)
    } catch {
      throw Failure(nil, ProjectFolderError.stores(.unreadable(error)))
    }
    let hash: [UInt8]
    do throws(StoreVerificationError) {
      hash = try StoreVerification.verify(path: path)
    } catch {
      throw Failure(nil, ProjectFolderError.damagedStore(error, path: path))
    }
    // A link that the user named is followed; one in a directory of shards is refused.
    self.init(
      id: id, path: SymbolicLink.destination(of: path) == nil ? path : SymbolicLink.resolved(path),
      place: place(hash), contentHash: Hexadecimal.text(hash))
  }
}
