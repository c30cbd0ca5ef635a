// Spills runs to disk, merges them in groups, and does the final merge.

import BasicContainers
import Records
import SystemIO

/// The spilled runs of one sort, the most recent last.
struct ExternalMergeSort: ~Copyable {
  private let directory: String
  private let calls: any SystemCalls
  private let meter: StageMeter
  private let budget: SortBudget
  /// The threads that sort a run together; nil for one thread.
  private let team: WorkerTeam?
  private var runs = RigidArray<SpilledRun>(capacity: SortBudget.runsMax)

  init(options: SortOptions, budget: SortBudget, context: StageContext, team: WorkerTeam? = nil) {
    self.team = team
    directory = options.temporaryDirectory
    calls = context.calls
    meter = context.meter
    self.budget = budget
  }

  var isEmpty: Bool { runs.isEmpty }

  /// Writes the records of a buffer as a run and empties the buffer. Merges the most recent runs when there are as many
  /// of one level as one merge can read.
  mutating func spill(_ buffer: inout RunBuffer) throws(Failure) {
    buffer.sort(team)
    switch buffer.format {
    case .packed:
      var writer = try CompactRunWriter(in: directory, calls: calls)
      try buffer.walkPacked(&writer)
      append(try writer.finish(level: 0))
    case .inline:
      var writer = try InlineRunWriter(in: directory, calls: calls)
      try buffer.walk(&writer)
      append(try writer.finish(level: 0))
    case .varint:
      var writer = try VarintRunWriter(in: directory, calls: calls)
      try buffer.walk(&writer)
      append(try writer.finish(level: 0))
    }
    buffer.removeAll()
    while let group = mergeableGroup {
      // Only touched pages count: the buffer releases its pages while the merge reads.
      buffer = RunBuffer(bytesMax: 0)
      try mergeLast(group)
      buffer = RunBuffer(bytesMax: budget.runBytes)
    }
  }

  /// Sends all records in order to `writer`. No run may be in memory any more.
  mutating func mergeAll(into writer: inout BatchWriter) throws(Failure) {
    while runs.count > mergeRunsMax(among: runs.count) {
      let limit = mergeRunsMax(among: runs.count)
      try mergeLast(min(runs.count - limit + 1, limit))
    }
    let count = runs.count
    switch format(last: count) {
    case .packed where budget.mergeThreads > 0:
      let bufferBytes = budget.packedReadBufferBytes(runs: count)
      try OverlappedMerge.walk(
        try BlockMerge<CompactRecord>(last: count, of: &runs, bufferBytes: bufferBytes), runs: count, budget,
        &writer)
    case .packed: try mergePacked(last: count, to: &writer)
    case .inline: try mergeInline(last: count, to: &writer)
    case .varint: try mergeVarint(last: count, to: &writer)
    }
    try writer.flush()
  }

  /// How many of the most recent runs to merge into one: as many of one level as one merge reads; nil if there are
  /// fewer.
  private var mergeableGroup: Int? {
    let group = mergeRunsMax(among: min(runs.count, SortBudget.mergeRunsMax))
    guard runs.count >= group else { return nil }
    return runs[runs.count - group].level == runs[runs.count - 1].level ? group : nil
  }

  /// The maximum number of runs that one merge of some of the last `count` runs reads.
  private func mergeRunsMax(among count: Int) -> Int {
    format(last: count) == .packed ? SortBudget.mergeRunsMax : budget.inlineMergeRunsMax
  }

  private func format(last count: Int) -> RunFormat {
    var format = RunFormat.packed
    for index in (runs.count - count)..<runs.count {
      switch runs[index].format {
      case .varint: return .varint
      case .inline: format = .inline
      case .packed: continue
      }
    }
    return format
  }

  private mutating func mergeLast(_ count: Int) throws(Failure) {
    let level = runs[runs.count - count].level + 1
    switch format(last: count) {
    case .packed:
      var writer = try CompactRunWriter(in: directory, calls: calls)
      try mergePacked(last: count, to: &writer)
      append(try writer.finish(level: level))
    case .inline:
      var writer = try InlineRunWriter(in: directory, calls: calls)
      try mergeInline(last: count, to: &writer)
      append(try writer.finish(level: level))
    case .varint:
      var writer = try VarintRunWriter(in: directory, calls: calls)
      try mergeVarint(last: count, to: &writer)
      append(try writer.finish(level: level))
    }
  }

