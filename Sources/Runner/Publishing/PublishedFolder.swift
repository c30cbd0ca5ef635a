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
import StoreWriting
import SystemIO
import SystemPackage

/// The paths in a published folder.
package struct PublishedFolder: Equatable, Sendable {
  /// The folder's path.
  package let directory: String

  /// Refers to a published folder; does not access it.
  package init(_ directory: String) {
    self.directory =
      directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
  }

  /// The folder that contains all versions.
  package var versions: String { directory + "/" + PublishedNames.versions }
  /// The staging folder: the version that is being written.
  package var staging: String { versions + "/.new.tmp" }
  /// The link to the current version.
  package var current: String { directory + "/" + PublishedNames.current }
  /// The link to the current version's manifest.
  package var manifest: String { directory + "/" + Manifest.fileName }
  /// The link to the signature of the current version's manifest.
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

  /// The path of a version.
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

  /// The ids of all versions in the folder.
  func ids(calls: any SystemCalls) throws(SystemError) -> [String] {
    try Directory.names(versions, calls: calls, where: PublishedNames.isID)
  }

  /// Whether a name is that of an unfinished file or folder. If no run holds the lock, it is a leftover.
  static func isUnfinished(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".tmp") }

  /// Removes the leftovers of interrupted runs. Only for the process that holds the lock.
  func removeUnfinished(calls: any SystemCalls) {
    for folder in [directory, versions] { Self.removeUnfinished(in: folder, calls: calls) }
  }

  /// Removes the leftovers of interrupted runs in one folder.
  static func removeUnfinished(in folder: String, calls: any SystemCalls) {
    for name in (try? Directory.names(folder, calls: calls, where: isUnfinished)) ?? [] {
      DirectoryTree.remove(folder + "/" + name, calls: calls)
    }
  }
}
