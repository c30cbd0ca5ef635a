// Spills runs to disk, merges them in groups, and does the final merge.
//
// Not for: the records in memory before they are spilled (RunBuffer), or the thread that does the work (SpillThread).

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
      var writer = try PackedRunWriter(in: directory, calls: calls)
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
        try BlockMerge<PackedRecord>(last: count, of: &runs, bufferBytes: bufferBytes), runs: count, budget,
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
    guard runs.count >= group, runs[runs.count - group].level == runs[runs.count - 1].level else {
      return nil
    }
    return group
  }

  /// The maximum number of runs that one merge of some of the last `count` runs reads.
  private func mergeRunsMax(among count: Int) -> Int {
    format(last: count) == .packed ? SortBudget.mergeRunsMax : budget.inlineMergeRunsMax
  }

  /// The format of a merge of the last `count` runs.
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

  /// Replaces the last `count` runs with one.
  private mutating func mergeLast(_ count: Int) throws(Failure) {
    let level = runs[runs.count - count].level + 1
    switch format(last: count) {
    case .packed:
      var writer = try PackedRunWriter(in: directory, calls: calls)
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
    last count: Int, to sink: inout some PackedRecordSink & ~Copyable
  ) throws(Failure) {
    let bufferBytes = budget.packedReadBufferBytes(runs: count)
    var merge = try BlockMerge<PackedRecord>(last: count, of: &runs, bufferBytes: bufferBytes)
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
