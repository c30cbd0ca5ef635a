// Loads one step into a request: choose the step, check the files, write the journal, add the entries, write the
// journal again. The request is Apple's class or the simulated phone's, which have the same five members.

import CallDeltaReader
import CallStoreFormat
import CallStoreReader

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// The members of a Call Directory request, with the names of `CXCallDirectoryExtensionContext`, so that Apple's class
/// conforms unchanged. The target CallDirectoryKit declares the conformance.
///
/// To end a request, see ``EndingRequest``.
public protocol DirectoryRequest: AnyObject {
  /// Whether the request is for changes only. Once this was read and was true, additions are added to the existing
  /// entries.
  var isIncremental: Bool { get }
  /// Adds a number to block. Numbers must ascend.
  func addBlockingEntry(withNextSequentialPhoneNumber phoneNumber: Int64)
  /// Removes a number to block. Only for incremental requests.
  func removeBlockingEntry(withPhoneNumber phoneNumber: Int64)
  /// Adds a number and the label that its calls show. Numbers must ascend.
  func addIdentificationEntry(withNextSequentialPhoneNumber phoneNumber: Int64, label: String)
  /// Removes a number's labels. Only for incremental requests.
  func removeIdentificationEntry(withPhoneNumber phoneNumber: Int64)
}

/// A request that can be ended. Apple's methods are spelled differently from one SDK to the next, so these have their
/// own names.
public protocol EndingRequest: DirectoryRequest {
  /// Completes the request. `ended` is called when iOS has reported the result; `expired` is true if the request failed
  /// or expired and nothing was loaded.
  func end(whenEnded ended: @escaping @Sendable (_ expired: Bool) -> Void)
  /// Cancels the request with an error, which the app receives. iOS removes all entries.
  func end(failing cause: CallDirectoryError)
}

extension EndingRequest {
  /// Loads the next step of the files into the request, ends the request, and records the result. This is all that an
  /// extension has to do.
  ///
  ///     context.load(ExtensionFiles(folder: folder))  // in beginRequest(with:), after `context.delegate = self`
  ///
  /// If the files or the record can't be read before anything was changed, such as before the phone's first unlock, the
  /// loaded entries stay, if iOS allows it; the app gets the same error from ``ExtensionFiles/progress()``. Otherwise the
  /// request is cancelled with the error.
  @discardableResult
  public func load(_ files: ExtensionFiles) -> Result<FedStep, FeedError> {
    do throws(FeedError) {
      let fed = try files.feed(self)
      end { fed.ended(expired: $0) }
      return .success(fed)
    } catch {
      if !error.hasChanged, files.mayKeep(self) {
        end { _ in }
      } else {
        files.requestFailed()
        end(failing: error.cause)
      }
      return .failure(error)
    }
  }
}

/// The step that a request loads.
public enum LoadStep: Equatable, Sendable {
  /// Nothing: everything is loaded.
  case nothing
  /// The bootstrap store, replacing all loaded entries.
  case bootstrap
  /// The store, replacing all loaded entries; with a number, the rest of the store after it.
  case store(after: UInt64?)
  /// A delta, by its index in ``ExtensionFiles/deltas``: its removals and additions; with a number, the rest of its
  /// additions after it.
  case delta(Int, after: UInt64?)

  /// Whether the step replaces all entries. Otherwise it changes the loaded entries, which needs an incremental
  /// request.
  public var isFromScratch: Bool {
    switch self {
    case .bootstrap, .store(after: nil): true
    case .nothing, .store, .delta: false
    }
  }
}

/// The content hashes of the stores that a delta starts from and leads to.
struct DeltaEnds: Equatable, Sendable {
  var from: [UInt8]
  var to: [UInt8]
}

struct ExtensionFileHashes: Equatable, Sendable {
  let store: [UInt8]
  let bootstrap: [UInt8]?
  /// The deltas, if they form a chain that begins or ends at the store; otherwise empty.
  let deltas: [DeltaEnds]
  /// The content hash of the wanted state.
  let target: [UInt8]
  /// The user's own list.
  var own = OwnList()
  /// Identifies the numbers that it allows among those of the files; 0 for none.
  var allowed: UInt64 = 0

  init(store: [UInt8], bootstrap: [UInt8]?, deltas: [DeltaEnds]) {
    self.store = store
    self.bootstrap = bootstrap
    let isChain = zip(deltas, deltas.dropFirst()).allSatisfy { $0.to == $1.from }
    if isChain, let first = deltas.first, let last = deltas.last, first.from == store || last.to == store {
      self.deltas = deltas
      target = last.to
    } else {
      self.deltas = []
      target = store
    }
  }
}

