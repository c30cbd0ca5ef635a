// Unfinished files of runs that were killed. Their names contain the process that made them.
//
// Not for: removing the files of this run (OutputFile, UnpublishedFiles).

package import SystemPackage

/// Unfinished files of processes that have ended.
package enum Leftovers {
  /// Returns the final name of an unfinished output, given its temporary name; nil unless the process that made it has
  /// ended. A long name is returned shortened, as it is in the temporary name.
  ///
  /// A process in another container or on another machine looks as if it had ended: call this only while a lock
  /// excludes other writers.
  package static func target(of name: String) -> String? {
    guard name.hasPrefix("."), name.hasSuffix(".tmp"), name.utf8.count > 5 else { return nil }
    let inner = name.dropFirst().dropLast(4)
    guard let dot = inner.lastIndex(of: "."),
      let dash = inner[dot...].firstIndex(of: "-"),
      let process = Int32(inner[inner.index(after: dot)..<dash]), process > 0
    else { return nil }
    guard RunningProcess.hasEnded(process) else { return nil }
    return String(inner[..<dot])
  }

  /// Removes the unfinished files of an output that ended processes left in its directory and that no process has
  /// locked. A file that can't be examined or removed stays, which does no harm.
  ///
  /// - Complexity: O(names in the directory).
  static func remove(of target: FilePath, calls: any SystemCalls) {
    for path in paths(of: target, calls) {
      guard let file = try? calls.open(path, .readWrite, [.noFollow, .nonBlocking], []) else { continue }
      if (try? calls.lock(file)) != nil { try? calls.unlink(path) }
      try? calls.close(file)
    }
  }

  /// Removes the unfinished directories of an output like unfinished files, with all their content.
  package static func removeDirectories(of target: FilePath, calls: any SystemCalls) {
    for path in paths(of: target, calls) {
      guard let directory = try? calls.open(path, .readOnly, [.noFollow, .directory], []) else { continue }
      if (try? calls.lock(directory)) != nil { DirectoryTree.remove(path.string, calls: calls) }
      try? calls.close(directory)
    }
  }

  /// The paths of what ended processes left of an output.
  private static func paths(of target: FilePath, _ calls: any SystemCalls) -> [FilePath] {
    guard let last = target.lastComponent?.string else { return [] }
    let directory = target.removingLastComponent()
    let names = try? Directory.names(directory.isEmpty ? "." : directory.string, calls: calls) { name in
      name.hasPrefix(".") && name.hasSuffix(".tmp")
        && Self.target(of: name) == String(UnpublishedFiles.stem(last))
    }
    return (names ?? []).map { directory.appending($0) }
  }
}
