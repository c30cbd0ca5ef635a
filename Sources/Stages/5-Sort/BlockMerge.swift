// K-way merges of spilled runs: of blocks, of blocks in several threads, and of any records one by one.

import BasicContainers
import Records
import Synchronization
import SystemIO

// A k-way merge of spilled runs that consist of blocks.
//
// It uses no tournament tree: one decoded block of each run is in memory. The records that are certain to come before
// everything still on disk are concatenated in the order of the runs and sorted by a stable radix sort. That costs the
// same for any number of runs and has no data-dependent branch, whereas a loser tree mispredicts one at every level
// (docs/design/decisions/0010-sorting-and-memory-traffic.md).

protocol BlockRecord: RadixWord {
  /// Decodes the block at `start` of a run's buffer into `records`, which is empty, and returns the block's length; nil
  /// if the block is truncated or invalid. `run` is the run's index in the merge.
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as format: RunFormat, run: Int, into records: inout RigidArray<Self>
  ) -> Int?
}

struct BlockCursor<Word: BlockRecord>: ~Copyable {
  private var bytes: RunReader
  private let format: RunFormat
  private let run: Int
  private var recordsLeft: Int
  private(set) var records = RigidArray<Word>(capacity: RunFormat.blockRecordsMax)
  private var next = 0

  init(_ file: consuming SpilledRun, run: Int, bufferBytes: Int) throws(SystemError) {
    recordsLeft = file.records
    format = file.format
    self.run = run
    bytes = RunReader(file.takeFile(), bufferBytes: bufferBytes)
    try load()
  }

  var isAtEnd: Bool { next == records.count }

  /// The last key of the block in memory.
  ///
  /// - Precondition: not at the end.
  var lastKey: UInt64 { records[records.count - 1].key }

  /// The index after the last record whose key is less than `key`, or equal to it if `inclusive`.
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

  /// Moves the records before index `end` to `target`.
  mutating func moveRecords(before end: Int, to target: inout RigidArray<Word>) {
    target.append(copying: records.span.extracting(next..<end))
    next = end
  }

  /// Reads the next block if the current one is used up.
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

/// A merge of runs of single numbers. It returns records in groups:
///
///     while try merge.advance() { … merge.records … }
struct BlockMerge<Word: BlockRecord>: ~Copyable {
  /// The memory per run in addition to its read buffer: a decoded block, and its share of the two buffers for sorting.
  static var bytesPerRun: Int { 3 * RunFormat.blockRecordsMax * MemoryLayout<Word>.stride }

  private var cursors: RigidArray<BlockCursor<Word>>
  private var merged: RigidArray<Word>
  private var scratch: RigidArray<Word>

  /// Opens the last `count` runs, and removes them from the list.
  init(last count: Int, of runs: inout RigidArray<SpilledRun>, bufferBytes: Int) throws(Failure) {
    // The last run is removed first, so the cursors are in reverse order.
    var opened = RigidArray<BlockCursor<Word>>(capacity: count)
    for run in 0..<count {
      do throws(SystemError) {
        opened.append(try BlockCursor(runs.removeLast(), run: run, bufferBytes: bufferBytes))
      } catch {
        throw Failure(.sort, error)
      }
    }
    cursors = opened
    merged = RigidArray(capacity: count * RunFormat.blockRecordsMax)
    scratch = RigidArray(capacity: count * RunFormat.blockRecordsMax)
  }

  /// The current records in order; equal ones in the order of the runs.
  var records: Span<Word> {
    @_lifetime(borrow self)
    borrowing get { merged.span }
  }

  /// Advances to the next records; false if there are no more.
  ///
  /// - Complexity: O(n) for n records, plus O(k log block) for k runs.
  mutating func advance() throws(Failure) -> Bool {
    var group = RigidArray<Word>(capacity: 0)
    swap(&group, &merged)
    defer { swap(&group, &merged) }
    group.removeAll()
    guard try collect(into: &group) else { return false }
    RadixSort.sort(&group, scratch: &scratch)
    return true
  }

  /// Adds the next records to `group`, unsorted; false if there are no more. A stable sort by key puts them in order,
  /// together with those that were collected before.
  ///
  /// - Precondition: the group has capacity for a block of each run.
  mutating func collect(into group: inout RigidArray<Word>) throws(Failure) -> Bool {
    // Blocks are only replaced here: the records of the previous call may refer to their bytes.
    for run in 0..<cursors.count {
      do throws(SystemError) { try cursors[run].load() } catch { throw Failure(.sort, error) }
    }
    guard let first = runUsedUpFirst() else { return false }
    let key = cursors[first].lastKey
    var run = cursors.count - 1
    while run >= 0 {
      // A run before the one to be read next has all its records with this key in memory. A later run must keep its
      // records with this key, because the run to be read next may continue with the same key.
      let end = cursors[run].end(of: key, inclusive: run >= first)
      cursors[run].moveRecords(before: end, to: &group)
      run -= 1
    }
    return true
  }

