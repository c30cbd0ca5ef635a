// The runs on disk: how one is written, when several become one, and their last merge.
//
// Not for: what is in memory before it is spilled (RunBuffer), and which thread does it (SpillThread).

import BasicContainers
import PipeStage
import SystemIO

/// The spilled runs of one sort, the latest last.
struct RunStack: ~Copyable {
  private let directory: String
  private let calls: any SystemCalls
  private let meter: StageMeter
  private let budget: SortBudget
  private var runs = RigidArray<SpilledRun>(capacity: SortBudget.runsMax)

  init(options: SortOptions, budget: SortBudget, context: StageContext) {
    directory = options.temporaryDirectory
    calls = context.calls
    meter = context.meter
    self.budget = budget
  }

  var isEmpty: Bool { runs.isEmpty }

  /// Writes the records of a buffer as a run, merges runs when there are as many as one merge reads, and leaves the
  /// buffer empty.
  mutating func spill(_ buffer: inout RunBuffer) throws(SortTrouble) {
    buffer.sort()
    if buffer.isPacked {
      var spiller = try PackedSpiller(in: directory, calls: calls)
      try buffer.walkPacked(&spiller)
      append(try spiller.finish(level: 0))
    } else {
      var spiller = try RunSpiller(in: directory, calls: calls)
      try buffer.walk(&spiller)
      append(try spiller.finish(level: 0))
    }
    buffer.removeAll()
    let group = SortBudget.mergeRunsMax
    while runs.count >= group, runs[runs.count - group].level == runs[runs.count - 1].level {
      // Only pages in use count: the buffer gives its own back while the merge reads.
      buffer = RunBuffer(bytesMax: 0)
      try mergeLast(group)
      buffer = RunBuffer(bytesMax: budget.runBytes)
    }
  }

  /// Hands over all records in order, when no run is in memory any more.
  mutating func handOn(to filler: inout BatchFiller) throws(SortTrouble) {
    while runs.count > SortBudget.mergeRunsMax {
      try mergeLast(min(runs.count - SortBudget.mergeRunsMax + 1, SortBudget.mergeRunsMax))
    }
    let count = runs.count
    if arePacked(last: count) {
      try PackedMerge.walk(last: count, of: &runs, bufferBytes: budget.packedReadBuffer(runs: count), &filler)
    } else {
      try RunMerge.walk(last: count, of: &runs, bufferBytes: budget.readBuffer(runs: count), &filler)
    }
    try filler.flush()
  }

  /// Replaces the last `count` runs by one.
  private mutating func mergeLast(_ count: Int) throws(SortTrouble) {
    let level = runs[runs.count - count].level + 1
    if arePacked(last: count) {
      var spiller = try PackedSpiller(in: directory, calls: calls)
      try PackedMerge.walk(
        last: count, of: &runs, bufferBytes: budget.packedReadBuffer(runs: count), &spiller)
      append(try spiller.finish(level: level))
    } else {
      var spiller = try RunSpiller(in: directory, calls: calls)
      try RunMerge.walk(last: count, of: &runs, bufferBytes: budget.readBuffer(runs: count), &spiller)
      append(try spiller.finish(level: level))
    }
  }

  private func arePacked(last count: Int) -> Bool {
    for place in (runs.count - count)..<runs.count where !runs[place].isPacked { return false }
    return true
  }

  private mutating func append(_ run: consuming SpilledRun) {
    meter.bytesSpilled.add(Int(run.file.size))
    runs.append(run)
  }
}
