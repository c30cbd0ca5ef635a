// Passes the entries of a store to a request one by one. The store is decoded block by block.
//
// Not for choosing the store and the starting number (LoadPlan).

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
  /// Entries that were skipped because iOS would drop them because of their labels.
  var dropped = 0
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

  /// The position of the feed: a record of the batch, and a number.
  private struct FeedPosition {
    var record = 0
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

  /// Adds the entries of one autorelease pool.
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
      guard isBlocking || (1..<Self.labelBytesRefusedAt).contains(text.utf8.count) else {
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

  /// Removes the entries of one autorelease pool.
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
