// Writes a project to its folder: completely to a staging folder first, then moved into place.

import CallDirectory
import CallManifest
import CallStoreReader
import Hashing
package import Records
import StoreWriting
import SystemIO
import SystemPackage

package struct ProjectFolder {
  /// The buffer size for copying a store, in bytes.
  private static let copiedBytesMax = 1 << 18

  package let path: String
  /// Whether the folder may contain other files.
  package let force: Bool

  /// Refers to a folder; does not access it.
  package init(path: String, force: Bool) {
    self.path = path
    self.force = force
  }

  /// Writes a project, its stores and its compiled rules. After an error the folder is unchanged, unless the disk fails
  /// during the renames. A folder that was missing or empty is missing or empty again.
  package func write(_ plan: ProjectPlan, _ stores: [ProjectStore], rules: ContiguousArray<UInt8>? = nil)
    throws(Failure)
  {
    var files = plan.files.map { (path: $0.path, content: $0.bytes) }
    files.removeAll { file in
      ProjectPlan.ownersFiles.contains(file.path)
        && FileKind(of: FilePath(path).pushing(FilePath(file.path))) != .none
    }
    if let rules { files.append(("\(ProjectPlan.rulesFolder)/\(ProjectPlan.rulesName)", rules)) }
    if FileKind(of: FilePath(path)) == .directory {
      let wasEmpty = try asFailure(nil) { () throws(SystemError) in try Directory.names(path).isEmpty }
      guard wasEmpty || force else {
        throw Failure(
          nil, .cannotCreate, "not-empty", "'\(path)' is not empty",
          hint: "to replace the project files in it, add --force")
      }
      try checkKind(plan.kind)
      try checkKeys(plan)
      let staging = UnpublishedFiles.name(beside: FilePath(path).appending("scaffold"))
      try staged(staging) { () throws(Failure) in
        let names = try stage(files, stores, in: staging)
        try asFailure(nil) { () throws(SystemError) in
          try check(names)
          try move(names, from: staging, wasEmpty: wasEmpty)
          if stores.contains(where: { $0.id != nil }) { try removeFormer(keeping: names) }
        }
      }
    } else {
      let (top, rest) = try asFailure(nil) { () throws(SystemError) in try missing() }
      let staging = UnpublishedFiles.name(beside: top)
      try staged(staging) { () throws(Failure) in
        _ = try stage(files, stores, in: rest.reduce(into: staging) { $0.append($1) })
        try asFailure(nil) { () throws(SystemError) in try rename(staging, to: top) }
      }
    }
  }

  /// The descriptions of Xcode projects in the folder that are not the plan's: an earlier project had another name or
  /// was for another program. They are not removed, because they may be the user's own.
  package func formerDescriptions(besides plan: ProjectPlan) -> [String] {
    let files = plan.files.compactMap { FilePath($0.path).components.first?.string }
    // XcodeGen and Tuist generate one with the plan's name.
    let own = Set(files + ["\(plan.name).xcodeproj"])
    let descriptions: Set<String> = ["project.yml", "Project.swift", "Tuist.swift"]
    let names = (try? Directory.names(path)) ?? []
    return names.filter { !own.contains($0) && ($0.hasSuffix(".xcodeproj") || descriptions.contains($0)) }
      .sorted()
  }

  /// Refuses a folder with a project of another kind, whose entry point would remain.
  private func checkKind(_ kind: ProjectKind) throws(Failure) {
    for other in ProjectKind.allCases
    where other != kind
      && FileKind(of: FilePath(path).pushing(FilePath(other.entryFile))) != .none
    {
      throw Failure(
        nil, .cannotCreate, "other-kind", "'\(path)' has a project of --kind \(other.rawValue)",
        hint: "choose another directory with -o")
    }
  }

  /// Refuses to replace an app that accepts only what its publisher signed by one that accepts anything: most likely, an
  /// option was forgotten.
  private func checkKeys(_ plan: ProjectPlan) throws(Failure) {
    let path = FilePath(path).pushing(FilePath(ProjectPlan.appInfoPath)).string
    let options = [
      ("ListKey", "--list-key", plan.options.listKeys), ("RulesKey", "--rules-key", plan.options.rulesKeys),
    ]
    for (key, option, keys) in options where keys.isEmpty {
      guard let former = try? InputFile.bytes(of: path, limit: Self.copiedBytesMax),
        String(decoding: former, as: UTF8.self).contains("<key>\(key)</key>")
      else { continue }
      throw Failure(
        nil, .cannotCreate, "dropped-key",
        "without \(option), the app in '\(PrintableText.line(self.path))' would accept what nobody has signed",
        hint:
          "repeat all options, which are in its README.md; to give up signatures, first remove \(key) from "
          + "\(ProjectPlan.appInfoPath)")
    }
  }

  private func missing() throws(SystemError) -> (top: FilePath, rest: [FilePath.Component]) {
    var top = FilePath(path)
    var rest: [FilePath.Component] = []
    while true {
      let parent = top.removingLastComponent()
      // A dangling link is not a missing folder, and .. after a missing folder is undefined.
      guard let last = top.lastComponent, last.kind == .regular, !SymbolicLink.exists(top.string) else {
        throw SystemError(.createOutput, path, .notDirectory)
      }
      switch parent.isEmpty ? .directory : FileKind(of: parent) {
      case .directory: return (top, rest)
      case .none where !SymbolicLink.exists(parent.string):
        rest.insert(last, at: 0)
        top = parent
      default: throw SystemError(.createOutput, path, .notDirectory)
      }
    }
  }

  /// Runs `work` with a staging folder, which is removed afterwards, also on a signal, unless it was renamed. Errors
  /// name the project's folder instead of the staging folder.
  private func staged(_ staging: FilePath, _ work: () throws(Failure) -> Void) throws(Failure) {
    let ticket = UnpublishedFiles.shared.add(directory: staging) { () throws(Never) in }
    defer {
      DirectoryTree.remove(staging.string)
      UnpublishedFiles.shared.remove(ticket)
    }
    do throws(Failure) {
      try work()
    } catch {
      guard let failure = error.systemError, failure.path.hasPrefix(staging.string) else {
        throw error
      }
      throw Failure(nil, SystemError(failure.operation, path, failure.code))
    }
  }

  // MARK: Writing

  /// Writes everything to a folder and returns the names, stores first.
  private func stage(
    _ files: [(path: String, content: ContiguousArray<UInt8>)], _ stores: [ProjectStore], in folder: FilePath
  ) throws(Failure) -> [FilePath] {
    var names: [FilePath] = []
    for store in stores {
      let name = FilePath(store.place)
      try copy(store, to: folder.pushing(name))
      names.append(name)
    }
    for file in files {
      let name = FilePath(file.path)
      try asFailure(nil) { () throws(SystemError) in
        try Directory.make(folder.pushing(name).removingLastComponent().string)
        var written = try OutputFile(folder.pushing(name).string)
        try written.write(file.content.span)
        try written.publish(durably: false)
      }
      names.append(name)
    }
    return names
  }

  private func copy(_ store: ProjectStore, to place: FilePath) throws(Failure) {
    let kind = FileKind(of: FilePath(store.path))
    guard kind == .regular || kind == .none, SymbolicLink.destination(of: store.path) == nil else {
      throw Failure(
        nil, .badData, "not-a-file",
        "'\(store.path)' is not a regular file but a link, a directory, a pipe or a device",
        hint: "emit or download the stores again")
    }
    try asFailure(nil) { () throws(SystemError) in
      try Directory.make(place.removingLastComponent().string)
      var source = try InputFile(store.path)
      var copy = try OutputFile(place.string)
      var chunk = ByteChunk(capacity: Self.copiedBytesMax)
      while try source.read(into: &chunk) > 0 {
        try copy.write(chunk)
        chunk.removeAll()
      }
      try copy.publish(durably: false)
    }
    let found: [UInt8]
    do throws(StoreVerificationError) {
      found = try StoreVerification.verify(path: place.string)
    } catch {
      throw .damagedStore(error, path: store.path)
    }
    guard Hexadecimal.text(found) == store.contentHash else {
      throw Failure(
        nil, .badData, "other-store", "'\(store.path)' is not the store that the manifest lists",
        hint: "emit or download the stores again")
    }
  }

  // MARK: Moving

  /// Checks, before anything is changed, that every name is unused or a file.
  private func check(_ names: [FilePath]) throws(SystemError) {
    for name in names {
      let target = FilePath(path).pushing(name)
      if FileKind(of: target) == .directory { throw SystemError(.createOutput, target.string, .isDirectory) }
      let parent = target.removingLastComponent()
      if SymbolicLink.exists(parent.string), FileKind(of: parent) != .directory {
        throw SystemError(.createOutput, target.string, .notDirectory)
      }
    }
  }

  private func move(_ names: [FilePath], from staging: FilePath, wasEmpty: Bool) throws(SystemError) {
    do throws(SystemError) {
      for name in names {
        let target = FilePath(path).pushing(name)
        try Directory.make(target.removingLastComponent().string)
        try rename(staging.pushing(name), to: target)
      }
    } catch {
      if wasEmpty {
        for name in Set(names.compactMap { $0.components.first }) {
          DirectoryTree.remove(FilePath(path).appending(name).string)
        }
      }
      throw error
    }
  }

  /// Removes the previous stores after the new ones are in place, because an extension loads the store that it finds.
  private func removeFormer(keeping names: [FilePath]) throws(SystemError) {
    let folder = FilePath(path).appending(ProjectPlan.storesFolder)
    let kept = Set(names.compactMap { $0.lastComponent?.string })
    for former in try Directory.names(folder.string) where Self.isShard(former) && !kept.contains(former) {
      do throws(Errno) {
        try KernelCalls().unlink(folder.appending(former))
      } catch {
        throw SystemError(.publishOutput, folder.appending(former).string, error)
      }
    }
  }

  /// Whether a file has a shard's name, `0001-….cdstore`. Other files belong to the user.
  private static func isShard(_ name: String) -> Bool {
    let id = name.utf8.prefix { $0 != UInt8(ascii: "-") }
    return id.count == 4 && Int(name.prefix(4)) != nil && name.hasSuffix(".cdstore")
  }

  private func rename(_ one: FilePath, to other: FilePath) throws(SystemError) {
    do throws(Errno) {
      try KernelCalls().rename(one, to: other)
    } catch {
      throw SystemError(.publishOutput, other.string, error)
    }
  }

}

