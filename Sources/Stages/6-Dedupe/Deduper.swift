// The dedupe stage: sorted records in, disjoint ascending records out, in one pass.
//
// The way through it: RecordScreen (labels mapped, weak scores left out), Decider, ScoreLimiter, Coalescer, DedupeEnd;
// the steps that nobody asked for are not there.

import BasicContainers
public import CallRecord
public import PipeStage
import SystemIO

/// Makes sorted records disjoint: a more specific record wins over a more general one, and among equals the
/// policy decides.
///
/// Every record that comes in is kept (and may leave in several pieces, when narrower ones cut it, or joined with its
/// neighbours), counted as a duplicate, or counted as left out. Throws
/// ``DedupeError/notSorted(row:previous:number:)`` when a record starts below the one before it.
///
/// - Complexity: O(n) for single numbers; O(n log a) where up to a ranges overlap. With a limit the records are
///   written to a temporary file and read back.
public final class Deduper: RecordSink {
  private var order: SortOrderCheck
  private var sources: PrioritySourceCheck?
  private var screen: RecordScreen?
  private var decider: Decider
  private let steps: any RecordSink
  private let log: ConflictLog?
  private let meter: StageMeter

  /// Makes a deduper that hands records to `downstream`. The label map is read and the file of decisions made here.
  public init(
    options: DedupeOptions, context: StageContext, downstream: any RecordSink
  ) throws(StageError) {
    // What can fail comes before the first property is set; OutputFile says why.
    var map: LabelMap?
    if let path = options.labelMapPath { map = try LabelMap(path: path, calls: context.calls) }
    var log: ConflictLog?
    if let path = options.conflictsPath {
      let format = options.conflictsFormat ?? .init(named: path)
      log = try asStageError(.dedupe) { () throws(SystemError) in
        try ConflictLog(path, format, context.meter, calls: context.calls)
      }
    }
    let leftOut = LeftOut(context.meter, log)
    let watch = options.keep == .priority ? PrioritySourceCheck(options.priority) : nil
    let end = DedupeEnd(context.meter, log, leftOut, watch, options.observe, downstream)
    var steps: any RecordSink = end
    if options.coalesce { steps = Coalescer(context.meter, steps) }
    if let limit = options.limit {
      steps = try ScoreLimiter(limit, options, context, leftOut, steps)
    }
    order = SortOrderCheck(needsWiderFirst: options.keep == .mostFrequent)
    sources = watch
    screen =
      map == nil && options.minScore == nil
      ? nil : RecordScreen(map, minScore: options.minScore, context, leftOut)
    decider = Decider(options, context, log, steps)
    self.steps = steps
    self.log = log
    meter = context.meter
  }

  /// Takes a batch of sorted records.
  public func receive(_ batch: inout RecordBatch) throws(StageError) {
    guard !batch.isEmpty else { return }
    meter.rowsIn.add(batch.count)
    let row = order.rows
    let isSingles = try order.check(batch)
    sources?.look(at: batch.fieldsTable)
    if screen != nil {
      try screen?.sift(batch, isSingles: isSingles, rowsBefore: row, into: &decider)
    } else {
      try decider.take(&batch, isSingles: isSingles)
    }
    batch.removeAll()
  }

  /// Hands over what was held back, and gives the conflicts file its name.
  public func finish() throws(StageError) {
    try decider.finish()
    try steps.finish()
    // Last, so that a run which fails behind this stage leaves no file of decisions about nothing.
    try log?.publish()
  }
}

/// The order that the records must come in.
struct SortOrderCheck {
  private let needsWiderFirst: Bool
  private var previousFirst: UInt64 = 0
  private var previousLast: UInt64 = 0
  /// How many records have come.
  private(set) var rows: UInt64 = 0

  init(needsWiderFirst: Bool) {
    self.needsWiderFirst = needsWiderFirst
  }

  /// Throws when the numbers descend; else says whether no record is a range.
  mutating func check(_ batch: borrowing RecordBatch) throws(StageError) -> Bool {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    guard !firsts.isEmpty else { return true }
    // All of them are looked at, without a branch for each.
    var before = previousFirst
    var descents: UInt64 = 0
    var spread: UInt64 = 0
    for index in 0..<firsts.count {
      let number = firsts[index]
      descents |= number < before ? 1 : 0
      spread |= number ^ lasts[index]
      before = number
    }
    if descents != 0 { throw failure(of: firsts) }
    let isSingles = spread == 0
    if needsWiderFirst, !isSingles { try checkWidths(batch) }
    previousFirst = before
    previousLast = lasts[firsts.count - 1]
    rows += UInt64(firsts.count)
    return isSingles
  }

  /// The first number that is below the one before it.
  private func failure(of firsts: Span<UInt64>) -> StageError {
    var index = 0
    var before = previousFirst
    while index + 1 < firsts.count, firsts[index] >= before {
      before = firsts[index]
      index += 1
    }
    let row = rows + UInt64(index) + 1
    return StageError(.dedupe, DedupeError.notSorted(row: row, previous: before, number: firsts[index]))
  }

  /// Records can only be counted when those for the same numbers follow each other.
  private func checkWidths(_ batch: borrowing RecordBatch) throws(StageError) {
    var (first, last) = (previousFirst, previousLast)
    for index in 0..<batch.count {
      if batch.firsts[index] == first, batch.lasts[index] > last {
        let row = rows + UInt64(index) + 1
        throw StageError(.dedupe, DedupeError.widerBehind(row: row, number: first))
      }
      (first, last) = (batch.firsts[index], batch.lasts[index])
    }
  }
}
