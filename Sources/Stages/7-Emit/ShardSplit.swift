// Splits a shard that has become too full into several shards of the same size.
//
// A shard is first written like any other. If its count at the end exceeds the maximum, it is read back from its
// unnamed file and written again in pieces. So nothing is held in memory, and shards that fit cost nothing extra.

import CallStoreFormat
import CallStoreReader
import StoreWriting
import Records

/// Writes the pieces of a sealed shard that is too full.
struct ShardSplit: ~Copyable {
  private let source: CallStore
  private let path: String
  private var cursor: StoreCursor
  private var batch = StoreBatch()
  private var at = 0
  /// The number of the current record's numbers that were already written.
  private var taken: UInt64 = 0
  private var batches = 0
  /// Pages are released after this number of batches, a few MiB of a typical store.
  private static let batchesResident = 64
  /// The maximum number of labels counted by reference before their bytes are read.
  private static let referencesMax = 4096

  /// Starts at the first record. The path is for messages.
  init(_ source: consuming CallStore, path: String) {
    cursor = StoreCursor(source)
    self.source = source
    self.path = path
  }

  /// Opens a sealed shard.
  static func open(_ file: borrowing StoreFile, path: String) throws(Failure) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(descriptor: file.descriptor)
    } catch {
      throw Failure(.emit, EmitError.invalidStore(.unreadable(error), path: path))
    }
  }

  /// The first number of the next piece; nil after the last piece.
  mutating func nextNumber() throws(Failure) -> UInt64? {
    try prepare() ? batch.firsts[at] + taken : nil
  }

  /// Writes the next `count` numbers to a piece. Returns 1 if a range was cut at the piece's end, otherwise 0.
  mutating func write(
    _ count: UInt64, to piece: inout StoreFile, _ tally: inout ShardLabelCounter
  ) throws(Failure) -> Int {
    var left = count
    var counts: [StoreLabel: ShardLabelCounter.Count] = [:]
    while left > 0, try prepare() {
      let first = batch.firsts[at] + taken
      let last = min(batch.lasts[at], first + (left - 1))
      let label = batch.labels[at]
      try piece.append(first: first, last: last, kind: batch.kinds[at], label: label, of: source)
      let entries = last - first + 1
      counts[label, default: ShardLabelCounter.Count()].records += 1
      counts[label, default: ShardLabelCounter.Count()].entries += entries
      if counts.count >= Self.referencesMax { addCounts(&counts, to: &tally) }
      left -= entries
      if last == batch.lasts[at] {
        at += 1
        taken = 0
      } else {
        taken += entries
      }
    }
    addCounts(&counts, to: &tally)
    return taken > 0 ? 1 : 0
  }

  /// Adds the counts by the labels' bytes, because a store may contain the same label several times.
  private func addCounts(
    _ counts: inout [StoreLabel: ShardLabelCounter.Count], to tally: inout ShardLabelCounter
  ) {
    for (label, count) in counts {
      let bytes = source.bytes(of: label)
      // UInt8 has no padding and no invalid values.
      let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
      tally.add(copy, count)
    }
    counts = [:]
  }

  private mutating func prepare() throws(Failure) -> Bool {
    if at < batch.count { return true }
    at = 0
    batches += 1
    if batches % Self.batchesResident == 0 { source.releasePages() }
    do throws(CallStoreError) {
      return try cursor.nextRecords(of: source, into: &batch)
    } catch {
      throw Failure(.emit, EmitError.invalidStore(.unreadable(error), path: path))
    }
  }
}

extension StoreFile {
  /// Appends a record whose label is in another store.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: StoreLabel, of store: borrowing CallStore
  ) throws(Failure) {
    let bytes = store.bytes(of: label)
    try append(first: first, last: last, kind: kind, label: Span<UInt8>(_bytes: bytes), row: 0)
  }
}
