// One update: which manifest is current and trusted, and what has to change in the extensions' folders.
//
// An extension finds its former state or its new one at any time. Deltas that continue those of a folder are put into
// place from the last to the first: without the first, the others do not count. A new store comes before its deltas: the
// former deltas neither start from it nor lead to it, so they do not count. A complete update ends with the manifest and
// its serial number.

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
    // The user's own list is in it.
    try Self.makeFolder(updater.folder.path, isBackedUp: true)
    let stored = UpdateFile.contents(manifestPath, bytesMax: Manifest.bytesMax)
    let state = UpdateState(updater.folder)
    let accepted = try await manifest(stored, state)
    let manifest = accepted.manifest
    try check(manifest)
    try downloads.keepOnly(manifest.fileNames)
    var update = DirectoryUpdate(shards: manifest.shards.map(\.id).sorted())
    for (index, shard) in manifest.shards.enumerated() {
      // It has the highest-scoring numbers of all shards, and is for the first extension, which loads it before its own
      // shard.
      let bootstrap = index == 0 ? manifest.bootstrap : nil
      if try await updateShard(shard, bootstrap) { update.changed.append(shard.id) }
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

  /// Brings the folder of an extension to its shard. Returns whether what it leads to has changed.
  private mutating func updateShard(
    _ shard: Manifest.Shard, _ bootstrap: Manifest.Store?
  ) async throws -> Bool {
    let folder = DirectoryUpdater.folder(of: shard.id, in: updater.folder)
    try Self.makeFolder(folder.path, isBackedUp: false)
    let files = ExtensionFiles(folder: folder.path)
    let present = try Self.state(of: files)
    let chain = present.flatMap { shard.chains[Hexadecimal.text($0.target)] } ?? []
    // A store of an earlier version of the app may stay for months.
    FileProtection.apply(to: files.store)
    var plan = UpdatePlan(
      to: Hexadecimal.sha256(shard.store.contentHash) ?? [], storeBytes: shard.store.bytes, from: present,
      chain: chain.map(\.bytes))
    // Files that stay are read again for months: a damaged one is replaced with the next change.
    if plan == .deltas, (try? files.verify()) == nil { plan = .store(withDeltas: true) }
    try await updateBootstrap(bootstrap, plan, folder)
    switch plan {
    case .nothing: return false
    case .deltas:
      let deltas = try await deltas(chain)
      try Task.checkCancellation()
      try place(deltas, after: present?.deltaCount ?? 0, in: folder)
    case .store(let withDeltas):
      let deltas = withDeltas ? try await deltas(chain) : []
      let store = try await downloads.file(RemoteFile(shard.store))
      guard Self.contentHash(store) == shard.store.contentHash else {
        throw DirectoryUpdateError.damaged(name: shard.store.name)
      }
      try Task.checkCancellation()
      try move(store, to: files.store)
      syncFolder(folder)
      try place(deltas, after: 0, in: folder)
    }
    return true
  }

  /// What an extension's files lead to; nil if there are none, or if they can't be used.
  private static func state(of files: ExtensionFiles) throws(DirectoryUpdateError) -> ExtensionFilesState? {
    do throws(CallDirectoryError) {
      return try files.state()
    } catch {
      // Files that are there but may not be read, such as before the first unlock, are not downloaded again.
      if let denied = error.deniedFile { throw .disk(code: denied.code, path: denied.path) }
      return nil
    }
  }

  /// Downloads deltas, and checks that each leads from and to the states in the manifest. Returns their paths.
  private mutating func deltas(_ chain: [Manifest.Delta]) async throws -> [String] {
    var paths: [String] = []
    for delta in chain {
      let path = try await downloads.file(RemoteFile(delta))
      let header = try? CallDelta(path: path).header
      guard let header, Hexadecimal.text(header.baselineHash) == delta.from,
        Hexadecimal.text(header.resultHash) == delta.to
      else { throw DirectoryUpdateError.damaged(name: delta.name) }
      paths.append(path)
    }
    return paths
  }

  /// Puts deltas into a folder, after its first `kept` ones. Removes the others: of a former store, or of an update that
  /// was interrupted. The first one goes first, since without it the others do not count.
  private func place(_ deltas: [String], after kept: Int, in folder: URL) throws {
    func path(_ step: Int) -> String { folder.appendingPathComponent(ExtensionFiles.deltaName(step)).path }
    for step in stride(from: kept + 1, through: ExtensionFiles.deltasMax, by: 1)
    where UpdateFile.exists(path(step)) {
      try updater.willChange(path(step))
      try FileManager.default.removeItem(atPath: path(step))
    }
    for (index, delta) in deltas.enumerated().reversed() { try move(delta, to: path(kept + index + 1)) }
    syncFolder(folder)
  }

  private func move(_ path: String, to target: String) throws {
    try updater.willChange(target)
    try UpdateFile.move(path, to: target)
  }

  private func syncFolder(_ folder: URL) {
    if updater.isDurable { UpdateFile.syncFolder(folder.path) }
  }

  private mutating func updateBootstrap(
    _ bootstrap: Manifest.Store?, _ plan: UpdatePlan, _ folder: URL
  ) async throws {
    let path = folder.appendingPathComponent(ExtensionFiles.bootstrapName).path
    guard let bootstrap else { return UpdateFile.remove(path) }
    guard plan.replacesBootstrap(Self.contentHash(path), with: bootstrap.contentHash) else { return }
    try move(try await downloads.file(RemoteFile(bootstrap)), to: path)
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
  ///
  /// - Parameter isBackedUp: whether backups have its files. Not what can be downloaded again; and on another phone, a
  ///   record from a backup would claim that iOS has loaded everything.
  static func makeFolder(_ path: String, isBackedUp: Bool) throws {
    if !UpdateFile.exists(path) {
      var attributes: [FileAttributeKey: Any] = [:]
      #if os(iOS)
        attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
      #endif
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: attributes)
    }
    #if canImport(Darwin)
      if !isBackedUp {
        var folder = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        // Otherwise, backups are larger than they need be.
        try? folder.setResourceValues(values)
      }
    #endif
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
