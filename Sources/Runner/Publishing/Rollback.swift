// Rolls back to an earlier version, or forward again: replaces the link `current` and writes no version.

import CallManifest
import EmitStage
public import PipeStage
public import SystemIO

/// A version in the list of versions.
public struct PublishedVersion: Equatable, Sendable {
  /// The version's id.
  public var id: String
  /// When it was published, in seconds since 1970.
  public var published: Int64
  /// The count of single numbers.
  public var entries: UInt64
  /// Whether it is the current version.
  public var isCurrent: Bool
  /// Whether it was rolled back.
  public var isWithdrawn: Bool
}

extension PublishedFolder {
  /// Lists the existing versions, oldest first. Does not lock or write anything; while a run publishes, the list is the
  /// one before or after.
  public func published() throws(SystemError) -> [PublishedVersion] {
    let confined = try? confine(KernelCalls())
    let calls: any SystemCalls = confined ?? KernelCalls()
    let known = try PublishState.read(state, calls: calls)
    var state = known ?? PublishState()
    let current = try currentVersion(calls: calls)
    let ids = try self.ids(calls: calls)
    state.fit(self, ids: ids, current: current, isKnown: known != nil, calls: calls)
    return state.history.map { entry in
      PublishedVersion(
        id: entry.id, published: entry.published, entries: entry.entries, isCurrent: entry.id == current,
        isWithdrawn: entry.isWithdrawn)
    }
  }
}

extension Publisher {
  /// Makes another version current: the one whose id starts with `beginning`, or the previous one if it is nil.
  /// Verifies every byte of it first.
  ///
  /// The version that was current is marked as withdrawn: the same content is not published again until it is made
  /// current in this way.
  ///
  /// If the publisher has keys, the version is signed, also if it is the current one: with a new serial number, since
  /// phones refuse an older one.
  public func rollBack(to beginning: String?) throws(StageError) -> (from: String, to: String) {
    guard let from = current else {
      throw StageError(nil, PublishError.nothingPublished(directory: folder.directory))
    }
    let to = try target(beginning, from)
    if to == from, signer == nil { return (from, to) }
    let signature = "\(folder.version(from))/\(ManifestSignature.fileName)"
    if signer == nil, Directory.holdsFile(signature, calls: calls) {
      throw StageError(nil, PublishError.needsSigningKey)
    }
    do throws(VersionError) {
      try folder.check(to, calls: calls)
    } catch {
      throw StageError(nil, error.machineError ?? PublishError.damagedVersion(to, error))
    }
    try sign(folder.version(to))
    if to != from { try switchCurrent(from: from, to: to) }
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
