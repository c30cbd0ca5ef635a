// A folder with all that is in it: removed, synced, listed. Symbolic links are never followed.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is done with a folder and all that is in it.
public enum FolderTree {
  /// The deepest nesting that is walked. What is made here has two or three levels.
  private static let depthMax = 32

  /// Removes what stands at a path, whatever it is; nothing there is fine. What can't be removed stays.
  public static func remove(_ path: String, calls: any SystemCalls = KernelCalls()) {
    remove(path, calls, depth: 0)
  }

  private static func remove(_ path: String, _ calls: any SystemCalls, depth: Int) {
    if isFolder(path), depth < depthMax {
      for name in (try? Directory.names(path)) ?? [] { remove(path + "/" + name, calls, depth: depth + 1) }
      _ = unsafe rmdir(path)
    } else {
      try? calls.unlink(FilePath(path))
    }
  }

  /// The files below a folder, by their paths in it, sorted by the bytes of their names.
  public static func files(_ folder: String) throws(SystemError) -> [String] {
    try files(folder, prefix: "", depth: 0)
  }

  private static func files(
    _ folder: String, prefix: String, depth: Int
  ) throws(SystemError) -> [String] {
    guard depth < depthMax else { throw SystemError(.openInput, folder, .fileNameTooLong) }
    var found: [String] = []
    for name in try Directory.names(folder) {
      if isFolder(folder + "/" + name) {
        found += try files(folder + "/" + name, prefix: prefix + name + "/", depth: depth + 1)
      } else {
        found.append(prefix + name)
      }
    }
    return found
  }

  /// Makes the names in a folder, and in the folders in it, durable; the innermost first. The files' own bytes are
  /// their writers' to sync.
  public static func sync(_ folder: String, calls: any SystemCalls) throws(SystemError) {
    for name in try Directory.names(folder) where isFolder(folder + "/" + name) {
      try sync(folder + "/" + name, calls: calls)
    }
    try Directory.sync(folder, calls: calls)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}

extension Directory {
  /// Makes the names in a directory durable.
  public static func sync(_ path: String, calls: any SystemCalls) throws(SystemError) {
    do throws(Errno) {
      let directory = try calls.open(FilePath(path.isEmpty ? "." : path), .readOnly, [.directory], [])
      defer { try? calls.close(directory) }
      try calls.sync(directory)
    } catch {
      throw SystemError(.publishOutput, path, error)
    }
  }
}
