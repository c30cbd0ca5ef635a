// Several spilled runs of blocks walked as one.
//
// No tournament: a block of each run stands decoded in memory. What is sure to come before everything that is still
// on disk is put behind each other in the order of the runs and sorted by radix, which is stable. That costs the
// same for any number of runs and has no branch that depends on the data, where a tree of losers mispredicts one at
// every level (docs/design/decisions/0010-speed.md).
//
// Not for: runs with ranges (RunMerge).

import BasicContainers
import CallRecord
import SystemIO

/// A record as a merge of blocks holds it.
protocol BlockWord: RadixWord {
  /// Decodes the block that starts at `start` of a run's buffer to `records`, which is empty, and returns its length; nil
  /// when there is no whole block. `place` is the run's among those that are merged.
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as form: RunForm, place: Int, into records: inout RigidArray<Self>
  ) -> Int?
}

/// Reads a run block by block.
struct BlockCursor<Word: BlockWord>: ~Copyable {
  private var bytes: RunBytes
  private let form: RunForm
  private let place: Int
  private var left: Int
  /// The block's records.
  private(set) var records = RigidArray<Word>(capacity: RunForm.blockRecordsMax)
  /// The first of them that has not been taken.
  private var at = 0

  init(_ run: consuming SpilledRun, place: Int, bufferBytes: Int) throws(SystemError) {
    left = run.records
    form = run.form
    self.place = place
    bytes = RunBytes(run.takeFile(), bufferBytes: bufferBytes)
    try load()
  }

  /// Whether every record has been taken.
  var isAtEnd: Bool { at == records.count }

  /// The last key that stands in memory.
  ///
  /// - Precondition: not at the end.
  var lastKey: UInt64 { records[records.count - 1].key }

  /// Where the records with keys below `key`, or up to it, end.
  ///
  /// - Complexity: O(log n).
  borrowing func end(of key: UInt64, including: Bool) -> Int {
    let all = records.span
    var low = at
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      let other = all[middle].key
      if other < key || (including && other == key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes the records before `end`.
  mutating func take(to end: Int, _ taken: inout RigidArray<Word>) {
    taken.append(copying: records.span.extracting(at..<end))
    at = end
  }

  /// Goes on to the next block when this one is taken.
  mutating func load() throws(SystemError) {
    guard at == records.count else { return }
    records.removeAll()
    at = 0
    guard left > 0 else { return }
    try bytes.readBlock(as: form, place: place, into: &records)
    guard records.count <= left else { throw bytes.damage }
    left -= records.count
  }
}

/// A merge of runs whose records are single numbers. It gives some records at a time:
///
///     while try merge.advance() { … merge.records … }
struct BlockMerge<Word: BlockWord>: ~Copyable {
  /// The memory for each run besides its read buffer: a decoded block, and its share of the place where blocks are
  /// sorted.
  static var bytesPerRun: Int { 3 * RunForm.blockRecordsMax * MemoryLayout<Word>.stride }

  private var cursors: RigidArray<BlockCursor<Word>>
  private var merged: RigidArray<Word>
  private var scratch: RigidArray<Word>

  /// Opens the last `count` runs, and takes them off the list.
  init(last count: Int, of runs: inout RigidArray<SpilledRun>, bufferBytes: Int) throws(SortTrouble) {
    // The last run is taken first, so the cursors are in the opposite order.
    var opened = RigidArray<BlockCursor<Word>>(capacity: count)
    for place in 0..<count {
      do throws(SystemError) {
        opened.append(try BlockCursor(runs.removeLast(), place: place, bufferBytes: bufferBytes))
      } catch {
        throw .system(error)
      }
    }
    cursors = opened
    merged = RigidArray(capacity: count * RunForm.blockRecordsMax)
    scratch = RigidArray(capacity: count * RunForm.blockRecordsMax)
  }

  /// The next records in order, equal ones in the order of the runs.
  var records: Span<Word> {
    @_lifetime(borrow self)
    borrowing get { merged.span }
  }

  /// Goes on to the next records; false when there are no more.
  ///
  /// - Complexity: O(n) for n records, and O(k log block) for k runs.
  mutating func advance() throws(SortTrouble) -> Bool {
    merged.removeAll()
    // Not before: the records given until now may refer to what their blocks were decoded from.
    for place in 0..<cursors.count {
      do throws(SystemError) { try cursors[place].load() } catch { throw .system(error) }
    }
    guard let first = nearest() else { return false }
    let key = cursors[first].lastKey
    var place = cursors.count - 1
    while place >= 0 {
      // A run in front of the nearest one has all its records with this key in memory; one behind it must wait
      // with them, since the nearest one may go on with the same key.
      let end = cursors[place].end(of: key, including: place >= first)
      cursors[place].take(to: end, &merged)
      place -= 1
    }
    RadixSort.sort(&merged, scratch: &scratch)
    return true
  }

  /// The run that must be read on first: the least last key in memory, the earliest run among equals. Nil when all
  /// are at their ends.
  private borrowing func nearest() -> Int? {
    var nearest: Int?
    var least = UInt64.max
    for place in stride(from: cursors.count - 1, through: 0, by: -1) where !cursors[place].isAtEnd {
      let key = cursors[place].lastKey
      if nearest == nil || key < least {
        nearest = place
        least = key
      }
    }
    return nearest
  }
}

extension BlockCursor<PlacedWord> {
  /// Hands over a record of the block.
  borrowing func give(_ record: PlacedWord, to sink: inout some RunSink & ~Copyable) throws(SortTrouble) {
    try sink.take(
      first: record.number, last: record.number, inline: bytes.buffer.span.extracting(record.range))
  }
}

extension BlockMerge<PlacedWord> {
  /// Hands over the records at hand.
  borrowing func give(to sink: inout some RunSink & ~Copyable) throws(SortTrouble) {
    for index in 0..<merged.count {
      let record = merged[index]
      if let name = record.name {
        try sink.take(first: record.number, last: record.number, recordFields: name)
      } else {
        try cursors[record.place].give(record, to: &sink)
      }
    }
  }
}
