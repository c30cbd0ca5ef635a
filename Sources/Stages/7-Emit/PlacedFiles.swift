// The files that were published before the manifest that names them. They are removed if the manifest is not written.
//
// UnpublishedFiles removes them after a signal, too.

import Synchronization
import SystemIO
import SystemPackage

/// Published files that no manifest names yet. Any thread may add files.
final class PlacedFiles: Sendable {
  private let calls: any SystemCalls
  private let files = Mutex<[(path: String, ticket: Int)]>([])

  init(calls: any SystemCalls) {
    self.calls = calls
  }

  /// Adds a file that is about to be published. A file that already exists is not added: it has the same content, and
  /// another manifest may name it.
  func add(_ path: String) {
    if Directory.holdsFile(path, calls: calls) { return }
    files.withLock { $0.append((path, UnpublishedFiles.shared.add(FilePath(path), calls: calls))) }
  }

  /// Removes the files: the manifest was not written.
  func removeAll() {
    files.withLock { files in
      for (path, ticket) in files {
        try? calls.unlink(FilePath(path))
        UnpublishedFiles.shared.remove(ticket)
      }
      files = []
    }
  }

  /// Keeps the files: the manifest names them now.
  func keep() {
    files.withLock { files in
      for (_, ticket) in files { UnpublishedFiles.shared.remove(ticket) }
      files = []
    }
  }
}