  private mutating func mergePacked(
    last count: Int, to sink: inout some CompactRecordSink & ~Copyable
  ) throws(Failure) {
    let bufferBytes = budget.packedReadBufferBytes(runs: count)
    var merge = try BlockMerge<CompactRecord>(last: count, of: &runs, bufferBytes: bufferBytes)
    while try merge.advance() { try sink.receive(packed: merge.records) }
  }

  private mutating func mergeInline(
    last count: Int, to sink: inout some RunSink & ~Copyable
  ) throws(Failure) {
    let bufferBytes = budget.inlineReadBuffer(runs: count)
    var merge = try BlockMerge<MergeRecord>(last: count, of: &runs, bufferBytes: bufferBytes)
    while try merge.advance() { try merge.send(to: &sink) }
  }

  private mutating func mergeVarint(
    last count: Int, to sink: inout some RunSink & ~Copyable
  ) throws(Failure) {
    try KWayMerge.walk(last: count, of: &runs, bufferBytes: budget.inlineReadBuffer(runs: count), &sink)
  }

  private mutating func append(_ run: consuming SpilledRun) {
    meter.bytesSpilled.add(Int(run.file.size))
    runs.append(run)
  }
}

/// The thread that sorts and spills. It has one buffer, the sorter another, and they swap them.
///
/// `@unchecked Sendable`: `state` and `error` are only read and written with `lock` held. `buffer` and
/// `mergeSort` belong to the thread while the state is `.full`, and to the sorter otherwise.
final class SpillThread: @unchecked Sendable {
  private enum HandoffState {
    /// The buffer is empty; the thread waits.
    case idle
    /// The buffer holds a run to be spilled.
    case full
    /// The thread has ended, or is about to end.
    case ended
  }

  private let lock = ConditionLock()
  private var state = HandoffState.idle
  private var error: Failure?
  private var buffer: RunBuffer
  private var mergeSort: ExternalMergeSort?
  private var thread: WorkerThread?

  /// Starts the thread, which becomes the owner of the runs.
  init(_ runs: inout ExternalMergeSort?, bytesMax: Int) throws(Failure) {
    buffer = RunBuffer(bytesMax: bytesMax)
    mergeSort = runs.take()
    do throws(SystemError) {
      thread = try WorkerThread(name: "spill") { [self] in work() }
    } catch {
      throw Failure(.sort, error)
    }
  }

  /// Exchanges a full buffer for an empty one; waits until the previous run is spilled. Throws the error of that spill.
  func spill(_ full: inout RunBuffer) throws(Failure) {
    lock.lock()
    while state == .full { lock.wait() }
    let error = error
    if error == nil {
      swap(&buffer, &full)
      state = .full
      lock.signal()
    }
    lock.unlock()
    if let error { throw error }
  }

  /// Waits until all runs are spilled, ends the thread, and returns the runs. Throws the error of a spill.
  func finish() throws(Failure) -> ExternalMergeSort {
    stop()
    if let error { throw error }
    // Called once, and a finished thread spills nothing.
    return mergeSort.take()!
  }

  /// Ends the thread after the run that it is spilling.
  func stop() {
    lock.lock()
    while state == .full { lock.wait() }
    state = .ended
    lock.signal()
    lock.unlock()
    thread.take()?.join()
    buffer = RunBuffer(bytesMax: 0)
  }

  private func work() {
    while true {
      lock.lock()
      while state == .idle { lock.wait() }
      let isEnd = state == .ended
      lock.unlock()
      if isEnd { return }
      var spillError: Failure?
      do throws(Failure) {
        try mergeSort?.spill(&buffer)
      } catch {
        spillError = error
      }
      lock.lock()
      if let spillError { error = spillError }
      state = spillError == nil ? .idle : .ended
      lock.signal()
      lock.unlock()
      if spillError != nil { return }
    }
  }
}
