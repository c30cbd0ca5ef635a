// Single directories: made, listed, made durable.
//
// Not for: directories with all their content (DirectoryTree).

import SystemPackage

/// Operations on single directories.
package enum Directory {
  /// Makes a directory and the missing ones above it. An existing directory is left as it is.
  package static func make(_ path: String, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    var made: [String] = []
    try make(path, noting: &made, calls: calls)
  }

  /// Makes a directory and the missing ones above it, and appends the paths of those it made, the outermost first. They
  /// are appended even when it throws.
  package static func make(
    _ path: String, noting paths: inout [String], calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) {
    let directory = FilePath(path)
    do throws(Errno) {
      try makeMissing(directory, noting: &paths, calls)
      guard try calls.statusIfPresent(directory, followsLinks: true)?.type == .directory else {
        throw Errno.notDirectory
      }
    } catch {
      throw SystemError(.createOutput, path, error)
    }
  }

  /// Makes a directory and its missing parents, without checking that an existing path is a directory.
  private static func makeMissing(
    _ path: FilePath, noting paths: inout [String], _ calls: any SystemCalls
  ) throws(Errno) {
    do throws(Errno) {
      if try makeIfMissing(path, calls) { paths.append(path.string) }
    } catch {
      // In most cases the parent exists. It is made only when it is missing.
      let parent = path.removingLastComponent()
      guard error == .noSuchFileOrDirectory, !parent.isEmpty, parent != path else { throw error }
      try makeMissing(parent, noting: &paths, calls)
      if try makeIfMissing(path, calls) { paths.append(path.string) }
    }
  }

  /// Whether the directory was made; false if there is something at the path.
  private static func makeIfMissing(_ path: FilePath, _ calls: any SystemCalls) throws(Errno) -> Bool {
    do throws(Errno) {
      try calls.makeDirectory(path, FilePermissions(rawValue: 0o755))
      return true
    } catch {
      guard error == .fileExists || error == .isDirectory else { throw error }
      return false
    }
  }

  /// Removes a directory if it is empty.
  package static func removeEmpty(_ path: String, calls: any SystemCalls = KernelCalls()) {
    try? calls.removeDirectory(FilePath(path))
  }

  /// Whether there is a regular file at a path.
  package static func holdsFile(_ path: String, calls: any SystemCalls = KernelCalls()) -> Bool {
    FileKind(of: FilePath(path), calls: calls) == .regular
  }

  /// The sorted names in a directory that pass a test, without `.` and `..`.
  package static func names(
    _ path: String, calls: any SystemCalls = KernelCalls(), where isWanted: (String) -> Bool = { _ in true }
  ) throws(SystemError) -> [String] {
    do throws(Errno) {
      return try calls.names(in: FilePath(path)).filter(isWanted).sorted()
    } catch {
      throw SystemError(.openInput, path, error)
    }
  }

  /// Makes the names in a directory durable; an empty path is the working directory.
  package static func sync(_ path: String, calls: any SystemCalls) throws(SystemError) {
    do throws(Errno) {
      let directory = try calls.open(FilePath(path.isEmpty ? "." : path), .readOnly, [.directory], [])
      defer { try? calls.close(directory) }
      try calls.sync(directory)
    } catch {
      throw SystemError(.publishOutput, path, error)
    }
  }
}
