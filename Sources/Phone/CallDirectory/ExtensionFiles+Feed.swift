// Loads one step into a request: choose the step, check the files, write the journal, add the entries, write the
// journal again.
//
// Not for ending the request: Apple's class does that and reports the result.

import CallDeltaReader
import CallStoreReader

extension ExtensionFiles {
  /// Loads the next step towards the wanted state into a request.
  ///
  /// The step depends on the journal and on whether iOS accepts changes. If the loaded state is unknown, or iOS does
  /// not accept changes, the request starts from scratch, with the bootstrap store if there is one. The file is checked
  /// completely before the first entry, so a damaged file changes nothing. Removals precede additions, and additions
  /// ascend.
  ///
  /// The request must still be ended, also after an error.
  ///
  /// - Complexity: O(records) to check, plus one call per entry. Memory: under 1 MiB for files of any size.
  public func feed(_ request: any DirectoryRequest) throws(FeedError) -> FedStep {
    var feeding = Feeding(files: self)
    do throws(CallDirectoryError) {
      return try feeding.run(request)
    } catch {
      throw FeedError(error, hasChanged: feeding.hasChanged)
    }
  }

  /// Leaves a request empty, for an app that does not want to load anything now. In an incremental request, the loaded
  /// entries stay; otherwise an empty request removes everything, and that is recorded.
  public func leaveEmpty(_ request: any DirectoryRequest) {
    if !request.isIncremental { LoadJournal(self).forget() }
  }

  /// Whether an unchanged request can be completed so that the loaded entries stay: the loaded state is known, and the
  /// request is incremental. Cancelling a request removes everything.
  public func mayKeep(_ request: any DirectoryRequest) -> Bool {
    guard let last = LoadJournal(self).last(), last.trusted != .unknown else { return false }
    return request.isIncremental
  }

  /// Records that a request failed: iOS has removed all entries. Call it from the delegate's `requestFailed`.
  public func requestFailed() {
    LoadJournal(self).forget()
  }
}

/// A step whose entries were added to a request. It counts as loaded only after iOS has reported the result: call
/// ``ended(expired:)``.
public struct FedStep: Sendable {
  /// The step that was loaded.
  public let step: LoadStep
  /// The count of numbers to block that were added.
  public let blockingAdded: Int
  /// The count of labelled numbers that were added.
  public let identificationAdded: Int
  /// The count of entries that were removed.
  public let removed: Int
  /// The count of entries that were skipped because iOS would drop them: their labels are empty or too long.
  public let dropped: Int
  /// Whether everything is loaded once iOS has accepted this step. If not, another request has to follow.
  public let isComplete: Bool

  /// The record to write; nil for a step that changed nothing.
  fileprivate let record: LoadRecord?
  fileprivate let journal: LoadJournal

  /// Records the result that iOS reported: the argument of `completeRequest`'s handler.
  public func ended(expired: Bool) {
    guard var record else { return }
    record.phase = expired ? .loading : .loaded
    if expired { record.extent = .unknown }
    journal.end(record)
  }
}

/// The state of loading a step into a request.
private struct Feeding {
  let files: ExtensionFiles
  let journal: LoadJournal
  let number = UInt64.random(in: 1...UInt64.max)
  private(set) var hasChanged = false

  init(files: ExtensionFiles) {
    self.files = files
    journal = LoadJournal(files)
  }

  mutating func run(_ request: any DirectoryRequest) throws(CallDirectoryError) -> FedStep {
    let hashes = try files.hashes()
    let last = journal.last()
    var step = LoadPlan.next(hashes, loaded: last?.trusted ?? .unknown)
    if !step.isFromScratch, !request.isIncremental { step = LoadPlan.fromScratch(hashes) }
    let before = last?.added ?? 0
    switch step {
    case .nothing:
      return FedStep(
        step: step, blockingAdded: 0, identificationAdded: 0, removed: 0, dropped: 0, isComplete: true,
        record: nil, journal: journal)
    case .bootstrap:
      let (counts, part) = try feed(files.bootstrap ?? "", hashes.bootstrap ?? [], after: nil, request)
      return finish(step, hashes, counts, part, added: 0)
    case .store(let after):
      let (counts, part) = try feed(files.store, hashes.store, after: after, request)
      return finish(step, hashes, counts, part, added: after == nil ? 0 : before)
    case .delta(let place, let after):
      let (counts, part) = try feed(
        delta: files.deltas[place], hashes.deltas[place], after: after, request)
      return finish(step, hashes, counts, part, added: after == nil ? 0 : before)
    }
  }

  /// Adds the entries of a store, or the rest of them.
  private mutating func feed(
    _ path: String, _ hash: [UInt8], after: UInt64?, _ request: any DirectoryRequest
  ) throws(CallDirectoryError) -> (FeedCounts, LoadedExtent) {
    let store = try ExtensionFiles.store(path)
    guard store.contentHash == hash else { throw .replaced(path: path) }
    var feed = EntryFeed()
    do throws(CallStoreError) {
      try store.verify()
    } catch {
      throw .store(error, path: path)
    }
    try begin()
    do throws(CallStoreError) {
      let (through, isAll) = try feed.add(store, after: after, atMost: files.additionsMax, to: request)
      return (feed.counts, isAll ? .whole(hash) : .storePart(hash, through: through))
    } catch {
      throw .store(error, path: path)
    }
  }

  /// Adds and removes the entries of a delta, or adds the rest of its additions.
  private mutating func feed(
    delta path: String, _ ends: DeltaEnds, after: UInt64?, _ request: any DirectoryRequest
  ) throws(CallDirectoryError) -> (FeedCounts, LoadedExtent) {
    let delta = try ExtensionFiles.delta(path)
    guard delta.header.baselineHash == ends.from, delta.header.resultHash == ends.to else {
      throw .replaced(path: path)
    }
    var feed = EntryFeed()
    do throws(CallStoreError) {
      try delta.removals.verify()
    } catch {
      throw .delta(.removals(error), path: path)
    }
    do throws(CallStoreError) {
      try delta.additions.verify()
    } catch {
      throw .delta(.additions(error), path: path)
    }
    try begin()
    if after == nil {
      do throws(CallStoreError) {
        try feed.remove(delta.removals, from: request)
      } catch {
        throw .delta(.removals(error), path: path)
      }
    }
    do throws(CallStoreError) {
      let (through, isAll) = try feed.add(
        delta.additions, after: after, atMost: files.additionsMax, to: request)
      let part = LoadedExtent.deltaPart(from: ends.from, to: ends.to, through: through)
      return (feed.counts, isAll ? .whole(ends.to) : part)
    } catch {
      throw .delta(.additions(error), path: path)
    }
  }

  private mutating func begin() throws(CallDirectoryError) {
    try journal.begin(number)
    hasChanged = true
  }

  private func finish(
    _ step: LoadStep, _ hashes: ExtensionFileHashes, _ counts: FeedCounts, _ extent: LoadedExtent,
    added: UInt64
  ) -> FedStep {
    let record = LoadRecord(
      .submitted, extent, request: number, added: added &+ UInt64(counts.added &+ counts.dropped))
    journal.write(record)
    return FedStep(
      step: step, blockingAdded: counts.blockingAdded, identificationAdded: counts.identificationAdded,
      removed: counts.removed, dropped: counts.dropped, isComplete: extent == .whole(hashes.target),
      record: record, journal: journal)
  }
}
