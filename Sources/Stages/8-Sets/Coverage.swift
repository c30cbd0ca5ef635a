// Merges the numbers of several lists into ascending runs of consecutive numbers.
//
// The lists may overlap each other and themselves. Labels are dropped: lists that only select numbers don't need them.

import BasicContainers
import Records

/// The numbers that occur in at least one of several lists, one run at a time.
struct Coverage: ~Copyable {
  private var lists: RigidArray<SortedList>
  private var tree: LoserTree
  /// The first number of the run at the front; `.max` after the last run.
  private(set) var first: UInt64 = 0
  /// The last number of the run at the front; `.max` after the last run.
  private(set) var last: UInt64 = 0

  init(_ lists: consuming RigidArray<SortedList>) {
    tree = LoserTree(runs: lists.count)
    self.lists = lists
  }

  /// Reads the lists up to the first run.
  mutating func start() throws(Failure) {
    for index in 0..<lists.count {
      try lists[index].advance()
      tree.set(index, first: lists[index].first, last: lists[index].last)
    }
    tree.build()
    try advance()
  }

  /// Advances to the next run.
  ///
  /// - Complexity: O(log *k*) per record, for *k* lists.
  mutating func advance() throws(Failure) {
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
