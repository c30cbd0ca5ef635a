// What the decision gives: records to the next step, and decisions to the file of conflicts.

import CallRecord
import PipeStage

/// Records and decisions on their way out.
struct PieceOutput: PieceSink, ~Copyable {
  private let contest: Contest
  private let log: ConflictLog?
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()

  init(_ contest: Contest, _ log: ConflictLog?, _ meter: StageMeter, _ downstream: any RecordSink) {
    self.contest = contest
    self.log = log
    self.meter = meter
    self.downstream = downstream
  }

  mutating func take(_ piece: Piece, isFirstOfRecord: Bool) throws(StageError) {
    if !isFirstOfRecord { meter.splits.add(1) }
    try send(first: piece.first, last: piece.last, piece.recordFields.span)
  }

  mutating func takeDuplicate() {
    meter.duplicates.add(1)
  }

  mutating func takeDecision(
    first: UInt64, last: UInt64, kept: ActiveRecord, dropped: ActiveRecord
  ) throws(StageError) {
    guard let log else { return }
    let decision =
      kept.width < dropped.width
      ? .moreSpecific : contest.decision(kept: kept.recordFields.span, dropped: dropped.recordFields.span)
    try log.add(
      first: first, last: last, kept: kept.recordFields.span, dropped: dropped.recordFields.span, decision)
  }

  mutating func send(first: UInt64, last: UInt64, _ recordFields: Span<UInt8>) throws(StageError) {
    if batch.append(first: first, last: last, recordFields: recordFields) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: recordFields)
  }

  mutating func flush() throws(StageError) {
    guard !batch.isEmpty else { return }
    try downstream.receive(&batch)
    batch.removeAll()
  }
}
