// The dedupe stage: sorted records in, disjoint ascending records out, in one pass.
//
// Single numbers, the usual case, are thinned out in the batch where they stand. The last number of a batch is
// held back, since the next batch may go on with it. Batches with ranges go through a sweep.

import BasicContainers
public import CallRecord
public import PipeStage
import SystemIO

/// Makes sorted records disjoint: a more specific record wins over a more general one, and among equals the
/// policy decides.
///
/// Every record that comes in is kept (and may leave in several pieces, when narrower ones cut it) or counted as
/// a duplicate. Throws ``DedupeFailure/notSorted(row:previous:number:)`` when a record starts below the one
/// before it.
///
/// - Complexity: O(n) for single numbers; O(n log a) where up to a ranges overlap.
public final class Deduper: RecordSink {
  private var state: DedupeState

  /// Makes a deduper that hands records to `downstream`.
  public init(
    options: DedupeOptions, context: StageContext, downstream: any RecordSink
  ) throws(PipeFailure) {
    state = try DedupeState(options, context, downstream)
  }

  /// Takes a batch of sorted records.
  public func receive(_ batch: inout RecordBatch) throws(PipeFailure) {
    try state.receive(&batch)
  }

  /// Hands over what was held back, and gives the conflicts file its name.
  public func finish() throws(PipeFailure) {
    try state.finish()
  }
}

private struct DedupeState: ~Copyable {
  private let keep: DedupeOptions.Keep
  private let context: StageContext
  private let downstream: any RecordSink
  private var output: PieceOutput
  private var overlaps: OverlapPath
  private var row: UInt64 = 0
  private var previous: UInt64 = 0
  /// The last single number, held back: the next batch may go on with it.
  private var held: HeldRecord?

  init(
    _ options: DedupeOptions, _ context: StageContext, _ downstream: any RecordSink
  ) throws(PipeFailure) {
    keep = options.keep
    self.context = context
    self.downstream = downstream
    output = try PieceOutput(options, context, downstream)
    overlaps = OverlapPath(keep: options.keep, meter: context.meter)
  }

  mutating func receive(_ batch: inout RecordBatch) throws(PipeFailure) {
    guard !batch.isEmpty else { return }
    context.meter.rowsIn.add(batch.count)
    let isSingles = try Self.isSinglesInOrder(batch, after: previous, row: row)
    if try overlaps.isClear(before: batch.firsts[0], &output), isSingles {
      try output.flush()
      previous = batch.firsts[batch.count - 1]
      row += UInt64(batch.count)
      try thinOut(&batch)
    } else {
      try sweepOver(batch)
    }
    batch.removeAll()
  }

  mutating func finish() throws(PipeFailure) {
    try sendHeld()
    try overlaps.finish(&output)
    try output.seal()
    context.meter.finish()
    try downstream.finish()
    // Last, so that a run which fails behind this stage leaves no file of decisions about nothing.
    try output.publishDecisions()
  }

  /// Whether there is no range. Throws when the numbers descend.
  private static func isSinglesInOrder(
    _ batch: borrowing RecordBatch, after previous: UInt64, row: UInt64
  ) throws(PipeFailure) -> Bool {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    var before = previous
    var isSingles = true
    for index in 0..<firsts.count {
      let number = firsts[index]
      if number < before {
        throw PipeFailure(
          .dedupe, DedupeFailure.notSorted(row: row + UInt64(index) + 1, previous: before, number: number))
      }
      if lasts[index] != number { isSingles = false }
      before = number
    }
    return isSingles
  }

  // MARK: Single numbers, in place

  private mutating func thinOut(_ batch: inout RecordBatch) throws(PipeFailure) {
    let start = try joinHeld(batch)
    guard start < batch.count else { return }
    try sendHeld()
    if output.wantsDecisions { try logDecisions(batch, from: start) }
    let count = batch.count
    let kept = Self.compact(&batch.firsts, &batch.annotationIndices, from: start, keepLast: keep == .last)
    if kept < count {
      for index in 0..<kept { batch.lasts[index] = batch.firsts[index] }
    }
    context.meter.duplicates.add(count - start - kept)
    held = HeldRecord(batch, at: kept - 1, ordinal: row)
    batch.truncate(to: kept - 1)
    guard !batch.isEmpty else { return }
    context.meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
  }

  /// Where the held number goes on at the start of this batch, decides between the held record and the equal ones.
  /// Returns how many those are.
  private mutating func joinHeld(_ batch: borrowing RecordBatch) throws(PipeFailure) -> Int {
    guard let number = held?.first else { return 0 }
    var count = 0
    while count < batch.count, batch.firsts[count] == number {
      if output.wantsDecisions, let old = held?.annotation {
        let arriving = batch[annotationAt: count]
        if keep == .first {
          try output.logEqual(first: number, last: number, kept: old.span, dropped: arriving)
        } else {
          try output.logEqual(first: number, last: number, kept: arriving, dropped: old.span)
        }
      }
      if keep == .last { held = HeldRecord(batch, at: count, ordinal: row) }
      count += 1
    }
    context.meter.duplicates.add(count)
    return count
  }

  private mutating func sendHeld() throws(PipeFailure) {
    guard let record = held.take() else { return }
    try output.send(first: record.first, last: record.last, record.annotation)
    try output.flush()
  }

  /// Moves the record that stays of each number to the front, from 0 on, and returns how many there are.
  private static func compact(
    _ numbers: inout RigidArray<UInt64>, _ annotations: inout RigidArray<UInt32>, from start: Int,
    keepLast: Bool
  ) -> Int {
    var numbers = numbers.mutableSpan
    var annotations = annotations.mutableSpan
    let count = numbers.count
    var kept = 0
    var index = start
    while index < count {
      let number = numbers[index]
      var annotation = annotations[index]
      index += 1
      while index < count, numbers[index] == number {
        if keepLast { annotation = annotations[index] }
        index += 1
      }
      numbers[kept] = number
      annotations[kept] = annotation
      kept += 1
    }
    return kept
  }

  private mutating func logDecisions(_ batch: borrowing RecordBatch, from start: Int) throws(PipeFailure) {
    var winner = start
    for index in start..<batch.count where index > start {
      let number = batch.firsts[index]
      guard number == batch.firsts[winner] else {
        winner = index
        continue
      }
      let (kept, dropped) = keep == .first ? (winner, index) : (index, winner)
      try output.logEqual(
        first: number, last: number, kept: batch[annotationAt: kept], dropped: batch[annotationAt: dropped])
      winner = kept
    }
  }

  // MARK: Ranges

  private mutating func sweepOver(_ batch: borrowing RecordBatch) throws(PipeFailure) {
    // What was held back is a record like any other now.
    if let record = held.take() { try overlaps.take(record, &output) }
    for index in 0..<batch.count {
      row += 1
      try overlaps.take(HeldRecord(batch, at: index, ordinal: row), &output)
    }
    previous = batch.firsts[batch.count - 1]
  }
}
