// What a dedupe gives: records to the next stage, and decisions to the conflicts file.

import CallRecord
import PipeStage
import SystemIO

/// Records and decisions on their way out.
struct PieceOutput: PieceTaker, ~Copyable {
  private let keep: DedupeOptions.Keep
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch: RecordBatch
  private var conflicts: ConflictLog?

  init(_ options: DedupeOptions, _ context: StageContext, _ downstream: any RecordSink) throws(PipeFailure) {
    // What can fail comes before the first property is set; OutputFile says why.
    var log: ConflictLog?
    if let path = options.conflictsPath {
      log = try asPipeFailure(.dedupe) { () throws(SystemFailure) in
        try ConflictLog(path, calls: context.calls)
      }
    }
    keep = options.keep
    meter = context.meter
    self.downstream = downstream
    batch = RecordBatch()
    conflicts = log
  }

  var wantsDecisions: Bool { conflicts != nil }

  mutating func take(_ piece: Piece, isFirstOfRecord: Bool) throws(PipeFailure) {
    if !isFirstOfRecord { meter.splits.add(1) }
    try send(first: piece.first, last: piece.last, piece.annotation)
  }

  mutating func takeDuplicate() {
    meter.duplicates.add(1)
  }

  mutating func takeDecision(
    first: UInt64, last: UInt64, kept: ActiveRecord, dropped: ActiveRecord
  ) throws(PipeFailure) {
    if kept.width < dropped.width {
      try log(
        first: first, last: last, kept: kept.annotation.span, dropped: dropped.annotation.span, .moreSpecific)
    } else {
      try logEqual(first: first, last: last, kept: kept.annotation.span, dropped: dropped.annotation.span)
    }
  }

  /// Writes the decision between two records that are for equally many numbers.
  mutating func logEqual(
    first: UInt64, last: UInt64, kept: Span<UInt8>, dropped: Span<UInt8>
  ) throws(PipeFailure) {
    let decision: Decision = Self.isEqual(kept, dropped) ? .same : keep == .first ? .first : .last
    try log(first: first, last: last, kept: kept, dropped: dropped, decision)
  }

  private mutating func log(
    first: UInt64, last: UInt64, kept: Span<UInt8>, dropped: Span<UInt8>, _ decision: Decision
  ) throws(PipeFailure) {
    do throws(SystemFailure) {
      try conflicts?.add(first: first, last: last, kept: kept, dropped: dropped, decision)
    } catch {
      throw PipeFailure(.dedupe, error)
    }
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

  /// Sends what is left, and makes the conflicts file whole.
  mutating func seal() throws(PipeFailure) {
    try flush()
    do throws(SystemFailure) {
      try conflicts?.flush()
    } catch {
      throw PipeFailure(.dedupe, error)
    }
  }

  /// Gives the conflicts file its name.
  mutating func publishDecisions() throws(PipeFailure) {
    guard let log = conflicts.take() else { return }
    do throws(SystemFailure) {
      try log.publish()
    } catch {
      throw PipeFailure(.dedupe, error)
    }
  }

  private static func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in 0..<one.count where one[index] != other[index] { return false }
    return true
  }
}
