// Directories: made where they are missing, and listed.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is done with directories.
public enum Directory {
  /// Makes a directory and those above it that are missing. One that is there is fine.
  public static func make(_ path: String) throws(SystemError) {
    var made: [String] = []
    try make(path, noting: &made)
  }

  /// The same, and adds the paths of those that were made, the outermost first, when it throws as well.
  public static func make(_ path: String, noting paths: inout [String]) throws(SystemError) {
    var made = FilePath(path).root.map { FilePath(root: $0) } ?? FilePath()
    for component in FilePath(path).components {
      made.append(component)
      let status = unsafe made.withPlatformString { unsafe mkdir($0, 0o755) }
      if status == 0 {
        paths.append(made.string)
        continue
      }
      let code = Errno(rawValue: errno)
      guard code == .fileExists || code == .isDirectory else {
        throw SystemError(.createOutput, path, code)
      }
    }
    guard FileKind(of: FilePath(path)) == .directory else {
      throw SystemError(.createOutput, path, .notDirectory)
    }
  }

  /// Removes a directory if it is empty.
  public static func removeEmpty(_ path: String) {
    _ = unsafe rmdir(path)
  }

  /// Whether a regular file stands at a path.
  public static func holdsFile(_ path: String) -> Bool {
    FileKind(of: FilePath(path)) == .regular
  }

  /// The names in a directory that are wanted, sorted, without `.` and `..`.
  public static func names(
    _ path: String, where isWanted: (String) -> Bool = { _ in true }
  ) throws(SystemError) -> [String] {
    guard let directory = unsafe opendir(path) else {
      throw SystemError(.openInput, path, Errno(rawValue: errno))
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != "..", isWanted(name) { names.append(name) }
    }
    return names.sorted()
  }
}
