// `union` and `sort --merge`: merge the records of any number of sorted lists. A following dedupe resolves overlaps.

package import Records

/// Merges sorted lists: by first number, then the wider range first, then in the order of the lists.
///
/// The lists may overlap each other and themselves. At most ``SetOptions/fanIn`` lists are read at a time; if there are
/// more, groups of them are merged to spill files first, before anything is output.
///
/// Memory: a read buffer and a batch for each list that is read at a time. Work: O(log *k*) per record, for *k* lists.
package final class ListMerger: RecordSink {
  private var state: MergerState

  /// Creates a stage that passes records to `downstream`. It opens the lists if all are read at a time. If a list is fed
  /// by the previous stage, its records arrive through `receive`; otherwise `finish` does all the work.
  package convenience init(
    options: SetOptions, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
    try self.init(options: options, fanIn: options.fanIn, context: context, downstream: downstream)
  }

  /// Creates a stage that reads at most `fanIn` lists at a time, at least three.
  init(
    options: SetOptions, fanIn: Int, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
    state = try MergerState(options, fanIn: fanIn, context, downstream)
  }

  /// Merges a batch from the previous stage.
  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    try state.receive(&batch)
  }

  /// Merges what remains and ends the stream.
  package func finish() throws(Failure) {
    try state.finish()
  }
}

private struct MergerState: ~Copyable {
  private let levels: MergeLevels
  /// The merge whose records are output; nil before the groups of lists have been merged.
  private var merge: ListMerge?
  private var output: RecordOutput

  init(
    _ options: SetOptions, fanIn: Int, _ context: StageContext, _ downstream: any RecordSink
  ) throws(Failure) {
    try options.checkPipes(context)
    let levels = MergeLevels(options, fanIn: fanIn, context)
    var opened: ListMerge?
    if levels.isSingle { opened = ListMerge(try levels.opened()) } else { try levels.check() }
    self.levels = levels
    merge = opened
    output = RecordOutput(context, downstream)
  }

  mutating func receive(_ batch: inout RecordBatch) throws(Failure) {
    if batch.isEmpty { return }
    try mergeGroups()
    try merge?.feed(&batch)
    try merge?.run(into: &output)
  }

  mutating func finish() throws(Failure) {
    try mergeGroups()
    merge?.endFeeding()
    try merge?.run(into: &output)
    try output.finish()
  }

  private mutating func mergeGroups() throws(Failure) {
    if merge == nil { merge = ListMerge(try levels.opened()) }
  }
}
