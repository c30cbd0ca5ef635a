// A directory that is written under a temporary name and then put in its place, so that a reader sees either the old
// directory or the complete new one.
//
// Not for: which directories may be replaced (the caller decides), or single files (OutputFile).

package import SystemPackage

/// A directory that is being written. Unless ``publish()`` is called, nothing remains of it, also when a signal ends the
/// process.
package final class StagedDirectory {
  /// Where the files are written until the directory is published.
  package let staging: FilePath
  /// The directory to make or to replace.
  package let target: FilePath
  private let ticket: Int
  private let descriptor: FileDescriptor?
  private let calls: any SystemCalls

  /// Makes the directory under a temporary name beside `target`, and removes those that killed processes left there.
  package init(_ target: FilePath, calls: any SystemCalls) throws(SystemError) {
    Leftovers.removeDirectories(of: target, calls: calls)
    let staging = UnpublishedFiles.name(beside: target)
    let ticket = UnpublishedFiles.shared.add(directory: staging, calls: calls)
    do throws(Errno) {
      try calls.makeDirectory(staging, FilePermissions(rawValue: 0o755))
    } catch {
      UnpublishedFiles.shared.remove(ticket)
      throw SystemError(.createOutput, target.string, error)
    }
    // The lock shows other processes that the directory is in use and not a leftover.
    descriptor = try? calls.open(staging, .readOnly, [.directory], [])
    if let descriptor { try? calls.lock(descriptor) }
    self.target = target
    self.staging = staging
    self.ticket = ticket
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
  package static func holdsWorkingDirectory(_ directory: FilePath, calls: any SystemCalls) -> Bool {
    FilePath(SymbolicLink.resolved(".", calls: calls)).starts(with: directory)
  }

  /// Makes the content of all files durable that were written without being synced.
  ///
  /// - Complexity: one call, but it also waits for what other processes wrote to the same file system.
  package func syncFiles() throws(SystemError) {
    do throws(Errno) {
      try calls.syncFileSystem(descriptor ?? .workingDirectory)
    } catch {
      throw SystemError(.publishOutput, target.string, error)
    }
  }

  /// Puts the directory in its place. A directory that was there is removed afterwards.
  ///
  /// Most file systems exchange the two in one step. On others, the place is empty for a moment.
  package func publish() throws(SystemError) {
    do throws(Errno) {
      if try calls.statusIfPresent(target, followsLinks: false) == nil {
        try calls.rename(staging, to: target)
      } else {
        try replace()
      }
    } catch {
      throw SystemError(.publishOutput, target.string, error)
    }
    let parent = target.removingLastComponent()
    do throws(SystemError) {
      try Directory.sync(parent.string, calls: calls)
    } catch {
      throw SystemError(.publishOutput, target.string, error.code)
    }
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
