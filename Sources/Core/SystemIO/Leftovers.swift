// What a run that was killed left behind: files without their final names, of which the name tells who made them.
//
// Not for: removing the files of this run (OutputFile, UnpublishedFiles).

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Unfinished files of processes that are gone.
public enum Leftovers {
  /// What the file of this name was to be called, if it is an unfinished output of a process that does not run any more
  /// on this machine; else nil. Of a long name only the beginning comes back, as the file's own has only that.
  ///
  /// A process in another container or elsewhere on the network looks as if it were gone: only ask where a lock says that
  /// nobody is at it.
  public static func target(of name: String) -> String? {
    guard name.hasPrefix("."), name.hasSuffix(".tmp"), name.utf8.count > 5 else { return nil }
    let inner = name.dropFirst().dropLast(4)
    guard let dot = inner.lastIndex(of: "."),
      let dash = inner[dot...].firstIndex(of: "-"),
      let process = pid_t(inner[inner.index(after: dot)..<dash]), process > 0
    else { return nil }
    // Signal 0 is sent to nobody, and says whether somebody is there.
    guard kill(process, 0) != 0, errno == ESRCH else { return nil }
    return String(inner[..<dot])
  }

  /// Removes what processes that are gone left of an output: unfinished files of its name, beside it, which nobody has
  /// locked. What can't be looked at or removed stays, and does no harm.
  ///
  /// - Complexity: O(names in the folder).
  static func remove(of target: FilePath, calls: any SystemCalls) {
    guard let last = target.lastComponent?.string else { return }
    let folder = target.removingLastComponent()
    let names = try? Directory.names(folder.isEmpty ? "." : folder.string) { name in
      name.hasPrefix(".") && name.hasSuffix(".tmp")
        && Self.target(of: name) == String(UnpublishedFiles.stem(last))
    }
    for name in names ?? [] {
      let path = folder.appending(name)
      guard let file = try? calls.open(path, .readWrite, [.noFollow, .nonBlocking], []) else { continue }
      if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { try? calls.unlink(path) }
      try? calls.close(file)
    }
  }
}