enum LoadPlan {
  static func next(_ hashes: ExtensionFileHashes, loaded: LoadedExtent) -> LoadStep {
    switch loaded {
    case .unknown: return fromScratch(hashes)
    case .other: break
    case .whole(let hash):
      if hash == hashes.target { return .nothing }
      // The last one: a list that returns to an earlier state leads on from there.
      if let place = hashes.deltas.lastIndex(where: { $0.from == hash }) { return .delta(place, after: nil) }
    case .storePart(let hash, let through):
      if hash == hashes.store { return .store(after: through) }
    case .deltaPart(let from, let to, let through):
      let ends = DeltaEnds(from: from, to: to)
      if let place = hashes.deltas.lastIndex(of: ends) { return .delta(place, after: through) }
    }
    // Something else is loaded; it stays active until the store replaces it.
    return .store(after: nil)
  }

  static func fromScratch(_ hashes: ExtensionFileHashes) -> LoadStep {
    hashes.bootstrap == nil ? .store(after: nil) : .bootstrap
  }
}

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

  /// Whether an unchanged request can be completed so that the loaded entries stay: the loaded state is known, or the
  /// record may not be read, and the request is incremental. Cancelling a request removes everything.
  public func mayKeep(_ request: any DirectoryRequest) -> Bool {
    do throws(CallDirectoryError) {
      guard let last = try LoadJournal(self).last(), last.trusted != .unknown else { return false }
    } catch {
      // Entries may be loaded. The next request, after the first unlock, knows.
    }
    return request.isIncremental
  }

  /// Records that nothing is loaded, for an extension that its user has switched off: call it before a request without
  /// entries is completed, of which `isIncremental` was not read. iOS removes all entries of the extension then.
  public func recordNothingLoaded() { LoadJournal(self).forget() }

  /// Records that a request failed: iOS has removed all entries. Call it from the delegate's `requestFailed`.
  public func requestFailed() { LoadJournal(self).forget() }
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
  /// The count of entries that were left out because the user allows their numbers.
  public let allowed: Int
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

private struct Feeding {
  let files: ExtensionFiles
  let journal: LoadJournal
  let number = UInt64.random(in: 1...UInt64.max)
  private(set) var hasChanged = false
  /// The user's own list, as it was when the step was chosen.
  private var own = OwnList()

  init(files: ExtensionFiles) {
    self.files = files
    journal = LoadJournal(files)
  }

