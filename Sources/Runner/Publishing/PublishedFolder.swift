// The layout of a published folder.
//
//     DIR/current               a link to versions/ID; replacing it switches versions in one step
//     DIR/manifest.json         a link to current/manifest.json; it never changes, so it always matches
//     DIR/manifest.json.sig     a link to current/manifest.json.sig, if versions are signed
//     DIR/versions/ID/          a version: the files that emit wrote; never changed after the rename, but for the
//                               signature, which is renewed by a rename
//     DIR/versions/.new.tmp/    the version that is being written
//     DIR/.publish.json         the history, and the inputs of the last version
//     DIR/.lock                 the process that holds the lock
//     .DIR.sources/             beside the folder: the content that was fetched last, and the last good copies
//
// ID is 64 hexadecimal digits. No other link is followed: see DirectoryCalls.

import CallManifest
import Hashing
package import Records
package import StoreWriting
package import SystemIO
import SystemPackage

package struct PublishedFolder: Equatable, Sendable {
  package let directory: String

  /// Refers to a published folder; does not access it.
  package init(_ directory: String) {
    self.directory =
      directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
  }

  package var versions: String { directory + "/" + PublishedNames.versions }
  /// The staging folder: the version that is being written.
  package var staging: String { versions + "/.new.tmp" }
  package var current: String { directory + "/" + PublishedNames.current }
  package var manifest: String { directory + "/" + Manifest.fileName }
  package var signature: String { directory + "/" + ManifestSignature.fileName }
  /// A signature before it is renamed to its place: a killed run leaves no other file in a version's folder.
  var unplacedSignature: String { versions + "/.signature.tmp" }
  /// The folder of fetched sources and last good copies, if it can't be beside the published folder. Version 0.1.0 had
  /// it there always.
  var innerSources: String { directory + "/.sources" }
  var state: String { directory + "/.publish.json" }
  var lock: String { directory + "/.lock" }

  /// Opens the folder for calls that follow none of the links that others may have put into it.
  func confine(_ calls: any SystemCalls) throws(SystemError) -> DirectoryCalls {
    try DirectoryCalls(
      directory, owner: nil,
      ownLinks: [PublishedNames.current, Manifest.fileName, ManifestSignature.fileName], calls: calls)
  }

  /// Whether a path is in a version or beside the versions. Files that describe runs are not there: a run would take them
  /// for damage, or remove them.
  package func hasVersions(around path: String) -> Bool {
    let (calls, parent) = (KernelCalls(), FilePath(path).removingLastComponent())
    guard let versions = try? calls.resolve(FilePath(versions)),
      let place = try? calls.resolve(parent.isEmpty ? "." : parent)
    else { return false }
    return place.starts(with: versions)
  }

  /// The first of the folder's files and directories that is a symbolic link; nil if there is none.
  func planted(calls: any SystemCalls) throws(SystemError) -> String? {
    for path in [versions, staging, state, lock, innerSources] {
      do throws(Errno) {
        let status = try calls.statusIfPresent(FilePath(path), followsLinks: false)
        if status?.type == .symbolicLink { return path }
      } catch {
        throw SystemError(.openInput, path, error)
      }
    }
    return nil
  }

  package func version(_ id: String) -> String { versions + "/" + id }

  /// The version that `current` leads to; nil if there is none.
  package var currentVersion: String? { (try? currentVersion(calls: KernelCalls())) ?? nil }

  /// The version that `current` leads to; nil if there is none. Throws if the link can't be read.
  func currentVersion(calls: any SystemCalls) throws(SystemError) -> String? {
    let prefix = PublishedNames.versions + "/"
    guard let destination = try SymbolicLink.read(current, calls: calls), destination.hasPrefix(prefix)
    else { return nil }
    let id = String(destination.dropFirst(prefix.count))
    guard PublishedNames.isID(id), try SymbolicLink.isPresent(version(id), calls: calls) else { return nil }
    return id
  }

  func ids(calls: any SystemCalls) throws(SystemError) -> [String] {
    try Directory.names(versions, calls: calls, where: PublishedNames.isID)
  }

  /// Whether a name is that of an unfinished file or folder. If no run holds the lock, it is a leftover.
  static func isUnfinished(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".tmp") }

  /// Removes the leftovers of interrupted runs. Only for the process that holds the lock.
  func removeUnfinished(calls: any SystemCalls) {
    for folder in [directory, versions] { Self.removeUnfinished(in: folder, calls: calls) }
  }

  static func removeUnfinished(in folder: String, calls: any SystemCalls) {
    for name in (try? Directory.names(folder, calls: calls, where: isUnfinished)) ?? [] {
      DirectoryTree.remove(folder + "/" + name, calls: calls)
    }
  }
}

