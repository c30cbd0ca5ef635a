// Errors of writing a project.

package import StoreWriting
package import Records

/// An error of writing a project.
package enum ProjectFolderError: ErrorCause {
  /// The directory is not empty.
  case notEmpty(path: String)
  /// The directory has a project of another kind.
  case otherKind(path: String, ProjectKind)
  /// A shard's extension does not exist in the app.
  case noExtension(shard: Int, extensions: Int)
  /// The directory has more shards than an app can have extensions.
  case tooManyShards(Int, limit: Int)
  /// Rules name a store in another folder than their own, which a bundle can't have.
  case storeInFolder(name: String)
  /// The directory of shards can't be read.
  case stores(ShardDirectoryError)
  /// A store is a link, a pipe or a device.
  case notAFile(path: String)
  /// A store is damaged.
  case damagedStore(StoreVerificationError, path: String)
  /// A store is valid, but not the one that the manifest lists.
  case otherStore(path: String)

  /// The error class.
  package var errorClass: ErrorClass {
    switch self {
    case .notEmpty, .otherKind: .cannotCreate
    case .noExtension, .tooManyShards, .storeInFolder, .notAFile, .damagedStore, .otherStore: .badData
    case .stores(let failure): failure.errorClass
    }
  }
}
