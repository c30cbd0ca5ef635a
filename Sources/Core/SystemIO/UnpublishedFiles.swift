// The files that are being written and have no name of their own yet, so that a signal can remove them.

import Synchronization
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process's list of files that were made beside their final name and must not outlive it.
public final class UnpublishedFiles: Sendable {
  /// The one list of the process.
  public static let shared = UnpublishedFiles()

  private struct State {
    var next = 0
    var paths: [Int: FilePath] = [:]
    var folders: [Int: FilePath] = [:]
  }
  private let state = Mutex(State())

  private init() {}

  /// Puts a file on the list and gives a ticket for it.
  package func add(_ path: FilePath) -> Int {
    state.withLock { state in
      state.next += 1
      state.paths[state.next] = path
      return state.next
    }
  }

  /// Puts a folder on the list, with all that is in it by then, and gives a ticket for it.
  package func add(folder path: FilePath) -> Int {
    state.withLock { state in
      state.next += 1
      state.folders[state.next] = path
      return state.next
    }
  }

  /// Takes a file or a folder off the list.
  package func remove(_ ticket: Int) {
    state.withLock { state in
      state.paths.removeValue(forKey: ticket)
      state.folders.removeValue(forKey: ticket)
    }
  }

  /// Removes every file and folder on the list, and holds the list so that no further file can be made or published:
  /// the process ends next.
  package func removeAllAndEnd(status: Int32) -> Never {
    state.withLock { state in
      for path in state.paths.values { try? KernelCalls().unlink(path) }
      for path in state.folders.values { FolderTree.remove(path.string) }
      _exit(status)
    }
  }

  /// A name in the same directory that no other run picks.
  package static func name(beside target: FilePath) -> FilePath {
    let last = target.lastComponent?.string ?? "out"
    let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let name = ".\(stem(last)).\(getpid())-\(tag).tmp"
    let parent = target.removingLastComponent()
    return parent.isEmpty ? FilePath(name) : parent.appending(name)
  }

  /// As much of a file's name as such a name has.
  static func stem(_ name: String) -> Substring { name.prefix(100) }
}
