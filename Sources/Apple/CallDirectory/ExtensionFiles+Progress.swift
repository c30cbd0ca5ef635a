// The app's side: how far loading has come, and what iOS reported to the app.

import CallDeltaReader
import CallStoreReader

/// How much of an extension's files is loaded.
public struct LoadProgress: Equatable, Sendable {
  /// What the next request will load, if iOS agrees.
  public var next: LoadStep
  /// How many entries the requests that are still needed will add.
  public var entriesToCome: UInt64
  /// Whether all that is wanted is loaded.
  public var isComplete: Bool { next == .nothing }

  /// Makes a progress.
  public init(next: LoadStep, entriesToCome: UInt64) {
    self.next = next
    self.entriesToCome = entriesToCome
  }
}

/// A reload that an app asked for: ``ExtensionFiles/beginReload()``.
public struct ExtensionReload: Sendable {
  fileprivate let journal: LoadJournal
  fileprivate let former: UInt64?

  /// Writes the result that iOS reported to the app: whether the reload ended with an error. An extension whose process ended before it
  /// learnt how its request ended gets to know it this way.
  ///
  /// A reload that iOS did not begin (no such extension, switched off, loading already) changed nothing, and need not be
  /// reported. A reported failure is followed by a load from scratch.
  public func ended(failed: Bool) {
    // A process that is ended before it writes anything down leaves the record of the last request, and nothing of what
    // that one loaded: iOS removes all when a load fails.
    guard let last = journal.last(), failed || last.request != former else { return }
    journal.recordAppReport(of: last.request, isLoaded: !failed)
  }
}

extension ExtensionFiles {
  /// Begins to watch a reload that the app is about to ask for.
  ///
  ///     let reload = files.beginReload()
  ///     manager.reloadExtension(withIdentifier: identifier) { error in reload.ended(failed: error != nil) }
  public func beginReload() -> ExtensionReload {
    let journal = LoadJournal(self)
    return ExtensionReload(journal: journal, former: journal.last()?.request)
  }

  /// How far loading has come, by what is written down. iOS may have forgotten all (the owner switched the extension
  /// off and on); the next request finds that out.
  ///
  /// - Complexity: O(deltas); no record is read.
  public func progress() throws(CallDirectoryError) -> LoadProgress {
    let hashes = try hashes()
    let last = LoadJournal(self).last()
    let next = LoadPlan.next(hashes, loaded: last?.trusted ?? .unknown)
    var toCome: UInt64 = 0
    var deltaAt: Int? = nil
    switch next {
    case .nothing: return LoadProgress(next: next, entriesToCome: 0)
    case .bootstrap:
      toCome = try Self.store(bootstrap ?? "").entryCount &+ Self.store(store).entryCount
    case .store(let after):
      let whole = try Self.store(store).entryCount
      let done = after == nil ? 0 : last?.added ?? 0
      toCome = whole &- min(done, whole)
    case .delta(let place, let after):
      let whole = try Self.delta(deltas[place]).additions.entryCount
      let done = after == nil ? 0 : last?.added ?? 0
      toCome = whole &- min(done, whole)
      deltaAt = place + 1
    }
    // The store is followed by the deltas that start from it.
    let rest = deltaAt ?? hashes.deltas.firstIndex { $0.from == hashes.store } ?? hashes.deltas.count
    for place in rest..<max(rest, hashes.deltas.count) {
      toCome = toCome &+ (try Self.delta(deltas[place]).additions.entryCount)
    }
    return LoadProgress(next: next, entriesToCome: toCome)
  }
}
