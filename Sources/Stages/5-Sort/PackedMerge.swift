// Several spilled runs of packed records walked as one.
//
// No tournament: a block of each run stands decoded in memory. What is sure to come before everything that is still
// on disk is put behind each other in the order of the runs and sorted by radix, which is stable. That costs the
// same for any number of runs and has no branch that depends on the data, where a tree of losers mispredicts one at
// every level (docs/decisions/0010-speed.md).

import BasicContainers
import CallRecord
import SystemIO

/// Reads a run of packed records block by block.
struct PackedCursor: ~Copyable {
  private var bytes: RunBytes
  private var left: Int
  /// The block's records.
  private(set) var records = RigidArray<PackedRecord>(capacity: PackedBlock.recordsMax)
  /// The first of them that has not been taken.
  var at = 0

  init(_ run: consuming SpilledRun, bufferBytes: Int) throws(SystemFailure) {
    left = run.records
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

  /// Goes on to the next block when this one is taken.
  mutating func load() throws(SystemFailure) {
    guard at == records.count else { return }
    records.removeAll()
    at = 0
    guard left > 0 else { return }
    try bytes.readBlock(into: &records)
    guard records.count <= left else { throw bytes.damage }
    left -= records.count
  }
}

enum PackedMerge {
  /// The memory for each run besides its read buffer: a decoded block, and its share of the place where blocks are
  /// sorted.
  static let bytesPerRun = 3 * PackedBlock.recordsMax * MemoryLayout<PackedRecord>.stride

  /// Hands over the records of the last `count` runs in order, equal ones in the order of the runs, and takes those
  /// runs off the list. All of them are packed.
  ///
  /// - Complexity: O(n), and O(k log block) for each block of the n records of k runs.
  static func walk(
    last count: Int, of runs: inout RigidArray<SpilledRun>, bufferBytes: Int,
    _ taker: inout some PackedTaker & ~Copyable
  ) throws(SortTrouble) {
    // The last run is taken first, so the cursors are in the opposite order.
    var cursors = RigidArray<PackedCursor>(capacity: count)
    for _ in 0..<count {
      do throws(SystemFailure) {
        cursors.append(try PackedCursor(runs.removeLast(), bufferBytes: bufferBytes))
      } catch {
        throw .system(error)
      }
    }
    var merged = RigidArray<PackedRecord>(capacity: count * PackedBlock.recordsMax)
    var scratch = RigidArray<PackedRecord>(capacity: count * PackedBlock.recordsMax)
    while let first = nearest(cursors) {
      let key = cursors[first].lastKey
      var place = count - 1
      while place >= 0 {
        // A run in front of the nearest one has all its records with this key in memory; one behind it must wait
        // with them, since the nearest one may go on with the same key.
        let end = cursors[place].end(of: key, including: place >= first)
        merged.append(copying: cursors[place].records.span.extracting(cursors[place].at..<end))
        cursors[place].at = end
        do throws(SystemFailure) { try cursors[place].load() } catch { throw .system(error) }
        place -= 1
      }
      RadixSort.sort(&merged, scratch: &scratch)
      try taker.take(packed: merged.span)
      merged.removeAll()
    }
  }

  /// The run that must be read on first: the least last key in memory, the earliest run among equals. Nil when all
  /// are at their ends.
  private static func nearest(_ cursors: borrowing RigidArray<PackedCursor>) -> Int? {
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
