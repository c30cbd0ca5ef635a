// One merge of sorted lists: the records of all of them in order, in one pass.
//
// Not for: more lists than are read at a time (MergeLevels), or the stage (ListMerger).

import BasicContainers
import Records

/// Merges open lists: by first number, then the wider range first, then in the order of the lists.
///
/// A list may have a wider range after a narrower one that starts at the same number. It waits until the narrower one
/// was output. So the result does not depend on how consecutive lists are grouped, if groups of them are merged first.
///
/// Memory: that of the lists. Work: O(log *k*) per record, for *k* lists.
struct ListMerge: ~Copyable {
  private var lists: RigidArray<SortedList>
  private var tree: LoserTree
  /// The index of the list that the previous stage feeds.
  private let fed: Int?
  private var isStarted = false

  init(_ lists: consuming RigidArray<SortedList>) {
    var fed: Int?
    for index in 0..<lists.count where lists[index].isFed { fed = index }
    self.fed = fed
    tree = LoserTree(runs: lists.count)
    self.lists = lists
  }

  /// Adds the next batch of the previous stage. Call `run` before the next batch.
  mutating func feed(_ batch: inout RecordBatch) throws(Failure) {
    if let fed { try lists[fed].feed(&batch) }
  }

  /// Ends the list that the previous stage feeds, if there is one.
  mutating func endFeeding() {
    if let fed { lists[fed].endFeeding() }
  }

  /// Merges until all lists are at their end, or the fed list runs out of records. Between calls, that list is the
  /// tree's winner.
  mutating func run(into output: inout RecordOutput) throws(Failure) {
    if isStarted {
      if let fed { tree.replaceWinner(first: lists[fed].first, last: lists[fed].last) }
    } else {
      isStarted = true
      for index in 0..<lists.count {
        if index != fed { try lists[index].advance() }
        tree.set(index, first: lists[index].first, last: lists[index].last)
      }
      tree.build()
    }
    while !tree.isEmpty {
      let winner = tree.winner
      try output.send(frontOf: lists[winner])
      try lists[winner].advance()
      if lists[winner].isDry { return }
      tree.replaceWinner(first: lists[winner].first, last: lists[winner].last)
    }
  }
}
