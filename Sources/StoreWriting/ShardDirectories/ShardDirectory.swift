// An existing directory of shards: its manifest, and the stores and deltas that the manifest names.

import CallDeltaReader
package import CallManifest
import CallStoreFormat
import CallStoreReader
import Hashing
package import Records
package import SystemIO
import SystemPackage

package struct ShardDirectory: Sendable {
  package struct Shard: Sendable {
    /// The number of the extension, from 1.
    package let id: Int
    /// The shard's first possible number. It holds the numbers from here to the next shard's.
    package let from: UInt64
    package let store: ManifestStore
    /// The store's identity, 64 hexadecimal digits.
    package let contentHash: String
    /// The chains of deltas that lead to the store, keyed by the identity of the store that each starts from: paths in
    /// the order of their steps.
    package let deltas: [String: [String]]
  }

  /// The shards, in the order of their numbers.
  package let shards: [Shard]
  package let manifest: Manifest
  /// The paths of the manifest and of the files next to it.
  let location: ManifestLocation

  /// The name of a shard's store: its id, and the first digits of its content hash.
  package static func storeName(id: Int, contentHash: [UInt8]) -> String {
    ManifestNames.shard(id, contentHash)
  }

  /// Reads and validates a manifest, named by its own path or that of its directory. Links are resolved. The stores are
  /// not opened.
  package init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(ShardDirectoryError) {
    let location = try throwing(ShardDirectoryError.unreadable) { () throws(SystemError) in
      try ManifestLocation(path, calls: calls)
    }
    let manifest = try Manifest(path: location.path, calls: calls)
    self.location = location
    self.manifest = manifest
    shards = manifest.shards.enumerated().map { index, shard in
      Shard(
        id: shard.id, from: shard.from,
        store: ManifestStore(
          path: location.file(shard.store.name), description: shard.store, manifest: location.path,
          key: "shards[\(index)]"),
        contentHash: shard.store.contentHash,
        deltas: shard.chains.mapValues { $0.map { location.file($0.name) } })
    }
  }

  /// The manifest's path. If it was named through a link, it is the path that the link led to.
  package var manifestPath: String { location.path }
  /// The id of the version in a published folder; nil for any other directory.
  package var version: String? {
    let directory = FilePath(location.path).removingLastComponent()
    guard let id = directory.lastComponent?.string, PublishedNames.isID(id),
      directory.removingLastComponent().lastComponent?.string == PublishedNames.versions
    else { return nil }
    return id
  }
  /// The identity of all shards together, 64 hexadecimal digits.
  package var contentID: String { manifest.contentID }
  /// The number of single numbers in all shards, of both kinds.
  package var entries: UInt64 { manifest.entries.sum }
  /// The names of the shards' stores, without those of other files.
  package var shardNames: [String] { manifest.shards.map(\.store.name) }
  package var deltaNames: [String] { manifest.shards.flatMap { ($0.deltas ?? []).map(\.name) } }

  /// Checks that every shard's store exists and that its own header agrees with the manifest. The stores' blocks are
  /// not read. Returns the paths of the stores, in the order of their numbers.
  @discardableResult
  package func checkHeaders() throws(ShardDirectoryError) -> [String] {
    for shard in shards { try shard.store.checkHeader() }
    return shards.map(\.store.path)
  }

  /// Counts the single numbers that differ from an earlier state, from the deltas that start there; nil if it is not the
  /// baseline of this directory, or if there are no deltas. Shards that have not changed are not read.
  ///
  /// - Complexity: O(records of the deltas, and of shards that are new).
  package func changes(since earlier: [Shard]) throws(Failure) -> NumberChanges? {
    guard manifest.baseline != nil else { return nil }
    var known = Dictionary(earlier.map { ($0.id, $0.contentHash) }) { first, _ in first }
    var (old, new): ([NumberChanges.Part], [NumberChanges.Part]) = ([], [])
    for shard in shards {
      guard let hash = known.removeValue(forKey: shard.id) else {
        new.append(.store(shard.store.path))
        continue
      }
      if hash == shard.contentHash { continue }
      guard let deltas = shard.deltas[hash] else { return nil }
      old += deltas.map { NumberChanges.Part.removals(delta: $0) }
      new += deltas.map { NumberChanges.Part.additions(delta: $0) }
    }
    guard known.isEmpty else { return nil }
    return try NumberChanges(old: old, new: new)
  }
}

// All files of a directory of shards, each with its description in the manifest, and their full check.

