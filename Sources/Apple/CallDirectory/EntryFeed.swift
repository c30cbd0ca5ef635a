// Hands the entries of a store to a request, one number at a time, a block of the store at a time.
//
// Not for: which store, and from where on (LoadPlan).

import CallStoreFormat
import CallStoreReader

#if canImport(ObjectiveC)
  import ObjectiveC
#endif

/// How many entries were handed over.
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
/// It takes 26 KiB for records, 140 KiB for labels at the most, and what a ``StoreCursor`` takes.
struct EntryFeed: ~Copyable {
  /// So many records are decoded at a time: more would not be faster, and memory is what an extension lacks.
  private static let recordsAtOnce = 1_024
  /// So many entries are handed over before the memory is returned that Apple's frameworks take for each.
  private static let entriesInPool = 4_096
  /// So many records take about a mebibyte of the file at the most, whose pages are then given back.
  private static let recordsResident = 1 << 17

  private var batch = StoreBatch(capacity: recordsAtOnce)
  private var texts = LabelTextCache()
  private(set) var counts = FeedCounts()

  /// Where in a batch, and in the numbers, the feed stands.
  private struct Place {
    var record = 0
    /// The smallest number that is still to come.
    var next: UInt64
    /// There is an entry that is one too many.
    var isFull = false
  }

  /// Adds the entries of a store behind a number, so many at the most. Returns the last number that was added or left
  /// out, and whether these were all.
  mutating func add(
    _ store: borrowing CallStore, after: UInt64?, atMost limit: Int, to request: any DirectoryRequest
  ) throws(CallStoreError) -> (through: UInt64, isAll: Bool) {
    var cursor = StoreCursor(store)
    var place = Place(next: after.map { min($0, StoreLimits.numberMax) + 1 } ?? 0)
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

  /// Adds what one pool takes.
  private static func addSome(
    _ batch: borrowing StoreBatch, _ store: borrowing CallStore, _ place: inout Place, _ limit: Int,
    _ texts: inout LabelTextCache, _ counts: inout FeedCounts, _ request: any DirectoryRequest
  ) {
    let (firsts, lasts, labels, kinds) = (batch.firsts, batch.lasts, batch.labels, batch.kinds)
    var room = UInt64(entriesInPool)
    while place.record < batch.count, room > 0 {
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
      let count = min(last - first + 1, room, UInt64(left))
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
      room -= count
      place.next = first + count
    }
  }

  /// Removes all entries of a store.
  mutating func remove(
    _ store: borrowing CallStore, from request: any DirectoryRequest
  ) throws(CallStoreError) {
    var cursor = StoreCursor(store)
    while try cursor.nextRecords(of: store, into: &batch) {
      var place = Place(next: 0)
      while place.record < batch.count {
        inPool {
          Self.removeSome(batch, &place, &counts, request)
        }
      }
    }
  }

  /// Removes what one pool takes.
  private static func removeSome(
    _ batch: borrowing StoreBatch, _ place: inout Place, _ counts: inout FeedCounts,
    _ request: any DirectoryRequest
  ) {
    let (firsts, lasts, kinds) = (batch.firsts, batch.lasts, batch.kinds)
    var room = UInt64(entriesInPool)
    while place.record < batch.count, room > 0 {
      let last = lasts[place.record]
      let first = max(firsts[place.record], place.next)
      guard first <= last else {
        place.record += 1
        continue
      }
      let count = min(last - first + 1, room)
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
      room -= count
      place.next = first + count
    }
  }
}

/// Runs `body`, and gives back what Apple's frameworks took for it.
private func inPool(_ body: () -> Void) {
  #if canImport(ObjectiveC)
    autoreleasepool(invoking: body)
  #else
    body()
  #endif
}
