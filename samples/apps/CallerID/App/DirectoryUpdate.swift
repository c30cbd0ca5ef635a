// Downloads new files from the server, unpacks and checks them, and moves each into the extensions' folders by one
// rename. If anything fails, or the app is ended at any point, the extensions still find a consistent state.
//
// Not for deciding when to update (a background task of the app) or for loading (CallerDirectory).

import CallDirectory
import CallManifest
import CallStoreReader
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(SampleShared)
  import SampleShared
#endif

/// Fetches a file and returns its local URL. The caller moves or removes it.
typealias Fetch = @Sendable (_ url: URL) async throws -> URL

/// Updates the extensions' folders to the server's version.
struct DirectoryUpdate: Sendable {
  /// The URL of the folder on the server, with manifest.json and the files that it names, each compressed with gzip
  /// (`NAME.gz`).
  let server: URL
  /// The app group's folder.
  let group: URL
  /// The app's extensions.
  let extensions: Set<ExtensionIndex>
  /// Fetches a file; tests replace it.
  let fetch: Fetch

  /// Updates the folders and returns the extensions that have something to load, in ascending order.
  ///
  /// - Throws: `UpdateError`, or a network or disk error.
  func run() async throws -> [ExtensionIndex] {
    let manifest = try await manifest()
    var loading: [ExtensionIndex] = []
    for shard in manifest.shards {
      guard let index = extensions.first(where: { $0.number == shard.id }) else { continue }
      let folder = DirectoryFolder(index, in: group).url
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // The bootstrap store has the highest-scoring numbers of all shards. The first extension loads it before its own
      // shard.
      if shard == manifest.shards.first {
        try await place(
          manifest.bootstrap.map { RemoteFile($0) },
          at: folder.appendingPathComponent(ExtensionFiles.bootstrapName))
      }
      try await update(shard, folder)
      loading.append(index)
    }
    return loading.sorted()
  }

  private func manifest() async throws -> Manifest {
    let file = try await fetch(server.appendingPathComponent("manifest.json"))
    defer { try? FileManager.default.removeItem(at: file) }
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? UInt64
    guard let size, size <= UInt64(Manifest.bytesMax) else {
      throw UpdateError.tooLarge(name: "manifest.json")
    }
    return try Manifest(downloaded: try Data(contentsOf: file), for: extensions)
  }

  /// Deltas first, the store last: in between, the old store and the deltas that lead to the new one are complete.
  private func update(_ shard: Manifest.Shard, _ folder: URL) async throws {
    let store = folder.appendingPathComponent(ExtensionFiles.storeName)
    let present = Self.contentHash(store)
    if present == shard.store.contentHash { return }
    for step in 1...ExtensionFiles.deltasMax {
      let former = folder.appendingPathComponent(ExtensionFiles.deltaName(step))
      guard FileManager.default.fileExists(atPath: former.path) else { break }
      try FileManager.default.removeItem(at: former)
    }
    let deltas = present.flatMap { shard.chains[$0] } ?? []
    if deltas.count <= ExtensionFiles.deltasMax {
      for (index, delta) in deltas.enumerated() {
        let name = ExtensionFiles.deltaName(index + 1)
        try await place(RemoteFile(delta), at: folder.appendingPathComponent(name))
      }
    }
    try await place(RemoteFile(shard.store), at: store)
  }

  /// Downloads a file, unpacks and checks it, and renames it to `target`.
  private func place(_ file: RemoteFile?, at target: URL) async throws {
    guard let file else { return }
    if (try? Unpacking.matches(target, file)) == true { return }
    let packed = try await fetch(server.appendingPathComponent(file.name + ".gz"))
    defer { try? FileManager.default.removeItem(at: packed) }
    let new = target.appendingPathExtension("new")
    defer { try? FileManager.default.removeItem(at: new) }
    try Unpacking.gunzip(packed, to: new, name: file.name, bytes: file.bytes)
    guard try Unpacking.matches(new, file) else { throw UpdateError.damaged(name: file.name) }
    guard rename(new.path, target.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// The content hash of the store at a URL; nil if it is missing or damaged.
  private static func contentHash(_ url: URL) -> String? {
    guard let store = try? CallStore(path: url.path) else { return nil }
    return store.contentHash.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// Fetches with URLSession. An app that updates at night would use a background session.
  static let overNetwork: Fetch = { url in
    let (file, response) = try await URLSession.shared.download(from: url)
    if let status = (response as? HTTPURLResponse)?.statusCode, status != 200 {
      try? FileManager.default.removeItem(at: file)
      throw UpdateError.refused(name: url.lastPathComponent, status: status)
    }
    return file
  }
}
