// Hands the entries of a store to a request, one number at a time, a block of the store at a time.
//
// Not for: which store, and from where on (LoadPlan).

import CallStoreFormat
import CallStoreReader

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// The number of entries that were added.
struct FeedCounts: Equatable, Sendable {
  var blockingAdded = 0
  var identificationAdded = 0
  var removed = 0
  /// Left out because iOS would drop them for their labels.
  var dropped = 0
  var added: Int { blockingAdded + identificationAdded }
}

/// The hands that entries go through.
///
/// It needs 26 KiB for records, at most 140 KiB for labels, and the memory of a ``StoreCursor``.
struct EntryFeed: ~Copyable {
  /// The number of records decoded at a time: more would not be faster, and memory is what an extension lacks.
  private static let recordsAtOnce = 1_024
  /// The number of entries added before the memory is returned that Apple's frameworks allocate for each.
  private static let entriesInPool = 4_096
  /// These records span at most about a mebibyte of the file, whose pages are then released.
  private static let recordsResident = 1 << 17

  private var batch = StoreBatch(capacity: recordsAtOnce)
  private var texts = LabelTextCache()
  private(set) var counts = FeedCounts()

  /// Where in a batch, and in the numbers, the feed stands.
  private struct FeedPosition {
    var record = 0
    /// The smallest number that is still to come.
    var next: UInt64
    /// There is an entry that is one too many.
    var isFull = false
  }

  /// Adds at most a given number of entries of a store after a number. Returns the last number that was added or left
  /// out, and whether these were all.
  mutating func add(
    _ store: borrowing CallStore, after: UInt64?, atMost limit: Int, to request: any DirectoryRequest
  ) throws(CallStoreError) -> (through: UInt64, isAll: Bool) {
    var cursor = StoreCursor(store)
    var place = FeedPosition(next: after.map { min($0, StoreLimits.numberMax) + 1 } ?? 0)
    var resident = 0
    while try cursor.nextRecords(of: store, into: &batch) {
      place.record = 0
      while place.record < batch.count {
        inPool {
          Self.addSome(batch, store, &place, limit, &texts, &counts, request)
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

  /// Adds the entries of one pool.
  private static func addSome(
    _ batch: borrowing StoreBatch, _ store: borrowing CallStore, _ place: inout FeedPosition, _ limit: Int,
    _ texts: inout LabelTextCache, _ counts: inout FeedCounts, _ request: any DirectoryRequest
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
      let isBlocking = kinds[place.record] == .blocking
      let text = isBlocking ? "" : texts.text(of: labels[place.record], in: store)
      guard let text else {
        counts.dropped = Int(clamping: UInt64(counts.dropped) &+ (last - first) &+ 1)
        place.next = last + 1
        continue
      }
      let left = limit - counts.added
      guard left > 0 else {
        place.next = first
        place.isFull = true
        return
      }
      let count = min(last - first + 1, capacity, UInt64(left))
      // Numbers of a store have 15 digits at the most.
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

  /// Removes all entries of a store.
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

  /// Removes the entries of one pool.
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

/// Runs `body`, and releases what Apple's frameworks allocated for it.
private func inPool(_ body: () -> Void) {
  #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
  #else
    body()
  #endif
}