  /// The run whose block is used up first: the one with the lowest last key, the earliest among equals. Nil when all
  /// runs are at their ends.
  private borrowing func runUsedUpFirst() -> Int? {
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
  borrowing func send(_ record: MergeRecord, to sink: inout some RunSink & ~Copyable) throws(Failure) {
    try sink.receive(
      first: record.number, last: record.number, inline: bytes.buffer.span.extracting(record.range))
  }
}

extension BlockMerge<MergeRecord> {
  borrowing func send(to sink: inout some RunSink & ~Copyable) throws(Failure) {
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

// The last merge of runs of packed records in several threads: one collects the records that come next, in groups, others
// sort the groups, and the caller passes them on in order.
//
// A group holds all records of a range of keys, apart from the ends: records with the same key may continue in the
// next group, and stay in the order of the runs.

/// The records of one range of keys, and the memory to sort them.
struct MergeGroup: ~Copyable {
  /// A group is complete when it has this many records. Fewer would wake threads too often.
  private static let recordsMin = 1 << 13

  private(set) var records: RigidArray<CompactRecord>
  private var scratch: RigidArray<CompactRecord>

  /// Reserves memory for a group of records from `runs` runs. Only what records use is touched.
  init(runs: Int) {
    let capacity = Self.capacity(runs: runs)
    records = RigidArray(capacity: capacity)
    scratch = RigidArray(capacity: capacity)
  }

  static func bytesMax(runs: Int) -> Int { 2 * capacity(runs: runs) * MemoryLayout<CompactRecord>.stride }

  private static func capacity(runs: Int) -> Int { recordsMin + runs * RunFormat.blockRecordsMax }

  /// Fills the group; it stays empty if there are no more records.
  mutating func fill(from merge: inout BlockMerge<CompactRecord>) throws(Failure) {
    records.removeAll()
    while records.count < Self.recordsMin { guard try merge.collect(into: &records) else { return } }
  }

  mutating func sort() { RadixSort.sort(&records, scratch: &scratch) }
}

enum OverlappedMerge {
  /// Sends the records of a merge of `runs` runs in order to `sink`.
  static func walk(
    _ merge: consuming BlockMerge<CompactRecord>, runs: Int, _ budget: SortBudget,
    _ sink: inout some CompactRecordSink & ~Copyable
  ) throws(Failure) {
    // One group is being filled, one passed on, and each thread has one that it sorts and one that waits.
    let groupsMax = budget.runBytes / MergeGroup.bytesMax(runs: runs) - 2
    let threads = max(1, min(budget.mergeThreads, groupsMax / 2))
    var groups = RigidArray<MergeGroup?>(capacity: 2 * threads)
    for _ in 0..<2 * threads { groups.append(MergeGroup(runs: runs)) }
    let queue = try OrderedWork<MergeGroup>(groups, work: Array(repeating: { $0.sort() }, count: threads))
    defer { queue.stop() }
    let collector = try collect(merge, runs: runs, into: queue)
    // The queue is stopped before the thread that fills it is waited for.
    defer {
      queue.stop()
      collector.join()
    }
    var group = MergeGroup(runs: runs)
    while try queue.pop(&group) { try sink.receive(packed: group.records.span) }
  }

  private static func collect(
    _ merge: consuming BlockMerge<CompactRecord>, runs: Int, into queue: OrderedWork<MergeGroup>
  ) throws(Failure) -> WorkerThread {
    let start = Start(merge)
    do throws(SystemError) {
      return try WorkerThread(name: "merge") {
        guard var merge = start.take() else { return }
        var group = MergeGroup(runs: runs)
        do throws(Failure) {
          while true {
            try group.fill(from: &merge)
            if group.records.isEmpty || !queue.push(&group) { break }
          }
          queue.close()
        } catch {
          queue.close(after: error)
        }
      }
    } catch {
      throw Failure(.sort, error)
    }
  }

  private final class Start: Sendable {
    private let merge: Mutex<BlockMerge<CompactRecord>?>
    init(_ merge: consuming sending BlockMerge<CompactRecord>) { self.merge = Mutex(merge) }
    func take() -> BlockMerge<CompactRecord>? { merge.withLock { $0.take() } }
  }
}

/// A merge of runs in any format, record by record. BlockMerge reads runs of single numbers several times as fast.
enum KWayMerge {
  /// Sends the records of the last `count` runs in order to `sink`, equal ones in the order of the runs, and removes
  /// those runs from the list.
  ///
  /// - Complexity: O(n log k) for k runs; k read buffers of memory.
  static func walk(
    last count: Int, of runs: inout RigidArray<SpilledRun>, bufferBytes: Int,
    _ sink: inout some RunSink & ~Copyable
  ) throws(Failure) {
    // The last run is removed first, so the cursors are in reverse order.
    var cursors = RigidArray<RunCursor>(capacity: count)
    for _ in 0..<count {
      let run = runs.removeLast()
      do throws(SystemError) {
        cursors.append(try RunCursor(run, bufferBytes: bufferBytes))
      } catch {
        throw Failure(.sort, error)
      }
    }
    var tree = LoserTree(runs: count)
    for run in 0..<count {
      tree.set(run, first: cursors[count - 1 - run].first, last: cursors[count - 1 - run].last)
    }
    tree.build()
    while !tree.isEmpty {
      let cursor = count - 1 - tree.winner
      try cursors[cursor].send(to: &sink)
      do throws(SystemError) { try cursors[cursor].advance() } catch { throw Failure(.sort, error) }
      tree.replaceWinner(first: cursors[cursor].first, last: cursors[cursor].last)
    }
  }
}
