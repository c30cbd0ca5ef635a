// Where programs are: this one, those beside it, and those on the PATH.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Paths of programs.
public enum ProgramPath {
  /// The program that runs, links resolved; nil if the system does not say.
  public static var own: String? {
    #if os(Linux)
      let link = "/proc/self/exe"
    #else
      guard let link = CommandLine.arguments.first else { return nil }
    #endif
    guard let resolved = unsafe realpath(link, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// A program by its name: beside the one that runs, or else in a folder of `PATH`; nil if it is in neither.
  public static func find(_ name: String) -> String? {
    if let own, let path = program(name, in: FilePath(own).removingLastComponent().string) { return path }
    guard let folders = unsafe getenv("PATH") else { return nil }
    for folder in unsafe String(cString: folders).split(separator: ":", omittingEmptySubsequences: false) {
      if let path = program(name, in: folder.isEmpty ? "." : String(folder)) { return path }
    }
    return nil
  }

  /// Whether a path is that of a program that may be run.
  public static func isProgram(_ path: String) -> Bool {
    unsafe access(path, X_OK) == 0 && Directory.holdsFile(path)
  }

  private static func program(_ name: String, in folder: String) -> String? {
    let path = FilePath(folder).appending(name).string
    return isProgram(path) ? path : nil
  }
}
