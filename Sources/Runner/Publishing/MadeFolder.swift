// What a first run made of a published folder: a signal removes it, as long as nothing is published.
//
// Not for: the version that is being written, which a signal always removes (Publisher).

import SystemIO
import SystemPackage

/// The files and directories of a published folder that a run made. A signal that ends the process removes them, the
/// directories only if they are empty, until this object is released.
final class MadeFolder {
  private let tickets: [Int]

  /// Tracks the lock and the state of a folder, and directories.
  ///
  /// - Parameters:
  ///   - outer: the folder itself and those above it, if they were made, with the calls on them.
  ///   - inner: the directories inside the folder that were made, with the calls on them and on the files.
  init(
    _ folder: PublishedFolder, outer: (paths: [String], calls: any SystemCalls),
    inner: (paths: [String], calls: any SystemCalls)
  ) {
    var tickets = [folder.lock, folder.state].map {
      UnpublishedFiles.shared.add(FilePath($0), calls: inner.calls)
    }
    for (paths, calls) in [outer, inner] {
      tickets.append(
        UnpublishedFiles.shared.add(emptyDirectories: paths.map { FilePath($0) }, calls: calls))
    }
    self.tickets = tickets
  }

  deinit {
    for ticket in tickets { UnpublishedFiles.shared.remove(ticket) }
  }
}
