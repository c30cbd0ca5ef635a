// One request, fed: decided, checked, written to the journal, added, written to the journal again.
//
// Not for: ending the request. Apple's class does that, and reports the result.

import CallDeltaReader
import CallStoreReader

extension ExtensionFiles {
  /// Feeds a request with the next step on the way to what is wanted.
  ///
  /// The journal and whether iOS accepts changes decide: if nothing is known, or iOS does not, the request
  /// starts from scratch, with the bootstrap store if there is one. The file is checked from end to end before the
  /// first entry, so that a damaged one changes nothing. Removals go before additions, and additions ascend.
  ///
  /// The request still must be ended, whatever comes of this.
  ///
  /// - Complexity: O(records) to check, and one call for each entry. Memory: under 1 MiB, whatever the files hold.
  public func feed(_ request: any DirectoryRequest) throws(FeedError) -> FedStep {
    var feeding = Feeding(files: self)
    do throws(CallDirectoryError) {
      return try feeding.run(request)
    } catch {
      throw FeedError(error, hasChanged: feeding.hasChanged)
    }
  }

  /// Leaves a request empty, for an app that does not want a load now. What is loaded stays if iOS asks for changes only;
  /// otherwise an empty request removes all, and that is written down.
  public func leaveEmpty(_ request: any DirectoryRequest) {
    if !request.isIncremental { LoadJournal(self).forget() }
  }

  /// Whether a request that was not changed may be completed so that what is loaded stays: something is known to be
  /// loaded, and iOS asks for changes only. To cancel a request removes everything.
  public func mayKeep(_ request: any DirectoryRequest) -> Bool {
    guard let last = LoadJournal(self).last(), last.trusted != .unknown else { return false }
    return request.isIncremental
  }

  /// Notes that a request failed, like `requestFailed`: iOS has removed all entries.
  public func requestFailed() {
    LoadJournal(self).forget()
  }
}

/// A step whose entries were added. It counts as loaded only when iOS reports it: call ``ended(expired:)``.
public struct FedStep: Sendable {
  /// What it was.
  public let step: LoadStep
  /// How many numbers to block were added.
  public let blockingAdded: Int
  /// How many numbers with a label were added.
  public let identificationAdded: Int
  /// How many removals were asked for.
  public let removed: Int
  /// How many entries were left out, because iOS would drop them: their labels are empty or too long.
  public let dropped: Int
  /// Whether all that is wanted is loaded, once iOS has taken this. If not, another request goes on.
  public let isComplete: Bool

  /// What to write down; nil for a step that changed nothing.
  fileprivate let record: LoadRecord?
  fileprivate let journal: LoadJournal

  /// Writes the request's end as iOS reports it: the argument of `completeRequest`'s handler.
  public func ended(expired: Bool) {
    guard var record else { return }
    record.phase = expired ? .loading : .loaded
    if expired { record.extent = .unknown }
    journal.end(record)
  }
}

/// A request that is being fed.
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

  /// Feeds a store, or the rest of it.
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

  /// Feeds a delta, or the rest of its additions.
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
