// For the app: the progress of loading, and recording the result that iOS reports to the app.

import CallDeltaReader
import CallStoreReader

/// The progress of loading an extension's files.
public struct LoadProgress: Equatable, Sendable {
  /// The step that the next request will load, if iOS accepts it.
  public var next: LoadStep
  /// The count of entries that the remaining requests will add.
  public var entriesToCome: UInt64
  /// Whether everything is loaded.
  public var isComplete: Bool { next == .nothing }

  /// Creates a progress.
  public init(next: LoadStep, entriesToCome: UInt64) {
    self.next = next
    self.entriesToCome = entriesToCome
  }
}

/// A reload that the app has requested: see ``ExtensionFiles/beginReload()``.
public struct ExtensionReload: Sendable {
  fileprivate let journal: LoadJournal
  fileprivate let former: UInt64?

  /// Records the result that iOS reported to the app: whether the reload ended with an error. This way the result is
  /// known even if the extension's process ended before it received it.
  ///
  /// A reload that iOS did not start (unknown extension, disabled, already loading) changed nothing and need not be
  /// reported. After a reported failure, the next load starts from scratch.
  public func ended(failed: Bool) {
    // If a process ends before it writes anything, the record is still that of the previous request, although iOS has
    // removed its entries because the load failed.
    guard let last = journal.last(), failed || last.request != former else { return }
    journal.recordAppReport(of: last.request, isLoaded: !failed)
  }
}

extension ExtensionFiles {
  /// Prepares for a reload that the app is about to request.
  ///
  ///     let reload = files.beginReload()
  ///     manager.reloadExtension(withIdentifier: identifier) { error in reload.ended(failed: error != nil) }
  public func beginReload() -> ExtensionReload {
    let journal = LoadJournal(self)
    return ExtensionReload(journal: journal, former: journal.last()?.request)
  }

  /// The progress according to the journal. iOS may have removed everything since, for example because the owner
  /// disabled the extension; the next request detects that.
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
    // After the store, the deltas that start from it are loaded.
    let rest = deltaAt ?? hashes.deltas.firstIndex { $0.from == hashes.store } ?? hashes.deltas.count
    for place in rest..<max(rest, hashes.deltas.count) {
      toCome = toCome &+ (try Self.delta(deltas[place]).additions.entryCount)
    }
    return LoadProgress(next: next, entriesToCome: toCome)
  }
}
