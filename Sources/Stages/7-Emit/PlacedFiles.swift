// The files that were put in place and that no manifest names yet: they go when the manifest does not come.
//
// A signal removes them as well, by UnpublishedFiles.

import Synchronization
import SystemIO
import SystemPackage

/// Files in place that nothing names yet; any thread may add to them.
final class PlacedFiles: Sendable {
  private let calls: any SystemCalls
  private let files = Mutex<[(path: String, ticket: Int)]>([])

  init(calls: any SystemCalls) {
    self.calls = calls
  }

  /// A file is about to be put in place. One that stands there already is what it is to become, and somebody's.
  func add(_ path: String) {
    if Directory.holdsFile(path) { return }
    files.withLock { $0.append((path, UnpublishedFiles.shared.add(FilePath(path)))) }
  }

  /// The manifest did not come.
  func removeAll() {
    files.withLock { files in
      for (path, ticket) in files {
        try? calls.unlink(FilePath(path))
        UnpublishedFiles.shared.remove(ticket)
      }
      files = []
    }
  }

  /// The manifest names them now.
  func keep() {
    files.withLock { files in
      for (_, ticket) in files { UnpublishedFiles.shared.remove(ticket) }
      files = []
    }
  }
}
