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
  private var conflicts: ConflictLog?
  private var sweep = RangeSweep()
  private var output: PieceOutput
  private var row: UInt64 = 0
  private var previous: UInt64 = 0
  /// The number held back, with its annotation.
  private var held: (number: UInt64, annotation: [UInt8])?

  init(
    _ options: DedupeOptions, _ context: StageContext, _ downstream: any RecordSink
  ) throws(PipeFailure) {
    keep = options.keep
    self.context = context
    self.downstream = downstream
    output = PieceOutput(context.meter, downstream)
    if let path = options.conflictsPath {
      conflicts = try asPipeFailure(.dedupe) { () throws(SystemFailure) in
        try ConflictLog(path, calls: context.calls)
      }
    }
  }

  mutating func receive(_ batch: inout RecordBatch) throws(PipeFailure) {
    guard !batch.isEmpty else { return }
    context.meter.rowsIn.add(batch.count)
    if !sweep.isEmpty { try sweep.advance(to: batch.firsts[0], &output) }
    if sweep.isEmpty, try Self.isSinglesInOrder(batch, after: previous, row: row) {
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
    try sweep.advance(to: .max, &output)
    try output.flush()
    if let log = conflicts.take() {
      do throws(SystemFailure) {
        try log.publish()
      } catch {
        throw PipeFailure(.dedupe, error)
      }
    }
    context.meter.finish()
    try downstream.finish()
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
    var start = 0
    if let held, held.number == batch.firsts[0] {
      start = try joinHeld(held.number, batch)
    }
    try sendHeldUnless(start == batch.count)
    guard start < batch.count else { return }
    if conflicts != nil { try logConflicts(batch, from: start) }
    let count = batch.count
    let kept = Self.compact(&batch.firsts, &batch.annotationIndices, from: start, keepLast: keep == .last)
    if kept < count {
      for index in 0..<kept { batch.lasts[index] = batch.firsts[index] }
    }
    context.meter.duplicates.add(count - start - kept)
    hold(batch, at: kept - 1)
    batch.truncate(to: kept - 1)
    guard !batch.isEmpty else { return }
    context.meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
  }

  /// The held number goes on at the start of this batch: decides between the held record and the equal ones, and
  /// returns how many those are.
  private mutating func joinHeld(_ number: UInt64, _ batch: borrowing RecordBatch) throws(PipeFailure) -> Int
  {
    var count = 0
    while count < batch.count, batch.firsts[count] == number {
      if conflicts != nil, let annotation = held?.annotation {
        try log(number, held: annotation, arriving: batch, at: count)
      }
      if keep == .last { hold(batch, at: count) }
      count += 1
    }
    context.meter.duplicates.add(count)
    return count
  }

  private mutating func hold(_ batch: borrowing RecordBatch, at index: Int) {
    var annotation: [UInt8] = []
    let bytes = batch[annotationAt: index]
    for at in 0..<bytes.count { annotation.append(bytes[at]) }
    held = (batch.firsts[index], annotation)
  }

  private mutating func sendHeldUnless(_ staysHeld: Bool) throws(PipeFailure) {
    if !staysHeld { try sendHeld() }
  }

  private mutating func sendHeld() throws(PipeFailure) {
    guard let held else { return }
    self.held = nil
    try output.send(first: held.number, last: held.number, held.annotation)
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

  private mutating func logConflicts(_ batch: borrowing RecordBatch, from start: Int) throws(PipeFailure) {
    var winner = start
    for index in start..<batch.count where index > start {
      guard batch.firsts[index] == batch.firsts[winner] else {
        winner = index
        continue
      }
      let same = batch.annotationIndices[index] == batch.annotationIndices[winner]
      let (kept, dropped) = keep == .first ? (winner, index) : (index, winner)
      let number = batch.firsts[index]
      do throws(SystemFailure) {
        try conflicts?.add(
          first: number, last: number, kept: batch[annotationAt: kept], dropped: batch[annotationAt: dropped],
          same ? .same : keep == .first ? .first : .last)
      } catch {
        throw PipeFailure(.dedupe, error)
      }
      winner = kept
    }
  }

  private mutating func log(
    _ number: UInt64, held: [UInt8], arriving batch: borrowing RecordBatch, at index: Int
  ) throws(PipeFailure) {
    let arriving = batch[annotationAt: index]
    let same = Self.isEqual(held.span, arriving)
    do throws(SystemFailure) {
      if keep == .first {
        try conflicts?.add(
          first: number, last: number, kept: held.span, dropped: arriving, same ? .same : .first)
      } else {
        try conflicts?.add(
          first: number, last: number, kept: arriving, dropped: held.span, same ? .same : .last)
      }
    } catch {
      throw PipeFailure(.dedupe, error)
    }
  }

  private static func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in 0..<one.count where one[index] != other[index] { return false }
    return true
  }

  // MARK: Ranges

  private mutating func sweepOver(_ batch: borrowing RecordBatch) throws(PipeFailure) {
    if let held {
      // It is a record like any other now, the first of its number or the one that replaced the first.
      self.held = nil
      try enter(first: held.number, last: held.number, held.annotation, ordinal: row)
    }
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      row += 1
      if first < previous {
        throw PipeFailure(.dedupe, DedupeFailure.notSorted(row: row, previous: previous, number: first))
      }
      previous = first
      var annotation: [UInt8] = []
      let bytes = batch[annotationAt: index]
      for at in 0..<bytes.count { annotation.append(bytes[at]) }
      try enter(first: first, last: batch.lasts[index], annotation, ordinal: row)
    }
  }

  private mutating func enter(
    first: UInt64, last: UInt64, _ annotation: [UInt8], ordinal: UInt64
  ) throws(PipeFailure) {
    try sweep.advance(to: first, &output)
    let record = ActiveRecord(
      width: last - first, rank: keep == .first ? Int64(ordinal) : -Int64(ordinal), last: last,
      annotation: annotation)
    if let winner = sweep.winner, conflicts != nil {
      let (kept, dropped) = record < winner ? (record, winner) : (winner, record)
      let decision: Decision =
        kept.width < dropped.width
        ? .moreSpecific : kept.annotation == dropped.annotation ? .same : keep == .first ? .first : .last
      do throws(SystemFailure) {
        try conflicts?.add(
          first: first, last: min(last, winner.last), kept: kept.annotation.span,
          dropped: dropped.annotation.span, decision)
      } catch {
        throw PipeFailure(.dedupe, error)
      }
    }
    try sweep.insert(record, &output)
  }
}

/// The pieces of a sweep on their way out.
private struct PieceOutput: PieceTaker, ~Copyable {
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()

  init(_ meter: StageMeter, _ downstream: any RecordSink) {
    self.meter = meter
    self.downstream = downstream
  }

  mutating func take(_ piece: Piece, isFirstOfRecord: Bool) throws(PipeFailure) {
    if !isFirstOfRecord { meter.splits.add(1) }
    try send(first: piece.first, last: piece.last, piece.annotation)
  }

  mutating func takeDuplicate() {
    meter.duplicates.add(1)
  }

  mutating func send(first: UInt64, last: UInt64, _ annotation: [UInt8]) throws(PipeFailure) {
    if batch.append(first: first, last: last, annotation: annotation.span) { return }
    try flush()
    _ = batch.append(first: first, last: last, annotation: annotation.span)
  }

  mutating func flush() throws(PipeFailure) {
    guard !batch.isEmpty else { return }
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
  }
}
