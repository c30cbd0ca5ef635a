// An existing directory of shards: its manifest, and the stores and deltas that the manifest names.

import CallDeltaReader
package import CallManifest
import CallStoreFormat
import CallStoreReader
import Hashing
package import Records
package import SystemIO
import SystemPackage

package struct ShardFolder: Sendable {
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
  private let use: ShardUse
  /// The manifest's file when it was read.
  private let signature: FileSignature?
  private let calls: any SystemCalls

  /// The name of a shard's store: its id, and the first digits of its content hash.
  package static func storeName(id: Int, contentHash: [UInt8]) -> String {
    ManifestNames.shard(id, contentHash)
  }

  /// Reads and validates a manifest, named by its own path or that of its directory. Links are resolved. The stores are
  /// not opened.
  package init(
    _ path: String, calls: any SystemCalls = KernelCalls(), _ use: ShardUse = .input
  ) throws(Failure) {
    let location = try asShards(use) { () throws(SystemError) in try ManifestLocation(path, calls: calls) }
    signature = FileSignature(of: location.path, calls: calls)
    let manifest = try Manifest(path: location.path, calls: calls, use)
    self.calls = calls
    self.location = location
    self.manifest = manifest
    self.use = use
    shards = manifest.shards.enumerated().map { index, shard in
      Shard(
        id: shard.id, from: shard.from,
        store: ManifestStore(
          path: location.file(shard.store.name), description: shard.store, manifest: location.path,
          key: "shards[\(index)]", use: use),
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

  /// Whether there is another directory in this one's place by now, or none.
  package var isReplaced: Bool {
    if let signature, FileSignature(of: manifestPath, calls: calls) == signature { return false }
    do throws(Failure) {
      return try Manifest(path: manifestPath, calls: calls, use) != manifest
    } catch {
      return error.errorClass != .inputOutput
    }
  }

  /// An error of reading a file, or the replacement of the directory if that explains it.
  func explained(_ error: Failure) -> Failure { isReplaced ? .replaced(path: manifestPath) : error }

  /// Checks that every shard's store exists and that its own header agrees with the manifest. The stores' blocks are
  /// not read. Returns the paths of the stores, in the order of their numbers.
  @discardableResult
  package func checkHeaders() throws(Failure) -> [String] {
    try throwing({ explained($0) }) { () throws(Failure) in
      for shard in shards { try shard.store.checkHeader() }
    }
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

extension ShardFolder {
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
    let use: ShardUse

    /// Checks every byte of the file, and that it is the one that the manifest describes.
    package func verify() throws(Failure) {
      switch description {
      case .store(let description):
        let store = ManifestStore(
          path: path, description: description, manifest: manifest, key: key, use: use)
        try store.checkHeader()
        try store.verify()
      case .delta(let description): try verifyDelta(description)
      }
    }

    private func verifyDelta(_ description: Manifest.Delta) throws(Failure) {
      let header: DeltaHeader
      do throws(DeltaVerificationError) {
        header = try DeltaFile.verify(path)
      } catch {
        throw .invalidListedDelta(error, path: path)
      }
      let hash = try asShards(use) { () throws(SystemError) in
        try FileHash.sha256(path, calls: KernelCalls())
      }
      guard Hexadecimal.text(header.baselineHash) == description.from,
        Hexadecimal.text(header.resultHash) == description.to, hash == description.sha256
      else { throw .otherDelta(path: path, use) }
    }
  }

  /// The files that the manifest names: the stores in the order of their numbers, the bootstrap store, then the deltas.
  package var files: [ListedFile] {
    var files: [ListedFile] = []
    func add(_ name: String, _ description: ListedFile.Description, _ key: String) {
      files.append(
        ListedFile(
          path: location.file(name), description: description, manifest: manifestPath, key: key, use: use))
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
  package func verify() throws(Failure) {
    for file in files { try file.verify() }
  }
}

// MARK: - The signature of a directory of shards

extension Failure {
  /// The library that checks signatures is not installed, or can't be used; `package` is the system's package.
  package static func signatureLibraryMissing(_ name: String, package: String) -> Failure {
    Failure(
      nil, .unavailable, "library-missing", "cannot load \(name), which makes and checks signatures",
      hint: "install the package \(package)", blamesSource: false)
  }

  /// A manifest, or compiled rules, are not trusted.
  package static func untrusted(
    _ error: ManifestSignatureError, path: String, of content: SignedContent = .manifest
  ) -> Failure {
    let file = "\(path).sig"
    let (name, use, sign, again) =
      switch content {
      case .manifest:
        (
          "a manifest", "do not use the list",
          "sign it with 'publish: { sign: KEYFILE }' in the pipeline file",
          "run the pipeline file again: every run renews the signature"
        )
      case .rules:
        (
          "compiled rules", "do not use the rules", "sign it with 'cdpipe rules compile --sign KEYFILE'",
          "compile the rules again with --sign"
        )
      }
    let message: UserMessage
    switch error {
    case .unsigned:
      message = UserMessage(
        "'\(path)' is not signed: there is no '\(FilePath(file).lastComponent?.string ?? file)' beside it",
        hint: sign)
    case .damaged:
      message = UserMessage(
        "'\(file)' is not the signature of \(name)", hint: "fetch it again, or sign again")
    case .unsupportedVersion(let version):
      message = UserMessage(
        "'\(file)' has version \(version) of the signature format, which this cdpipe does not support",
        hint: "use a newer cdpipe")
    case .wrongKey(let keys):
      message = UserMessage(
        "'\(path)' is signed with another key (\(keys.joined(separator: ", ")))",
        hint: "\(use), unless the publisher has changed its key")
    case .altered:
      message = UserMessage(
        "'\(path)' or its signature was altered after it was signed",
        hint: "fetch both files again; if that does not help, \(use)")
    case .olderThanAccepted(let serial, let accepted):
      message = UserMessage(
        "'\(path)' is older than the last accepted one: its serial number is \(serial), not at least \(accepted)",
        hint: use)
    case .expired(let time):
      message = UserMessage(
        "the signature of '\(path)' expired at \(WallClock.text(Double(time)))",
        hint: again)
    case .cannotCheck:
      message = UserMessage(
        "cannot check the signature of '\(path)': the cryptographic library failed", hint: "try again")
    case .manifest(let error): return .invalidManifest(error, path: path)
    }
    return Failure(nil, .badData, "untrusted", message)
  }
}

extension ShardFolder {
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
  ) throws(Failure) -> ManifestSignature {
    try Self.openSignatureLibrary()
    let (bytes, signature) = try asFailure(nil) { () throws(SystemError) in
      let bytes = try InputFile.bytes(of: manifestPath, limit: Manifest.bytesMax, calls: calls)
      let isSigned = try SymbolicLink.isPresent(signaturePath, calls: calls)
      return (
        bytes,
        isSigned
          ? try InputFile.bytes(of: signaturePath, limit: ManifestSignature.bytesMax, calls: calls) : nil
      )
    }
    do throws(ManifestSignatureError) {
      let signed = try SignedManifest(
        manifest: bytes, signature: signature, keys: keys, lastAccepted: nil, now: now)
      // The file may have been replaced since it was read.
      guard signed.manifest == manifest else { throw ManifestSignatureError.altered }
      return signed.signature
    } catch {
      throw .untrusted(error, path: manifestPath)
    }
  }

  /// Opens the library of signatures first: a manifest's own errors don't tell why it can't be opened.
  package static func openSignatureLibrary() throws(Failure) {
    do throws(Ed25519.LibraryError) {
      try Ed25519.open()
    } catch {
      guard case .unavailable(let name, let package, let code) = error else { return }
      let number = Errno(rawValue: code)
      throw number.blamesMachine
        ? Failure(nil, SystemError(.openInput, name, number))
        : .signatureLibraryMissing(name, package: package)
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
  let use: ShardUse

  package var name: String { description.name }

  package var contentHash: [UInt8] { Hexadecimal.sha256(description.contentHash) ?? [] }

  /// Checks that the store exists and that its own header agrees with the manifest. Its blocks are not read.
  package func checkHeader() throws(Failure) { _ = try open() }

  /// Opens the store and checks that its own header agrees with the manifest.
  func open() throws(Failure) -> CallStore {
    let store = try unchecked()
    try checkContentHash(store.contentHash)
    try require(UInt64(store.byteCount) == description.bytes, "bytes")
    try require(store.entryCounts == description.entries, "entries")
    try require(store.recordCounts == description.records, "records")
    try require(store.firstNumber == description.first, "first")
    try require(store.lastNumber == description.last, "last")
    return store
  }

  private func unchecked() throws(Failure) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(path: path)
    } catch {
      throw failure(.unreadable(error))
    }
  }

  /// Checks every byte of the store, its content hash and the SHA-256 of its file.
  package func verify() throws(Failure) {
    let found = try verifyContent()
    try require(found.file == Hexadecimal.sha256(description.sha256), "sha256")
  }

  @discardableResult
  func verifyContent() throws(Failure) -> StoreHashes {
    let found: StoreHashes
    do throws(StoreVerificationError) {
      found = try StoreVerification.hashes(path: path)
    } catch {
      throw failure(error)
    }
    try checkContentHash(found.content)
    return found
  }

  private func checkContentHash(_ found: [UInt8]) throws(Failure) {
    guard found == contentHash else {
      throw .otherShard(path: path, expected: contentHash, found: found, use)
    }
  }

  private func require(_ isEqual: Bool, _ part: String) throws(Failure) {
    if !isEqual {
      throw .invalidManifest(.invalid(.differsFromStore, key: "\(key).\(part)"), path: manifest, use)
    }
  }

  private func failure(_ error: StoreVerificationError) -> Failure {
    if case .unreadable(.cannotOpen(let code)) = error { return .missingShard(path: path, code: code, use) }
    return .invalidShard(error, path: path, use)
  }
}
