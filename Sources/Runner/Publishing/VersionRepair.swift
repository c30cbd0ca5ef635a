// A damaged version made whole where it stands: its files are replaced one by one, each in one step.
//
// The folder keeps its name and place all the while, so that `current` leads to it at every moment, on every file system; a
// folder can't be replaced by another in one step on all of them. Not for: what is damaged (PublishedFolder.check).

import CallManifest
import SystemIO
import SystemPackage

extension PublishedFolder {
  /// Puts the files of the staging folder in place of a version's, and removes what else the version has. What is left of the
  /// staging folder is its folders.
  ///
  /// An interrupted run leaves a version that is still damaged, or whole; the next run continues. `replaced` is called
  /// for every file that is in place.
  ///
  /// - Complexity: O(files).
  func repair(
    _ id: String, calls: any SystemCalls, replaced: () -> Void
  ) throws(SystemError) {
    let version = version(id)
    var names = try DirectoryTree.files(staging, calls: calls)
    // The manifest last: until then it names files that are all still there.
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

  /// Makes the folders that lead to a file, and removes what stands where one of them or the file is to be and is of another
  /// kind: damage can be anything.
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
