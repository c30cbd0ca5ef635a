// `subtract` and `intersect`: cut the first list's records to the numbers that are kept. One pass, no
// expansion: a range is split into ranges, never into single numbers.

import BasicContainers
package import Records

/// Cuts the records of one list by the numbers of other lists.
///
/// The first list must be disjoint, as `dedupe` writes it; so is the output. The other lists may overlap. Labels,
/// sources and scores come from the first list.
///
/// Memory: a read buffer and a batch per list. Work: O(records of all lists · log *k*) for *k* other lists.
package final class ListCutter: RecordSink {
  private let meter: StageMeter
  private var own: SortedList
  private var kept: KeptRuns
  private var output: RecordOutput
  private var isStarted = false

  /// Opens the lists and creates a stage that passes records to `downstream`. If the first list is fed by the previous
  /// stage, its records arrive through `receive`; otherwise `finish` does all the work.
  package init(
    options: SetOptions, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
    try options.check(context)
    let first = try options.openedFirst(context)
    let others = try options.openedOthers(context)
    own = first
    meter = context.meter
    kept =
      options.operation == .subtract ? KeptRuns(without: others) : KeptRuns(inEachOf: others)
    output = RecordOutput(context, downstream)
  }

  /// Cuts a batch from the previous stage.
  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    if batch.isEmpty { return }
    try own.feed(&batch)
    try cut()
  }

  /// Processes what remains and ends the stream.
  package func finish() throws(Failure) {
    if own.isFed {
      own.endFeeding()
    } else {
      try own.advance()
      while own.first != .max {
        try cut()
        try own.nextBatch()
      }
    }
    try output.finish()
  }

  /// Cuts the records of the first list's current batch.
  private func cut() throws(Failure) {
    if !isStarted {
      isStarted = true
      try kept.start()
    }
    output.changeSource()
    try Self.cut(own.batch, to: &kept, &output, meter)
  }

  private static func cut(
    _ batch: borrowing RecordBatch, to kept: inout KeptRuns, _ output: inout RecordOutput, _ meter: StageMeter
  ) throws(Failure) {
    var splits = 0
    var removed = 0
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      while kept.last < first { try kept.advance() }
      var pieces = 0
      while kept.first <= last {
        try output.send(first: max(first, kept.first), last: min(last, kept.last), of: batch, at: index)
        pieces += 1
        if kept.last >= last { break }
        try kept.advance()
      }
      if pieces == 0 { removed += 1 } else { splits += pieces - 1 }
    }
    meter.splits.add(splits)
    meter.removed.add(removed)
  }
}

// MARK: - Merges the numbers of several lists into ascending runs of consecutive numbers
//
// The lists may overlap each other and themselves. Labels are dropped: lists that only select numbers don't
// need them.

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
