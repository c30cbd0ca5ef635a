// The server's manifest: CallManifest reads and validates it; this code checks it against the app's extensions and
// limits.

import CallManifest
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// A file on the server.
struct RemoteFile: Equatable, Sendable {
  /// The maximum size of a file. 1,999,999 records with distinct labels need less.
  static let bytesMax: UInt64 = 256 << 20

  let name: String
  let bytes: UInt64
  let sha256: String

  init(_ store: Manifest.Store) {
    (name, bytes, sha256) = (store.name, store.bytes, store.sha256)
  }

  init(_ delta: Manifest.Delta) {
    (name, bytes, sha256) = (delta.name, delta.bytes, delta.sha256)
  }
}

extension Manifest {
  /// Reads the server's manifest and checks it for an app with these extensions. Throws `UpdateError`.
  init(downloaded data: Data, for extensions: Set<ExtensionIndex>) throws {
    do throws(ManifestError) {
      try self.init(bytes: Array(data))
    } catch {
      if case .invalid = error { throw UpdateError.badManifest }
      throw UpdateError.notAManifest
    }
    let numbers = Set(extensions.map(\.number))
    if let shard = shards.first(where: { !numbers.contains($0.id) }) {
      throw UpdateError.missingExtension(shard.id)
    }
    let stores = shards.map(\.store) + [bootstrap].compactMap { $0 }
    let files = stores.map { RemoteFile($0) } + shards.flatMap { $0.deltas ?? [] }.map { RemoteFile($0) }
    guard files.allSatisfy({ $0.bytes <= RemoteFile.bytesMax }) else { throw UpdateError.badManifest }
  }
}
