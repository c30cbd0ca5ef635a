// Walks a store in ascending order, one kind or both merged, a batch at a time.

public import CallStoreFormat

/// A position in a store's records.
///
///     var cursor = StoreCursor(store)
///     var batch = StoreBatch()
///     while try cursor.nextRecords(of: store, into: &batch) {
///       for index in 0..<batch.count { show(batch.firsts[index], batch.lasts[index]) }
///     }
///
/// A cursor uses about 60 KiB for each kind in the store, and 80 KiB more for blocks whose records have distinct
/// labels.
public struct StoreCursor: ~Copyable {
  private var blocking: KindCursor
  private var identification: KindCursor
  /// The number of the current range's numbers that ``nextEntries(of:into:)`` has already returned.
  private var given: UInt64 = 0

  /// Starts at the first record of a kind, or of both kinds for nil.
  public init(_ store: borrowing CallStore, kind: StoreKind? = nil) {
    blocking = KindCursor(store, .blocking, isEmpty: kind == .identification)
    identification = KindCursor(store, .identification, isEmpty: kind == .blocking)
  }

  /// Fills the batch with the next records, ranges as ranges. Returns false and an empty batch after the last record.
  ///
  /// - Parameters:
  ///   - store: the store that the cursor was made for.
  ///   - batch: the batch to fill. What it contained is replaced.
  public mutating func nextRecords(
    of store: borrowing CallStore, into batch: inout StoreBatch
  ) throws(CallStoreError) -> Bool {
    try fill(store, &batch, expanding: false)
  }

  /// Fills the batch with the next single numbers; ranges are expanded. Returns false and an empty batch after the last
  /// number.
  ///
  /// - Parameters:
  ///   - store: the store that the cursor was made for.
  ///   - batch: the batch to fill. What it contained is replaced.
  public mutating func nextEntries(
    of store: borrowing CallStore, into batch: inout StoreBatch
  ) throws(CallStoreError) -> Bool {
    try fill(store, &batch, expanding: true)
  }

  private mutating func fill(
    _ store: borrowing CallStore, _ batch: inout StoreBatch, expanding: Bool
  ) throws(CallStoreError) -> Bool {
    batch.count = 0
    while batch.count < batch.capacity {
      let blockingFront = try blocking.front(store)
      let identificationFront = try identification.front(store)
      if blockingFront == UInt64.max, identificationFront == UInt64.max { break }
      let before = batch.count
      let isPlain = !expanding || !blocking.hasRanges && !identification.hasRanges
      if isPlain, blockingFront != UInt64.max, identificationFront != UInt64.max {
        do throws(BlockError) {
          try KindMerge.merge(&blocking, &identification, into: &batch)
        } catch {
          throw .damaged(.index)
        }
      } else if blockingFront <= identificationFront {
        blocking.copy(to: &batch, below: identificationFront, expanding, &given)
      } else {
        identification.copy(to: &batch, below: blockingFront, expanding, &given)
      }
      // Both kinds have a record that starts at the same number: the store is damaged.
      guard batch.count > before else { throw .damaged(.index) }
    }
    return batch.count > 0
  }
}

extension KindCursor {
  /// The first number of the current record; `UInt64.max` after the last record.
  @inline(__always)
  mutating func front(_ store: borrowing CallStore) throws(CallStoreError) -> UInt64 {
    try prepare(store) ? firsts[at] : .max
  }

  /// Copies the decoded records or numbers that start below `limit`, up to the batch's capacity.
  @inline(__always)
  mutating func copy(
    to batch: inout StoreBatch, below limit: UInt64, _ expanding: Bool, _ given: inout UInt64
  ) {
    if expanding, hasRanges {
      copyEntries(to: &batch, below: limit, &given)
    } else {
      copyRecords(to: &batch, below: limit)
    }
  }

  /// Copies the decoded records that start below `limit`, up to the batch's capacity.
  mutating func copyRecords(to batch: inout StoreBatch, below limit: UInt64) {
    let end = endOfRecords(below: limit, atMost: batch.capacity - batch.count)
    copy(at..<end, to: &batch)
    at = end
  }

  private func endOfRecords(below limit: UInt64, atMost capacity: Int) -> Int {
    let from = firsts.span
    let stop = min(count, at + capacity)
    if stop > at, from[stop - 1] < limit { return stop }
    var end = at
    while end < stop, from[end] < limit { end += 1 }
    return end
  }

  private func endOfSingleNumbers(below limit: UInt64, atMost capacity: Int) -> Int {
    let from = firsts.span
    let to = lasts.span
    let stop = min(count, at + capacity)
    var end = at
    while end < stop, from[end] == to[end], from[end] < limit { end += 1 }
    return end
  }

  /// Copies decoded records for which the batch has capacity.
  @inline(__always)
  private func copy(_ records: Range<Int>, to batch: inout StoreBatch) {
    let filled = batch.count
    let count = records.count
    if count == 1 {
      // Where kinds alternate, single records are frequent: four plain stores cost less than the setup of four loops.
      batch.firstColumn[filled] = firsts[records.lowerBound]
      batch.lastColumn[filled] = lasts[records.lowerBound]
      batch.labelColumn[filled] = labels[Int(identities[start + records.lowerBound])]
      batch.kindColumn[filled] = kind
      batch.count += 1
      return
    }
    var first = batch.firstColumn.mutableSpan
    let from = firsts.span
    for index in 0..<count { first[filled + index] = from[records.lowerBound + index] }
    var last = batch.lastColumn.mutableSpan
    let to = lasts.span
    for index in 0..<count { last[filled + index] = to[records.lowerBound + index] }
    var label = batch.labelColumn.mutableSpan
    let known = labels.span
    let names = identities.span
    for index in 0..<count {
      label[filled + index] = known[Int(names[start + records.lowerBound + index])]
    }
    var kinds = batch.kindColumn.mutableSpan
    for index in 0..<count { kinds[filled + index] = kind }
    batch.count += count
  }

  /// Copies the decoded single numbers below `limit`, up to the batch's capacity. `given` numbers of the current record
  /// were already returned.
  mutating func copyEntries(to batch: inout StoreBatch, below limit: UInt64, _ given: inout UInt64) {
    while at < count, batch.count < batch.capacity, firsts[at] < limit {
      // Single numbers up to the next range are copied like records.
      let end = endOfSingleNumbers(below: limit, atMost: batch.capacity - batch.count)
      if end > at {
        copy(at..<end, to: &batch)
        at = end
        continue
      }
      let number = firsts[at] + given
      let left = lasts[at] - number + 1
      let some = Int(min(left, UInt64(batch.capacity - batch.count)))
      let label = labels[Int(identities[start + at])]
      for index in batch.count..<(batch.count + some) {
        batch.firstColumn[index] = number + UInt64(index - batch.count)
        batch.lastColumn[index] = number + UInt64(index - batch.count)
        batch.labelColumn[index] = label
        batch.kindColumn[index] = kind
      }
      batch.count += some
      given += UInt64(some)
      if UInt64(some) == left {
        given = 0
        at += 1
      }
    }
  }
}