// MARK: - The content of a version and its identity

struct VersionContent {
  /// The identity: the manifest's `contentID` if the version contains only shards, otherwise a SHA-256 of that and the
  /// other files.
  let id: String
  fileprivate let shards: ShardFolder

  var entries: UInt64 { shards.entries }
  var kinds: KindCounts { shards.manifest.entries }

  let path: String

  /// Reads the manifest and hashes the files that are neither shards nor deltas.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    let shards: ShardFolder
    do throws(Failure) {
      shards = try ShardFolder(path, calls: calls, .version)
    } catch {
      throw .noManifest(error)
    }
    self = try asFailure(nil) { () throws(SystemError) in
      try VersionContent(path, shards, calls: calls)
    }
  }

  /// Hashes the files that are neither shards nor deltas.
  fileprivate init(_ path: String, _ shards: ShardFolder, calls: any SystemCalls) throws(SystemError) {
    // The content id covers shards and deltas. The manifest is not hashed because it also records the sources; its
    // signature changes every night.
    let known = Set(shards.shardNames + shards.deltaNames + [Manifest.fileName, ManifestSignature.fileName])
    var hash = SHA256Hasher()
    hash.update("\(shards.contentID)\n")
    var hasOthers = false
    // A lock file that could not be removed is not part of the version.
    for name in try DirectoryTree.files(path, calls: calls) where !known.contains(name) && name != ".lock" {
      hasOthers = true
      let digest = try FileHash.sha256(path + "/" + name, calls: calls)
      hash.update("\(digest) \(name)\n")
    }
    self.shards = shards
    self.path = path
    id = hasOthers ? hash.hex : shards.contentID
  }

  /// The single numbers that differ from an earlier version, from the deltas that start there; nil if the manifest has no
  /// deltas, or the earlier version can't be read.
  func changes(since earlier: String, calls: any SystemCalls) -> NumberChanges? {
    guard let old = try? ShardFolder(earlier, calls: calls) else { return nil }
    return try? shards.changes(since: old.shards)
  }

  func verify() throws(Failure) {
    do throws(Failure) {
      try shards.verify()
    } catch {
      throw .failedVerification(error)
    }
  }
}

extension ShardFolder {
  /// The files in the folder of a published version that its manifest does not name, if the folder's content is not
  /// that of the version: at least one of them was added or changed. Empty for any other directory.
  package func unlistedFiles(calls: any SystemCalls = KernelCalls()) throws(Failure) -> [String] {
    guard let version else { return [] }
    let folder = FilePath(manifestPath).removingLastComponent()
    guard try VersionContent(folder.string, calls: calls).id != version else { return [] }
    let listed = manifest.fileNames.union([Manifest.fileName, ManifestSignature.fileName, ".lock"])
    return try asFailure(nil) { () throws(SystemError) in
      try DirectoryTree.files(folder.string, calls: calls).filter { !listed.contains($0) }
        .map { folder.appending($0).string }
    }
  }
}

extension PublishedFolder {
  /// The signatures of a version's files, without reading their content; nil if one is inaccessible. The signature of
  /// the manifest is left out: it is checked by itself.
  func looks(of id: String, calls: any SystemCalls) -> PublishState.VerifiedFiles? {
    var text = ""
    guard let names = try? DirectoryTree.files(version(id), calls: calls) else { return nil }
    for name in names where name != ManifestSignature.fileName {
      guard let stamp = FileSignature(of: version(id) + "/" + name, calls: calls) else { return nil }
      text += "\(stamp.size) \(stamp.modified) \(name)\n"
    }
    return PublishState.VerifiedFiles(version: id, looks: SHA256Hasher.hex(of: text))
  }

