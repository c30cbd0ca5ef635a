// Repairs a damaged version in place: its files are replaced one by one, each atomically.
//
// The folder itself stays, so `current` always leads to it. Replacing a folder by another in one step is not possible
// on every file system. Not for finding damage (PublishedFolder.check).

import CallManifest
import SystemIO
import SystemPackage

extension PublishedFolder {
  /// Moves the files of the staging folder over those of a version, and removes the version's other files. Only folders
  /// remain in the staging folder.
  ///
  /// An interrupted run leaves the version damaged or complete; the next run continues. `replaced` is called after
  /// every file.
  ///
  /// - Complexity: O(files).
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
