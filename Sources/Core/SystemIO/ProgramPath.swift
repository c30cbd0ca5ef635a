// Where programs are: this one, those in its directory, and those on the PATH.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Paths of programs.
public enum ProgramPath {
  /// The path of the running program without links; nil if the system does not report it.
  public static var own: String? {
    #if os(Linux)
      let link = "/proc/self/exe"
    #else
      guard let link = CommandLine.arguments.first else { return nil }
    #endif
    return (try? KernelCalls().resolve(FilePath(link)))?.string
  }

  /// Finds a program by its name: in the directory of the running program, or else in a directory of `PATH`.
  public static func find(_ name: String) -> String? {
    if let own, let path = program(name, in: FilePath(own).removingLastComponent().string) { return path }
    guard let directories = RunningProcess.environment("PATH") else { return nil }
    for directory in directories.split(separator: ":", omittingEmptySubsequences: false) {
      if let path = program(name, in: directory.isEmpty ? "." : String(directory)) { return path }
    }
    return nil
  }

  /// Whether a path leads to a program that this process may execute.
  public static func isProgram(_ path: String) -> Bool {
    unsafe access(path, X_OK) == 0 && Directory.holdsFile(path)
  }

  private static func program(_ name: String, in directory: String) -> String? {
    let path = FilePath(directory).appending(name).string
    return isProgram(path) ? path : nil
  }
}
