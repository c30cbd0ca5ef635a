// Where programs are: this one, those in its directory, and those on the PATH.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Paths of programs.
package enum ProgramPath {
  /// The path of the running program without links; nil if the system does not report it.
  ///
  /// If the program was started with an explicit loader (`ld.so --argv0 PATH PROGRAM`), as in a bundle
  /// (docs/operations/bundle.md), it is `PATH`: the kernel knows only the loader, which could not start the program
  /// again without its options.
  package static var own: String? {
    #if os(Linux)
      guard let executed = resolved("/proc/self/exe") else { return nil }
      guard isLoader(executed) else { return executed }
    #endif
    return CommandLine.arguments.first.flatMap { resolved($0) }
  }

  /// Whether a path is, by its name, that of the system's loader: `ld-linux-x86-64.so.2`, `ld-2.31.so`.
  package static func isLoader(_ path: String) -> Bool {
    guard let name = FilePath(path).lastComponent?.string else { return false }
    return name.hasPrefix("ld-") && name.contains(".so")
  }

  private static func resolved(_ path: String) -> String? {
    (try? KernelCalls().resolve(FilePath(path)))?.string
  }

  /// Finds a program by its name: in the directory of the running program, or else in a directory of `PATH`.
  package static func find(_ name: String) -> String? {
    if let own, let path = program(name, in: FilePath(own).removingLastComponent().string) { return path }
    guard let directories = RunningProcess.environment("PATH") else { return nil }
    for directory in directories.split(separator: ":", omittingEmptySubsequences: false) {
      if let path = program(name, in: directory.isEmpty ? "." : String(directory)) { return path }
    }
    return nil
  }

  /// Whether a path leads to a program that this process may execute.
  package static func isProgram(_ path: String) -> Bool {
    unsafe access(path, X_OK) == 0 && Directory.holdsFile(path)
  }

  private static func program(_ name: String, in directory: String) -> String? {
    let path = FilePath(directory).appending(name).string
    return isProgram(path) ? path : nil
  }
}
