// Rolls back to an earlier version, or forward again: replaces the link `current` and writes no version.

import CallManifest
import RecordStages
package import Records
import SystemIO

extension Publisher {
  /// Makes another version current: the one whose id starts with `beginning`, or the previous one if it is nil.
  /// Verifies every byte of it first.
  ///
  /// The version that was current is marked as withdrawn: the same content is not published again until it is made
  /// current in this way.
  ///
  /// If the publisher has keys, the version is signed, also if it is the current one: with a new serial number, since
  /// phones refuse an older one.
  package func rollBack(to beginning: String?) throws(Failure) -> (from: String, to: String) {
    guard let from = current else {
      let destination = (try? SymbolicLink.read(folder.current, calls: calls)) ?? nil
      throw Failure(
        nil,
        destination.map { .danglingCurrent(path: folder.current, destination: $0) }
          ?? PublishError.nothingPublished(directory: folder.directory))
    }
    let to = try target(beginning, from)
    if to == from, signer == nil { return (from, to) }
    let signature = "\(folder.version(from))/\(ManifestSignature.fileName)"
    if signer == nil, Directory.holdsFile(signature, calls: calls) {
      throw Failure(nil, PublishError.needsSigningKey)
    }
    do throws(VersionError) {
      try folder.check(to, calls: calls)
    } catch {
      throw Failure(nil, error.machineError ?? PublishError.damagedVersion(to, error))
    }
    try sign(folder.version(to))
    if to != from { try switchCurrent(from: from, to: to) }
    return (from, to)
  }

  /// Makes another version of the history current, and marks the version it replaces as withdrawn.
  private func switchCurrent(from: String, to: String) throws(Failure) {
    for index in state.history.indices {
      if state.history[index].id == from { state.history[index].isWithdrawn = true }
      if state.history[index].id == to { state.history[index].isWithdrawn = false }
    }
    var event = PublishEvent(.rolledBack, to, at: now)
    event.replaced = from
    event.numbers = state.history.first { $0.id == to }?.entries
    let published = state.published(to)
    (event.kinds, event.bytes) = (published?.kinds, published?.bytes)
    state.log(event)
    // Save first. A crash after this leaves the version marked as withdrawn but still current, which is harmless. In
    // the other order, the withdrawn version would be published again.
    try save()
    do throws(SystemError) {
      try SymbolicLink.replace(folder.current, by: "versions/" + to, calls: calls)
    } catch {
      throw Failure(nil, error)
    }
    current = to
    do throws(SystemError) {
      try Directory.sync(folder.directory, calls: calls)
    } catch {
      throw Failure(nil, PublishError.notDurable(version: to, Failure(nil, error)))
    }
  }

  private func target(_ beginning: String?, _ from: String) throws(Failure) -> String {
    if let beginning {
      let matches = history.map(\.id).filter { $0.hasPrefix(beginning) }
      guard matches.count == 1, !beginning.isEmpty else {
        throw Failure(nil, PublishError.noSuchVersion(beginning, matches: matches.count))
      }
      return matches[0]
    }
    let place = history.lastIndex { $0.id == from } ?? 0
    guard let before = history[..<place].last(where: { !$0.isWithdrawn }) else {
      throw Failure(nil, PublishError.nothingBefore(version: from))
    }
    return before.id
  }
}