extension Failure {
  fileprivate static func damagedStore(_ error: StoreVerificationError, path: String) -> Failure {
    Failure(nil, .badData, "damaged-store", error.userMessage(path: path))
  }
}

// The stores of a project: those of a directory of shards, one that becomes the store of the first extension, a bootstrap
// store, and those that rules name.

package struct ProjectStore: Sendable {
  /// The number of the extension that loads it, from 1; nil if it is not a shard.
  package let id: Int?
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
    switch try ListInput(path) {
    case .shards(let directory):
      return directory.shards.map { shard in
        ProjectStore(
          id: shard.id, path: shard.store.path, place: "\(ProjectPlan.storesFolder)/\(shard.store.name)",
          contentHash: shard.contentHash)
      }
    case .lookup: throw .notShards(path: path)
    case .file(let path):
      return [
        try ProjectStore(path, id: 1) { hash in
          "\(ProjectPlan.storesFolder)/\(ShardFolder.storeName(id: 1, contentHash: hash))"
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
    switch try ListInput(path) {
    case .shards(let directory):
      let folder = FilePath(directory.manifestPath).removingLastComponent()
      let store = directory.manifest.bootstrap.map { store in
        ProjectStore(
          id: nil, path: folder.appending(store.name).string, place: place, contentHash: store.contentHash)
      }
      return (store, directory.shards.map(\.id).max())
    case .lookup: throw .notShards(path: path)
    case .file(let path): return (try ProjectStore(path, id: nil) { _ in place }, nil)
    }
  }

  /// The store with the callers of an app that makes its own calls: a store, or the only one of a directory of shards.
  ///
  /// - Complexity: O(bytes of the store).
  package static func callers(of path: String) throws(Failure) -> ProjectStore {
    let stores = try shards(of: path)
    guard let store = stores.first, stores.count == 1 else {
      throw Failure(
        nil, .badData, "several-stores",
        "'\(PrintableText.line(path))' has \(stores.count) stores; the app looks callers up in one",
        hint: "write a single store: cdpipe emit --format store -o FILE.cdstore")
    }
    return ProjectStore(
      id: nil, path: store.path, place: "\(ProjectPlan.storesFolder)/\(ProjectPlan.callersName)",
      contentHash: store.contentHash)
  }

  /// A store that rules name, which is copied next to them.
  ///
  /// - Parameters:
  ///   - path: the store's path.
  ///   - name: its name in the rules, which must be a name without folders.
  /// - Complexity: O(bytes of the store).
  package static func ofRules(_ path: String, name: String) throws(Failure) -> ProjectStore {
    guard !name.contains("/") else {
      throw Failure(
        nil, .badData, "store-in-folder",
        "the rules name the store '\(PrintableText.line(name))', which is not next to them",
        hint: "put the store next to the rules, and name it without a folder")
    }
    return try ProjectStore(path, id: nil) { _ in "\(ProjectPlan.rulesFolder)/\(name)" }
  }

  /// Whether the store has more entries than iOS accepts in one request. It was checked when it was copied.
  package var isLarge: Bool {
    guard let store = try? CallStore(path: path) else { return false }
    let entries = store.entryCounts
    return entries.blocking &+ entries.identification > UInt64(ExtensionFiles.additionsMax)
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
      throw .unreadableShards(error)
    }
    let hash: [UInt8]
    do throws(StoreVerificationError) {
      hash = try StoreVerification.verify(path: path)
    } catch {
      throw .damagedStore(error, path: path)
    }
    // A link that the user named is followed; one in a directory of shards is refused.
    self.init(
      id: id, path: SymbolicLink.destination(of: path) == nil ? path : SymbolicLink.resolved(path),
      place: place(hash), contentHash: Hexadecimal.text(hash))
  }
}

package enum ScaffoldText {
  /// How the lookup server's data are made for the extension.
  package static func extensionIdentifier(_ identifier: String) -> String {
    "the extension is \(identifier): write the server's data with "
      + "'cdpipe emit --format pir --bundle-id \(identifier)'"
  }

  package static func absolutePackage(_ path: String) -> String {
    "the project works only on this machine: --package '\(PrintableText.line(path))' is an absolute path"
  }

  package static func largeStore(_ store: ProjectStore) -> String {
    "'\(PrintableText.line(store.path))' has more than \(ExtensionFiles.additionsMax) entries, which iOS refuses in one "
      + "request: the extension loads them in several"
  }

  package static let unsigned =
    "without --list-key, the app accepts any list from its server: sign lists with "
    + "'publish: { sign: KEYFILE }'"

  package static let unsignedRules =
    "without --rules-key, the app accepts any rules from its server: sign rules with "
    + "'cdpipe rules compile --sign KEYFILE'"

  package static func noBootstrap(_ path: String) -> String {
    "'\(PrintableText.line(path))' has no bootstrap store, so the app starts without numbers: write one "
      + "with 'cdpipe emit --bootstrap N'"
  }

  /// A folder has descriptions of an earlier project, which were not replaced.
  package static func formerDescriptions(_ names: [String], in path: String) -> String {
    let shown = names.map { "'\(PrintableText.line($0))'" }.joined(separator: ", ")
    return
      "'\(PrintableText.line(path))' also has \(shown) of an earlier project: remove what you no "
      + "longer use"
  }

  package static func notAPublicKey(_ path: String, isPrivate: Bool) -> UserMessage {
    let file = PrintableText.line(path)
    return isPrivate
      ? UserMessage(
        "'\(file)' has a private key, which must not be in an app",
        hint: "use its public key: cdpipe keys show \(ShellQuoting.quoted(path)) > list.pub")
      : UserMessage(
        "'\(file)' is not a public key",
        hint: "use a file with the output of 'cdpipe keys show FILE', one key per file")
  }
}
