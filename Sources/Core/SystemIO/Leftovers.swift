// Unfinished files of runs that were killed. Their names contain the process that made them.
//
// Not for: removing the files of this run (OutputFile, UnpublishedFiles).

import SystemPackage

/// Unfinished files of processes that have ended.
public enum Leftovers {
  /// Returns the final name of an unfinished output, given its temporary name; nil unless the process that made it has
  /// ended. A long name is returned shortened, as it is in the temporary name.
  ///
  /// A process in another container or on another machine looks as if it had ended: call this only while a lock
  /// excludes other writers.
  public static func target(of name: String) -> String? {
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
    guard let last = target.lastComponent?.string else { return }
    let directory = target.removingLastComponent()
    let names = try? Directory.names(directory.isEmpty ? "." : directory.string, calls: calls) { name in
      name.hasPrefix(".") && name.hasSuffix(".tmp")
        && Self.target(of: name) == String(UnpublishedFiles.stem(last))
    }
    for name in names ?? [] {
      let path = directory.appending(name)
      guard let file = try? calls.open(path, .readWrite, [.noFollow, .nonBlocking], []) else { continue }
      if (try? calls.lock(file)) != nil { try? calls.unlink(path) }
      try? calls.close(file)
    }
  }
}
