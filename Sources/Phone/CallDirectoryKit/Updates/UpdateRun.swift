// One update: which manifest is current and trusted, and what has to change in the extensions' folders.
//
// An extension finds a consistent state at any time: former deltas are removed first, which leaves the store that they
// lead to. New deltas are put into place from the last to the first: without the first one, the others do not count. Then
// the old store and the deltas are the new state; the new store is the same state. A complete update ends with the
// manifest and its serial number.

import CallDirectory
import CallManifest
import CallStoreReader
import Foundation
import Hashing

struct UpdateRun {
  private struct Accepted {
    var manifest: Manifest
    var bytes: [UInt8]
    var state: UpdateState
    var expires: Int64?
  }

  private let updater: DirectoryUpdater
  private var downloads: UpdateDownloads

  init(_ updater: DirectoryUpdater) {
    self.updater = updater
    downloads = UpdateDownloads(updater)
  }

  private var manifestPath: String { updater.folder.appendingPathComponent(Manifest.fileName).path }

  mutating func attempt() async throws -> DirectoryUpdate {
    try Self.makeFolder(updater.folder.path)
    let stored = UpdateFile.contents(manifestPath, bytesMax: Manifest.bytesMax)
    let state = UpdateState(updater.folder)
    let accepted = try await manifest(stored, state)
    let manifest = accepted.manifest
    try check(manifest)
    try downloads.keepOnly(manifest.fileNames)
    var update = DirectoryUpdate(shards: manifest.shards.map(\.id).sorted())
    for (index, shard) in manifest.shards.enumerated() {
      let folder = DirectoryUpdater.folder(of: shard.id, in: updater.folder)
      try Self.makeFolder(folder.path)
      // It has the highest-scoring numbers of all shards, and is for the first extension, which loads it before its own
      // shard.
      try await updateBootstrap(index == 0 ? manifest.bootstrap : nil, folder)
      if try await updateShard(shard, folder) { update.changed.append(shard.id) }
    }
    update.changed.sort()
    update.removed = try removeOthers(than: Set(update.shards))
    if accepted.bytes != stored {
      try UpdateFile.replace(manifestPath, with: accepted.bytes, durably: updater.isDurable)
    }
    if accepted.state != state { try accepted.state.write(to: updater.folder, durably: updater.isDurable) }
    downloads.removeAll()
    update.bytesDownloaded = downloads.bytesReceived
    update.serial = accepted.expires == nil ? nil : accepted.state.serial
    update.expires = accepted.expires.map { Date(timeIntervalSince1970: Double($0)) }
    return update
  }

  // MARK: The manifest

  private mutating func manifest(_ stored: [UInt8]?, _ state: UpdateState) async throws -> Accepted {
    switch updater.trust {
    case .unsigned: try await unsigned(stored, state)
    case .signed(let keys, let serialMin):
      try await signed(keys, lastAccepted: [state.serial, serialMin].compactMap { $0 }.max(), stored, state)
    }
  }

  private mutating func unsigned(_ stored: [UInt8]?, _ state: UpdateState) async throws -> Accepted {
    // An ETag of another manifest than the stored one would keep that for ever.
    let usable = stored.flatMap { state.manifestHash == UpdateState.hash($0) ? $0 : nil }
    let answer = try await downloads.small(
      Manifest.fileName, bytesMax: Manifest.bytesMax, unless: usable == nil ? nil : state.etag)
    let bytes = answer.isUnchanged ? usable ?? [] : answer.bytes
    var new = state
    if !answer.isUnchanged {
      new.etag = answer.etag
      new.manifestHash = UpdateState.hash(bytes)
    }
    do throws(ManifestError) {
      return Accepted(manifest: try Manifest(bytes: bytes), bytes: bytes, state: new)
    } catch {
      throw DirectoryUpdateError.manifest(error)
    }
  }

  /// The signature first: it is small, and shows whether the stored manifest is current.
  private mutating func signed(
    _ keys: [ManifestKey], lastAccepted: Int64?, _ stored: [UInt8]?, _ state: UpdateState
  ) async throws -> Accepted {
    let file = try await signatureFile()
    let now = Int64(updater.clock().timeIntervalSince1970)
    let signature: ManifestSignature
    do throws(ManifestSignatureError) {
      signature = try ManifestSignature(bytes: file, keys: keys, lastAccepted: lastAccepted, now: now)
    } catch {
      throw DirectoryUpdateError.untrusted(error)
    }
    let bytes: [UInt8]
    var new = state
    if let stored, signature.covers(stored) {
      bytes = stored
    } else {
      let answer = try await downloads.small(Manifest.fileName, bytesMax: Manifest.bytesMax)
      bytes = answer.bytes
      new.etag = answer.etag
      new.manifestHash = UpdateState.hash(bytes)
    }
    new.serial = signature.serial
    do throws(ManifestSignatureError) {
      let signed = try SignedManifest(manifest: bytes, signature: signature)
      return Accepted(manifest: signed.manifest, bytes: bytes, state: new, expires: signature.expires)
    } catch {
      throw DirectoryUpdateError.untrusted(error)
    }
  }

  /// The bytes of the signature; nil if the server has none.
  private mutating func signatureFile() async throws -> [UInt8]? {
    let name = ManifestSignature.fileName
    do {
      return try await downloads.small(name, bytesMax: ManifestSignature.bytesMax).bytes
    } catch DirectoryUpdateError.refused(_, DirectoryUpdateError.notFound),
      DirectoryUpdateError.refused(_, DirectoryUpdateError.gone)
    {
      return nil
    }
  }

