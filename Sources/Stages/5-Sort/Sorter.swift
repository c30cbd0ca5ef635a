// The sort stage: runs within the memory, spilled when they are full, merged at the end.
//
// Goals: the same bytes for every memory size; nothing on disk when everything fits; no file left behind.
// Not for: dropping duplicates. That is dedupe's, which sees them side by side.

import BasicContainers
public import CallRecord
public import PipeStage
import SystemIO

/// Sorts records by first number, wider ranges first, equal ones in the order in which they came.
///
/// It takes all its input before it gives any output. What doesn't fit into the memory goes to nameless files
/// in the temporary directory.
///
/// - Complexity: O(n) for the runs, O(n log k) for the merge of k runs.
public final class Sorter: RecordSink {
  private let options: SortOptions
  private let budget: SortBudget
  private let context: StageContext
  private let downstream: any RecordSink
  private var dictionary: AnnotationDictionary?
  private var buffer: RunBuffer
  private var runs: RigidArray<SpilledRun>

  /// Makes a sorter that hands records to `downstream`.
  public convenience init(options: SortOptions, context: StageContext, downstream: any RecordSink) {
    self.init(
      options: options, budget: SortBudget(memory: options.memory), context: context, downstream: downstream)
  }

  init(options: SortOptions, budget: SortBudget, context: StageContext, downstream: any RecordSink) {
    self.options = options
    self.context = context
    self.downstream = downstream
    self.budget = budget
    dictionary = AnnotationDictionary()
    buffer = RunBuffer(bytesMax: budget.runBytes)
    runs = RigidArray(capacity: SortBudget.runsMax)
  }

  /// Takes a batch into the run.
  public func receive(_ batch: inout RecordBatch) throws(PipeFailure) {
    context.meter.rowsIn.add(batch.count)
    do throws(SortTrouble) {
      if !buffer.hasRoom(for: batch) { try spill() }
    } catch {
      throw error.pipeFailure
    }
    buffer.append(batch, &dictionary!)
    batch.removeAll()
  }

  /// Merges the runs and hands the records on.
  public func finish() throws(PipeFailure) {
    do throws(SortTrouble) {
      try handOn()
    } catch {
      throw error.pipeFailure
    }
    context.meter.finish()
    try downstream.finish()
  }

  private func handOn() throws(SortTrouble) {
    guard !runs.isEmpty else {
      buffer.sort()
      var filler = BatchFiller(dictionary.take()!, context.meter, downstream)
      try buffer.walk(&filler)
      return try filler.flush()
    }
    if buffer.count > 0 { try spill() }
    buffer = RunBuffer(bytesMax: 0)
    while runs.count > SortBudget.mergeRunsMax {
      try mergeLast(min(runs.count - SortBudget.mergeRunsMax + 1, SortBudget.mergeRunsMax))
    }
    var filler = BatchFiller(dictionary.take()!, context.meter, downstream)
    try RunMerge.walk(last: runs.count, of: &runs, bufferBytes: budget.readBuffer(runs: runs.count), &filler)
    try filler.flush()
  }

  /// Writes the run in memory to disk, and merges runs when there are as many as one merge reads.
  private func spill() throws(SortTrouble) {
    buffer.sort()
    var spiller = try RunSpiller(in: options.temporaryDirectory, calls: context.calls)
    try buffer.walk(&spiller)
    try append(spiller, level: 0)
    buffer.removeAll()
    let group = SortBudget.mergeRunsMax
    while runs.count >= group, runs[runs.count - group].level == runs[runs.count - 1].level {
      // Only pages in use count: the buffer gives its own back while the merge reads.
      buffer = RunBuffer(bytesMax: 0)
      try mergeLast(group)
      buffer = RunBuffer(bytesMax: budget.runBytes)
    }
  }

  /// Replaces the last `count` runs by one.
  private func mergeLast(_ count: Int) throws(SortTrouble) {
    let level = runs[runs.count - count].level + 1
    var spiller = try RunSpiller(in: options.temporaryDirectory, calls: context.calls)
    try RunMerge.walk(last: count, of: &runs, bufferBytes: budget.readBuffer(runs: count), &spiller)
    try append(spiller, level: level)
  }

  private func append(_ spiller: consuming RunSpiller, level: Int) throws(SortTrouble) {
    let run = try spiller.finish(level: level)
    context.meter.bytesSpilled.add(Int(run.file.size))
    runs.append(run)
  }
}
