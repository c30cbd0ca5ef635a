// Symbolic links: read, and replaced in one step.

import SystemPackage

/// Operations on symbolic links.
package enum SymbolicLink {
  /// Returns the destination of the link at a path; nil when the path is missing or not a link.
  package static func destination(of path: String, calls: any SystemCalls = KernelCalls()) -> String? {
    (try? calls.destination(ofLink: FilePath(path)))?.string
  }

  /// Returns the destination of the link at a path; nil when the path is missing or not a link. Throws when that can't
  /// be determined.
  package static func read(_ path: String, calls: any SystemCalls) throws(SystemError) -> String? {
    do throws(Errno) {
      return try calls.destinationIfLink(FilePath(path))?.string
    } catch {
      throw SystemError(.openInput, path, error)
    }
  }

  /// Returns the absolute path without links, `.` and `..`. Components that don't exist are kept as they are.
  package static func resolved(_ path: String, calls: any SystemCalls = KernelCalls()) -> String {
    var front = FilePath(path.isEmpty ? "." : path)
    var rest: [FilePath.Component] = []
    while true {
      if let real = try? calls.resolve(front.isEmpty ? "." : front) {
        return real.appending(rest.reversed()).string
      }
      guard let last = front.lastComponent else { return path }
      rest.append(last)
      front = front.removingLastComponent()
    }
  }

  /// Whether there is a file, a directory or a link at a path. A link counts even if its destination is missing.
  package static func exists(_ path: String, calls: any SystemCalls = KernelCalls()) -> Bool {
    (try? calls.status(FilePath(path), followsLinks: false)) != nil
  }

  /// Whether there is a file, a directory or a link at a path. Throws when that can't be determined.
  package static func isPresent(_ path: String, calls: any SystemCalls) throws(SystemError) -> Bool {
    do throws(Errno) {
      return try calls.statusIfPresent(FilePath(path), followsLinks: false) != nil
    } catch {
      throw SystemError(.openInput, path, error)
    }
  }

  /// Puts a link in place of the link or file at a path, in one step: a reader sees the old one or the new one. The
  /// directory is not synced.
  package static func replace(
    _ path: String, by destination: String, calls: any SystemCalls
  ) throws(SystemError) {
    let temporary = UnpublishedFiles.name(beside: FilePath(path))
    let ticket = UnpublishedFiles.shared.add(temporary, calls: calls)
    defer { UnpublishedFiles.shared.remove(ticket) }
    do throws(Errno) {
      try calls.makeSymbolicLink(temporary, to: FilePath(destination))
    } catch {
      throw SystemError(.createOutput, path, error)
    }
    do throws(Errno) {
      try calls.rename(temporary, to: FilePath(path))
    } catch {
      try? calls.unlink(temporary)
      throw SystemError(.publishOutput, path, error)
    }
  }
}
