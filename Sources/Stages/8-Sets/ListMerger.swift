// `union` and `sort --merge`: merge the records of several sorted lists. A following dedupe resolves overlaps.

import BasicContainers
public import CallRecord
public import PipeStage

/// Merges sorted lists: by first number, then the wider range first, then in the order of the lists.
///
/// The lists may overlap each other and themselves. Memory: a read buffer and a batch per list. Work: O(log *k*) per
/// record, for *k* lists.
public final class ListMerger: RecordSink {
  private var state: MergerState

  /// Opens the lists and creates a stage that passes records to `downstream`. If a list is fed by the previous stage,
  /// its records arrive through `receive`; otherwise `finish` does all the work.
  public init(
    options: SetOptions, context: StageContext, downstream: any RecordSink
  ) throws(StageError) {
    state = try MergerState(options, context, downstream)
  }

  /// Merges a batch from the previous stage.
  public func receive(_ batch: inout RecordBatch) throws(StageError) {
    try state.receive(&batch)
  }

  /// Merges what remains and ends the stream.
  public func finish() throws(StageError) {
    try state.finish()
  }
}

private struct MergerState: ~Copyable {
  private var lists: RigidArray<SortedList>
  private let fed: Int?
  private var tree: LoserTree
  private var output: RecordOutput
  private var isStarted = false

  init(
    _ options: SetOptions, _ context: StageContext, _ downstream: any RecordSink
  ) throws(StageError) {
    let opened = try options.openedForUnion(context)
    tree = LoserTree(runs: opened.count)
    fed = options.fed
    output = RecordOutput(context, downstream)
    lists = opened
  }

  mutating func receive(_ batch: inout RecordBatch) throws(StageError) {
    guard let fed, !batch.isEmpty else { return }
    try lists[fed].feed(&batch)
    try goOn()
  }

  mutating func finish() throws(StageError) {
    if let fed { lists[fed].endFeeding() }
    try goOn()
    try output.finish()
  }

  /// Merges until the fed list runs out of records. Between calls, that list is the tree's winner.
  private mutating func goOn() throws(StageError) {
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
    // The output borrows a list's current record while it appends it, so the lists must not be part of this value then.
    var lists = RigidArray<SortedList>(capacity: 0)
    swap(&lists, &self.lists)
    defer { swap(&lists, &self.lists) }
    while !tree.isEmpty {
      let winner = tree.winner
      try output.send(frontOf: lists[winner])
      try lists[winner].advance()
      if lists[winner].isDry { return }
      tree.replaceWinner(first: lists[winner].first, last: lists[winner].last)
    }
  }
}
