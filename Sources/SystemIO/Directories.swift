// Directories: made, listed, made durable, and removed or replaced with all their content.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import SystemPackage

public enum Directory {
  /// Makes a directory and the missing ones above it. An existing directory is left as it is.
  public static func make(_ path: String, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    var made: [String] = []
    try make(path, noting: &made, calls: calls)
  }

  /// Makes a directory and the missing ones above it, and appends the paths of those it made, the outermost first. They
  /// are appended even when it throws.
  public static func make(
    _ path: String, noting paths: inout [String], calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) {
    let directory = FilePath(path)
    try asSystemError(.createOutput, path) { () throws(Errno) in
      try makeMissing(directory, noting: &paths, calls)
      guard try calls.statusIfPresent(directory, followsLinks: true)?.type == .directory else {
        throw Errno.notDirectory
      }
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

  public static func removeEmpty(_ path: String, calls: any SystemCalls = KernelCalls()) {
    try? calls.removeDirectory(FilePath(path))
  }

  public static func holdsFile(_ path: String, calls: any SystemCalls = KernelCalls()) -> Bool {
    FileKind(of: FilePath(path), calls: calls) == .regular
  }

  /// The sorted names in a directory that pass a test, without `.` and `..`.
  public static func names(
    _ path: String, calls: any SystemCalls = KernelCalls(), where isWanted: (String) -> Bool = { _ in true }
  ) throws(SystemError) -> [String] {
    return try asSystemError(.openInput, path) { () throws(Errno) in
      try calls.names(in: FilePath(path)).filter(isWanted).sorted()
    }
  }

  /// Makes the names in a directory durable; an empty path is the working directory. Errors name `output`, if it is given.
  public static func sync(
    _ path: String, of output: String? = nil, calls: any SystemCalls
  ) throws(SystemError) {
    try asSystemError(.publishOutput, output ?? path) { () throws(Errno) in
      let directory = try calls.open(FilePath(path.isEmpty ? "." : path), .readOnly, [.directory], [])
      defer { try? calls.close(directory) }
      try calls.sync(directory)
    }
  }
}

public enum DirectoryTree {
  /// The deepest nesting that is walked. The trees that cdpipe makes have two or three levels.
  private static let depthMax = 32

  /// Removes the file or directory at a path. Does nothing if it is missing; what can't be removed stays.
  public static func remove(_ path: String, calls: any SystemCalls = KernelCalls()) {
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
  public static func files(
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
  public static func sync(_ directory: String, calls: any SystemCalls) throws(SystemError) {
    for name in try Directory.names(directory, calls: calls) {
      let path = directory + "/" + name
      if try isDirectory(path, calls) { try sync(path, calls: calls) }
    }
    try Directory.sync(directory, calls: calls)
  }

  /// Whether there is a directory at a path; a link to one does not count.
  private static func isDirectory(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> Bool {
    return try asSystemError(.openInput, path) { () throws(Errno) in
      try calls.statusIfPresent(FilePath(path), followsLinks: false)?.type == .directory
    }
  }
}

/// A directory that is written under a temporary name and then put in its place, so that a reader sees either the old
/// directory or the complete new one.
///
/// A directory that is being written. Unless ``publish()`` is called, nothing remains of it, also when a signal ends the
/// process.
public final class StagedDirectory {
  /// Where the files are written until the directory is published.
  public let staging: FilePath
  public let target: FilePath
  private let ticket: Int
  private let descriptor: FileDescriptor?
  private let calls: any SystemCalls

  /// Makes the directory under a temporary name beside `target`, and removes those that killed processes left there.
  public init(_ target: FilePath, calls: any SystemCalls) throws(SystemError) {
    Leftovers.removeDirectories(of: target, calls: calls)
    let staging = UnpublishedFiles.name(beside: target)
    ticket = try asSystemError(.createOutput, target.string) { () throws(Errno) in
      try UnpublishedFiles.shared.add(directory: staging, calls: calls) { () throws(Errno) in
        try calls.makeDirectory(staging, FilePermissions(rawValue: 0o755))
      }
    }
    // The lock shows other processes that the directory is in use and not a leftover.
    descriptor = try? calls.open(staging, .readOnly, [.directory], [])
    if let descriptor { try? calls.lock(descriptor) }
    self.target = target
    self.staging = staging
    self.calls = calls
  }

  deinit {
    if let descriptor { try? calls.close(descriptor) }
    // Once published, what has this name is the directory that was replaced.
    DirectoryTree.remove(staging.string, calls: calls)
    UnpublishedFiles.shared.remove(ticket)
  }

  /// Whether a directory is this process's working directory or contains it. Replaced, it would be the working directory
  /// of a shell and yet be gone.
  public static func holdsWorkingDirectory(_ directory: FilePath, calls: any SystemCalls) -> Bool {
    FilePath(SymbolicLink.resolved(".", calls: calls)).starts(with: directory)
  }

  /// Makes the content of all files durable that were written without being synced.
  ///
  /// - Complexity: one call, but it also waits for what other processes wrote to the same file system.
  public func syncFiles() throws(SystemError) {
    try asSystemError(.publishOutput, target.string) { () throws(Errno) in
      try calls.syncFileSystem(descriptor ?? .workingDirectory)
    }
  }

  /// Puts the directory in its place. A directory that was there is removed afterwards.
  ///
  /// Most file systems exchange the two in one step. On others, the place is empty for a moment.
  public func publish() throws(SystemError) {
    try UnpublishedFiles.shared.publishing { () throws(SystemError) in
      try asSystemError(.publishOutput, target.string) { () throws(Errno) in
        if try calls.statusIfPresent(target, followsLinks: false) == nil {
          try calls.rename(staging, to: target)
        } else {
          try replace()
        }
      }
    }
    try Directory.sync(target.removingLastComponent().string, of: target.string, calls: calls)
  }

  private func replace() throws(Errno) {
    do throws(Errno) {
      return try calls.exchange(staging, with: target)
    } catch {
      guard [.invalidArgument, .noFunction, .notSupported].contains(error) else { throw error }
    }
    let former = UnpublishedFiles.name(beside: target)
    try calls.rename(target, to: former)
    do throws(Errno) {
      try calls.rename(staging, to: target)
    } catch {
      try? calls.rename(former, to: target)
      throw error
    }
    DirectoryTree.remove(former.string, calls: calls)
  }
}
