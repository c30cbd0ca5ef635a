// A directory with all its content: removed, synced, listed. Symbolic links are never followed.

import SystemPackage

/// Operations on a directory with all its content.
package enum DirectoryTree {
  /// The deepest nesting that is walked. The trees that cdpipe makes have two or three levels.
  private static let depthMax = 32

  /// Removes the file or directory at a path. Does nothing if it is missing; what can't be removed stays.
  package static func remove(_ path: String, calls: any SystemCalls = KernelCalls()) {
    remove(path, calls, depth: 0)
  }

  private static func remove(_ path: String, _ calls: any SystemCalls, depth: Int) {
    if (try? isDirectory(path, calls)) ?? false, depth < depthMax {
      for name in (try? Directory.names(path, calls: calls)) ?? [] {
        remove(path + "/" + name, calls, depth: depth + 1)
      }
      try? calls.removeDirectory(FilePath(path))
    } else {
      try? calls.unlink(FilePath(path))
    }
  }

  /// The files below a directory, as paths relative to it, sorted by the bytes of their names.
  package static func files(
    _ directory: String, calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) -> [String] {
    try files(directory, prefix: "", calls, depth: 0)
  }

  private static func files(
    _ directory: String, prefix: String, _ calls: any SystemCalls, depth: Int
  ) throws(SystemError) -> [String] {
    guard depth < depthMax else { throw SystemError(.openInput, directory, .fileNameTooLong) }
    var found: [String] = []
    for name in try Directory.names(directory, calls: calls) {
      let path = directory + "/" + name
      if try isDirectory(path, calls) {
        found += try files(path, prefix: prefix + name + "/", calls, depth: depth + 1)
      } else {
        found.append(prefix + name)
      }
    }
    return found
  }

  /// Makes the names in a directory and in those below it durable, the innermost first. The files' content is not
  /// synced; that is up to the code that wrote them.
  package static func sync(_ directory: String, calls: any SystemCalls) throws(SystemError) {
    for name in try Directory.names(directory, calls: calls) {
      let path = directory + "/" + name
      if try isDirectory(path, calls) { try sync(path, calls: calls) }
    }
    try Directory.sync(directory, calls: calls)
  }

  /// Whether there is a directory at a path; a link to one does not count.
  private static func isDirectory(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> Bool {
    do throws(Errno) {
      return try calls.statusIfPresent(FilePath(path), followsLinks: false)?.type == .directory
    } catch {
      throw SystemError(.openInput, path, error)
    }
  }
}
