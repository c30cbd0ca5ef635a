// Where a manifest is, whichever of the two its user named: itself or its directory.

import SystemIO
import SystemPackage

/// Where a manifest is, and the files beside it.
struct ManifestLocation {
  /// The manifest's path.
  let path: String
  private let directory: FilePath

  /// A directory stands for the manifest in it.
  init(_ typed: String) {
    let isDirectory = FileKind(of: FilePath(typed)) == .directory
    let file = isDirectory ? FilePath(typed).appending(ManifestNames.manifest) : FilePath(typed)
    path = file.string
    directory = file.removingLastComponent()
  }

  /// The path of a file beside it.
  func file(_ name: String) -> String { directory.appending(name).string }
}
