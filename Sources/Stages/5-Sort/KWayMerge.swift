// A k-way merge of sorted runs in any format, record by record.
//
// Not for: runs of single numbers, which BlockMerge reads several times as fast.

import BasicContainers
import Records
import SystemIO

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
