// The files that are being written under temporary names, so that a signal can remove them.

import Synchronization
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process's list of temporary files that must not outlive it.
package final class UnpublishedFiles: Sendable {
  /// The one list of the process.
  package static let shared = UnpublishedFiles()

  private struct Registry {
    var next = 0
    var paths: [Int: (path: FilePath, calls: any SystemCalls)] = [:]
    var directories: [Int: (path: FilePath, calls: any SystemCalls)] = [:]
    var emptyDirectories: [Int: (paths: [FilePath], calls: any SystemCalls)] = [:]
  }
  private let state = Mutex(Registry())

  private init() {}

  /// Adds a file to the list and returns a ticket that removes it from the list. `calls` remove the file.
  package func add(_ path: FilePath, calls: any SystemCalls = KernelCalls()) -> Int {
    state.withLock { state in
      state.next += 1
      state.paths[state.next] = (path, calls)
      return state.next
    }
  }

  /// Adds a directory with all the content it will have, and returns a ticket that removes it from the list.
  package func add(directory path: FilePath, calls: any SystemCalls = KernelCalls()) -> Int {
    state.withLock { state in
      state.next += 1
      state.directories[state.next] = (path, calls)
      return state.next
    }
  }

  /// Adds directories that go only if they are empty, and returns a ticket that removes them from the list.
  package func add(emptyDirectories paths: [FilePath], calls: any SystemCalls = KernelCalls()) -> Int {
    state.withLock { state in
      state.next += 1
      state.emptyDirectories[state.next] = (paths, calls)
      return state.next
    }
  }

  /// Removes a file or directory from the list.
  package func remove(_ ticket: Int) {
    state.withLock { state in
      state.paths.removeValue(forKey: ticket)
      state.directories.removeValue(forKey: ticket)
      state.emptyDirectories.removeValue(forKey: ticket)
    }
  }

  /// Deletes every file and directory on the list, calls `finally`, and ends the process. The list stays locked, so that
  /// no further file is made or published.
  package func removeAllAndEnd(status: Int32, finally: () -> Void) -> Never {
    state.withLock { state in
      for (path, calls) in state.paths.values { try? calls.unlink(path) }
      for (path, calls) in state.directories.values { DirectoryTree.remove(path.string, calls: calls) }
      let empty = state.emptyDirectories.values.flatMap { (paths, calls) in paths.map { ($0, calls) } }
      // Inner directories have longer paths.
      for (path, calls) in empty.sorted(by: { $0.0.length > $1.0.length }) {
        try? calls.removeDirectory(path)
      }
      finally()
      _exit(status)
    }
  }

  /// Returns a temporary name in the directory of `target` that no other run uses.
  package static func name(beside target: FilePath) -> FilePath {
    let last = target.lastComponent?.string ?? "out"
    let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let name = ".\(stem(last)).\(RunningProcess.identifier)-\(tag).tmp"
    let parent = target.removingLastComponent()
    return parent.isEmpty ? FilePath(name) : parent.appending(name)
  }

  /// The part of a file's name that its temporary name contains.
  static func stem(_ name: String) -> Substring { name.prefix(100) }
}
