// What is where in a published folder.
//
//     DIR/current               a link to versions/ID: the one step from a version to the next is its replacement
//     DIR/manifest.json         a link to current/manifest.json; it never changes, so the two can't disagree
//     DIR/versions/ID/          a version: what emit wrote, never changed once it has its name
//     DIR/versions/.new.tmp/    the one that is being written
//     DIR/.publish.json         the history, and what the last version was made of
//     DIR/.sources/             what was fetched last, and the last good copies
//     DIR/.lock                 the process that holds the lock
//
// ID is 64 hexadecimal digits.

import CallManifest
import SystemIO

/// The paths in a published folder.
public struct PublishedFolder: Equatable, Sendable {
  /// The folder.
  public let directory: String

  /// Names the folder.
  public init(_ directory: String) {
    self.directory =
      directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
  }

  /// The folder of all versions.
  public var versions: String { directory + "/versions" }
  /// The version that is being written.
  public var staging: String { versions + "/.new.tmp" }
  /// The link to the current version.
  public var current: String { directory + "/current" }
  /// The link to its manifest.
  public var manifest: String { directory + "/" + Manifest.fileName }
  /// What is fetched, and was.
  public var sources: String { directory + "/.sources" }
  var state: String { directory + "/.publish.json" }
  var lock: String { directory + "/.lock" }

  /// Where a version is.
  public func version(_ id: String) -> String { versions + "/" + id }

  /// The version that `current` names, if it is there.
  public var currentVersion: String? { (try? currentVersion(calls: KernelCalls())) ?? nil }

  /// The version that `current` names, if it is there. Throws when that can't be found out.
  func currentVersion(calls: any SystemCalls) throws(SystemError) -> String? {
    guard let destination = try SymbolicLink.read(current, calls: calls), destination.hasPrefix("versions/")
    else { return nil }
    let id = String(destination.dropFirst("versions/".count))
    guard Self.isID(id), try SymbolicLink.isPresent(version(id), calls: calls) else { return nil }
    return id
  }

  /// The ids of all versions, current or not.
  func ids(calls: any SystemCalls) throws(SystemError) -> [String] {
    try Directory.names(versions, calls: calls, where: Self.isID)
  }

  /// Whether a name is a version's.
  static func isID(_ name: String) -> Bool {
    name.utf8.count == 64
      && name.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
  }

  /// Whether a name is of a file or folder that is being written, and a dead run's if nobody writes.
  static func isUnfinished(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".tmp") }

  /// Removes what interrupted runs left. Only for the process that holds the lock.
  func removeUnfinished(calls: any SystemCalls) {
    for folder in [directory, versions, sources, sources + "/cache"] {
      for name in (try? Directory.names(folder, calls: calls, where: Self.isUnfinished)) ?? [] {
        DirectoryTree.remove(folder + "/" + name, calls: calls)
      }
    }
  }
}
