// Several sorted runs of any records walked as one, record by record.
//
// Not for: runs of single numbers, which BlockMerge walks some times as fast.

import BasicContainers
import CallRecord
import PipeStage
import SystemIO

enum KWayMerge {
  /// Hands over the records of the last `count` runs in order, equal ones in the order of the runs, and takes
  /// those runs off the list.
  ///
  /// - Complexity: O(n log k) for k runs; k read buffers of memory.
  static func walk(
    last count: Int, of runs: inout RigidArray<SpilledRun>, bufferBytes: Int,
    _ sink: inout some RunSink & ~Copyable
  ) throws(StageError) {
    // The last run is taken first, so a run's place among the cursors is counted from the end.
    var cursors = RigidArray<RunCursor>(capacity: count)
    for _ in 0..<count {
      let run = runs.removeLast()
      do throws(SystemError) {
        cursors.append(try RunCursor(run, bufferBytes: bufferBytes))
      } catch {
        throw StageError(.sort, error)
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
      do throws(SystemError) { try cursors[cursor].advance() } catch { throw StageError(.sort, error) }
      tree.replaceWinner(first: cursors[cursor].first, last: cursors[cursor].last)
    }
  }
}
