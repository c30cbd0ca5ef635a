// The sort stage: an external merge sort. Runs are sorted in memory, spilled when they are full, and merged at the end.
//
// Goals: the same bytes for every memory size; nothing on disk if everything fits; no file remains.
// Not for: dropping duplicates. Dedupe does that, with equal numbers next to each other.

import BasicContainers
package import Records
import SystemIO

/// Sorts records by first number, then wider ranges first; equal records stay in input order.
///
/// It reads all its input before it writes any output. What doesn't fit into memory goes to unnamed files in the
/// temporary directory.
///
/// - Complexity: O(n) for the runs, O(n log k) for the merge of k runs.
package final class Sorter: RecordSink {
  private let context: StageContext
  private let budget: SortBudget
  private let downstream: any RecordSink
  private let inputShare: (@Sendable () -> Double?)?
  private var dictionary: RecordFieldsDictionary?
  private var buffer: RunBuffer
  private var runLength: RunLengthPolicy
  /// The runs on disk, as long as this thread spills them itself.
  private var mergeSort: ExternalMergeSort?
  /// The thread that spills them otherwise, from the first spill on.
  private var spillThread: SpillThread?
  /// The threads that sort a run together; nil for one thread.
  private let team: WorkerTeam?

  /// Makes a sorter that sends records to `downstream`. `inputShare` returns the share of the input that has been read,
  /// 0 to 1, or nil if that is unknown; it does not affect the output.
  package convenience init(
    options: SortOptions, context: StageContext, inputShare: (@Sendable () -> Double?)? = nil,
    downstream: any RecordSink
  ) {
    self.init(
      options: options, budget: SortBudget(memory: options.memory, threads: options.threads),
      context: context, inputShare: inputShare, downstream: downstream)
  }

  init(
    options: SortOptions, budget: SortBudget, context: StageContext,
    inputShare: (@Sendable () -> Double?)? = nil, downstream: any RecordSink
  ) {
    team = budget.sortThreads > 1 ? WorkerTeam(size: budget.sortThreads) : nil
    self.context = context
    self.inputShare = inputShare
    self.budget = budget
    self.downstream = downstream
    dictionary = RecordFieldsDictionary()
    buffer = RunBuffer(bytesMax: budget.runBytes)
    runLength = RunLengthPolicy(budget)
    mergeSort = ExternalMergeSort(options: options, budget: budget, context: context, team: team)
  }

  deinit {
    spillThread?.stop()
    team?.end()
  }

  /// Adds a batch to the run.
  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    context.meter.rowsIn.add(batch.count)
    if !runLength.isEstimated, buffer.bytesUsed >= RunLengthPolicy.bytesMin {
      runLength.estimate(buffer.bytesUsed, share: inputShare?())
      buffer.targetBytes = runLength.targetBytes
    }
    if !buffer.hasCapacity(for: batch) { try spill() }
    buffer.append(batch, &dictionary!)
    batch.removeAll()
  }

  /// Merges the runs and sends the records downstream.
  package func finish() throws(Failure) {
    context.meter.rowsExpected.add(Int(clamping: context.meter.rowsIn.value))
    try sendRecords()
    context.meter.finish()
    try downstream.finish()
  }

  private func sendRecords() throws(Failure) {
    // Sorts the last run while the previous one may still be being written.
    buffer.sort(team)
    // Either the thread or this object owns the runs, and neither needs them after this.
    var runs = try spillThread?.finish() ?? mergeSort.take()!
    spillThread = nil
    var writer = BatchWriter(dictionary.take()!, context.meter, downstream)
    if runs.isEmpty {
      if buffer.format == .packed { try buffer.walkPacked(&writer) } else { try buffer.walk(&writer) }
      return try writer.flush()
    }
    if buffer.count > 0 { try runs.spill(&buffer) }
    buffer = RunBuffer(bytesMax: 0)
    try runs.mergeAll(into: &writer)
  }

  private func spill() throws(Failure) {
    runLength.end(at: buffer.bytesUsed)
    guard budget.overlaps else { return try mergeSort!.spill(&buffer) }
    if spillThread == nil { spillThread = try SpillThread(&mergeSort, bytesMax: budget.runBytes) }
    try spillThread?.spill(&buffer)
    buffer.targetBytes = runLength.targetBytes
  }
}
