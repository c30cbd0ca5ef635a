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
    switch buffer.form {
    case .packed:
      var spiller = try PackedSpiller(in: directory, calls: calls)
      try buffer.walkPacked(&spiller)
      append(try spiller.finish(level: 0))
    case .placed:
      var spiller = try PlacedSpiller(in: directory, calls: calls)
      try buffer.walk(&spiller)
      append(try spiller.finish(level: 0))
    case .loose:
      var spiller = try LooseSpiller(in: directory, calls: calls)
      try buffer.walk(&spiller)
      append(try spiller.finish(level: 0))
    }
    buffer.removeAll()
    while let group = mergeableGroup {
      // Only pages in use count: the buffer gives its own back while the merge reads.
      buffer = RunBuffer(bytesMax: 0)
      try mergeLast(group)
      buffer = RunBuffer(bytesMax: budget.runBytes)
    }
  }

  /// Hands over all records in order, when no run is in memory any more.
  mutating func handOn(to filler: inout BatchFiller) throws(SortTrouble) {
    while runs.count > mergeRunsMax(among: runs.count) {
      let most = mergeRunsMax(among: runs.count)
      try mergeLast(min(runs.count - most + 1, most))
    }
    let count = runs.count
    switch form(last: count) {
    case .packed: try mergePacked(last: count, to: &filler)
    case .placed: try mergePlaced(last: count, to: &filler)
    case .loose: try mergeLoose(last: count, to: &filler)
    }
    try filler.flush()
  }

  /// How many of the last runs are to become one: as many of a level as one merge reads; nil when there are less.
  private var mergeableGroup: Int? {
    let group = mergeRunsMax(among: min(runs.count, SortBudget.mergeRunsMax))
    guard runs.count >= group, runs[runs.count - group].level == runs[runs.count - 1].level else {
      return nil
    }
    return group
  }

  /// The most runs that one merge of some of the last `count` runs reads.
  private func mergeRunsMax(among count: Int) -> Int {
    form(last: count) == .packed ? SortBudget.mergeRunsMax : budget.placedMergeRunsMax
  }

  /// The form that a merge of the last `count` runs has.
  private func form(last count: Int) -> RunForm {
    var form = RunForm.packed
    for place in (runs.count - count)..<runs.count {
      switch runs[place].form {
      case .loose: return .loose
      case .placed: form = .placed
      case .packed: continue
      }
    }
    return form
  }

  /// Replaces the last `count` runs by one.
  private mutating func mergeLast(_ count: Int) throws(SortTrouble) {
    let level = runs[runs.count - count].level + 1
    switch form(last: count) {
    case .packed:
      var spiller = try PackedSpiller(in: directory, calls: calls)
      try mergePacked(last: count, to: &spiller)
      append(try spiller.finish(level: level))
    case .placed:
      var spiller = try PlacedSpiller(in: directory, calls: calls)
      try mergePlaced(last: count, to: &spiller)
      append(try spiller.finish(level: level))
    case .loose:
      var spiller = try LooseSpiller(in: directory, calls: calls)
      try mergeLoose(last: count, to: &spiller)
      append(try spiller.finish(level: level))
    }
  }

  private mutating func mergePacked(
    last count: Int, to sink: inout some PackedRecordSink & ~Copyable
  ) throws(SortTrouble) {
    let bufferBytes = budget.packedReadBuffer(runs: count)
    var merge = try BlockMerge<PackedRecord>(last: count, of: &runs, bufferBytes: bufferBytes)
    while try merge.advance() { try sink.take(packed: merge.records) }
  }

  private mutating func mergePlaced(
    last count: Int, to sink: inout some RunSink & ~Copyable
  ) throws(SortTrouble) {
    let bufferBytes = budget.placedReadBuffer(runs: count)
    var merge = try BlockMerge<PlacedWord>(last: count, of: &runs, bufferBytes: bufferBytes)
    while try merge.advance() { try merge.give(to: &sink) }
  }

  private mutating func mergeLoose(
    last count: Int, to sink: inout some RunSink & ~Copyable
  ) throws(SortTrouble) {
    try RunMerge.walk(last: count, of: &runs, bufferBytes: budget.placedReadBuffer(runs: count), &sink)
  }

  private mutating func append(_ run: consuming SpilledRun) {
    meter.bytesSpilled.add(Int(run.file.size))
    runs.append(run)
  }
}
