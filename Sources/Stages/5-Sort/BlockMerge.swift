// Several spilled runs of blocks walked as one.
//
// No tournament: a block of each run stands decoded in memory. What is sure to come before everything that is still
// on disk is put behind each other in the order of the runs and sorted by radix, which is stable. That costs the
// same for any number of runs and has no branch that depends on the data, where a tree of losers mispredicts one at
// every level (docs/design/decisions/0010-sorting-and-memory-traffic.md).
//
// Not for: runs with ranges (KWayMerge).

import BasicContainers
import CallRecord
import PipeStage
import SystemIO

/// A record as a merge of blocks holds it.
protocol BlockRecord: RadixWord {
  /// Decodes the block that starts at `start` of a run's buffer to `records`, which is empty, and returns its length; nil
  /// when there is no whole block. `run` is the run's among those that are merged.
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as format: RunFormat, run: Int, into records: inout RigidArray<Self>
  ) -> Int?
}

/// Reads a run block by block.
struct BlockCursor<Word: BlockRecord>: ~Copyable {
  private var bytes: RunReader
  private let format: RunFormat
  private let run: Int
  private var recordsLeft: Int
  /// The block's records.
  private(set) var records = RigidArray<Word>(capacity: RunFormat.blockRecordsMax)
  /// The first of them that has not been taken.
  private var next = 0

  init(_ file: consuming SpilledRun, run: Int, bufferBytes: Int) throws(SystemError) {
    recordsLeft = file.records
    format = file.format
    self.run = run
    bytes = RunReader(file.takeFile(), bufferBytes: bufferBytes)
    try load()
  }

  /// Whether every record has been taken.
  var isAtEnd: Bool { next == records.count }

  /// The last key that stands in memory.
  ///
  /// - Precondition: not at the end.
  var lastKey: UInt64 { records[records.count - 1].key }

  /// Where the records with keys below `key`, or up to it, end.
  ///
  /// - Complexity: O(log n).
  borrowing func end(of key: UInt64, inclusive: Bool) -> Int {
    let all = records.span
    var low = next
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      let other = all[middle].key
      if other < key || (inclusive && other == key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes the records before `end`.
  mutating func moveRecords(before end: Int, to target: inout RigidArray<Word>) {
    target.append(copying: records.span.extracting(next..<end))
    next = end
  }

  /// Goes on to the next block when this one is taken.
  mutating func load() throws(SystemError) {
    guard next == records.count else { return }
    records.removeAll()
    next = 0
    guard recordsLeft > 0 else { return }
    try bytes.readBlock(as: format, run: run, into: &records)
    guard records.count <= recordsLeft else { throw bytes.corruptionError }
    recordsLeft -= records.count
  }
}

/// A merge of runs whose records are single numbers. It gives some records at a time:
///
///     while try merge.advance() { … merge.records … }
struct BlockMerge<Word: BlockRecord>: ~Copyable {
  /// The memory for each run besides its read buffer: a decoded block, and its share of the run where blocks are
  /// sorted.
  static var bytesPerRun: Int { 3 * RunFormat.blockRecordsMax * MemoryLayout<Word>.stride }

  private var cursors: RigidArray<BlockCursor<Word>>
  private var merged: RigidArray<Word>
  private var scratch: RigidArray<Word>

  /// Opens the last `count` runs, and takes them off the list.
  init(last count: Int, of runs: inout RigidArray<SpilledRun>, bufferBytes: Int) throws(StageError) {
    // The last run is taken first, so the cursors are in the opposite order.
    var opened = RigidArray<BlockCursor<Word>>(capacity: count)
    for run in 0..<count {
      do throws(SystemError) {
        opened.append(try BlockCursor(runs.removeLast(), run: run, bufferBytes: bufferBytes))
      } catch {
        throw StageError(.sort, error)
      }
    }
    cursors = opened
    merged = RigidArray(capacity: count * RunFormat.blockRecordsMax)
    scratch = RigidArray(capacity: count * RunFormat.blockRecordsMax)
  }

  /// The next records in order, equal ones in the order of the runs.
  var records: Span<Word> {
    @_lifetime(borrow self)
    borrowing get { merged.span }
  }

  /// Goes on to the next records; false when there are no more.
  ///
  /// - Complexity: O(n) for n records, and O(k log block) for k runs.
  mutating func advance() throws(StageError) -> Bool {
    merged.removeAll()
    // Not before: the records given until now may refer to what their blocks were decoded from.
    for run in 0..<cursors.count {
      do throws(SystemError) { try cursors[run].load() } catch { throw StageError(.sort, error) }
    }
    guard let first = runToReadNext() else { return false }
    let key = cursors[first].lastKey
    var run = cursors.count - 1
    while run >= 0 {
      // A run in front of the runToReadNext one has all its records with this key in memory; one behind it must wait
      // with them, since the runToReadNext one may go on with the same key.
      let end = cursors[run].end(of: key, inclusive: run >= first)
      cursors[run].moveRecords(before: end, to: &merged)
      run -= 1
    }
    RadixSort.sort(&merged, scratch: &scratch)
    return true
  }

  /// The run that must be read on first: the least last key in memory, the earliest run among equals. Nil when all
  /// are at their ends.
  private borrowing func runToReadNext() -> Int? {
    var next: Int?
    var lowestKey = UInt64.max
    for run in stride(from: cursors.count - 1, through: 0, by: -1) where !cursors[run].isAtEnd {
      let key = cursors[run].lastKey
      if next == nil || key < lowestKey {
        next = run
        lowestKey = key
      }
    }
    return next
  }
}

extension BlockCursor<MergeRecord> {
  /// Hands over a record of the block.
  borrowing func send(_ record: MergeRecord, to sink: inout some RunSink & ~Copyable) throws(StageError) {
    try sink.receive(
      first: record.number, last: record.number, inline: bytes.buffer.span.extracting(record.range))
  }
}

extension BlockMerge<MergeRecord> {
  /// Hands over the records at hand.
  borrowing func send(to sink: inout some RunSink & ~Copyable) throws(StageError) {
    for index in 0..<merged.count {
      let record = merged[index]
      if let id = record.fieldsID {
        try sink.receive(first: record.number, last: record.number, fieldsID: id)
      } else {
        try cursors[record.run].send(record, to: &sink)
      }
    }
  }
}
