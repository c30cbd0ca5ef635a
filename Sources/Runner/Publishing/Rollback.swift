// Back to an earlier version, or forward again: `current` is replaced, nothing is made.

import EmitStage
public import PipeStage
import SystemIO

/// One version, for people.
public struct PublishedVersion: Equatable, Sendable {
  /// Its id.
  public var id: String
  /// When it was published, in seconds since 1970.
  public var published: Int64
  /// Single numbers.
  public var entries: UInt64
  /// Whether it is the current one.
  public var isCurrent: Bool
  /// Whether somebody went back from it.
  public var isWithdrawn: Bool
}

extension PublishedFolder {
  /// The versions that are there, the oldest first. Nothing is locked or written; while a run publishes, they are those
  /// of before or after.
  public func published() -> [PublishedVersion] {
    let known = PublishState.read(state, calls: KernelCalls())
    var state = known ?? PublishState()
    let current = currentVersion
    let ids = (try? self.ids(calls: KernelCalls())) ?? []
    state.fit(self, ids: ids, current: current, isKnown: known != nil)
    return state.history.map { entry in
      PublishedVersion(
        id: entry.id, published: entry.published, entries: entry.entries, isCurrent: entry.id == current,
        isWithdrawn: entry.isWithdrawn)
    }
  }
}

extension Publisher {
  /// Makes an earlier version current: the one whose id begins so, or the one before. Every byte of it is checked first.
  ///
  /// The version that was current is withdrawn: the same content is not published again until somebody goes back to
  /// it in this way.
  public func rollBack(to beginning: String?) throws(StageError) -> (from: String, to: String) {
    guard let from = current else {
      throw StageError(nil, PublishError.nothingPublished(directory: folder.directory))
    }
    let to = try target(beginning, from)
    if to == from { return (from, to) }
    do throws(VersionError) {
      try folder.check(to)
    } catch {
      throw StageError(nil, PublishError.damagedVersion(to, error))
    }
    try turn(from: from, to: to)
    return (from, to)
  }

  private func target(_ beginning: String?, _ from: String) throws(StageError) -> String {
    if let beginning {
      let matches = history.map(\.id).filter { $0.hasPrefix(beginning) }
      guard matches.count == 1, !beginning.isEmpty else {
        throw StageError(nil, PublishError.noSuchVersion(beginning, matches: matches.count))
      }
      return matches[0]
    }
    let place = history.lastIndex { $0.id == from } ?? 0
    guard let before = history[..<place].last(where: { !$0.isWithdrawn }) else {
      throw StageError(nil, PublishError.nothingBefore(version: from))
    }
    return before.id
  }
}
