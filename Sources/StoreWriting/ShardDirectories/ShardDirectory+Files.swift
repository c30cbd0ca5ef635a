// All files of a directory of shards, each with its description in the manifest, and their full check.

import CallDeltaReader
package import CallManifest
import Hashing
import SystemIO

extension ShardDirectory {
  /// A file that the manifest names.
  package struct ListedFile: Sendable {
    /// The manifest's description of a file.
    package enum Description: Sendable {
      /// A shard's store, or the bootstrap store.
      case store(Manifest.Store)
      /// A delta.
      case delta(Manifest.Delta)
    }

    /// The file's path.
    package let path: String
    /// What the manifest states about it.
    package let description: Description
    /// The manifest's path, for errors.
    let manifest: String
    /// The key of the description in the manifest, for errors.
    let key: String

    /// Checks every byte of the file, and that it is the one that the manifest describes.
    ///
    /// - Complexity: O(bytes).
    package func verify() throws(ShardDirectoryError) {
      switch description {
      case .store(let description):
        let store = ManifestStore(path: path, description: description, manifest: manifest, key: key)
        try store.checkHeader()
        try store.verify()
      case .delta(let description): try verifyDelta(description)
      }
    }

    private func verifyDelta(_ description: Manifest.Delta) throws(ShardDirectoryError) {
      let header: DeltaHeader
      do throws(DeltaVerificationError) {
        header = try DeltaFile.verify(path)
      } catch {
        throw .invalidDelta(error, path: path)
      }
      let hash: String
      do throws(SystemError) {
        hash = try FileHash.sha256(path, calls: KernelCalls())
      } catch {
        throw .unreadable(error)
      }
      guard Hexadecimal.text(header.baselineHash) == description.from,
        Hexadecimal.text(header.resultHash) == description.to, hash == description.sha256
      else { throw .otherDelta(path: path) }
    }
  }

  /// The files that the manifest names: the stores in the order of their numbers, the bootstrap store, then the deltas.
  package var files: [ListedFile] {
    var files: [ListedFile] = []
    func add(_ name: String, _ description: ListedFile.Description, _ key: String) {
      files.append(
        ListedFile(path: location.file(name), description: description, manifest: manifestPath, key: key))
    }
    for (index, shard) in manifest.shards.enumerated() {
      add(shard.store.name, .store(shard.store), "shards[\(index)]")
    }
    if let bootstrap = manifest.bootstrap { add(bootstrap.name, .store(bootstrap), "bootstrap") }
    for (index, shard) in manifest.shards.enumerated() {
      for (step, delta) in (shard.deltas ?? []).enumerated() {
        add(delta.name, .delta(delta), "shards[\(index)].deltas[\(step)]")
      }
    }
    return files
  }

  /// Checks every byte of every store and delta.
  ///
  /// - Complexity: O(bytes).
  package func verify() throws(ShardDirectoryError) {
    for file in files { try file.verify() }
  }
}
