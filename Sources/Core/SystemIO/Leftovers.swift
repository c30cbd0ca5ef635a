// What a run that was killed left behind: files without their final names, of which the name tells who made them.
//
// Not for: removing the files of this run (OutputFile, UnpublishedFiles).

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
  /// A process elsewhere on the network looks as if it were gone: only ask where a lock says that nobody is at it.
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
}