extension ShardDirectory {
  package struct ListedFile: Sendable {
    package enum Description: Sendable {
      case store(Manifest.Store)
      case delta(Manifest.Delta)
    }

    package let path: String
    /// What the manifest states about it.
    package let description: Description
    /// The manifest's path, for errors.
    let manifest: String
    let key: String

    /// Checks every byte of the file, and that it is the one that the manifest describes.
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
      let header = try throwing({ ShardDirectoryError.invalidDelta($0, path: path) }) {
        () throws(DeltaVerificationError) in try DeltaFile.verify(path)
      }
      let hash = try throwing(ShardDirectoryError.unreadable) { () throws(SystemError) in
        try FileHash.sha256(path, calls: KernelCalls())
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
  package func verify() throws(ShardDirectoryError) {
    for file in files { try file.verify() }
  }
}

// MARK: - The signature of a directory of shards

/// Why a directory of shards is not trusted.
package enum DirectorySignatureError: Error {
  case unreadable(SystemError)
  /// The library that checks signatures is not installed, or can't be used; `package` is the system's package.
  case libraryMissing(name: String, package: String)
  case untrusted(ManifestSignatureError)
}

extension ShardDirectory {
  /// The path of the signature: beside the manifest, in the same version of a published folder.
  package var signaturePath: String {
    FilePath(manifestPath).removingLastComponent().appending(ManifestSignature.fileName).string
  }

  /// Returns the signature by one of the keys, if it covers the manifest that was read and has not expired.
  ///
  /// - Parameter now: the time, in seconds since 1970.
  /// - Complexity: O(bytes of the manifest).
  package func signature(
    by keys: [ManifestKey], now: Int64, calls: any SystemCalls = KernelCalls()
  ) throws(DirectorySignatureError) -> ManifestSignature {
    try Self.openLibrary()
    let bytes: [UInt8]
    var signature: [UInt8]?
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: manifestPath, limit: Manifest.bytesMax, calls: calls)
      if try SymbolicLink.isPresent(signaturePath, calls: calls) {
        signature = try InputFile.bytes(of: signaturePath, limit: ManifestSignature.bytesMax, calls: calls)
      }
    } catch {
      throw .unreadable(error)
    }
    do throws(ManifestSignatureError) {
      let signed = try SignedManifest(
        manifest: bytes, signature: signature, keys: keys, lastAccepted: nil, now: now)
      // The file may have been replaced since it was read.
      guard signed.manifest == manifest else { throw ManifestSignatureError.altered }
      return signed.signature
    } catch {
      throw .untrusted(error)
    }
  }

  /// Opens the library of signatures first: a manifest's own errors don't tell why it can't be opened.
  private static func openLibrary() throws(DirectorySignatureError) {
    do throws(Ed25519.LibraryError) {
      try Ed25519.open()
    } catch {
      guard case .unavailable(let name, let package, let code) = error else { return }
      let number = Errno(rawValue: code)
      throw number.blamesMachine
        ? .unreadable(SystemError(.openInput, name, number)) : .libraryMissing(name: name, package: package)
    }
  }
}

// MARK: - A store that a manifest names, checked against its description in the manifest

package struct ManifestStore: Sendable {
  package let path: String
  let description: Manifest.Store
  /// The manifest's path, for errors.
  let manifest: String
  let key: String

  package var name: String { description.name }

  package var contentHash: [UInt8] { Hexadecimal.sha256(description.contentHash) ?? [] }

  /// Checks that the store exists and that its own header agrees with the manifest. Its blocks are not read.
  package func checkHeader() throws(ShardDirectoryError) { _ = try open() }

  /// Opens the store and checks that its own header agrees with the manifest.
  func open() throws(ShardDirectoryError) -> CallStore {
    let store = try unchecked()
    try checkContentHash(store.contentHash)
    try require(UInt64(store.byteCount) == description.bytes, "bytes")
    try require(store.entryCounts == description.entries, "entries")
    try require(store.recordCounts == description.records, "records")
    try require(store.firstNumber == description.first, "first")
    try require(store.lastNumber == description.last, "last")
    return store
  }

  private func unchecked() throws(ShardDirectoryError) -> CallStore {
    try throwing({ storeError(.unreadable($0)) }) { () throws(CallStoreError) in try CallStore(path: path) }
  }

  /// Checks every byte of the store, its content hash and the SHA-256 of its file.
  package func verify() throws(ShardDirectoryError) {
    let found = try verifyContent()
    try require(found.file == Hexadecimal.sha256(description.sha256), "sha256")
  }

  @discardableResult
  func verifyContent() throws(ShardDirectoryError) -> StoreHashes {
    let found = try throwing(storeError) { () throws(StoreVerificationError) in
      try StoreVerification.hashes(path: path)
    }
    try checkContentHash(found.content)
    return found
  }

  private func checkContentHash(_ found: [UInt8]) throws(ShardDirectoryError) {
    guard found == contentHash else { throw .otherStore(path: path, expected: contentHash, found: found) }
  }

  private func require(_ isEqual: Bool, _ part: String) throws(ShardDirectoryError) {
    if !isEqual { throw .manifest(.invalid(.differsFromStore, key: "\(key).\(part)"), path: manifest) }
  }

  private func storeError(_ error: StoreVerificationError) -> ShardDirectoryError {
    if case .unreadable(.cannotOpen(let code)) = error { return .missingStore(path: path, code: code) }
    return .invalidStore(error, path: path)
  }
}
