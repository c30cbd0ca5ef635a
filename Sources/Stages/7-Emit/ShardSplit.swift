// A shard that has become too full, made into several of the same size.
//
// The overfull shard is written as any other, and only its count, known at its end, says that it must be split: it is
// read back from its file, which never gets a name, and written again in pieces. So nothing is held in memory, and
// shards that fit cost nothing more.

import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import PipeStage

/// Writes the pieces of a sealed shard that is too full.
struct ShardSplit: ~Copyable {
  private let source: CallStore
  private let path: String
  private var cursor: StoreCursor
  private var batch = StoreBatch()
  private var at = 0
  /// The numbers of the record at the front that are in pieces already.
  private var taken: UInt64 = 0
  private var batches = 0
  /// Pages are given back after so many batches, some mebibytes of a usual store.
  private static let batchesResident = 64
  /// So many labels are counted by their places before they are counted by their bytes.
  private static let placesMax = 4096

  /// The path is for messages.
  init(_ source: consuming CallStore, path: String) {
    cursor = StoreCursor(source)
    self.source = source
    self.path = path
  }

  /// Opens a sealed shard.
  static func open(_ file: borrowing StoreFile, path: String) throws(StageError) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(descriptor: file.descriptor)
    } catch {
      throw StageError(.emit, EmitError.notSound(.unreadable(error), path: path))
    }
  }

  /// The number that the next piece begins with; nil behind the last.
  mutating func nextNumber() throws(StageError) -> UInt64? {
    try prepare() ? batch.firsts[at] + taken : nil
  }

  /// Writes the next `count` numbers to a piece. Returns how often a range was cut at its end, which is once or never.
  mutating func write(
    _ count: UInt64, to piece: inout StoreFile, _ tally: inout ShardLabelCounter
  ) throws(StageError) -> Int {
    var left = count
    var places: [StoreLabel: ShardLabelCounter.Count] = [:]
    while left > 0, try prepare() {
      let first = batch.firsts[at] + taken
      let last = min(batch.lasts[at], first + (left - 1))
      let label = batch.labels[at]
      try piece.append(first: first, last: last, kind: batch.kinds[at], label: label, of: source)
      let entries = last - first + 1
      places[label, default: ShardLabelCounter.Count()].records += 1
      places[label, default: ShardLabelCounter.Count()].entries += entries
      if places.count >= Self.placesMax { tellApart(&places, &tally) }
      left -= entries
      if last == batch.lasts[at] {
        at += 1
        taken = 0
      } else {
        taken += entries
      }
    }
    tellApart(&places, &tally)
    return taken > 0 ? 1 : 0
  }

  /// One label may stand in several places of a store.
  private func tellApart(
    _ places: inout [StoreLabel: ShardLabelCounter.Count], _ tally: inout ShardLabelCounter
  ) {
    for (label, count) in places {
      let bytes = source.bytes(of: label)
      // Bytes are bytes: no padding, no invalid values.
      let copy = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
      tally.add(copy, count)
    }
    places = [:]
  }

  private mutating func prepare() throws(StageError) -> Bool {
    if at < batch.count { return true }
    at = 0
    batches += 1
    if batches % Self.batchesResident == 0 { source.releasePages() }
    do throws(CallStoreError) {
      return try cursor.nextRecords(of: source, into: &batch)
    } catch {
      throw StageError(.emit, EmitError.notSound(.unreadable(error), path: path))
    }
  }
}

extension StoreFile {
  /// Appends a record whose label stands in a store.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: StoreLabel, of store: borrowing CallStore
  ) throws(StageError) {
    let bytes = store.bytes(of: label)
    try append(first: first, last: last, kind: kind, label: Span<UInt8>(_bytes: bytes), row: 0)
  }
}
