// The last merge of runs of packed records in several threads: one collects the records that come next, in groups, others
// sort the groups, and the caller passes them on in order.
//
// A group holds all records of a range of keys, apart from the ends: records with the same key may continue in the next
// group, and stay in the order of the runs. Not for: how records are collected (BlockMerge).

import BasicContainers
import Records
import Synchronization
import SystemIO

/// The records of one range of keys, and the memory to sort them.
struct MergeGroup: ~Copyable {
  /// A group is complete when it has this many records. Fewer would wake threads too often.
  private static let recordsMin = 1 << 13

  private(set) var records: RigidArray<PackedRecord>
  private var scratch: RigidArray<PackedRecord>

  /// Reserves memory for a group of records from `runs` runs. Only what records use is touched.
  init(runs: Int) {
    let capacity = Self.capacity(runs: runs)
    records = RigidArray(capacity: capacity)
    scratch = RigidArray(capacity: capacity)
  }

  /// The maximum memory of a group.
  static func bytesMax(runs: Int) -> Int { 2 * capacity(runs: runs) * MemoryLayout<PackedRecord>.stride }

  private static func capacity(runs: Int) -> Int { recordsMin + runs * RunFormat.blockRecordsMax }

  /// Fills the group; it stays empty if there are no more records.
  mutating func fill(from merge: inout BlockMerge<PackedRecord>) throws(Failure) {
    records.removeAll()
    while records.count < Self.recordsMin {
      guard try merge.collect(into: &records) else { return }
    }
  }

  mutating func sort() {
    RadixSort.sort(&records, scratch: &scratch)
  }
}

enum OverlappedMerge {
  /// Sends the records of a merge of `runs` runs in order to `sink`.
  static func walk(
    _ merge: consuming BlockMerge<PackedRecord>, runs: Int, _ budget: SortBudget,
    _ sink: inout some PackedRecordSink & ~Copyable
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

  /// Starts the thread that collects groups.
  private static func collect(
    _ merge: consuming BlockMerge<PackedRecord>, runs: Int, into queue: OrderedWork<MergeGroup>
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
          queue.close(error)
        }
      }
    } catch {
      throw Failure(.sort, error)
    }
  }

  /// Passes the merge to its thread.
  private final class Start: Sendable {
    private let merge: Mutex<BlockMerge<PackedRecord>?>
    init(_ merge: consuming sending BlockMerge<PackedRecord>) { self.merge = Mutex(merge) }
    func take() -> BlockMerge<PackedRecord>? { merge.withLock { $0.take() } }
  }
}