  func bytes(of version: String, calls: any SystemCalls) throws(SystemError) -> UInt64 {
    var bytes: UInt64 = 0
    for name in try DirectoryTree.files(version, calls: calls) {
      let path = version + "/" + name
      do throws(Errno) {
        bytes &+= UInt64(clamping: try calls.status(FilePath(path), followsLinks: false).size)
      } catch {
        throw SystemError(.openInput, path, error)
      }
    }
    return bytes
  }

  /// Whether a version contains nothing but files and folders, so that stores and deltas can be opened by their paths.
  func hasOnlyFiles(_ id: String, calls: any SystemCalls) throws(SystemError) -> Bool {
    for name in try DirectoryTree.files(version(id), calls: calls) {
      let path = version(id) + "/" + name
      do throws(Errno) {
        guard try calls.status(FilePath(path), followsLinks: false).type == .regular else { return false }
      } catch {
        if error == .notPermitted { return false }
        throw SystemError(.openInput, path, error)
      }
    }
    return true
  }

  /// Checks every byte of a version: the shards against the manifest, and all files against the version's id. Returns
  /// what is wrong. Throws when the machine can't read it, because then it may be intact.
  func problem(of id: String, calls: any SystemCalls) throws(Failure) -> VersionProblem? {
    let path = version(id)
    do throws(Failure) {
      guard try asFailure(nil, { () throws(SystemError) in try hasOnlyFiles(id, calls: calls) }) else {
        return .otherContent
      }
      let shards = try ShardFolder(path, calls: calls, .version)
      let content = try asFailure(nil) { () throws(SystemError) in
        try VersionContent(path, shards, calls: calls)
      }
      try shards.verify()
      return content.id == id ? nil : .otherContent
    } catch {
      return try VersionProblem(error)
    }
  }
}

// MARK: - Repairs a damaged version in place: its files are replaced one by one, each atomically
//
// The folder itself stays, so `current` always leads to it. Replacing a folder by another in one step is not possible
// on every file system.

extension PublishedFolder {
  /// Moves the files of the staging folder over those of a version, and removes the version's other files. Only folders
  /// remain in the staging folder.
  ///
  /// An interrupted run leaves the version damaged or complete; the next run continues. `replaced` is called after
  /// every file.
  func repair(
    _ id: String, calls: any SystemCalls, replaced: () -> Void
  ) throws(SystemError) {
    let version = version(id)
    var names = try DirectoryTree.files(staging, calls: calls)
    // The manifest comes last: until then, all files that it names still exist.
    names.removeAll { $0 == Manifest.fileName }
    names.append(Manifest.fileName)
    if try FileKind(checking: FilePath(version), calls: calls) != .directory {
      DirectoryTree.remove(version, calls: calls)
    }
    for name in names {
      let target = FilePath(version + "/" + name)
      try makeWay(version, name, calls)
      do throws(Errno) {
        try calls.rename(FilePath(staging + "/" + name), to: target)
      } catch {
        throw SystemError(.publishOutput, target.string, error)
      }
      replaced()
    }
    let kept = Set(names)
    for name in try DirectoryTree.files(version, calls: calls) where !kept.contains(name) {
      DirectoryTree.remove(version + "/" + name, calls: calls)
    }
    try DirectoryTree.sync(version, calls: calls)
  }

  /// Creates the parent folders of a file. Removes anything of the wrong kind in their place or the file's, because
  /// damage can take any form.
  private func makeWay(_ version: String, _ name: String, _ calls: any SystemCalls) throws(SystemError) {
    var place = version
    for part in name.split(separator: "/").dropLast() {
      place += "/" + part
      if try FileKind(checking: FilePath(place), calls: calls) != .directory {
        DirectoryTree.remove(place, calls: calls)
      }
    }
    try Directory.make(place, calls: calls)
    let file = version + "/" + name
    if try FileKind(checking: FilePath(file), calls: calls) == .directory {
      DirectoryTree.remove(file, calls: calls)
    }
  }
}
