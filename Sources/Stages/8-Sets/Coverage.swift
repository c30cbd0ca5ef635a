// The numbers of some lists as runs: ascending, and as long as they can be.
//
// The lists may overlap each other and themselves. Not for labels: nobody asks for those of an allow list.

import BasicContainers
import CallRecord
import PipeStage

/// The numbers that are in any of some lists, run by run.
struct Coverage: ~Copyable {
  private var lists: RigidArray<SortedList>
  private var tree: LoserTree
  /// The first number of the run at the front; `.max` behind the last run.
  private(set) var first: UInt64 = 0
  /// The last number of the run at the front; `.max` behind the last run.
  private(set) var last: UInt64 = 0

  init(_ lists: consuming RigidArray<SortedList>) {
    tree = LoserTree(runs: lists.count)
    self.lists = lists
  }

  /// Reads up to the first run.
  mutating func start() throws(StageError) {
    for index in 0..<lists.count {
      try lists[index].advance()
      tree.set(index, first: lists[index].first, last: lists[index].last)
    }
    tree.build()
    try advance()
  }

  /// Goes on to the next run.
  ///
  /// - Complexity: O(log *k*) for each record of *k* lists.
  mutating func advance() throws(StageError) {
    var winner = tree.winner
    first = lists[winner].first
    last = lists[winner].last
    guard first != .max else { return }
    repeat {
      last = max(last, lists[winner].last)
      try lists[winner].advance()
      tree.replaceWinner(first: lists[winner].first, last: lists[winner].last)
      winner = tree.winner
    } while lists[winner].first <= last &+ 1
  }
}