  mutating func run(_ request: any DirectoryRequest) throws(CallDirectoryError) -> FedStep {
    let hashes = try files.hashes()
    own = hashes.own
    let last = try lastRequest(request)
    var step = LoadPlan.next(hashes, loaded: last?.trusted(without: hashes.allowed) ?? .unknown)
    if !step.isFromScratch, !request.isIncremental { step = LoadPlan.fromScratch(hashes) }
    let before = last?.added ?? 0
    switch step {
    case .nothing:
      return FedStep(
        step: step, blockingAdded: 0, identificationAdded: 0, removed: 0, dropped: 0, allowed: 0,
        isComplete: true, record: nil, journal: journal)
    case .store(let after) where files.blocksOwnList:
      let (counts, part) = try feedOwnList(hashes.store, after: after, request)
      return finish(step, hashes, counts, part, added: after == nil ? 0 : before)
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

  /// The last request. A record that may not be read is an error if entries may be loaded; if not, there is nothing to
  /// lose by starting from scratch.
  private func lastRequest(_ request: any DirectoryRequest) throws(CallDirectoryError) -> LoadRecord? {
    do throws(CallDirectoryError) {
      return try journal.last()
    } catch {
      if request.isIncremental { throw error }
      return nil
    }
  }

  /// Adds the entries of a store, or the rest of them.
  private mutating func feed(
    _ path: String, _ hash: [UInt8], after: UInt64?, _ request: any DirectoryRequest
  ) throws(CallDirectoryError) -> (FeedCounts, LoadedExtent) {
    let store = try ExtensionFiles.store(path)
    guard store.contentHash == hash else { throw .replaced(path: path) }
    var feed = EntryFeed(leavingOut: own.allowed)
    do throws(CallStoreError) { try store.verify() } catch { throw .store(error, path: path) }
    try begin()
    do throws(CallStoreError) {
      let (through, isAll) = try feed.add(store, after: after, atMost: files.additionsMax, to: request)
      return (feed.counts, isAll ? .whole(hash) : .storePart(hash, through: through))
    } catch {
      throw .store(error, path: path)
    }
  }

  /// Adds the numbers that the user blocks, or the rest of them.
  private mutating func feedOwnList(
    _ hash: [UInt8], after: UInt64?, _ request: any DirectoryRequest
  ) throws(CallDirectoryError) -> (FeedCounts, LoadedExtent) {
    let blocked = own.blocked
    guard blocked.hash == hash else { throw .replaced(path: files.store) }
    var feed = EntryFeed()
    try begin()
    let (through, isAll) = feed.block(blocked, after: after, atMost: files.additionsMax, in: request)
    return (feed.counts, isAll ? .whole(hash) : .storePart(hash, through: through))
  }

  /// Adds and removes the entries of a delta, or adds the rest of its additions.
  private mutating func feed(
    delta path: String, _ ends: DeltaEnds, after: UInt64?, _ request: any DirectoryRequest
  ) throws(CallDirectoryError) -> (FeedCounts, LoadedExtent) {
    let delta = try ExtensionFiles.delta(path)
    guard delta.header.baselineHash == ends.from, delta.header.resultHash == ends.to else {
      throw .replaced(path: path)
    }
    var feed = EntryFeed(leavingOut: own.allowed)
    try ExtensionFiles.verify(delta, at: path)
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
    var record = LoadRecord(
      .submitted, extent, request: number,
      added: added &+ UInt64(counts.added &+ counts.dropped &+ counts.allowed))
    record.allowed = hashes.allowed
    journal.write(record)
    return FedStep(
      step: step, blockingAdded: counts.blockingAdded, identificationAdded: counts.identificationAdded,
      removed: counts.removed, dropped: counts.dropped, allowed: counts.allowed,
      isComplete: extent == .whole(hashes.target),
      record: record, journal: journal)
  }
}

struct FeedCounts: Equatable, Sendable {
  var blockingAdded = 0
  var identificationAdded = 0
  var removed = 0
  /// Entries that were skipped because iOS would drop them because of their labels.
  var dropped = 0
  /// Entries that were left out because the user allows their numbers.
  var allowed = 0
  var added: Int { blockingAdded + identificationAdded }
}

/// Passes entries to requests; keeps its buffers between stores.
///
/// Memory: 26 KiB for records, at most 140 KiB for labels, and the memory of a ``StoreCursor``.
struct EntryFeed: ~Copyable {
  /// The number of records decoded at a time. More would not be faster, and an extension has little memory.
  private static let recordsAtOnce = 1_024
  /// The number of entries per autorelease pool: Apple's frameworks allocate memory for each entry.
  private static let entriesInPool = 4_096
  /// The label size from which iOS drops an entry, in bytes. iOS stores the length in 16 bits and silently drops
  /// entries with longer or empty labels (found in its builds).
  private static let labelBytesRefusedAt = 65_535
  /// The number of records after which the file's pages are released; they span about 1 MiB at most.
  private static let recordsResident = 1 << 17

  private var batch = StoreBatch(capacity: recordsAtOnce)
  private var texts = LabelTextCache()
  private(set) var counts = FeedCounts()
  /// The numbers that are left out.
  private let allowed: NumberRanges

  init(leavingOut allowed: NumberRanges = NumberRanges()) { self.allowed = allowed }

  private struct FeedPosition {
    var record = 0
    /// The index of the first range of allowed numbers that does not end below ``next``.
    var allowed = 0
    /// The lowest number that has not been added yet.
    var next: UInt64
    /// Whether the limit is reached and more entries remain.
    var isFull = false
  }

  /// Adds at most `limit` entries of a store, starting after a number. Returns the last number that was added or
  /// skipped, and whether no entries remain.
  mutating func add(
    _ store: borrowing CallStore, after: UInt64?, atMost limit: Int, to request: any DirectoryRequest
  ) throws(CallStoreError) -> (through: UInt64, isAll: Bool) {
    var cursor = StoreCursor(store)
    var place = FeedPosition(next: after.map { min($0, StoreLimits.numberMax) + 1 } ?? 0)
    place.allowed = allowed.index(from: place.next)
    var resident = 0
    while try cursor.nextRecords(of: store, into: &batch) {
      place.record = 0
      while place.record < batch.count {
        inPool {
          Self.addSome(batch, store, allowed, &place, limit, &texts, &counts, request)
        }
        if place.isFull { return (place.next - 1, false) }
      }
      resident += batch.count
      if resident >= Self.recordsResident {
        store.releasePages()
        resident = 0
      }
    }
    return (max(place.next, 1) - 1, true)
  }

  private static func addSome(
    _ batch: borrowing StoreBatch, _ store: borrowing CallStore, _ allowed: NumberRanges,
    _ place: inout FeedPosition, _ limit: Int, _ texts: inout LabelTextCache, _ counts: inout FeedCounts,
    _ request: any DirectoryRequest
  ) {
    let (firsts, lasts, labels, kinds) = (batch.firsts, batch.lasts, batch.labels, batch.kinds)
    var capacity = UInt64(entriesInPool)
    while place.record < batch.count, capacity > 0 {
      let last = lasts[place.record]
      let first = max(firsts[place.record], place.next)
      guard first <= last else {
        place.record += 1
        continue
      }
      let wanted = wanted(first, last, allowed, &place.allowed)
      guard wanted > 0 else {
        let end = min(last, allowed.ranges[place.allowed].upperBound)
        counts.allowed = Int(clamping: UInt64(counts.allowed) &+ (end - first) &+ 1)
        place.next = end + 1
        continue
      }
      let isBlocking = kinds[place.record] == .blocking
      let text = isBlocking ? "" : texts.text(of: labels[place.record], in: store)
      guard isBlocking || (1..<Self.labelBytesRefusedAt).contains(text.utf8.count) else {
        counts.dropped = Int(clamping: UInt64(counts.dropped) &+ wanted)
        place.next = first + wanted
        continue
      }
      let left = limit - counts.added
      guard left > 0 else {
        place.next = first
        place.isFull = true
        return
      }
      let count = min(wanted, capacity, UInt64(left))
      // Numbers of a store have at most 15 digits.
      if isBlocking {
        for number in first..<(first + count) {
          request.addBlockingEntry(withNextSequentialPhoneNumber: Int64(truncatingIfNeeded: number))
        }
        counts.blockingAdded += Int(count)
      } else {
        for number in first..<(first + count) {
          request.addIdentificationEntry(
            withNextSequentialPhoneNumber: Int64(truncatingIfNeeded: number), label: text)
        }
        counts.identificationAdded += Int(count)
      }
      capacity -= count
      place.next = first + count
    }
  }

  /// The count of numbers from `first` to `last` before the first one that is left out.
  @inline(__always)
  private static func wanted(
    _ first: UInt64, _ last: UInt64, _ allowed: NumberRanges, _ index: inout Int
  ) -> UInt64 {
    while index < allowed.ranges.count, allowed.ranges[index].upperBound < first { index += 1 }
    guard index < allowed.ranges.count, allowed.ranges[index].lowerBound <= last else {
      return last - first + 1
    }
    return max(allowed.ranges[index].lowerBound, first) - first
  }

  /// Adds at most `limit` numbers to block, starting after a number. Returns the last one that was added, and whether
  /// none remain.
  mutating func block(
    _ numbers: NumberRanges, after: UInt64?, atMost limit: Int, in request: any DirectoryRequest
  ) -> (through: UInt64, isAll: Bool) {
    var next = after.map { $0 + 1 } ?? 0
    for range in numbers.ranges[numbers.index(from: next)...] {
      next = max(next, range.lowerBound)
      while next <= range.upperBound {
        let left = limit - counts.added
        guard left > 0 else { return (next - 1, false) }
        let end = min(range.upperBound, next + UInt64(min(left, Self.entriesInPool)) - 1)
        inPool {
          for number in next...end {
            request.addBlockingEntry(withNextSequentialPhoneNumber: Int64(truncatingIfNeeded: number))
          }
        }
        counts.blockingAdded += Int(end - next + 1)
        next = end + 1
      }
    }
    return (max(next, 1) - 1, true)
  }

  mutating func remove(
    _ store: borrowing CallStore, from request: any DirectoryRequest
  ) throws(CallStoreError) {
    var cursor = StoreCursor(store)
    while try cursor.nextRecords(of: store, into: &batch) {
      var place = FeedPosition(next: 0)
      while place.record < batch.count {
        inPool {
          Self.removeSome(batch, &place, &counts, request)
        }
      }
    }
  }

  private static func removeSome(
    _ batch: borrowing StoreBatch, _ place: inout FeedPosition, _ counts: inout FeedCounts,
    _ request: any DirectoryRequest
  ) {
    let (firsts, lasts, kinds) = (batch.firsts, batch.lasts, batch.kinds)
    var capacity = UInt64(entriesInPool)
    while place.record < batch.count, capacity > 0 {
      let last = lasts[place.record]
      let first = max(firsts[place.record], place.next)
      guard first <= last else {
        place.record += 1
        continue
      }
      let count = min(last - first + 1, capacity)
      if kinds[place.record] == .blocking {
        for number in first..<(first + count) {
          request.removeBlockingEntry(withPhoneNumber: Int64(truncatingIfNeeded: number))
        }
      } else {
        for number in first..<(first + count) {
          request.removeIdentificationEntry(withPhoneNumber: Int64(truncatingIfNeeded: number))
        }
      }
      counts.removed += Int(count)
      capacity -= count
      place.next = first + count
    }
  }
}

/// Runs `body` in an autorelease pool, to free what Apple's frameworks allocate.
private func inPool(_ body: () -> Void) {
  #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
  #else
    body()
  #endif
}