  /// Checks a manifest against the app's extensions and limits, before anything changes.
  private func check(_ manifest: Manifest) throws(DirectoryUpdateError) {
    if let extensions = updater.extensions,
      let shard = manifest.shards.first(where: { !extensions.contains($0.id) })
    {
      throw .missingExtension(shard.id)
    }
    let stores = (manifest.shards.map(\.store) + [manifest.bootstrap].compactMap { $0 }).map {
      RemoteFile($0)
    }
    let deltas = manifest.shards.flatMap { $0.deltas ?? [] }.map { RemoteFile($0) }
    if let file = (stores + deltas).first(where: { $0.bytes > DirectoryUpdater.fileBytesMax }) {
      throw .tooLarge(name: file.name)
    }
  }

  // MARK: The extensions' folders

  /// Updates an extension's folder to its shard. Returns whether it has changed.
  private mutating func updateShard(_ shard: Manifest.Shard, _ folder: URL) async throws -> Bool {
    let store = folder.appendingPathComponent(ExtensionFiles.storeName).path
    let present = Self.contentHash(store)
    if present == shard.store.contentHash { return false }
    let chain = present.flatMap { shard.chains[$0] } ?? []
    var deltas: [String] = []
    if chain.count <= ExtensionFiles.deltasMax {
      for delta in chain { deltas.append(try await downloads.file(RemoteFile(delta))) }
    }
    let new = try await downloads.file(RemoteFile(shard.store))
    guard Self.contentHash(new) == shard.store.contentHash else {
      throw DirectoryUpdateError.damaged(name: shard.store.name)
    }
    try Task.checkCancellation()
    try removeDeltas(folder)
    for (index, delta) in deltas.enumerated().reversed() {
      let name = ExtensionFiles.deltaName(index + 1)
      try UpdateFile.move(delta, to: folder.appendingPathComponent(name).path)
    }
    try UpdateFile.move(new, to: store)
    if updater.isDurable { UpdateFile.syncFolder(folder.path) }
    return true
  }

  /// Removes all deltas of a folder, the first one first: then the others do not count.
  private func removeDeltas(_ folder: URL) throws {
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    for step in 1...ExtensionFiles.deltasMax where names.contains(ExtensionFiles.deltaName(step)) {
      try FileManager.default.removeItem(
        at: folder.appendingPathComponent(ExtensionFiles.deltaName(step)))
    }
  }

  private mutating func updateBootstrap(_ bootstrap: Manifest.Store?, _ folder: URL) async throws {
    let path = folder.appendingPathComponent(ExtensionFiles.bootstrapName).path
    guard let bootstrap else { return UpdateFile.remove(path) }
    if Self.contentHash(path) == bootstrap.contentHash { return }
    try UpdateFile.move(try await downloads.file(RemoteFile(bootstrap)), to: path)
  }

  /// Removes the folders of extensions for which the list has no shard. Returns their numbers, ascending.
  private func removeOthers(than shards: Set<Int>) throws -> [Int] {
    let names = try FileManager.default.contentsOfDirectory(atPath: updater.folder.path)
    let others = names.compactMap { DirectoryUpdater.shard(ofFolder: $0) }.filter { !shards.contains($0) }
    for shard in others {
      let folder = DirectoryUpdater.folder(of: shard, in: updater.folder)
      // First, so that it never claims that files are loaded which another list may have again.
      UpdateFile.remove(folder.appendingPathComponent(ExtensionFiles.recordName).path)
      try FileManager.default.removeItem(at: folder)
    }
    return others.sorted()
  }

  /// Creates a folder whose files can be read while the phone is locked: iOS loads extensions at any time.
  static func makeFolder(_ path: String) throws {
    if UpdateFile.exists(path) { return }
    var attributes: [FileAttributeKey: Any] = [:]
    #if os(iOS)
      attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
    #endif
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: attributes)
  }

  /// The content hash of the store at a path, in hexadecimal; nil if it is missing or damaged.
  private static func contentHash(_ path: String) -> String? {
    guard let store = try? CallStore(path: path) else { return nil }
    return Hexadecimal.text(store.contentHash)
  }
}

struct UpdateState: Codable, Equatable {
  var serial: Int64?
  var etag: String?
  /// The SHA-256 of the manifest that the ETag belongs to, in hexadecimal.
  var manifestHash: String?

  private static let name = "updates.json"
  private static let bytesMax = 16 << 10

  /// Reads the state of a folder. A missing or damaged file is an empty state.
  init(_ folder: URL) {
    let bytes = UpdateFile.contents(folder.appendingPathComponent(Self.name).path, bytesMax: Self.bytesMax)
    if let bytes, let state = try? JSONDecoder().decode(Self.self, from: Data(bytes)) { self = state }
  }

  func write(to folder: URL, durably: Bool) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try UpdateFile.replace(
      folder.appendingPathComponent(Self.name).path, with: Array(try encoder.encode(self)), durably: durably)
  }

  /// The SHA-256 of a manifest's bytes, in hexadecimal.
  static func hash(_ manifest: [UInt8]) -> String {
    var hasher = SHA256Hasher()
    hasher.update(manifest.span)
    return hasher.hex
  }
}
