// The way of batches with ranges: one record at a time into the sweep.

import BasicContainers
import CallRecord
import PipeStage

/// A record that left its batch.
struct HeldRecord {
  var first: UInt64
  var last: UInt64
  var annotation: [UInt8]
  /// Its place in the stream, from 1.
  var ordinal: UInt64

  init(_ batch: borrowing RecordBatch, at index: Int, ordinal: UInt64) {
    first = batch.firsts[index]
    last = batch.lasts[index]
    annotation = []
    let bytes = batch[annotationAt: index]
    annotation.reserveCapacity(bytes.count)
    for at in 0..<bytes.count { annotation.append(bytes[at]) }
    self.ordinal = ordinal
  }
}

/// Records on their way through the sweep.
struct OverlapPath: ~Copyable {
  private let keep: DedupeOptions.Keep
  private let meter: StageMeter
  private var sweep = RangeSweep()
  /// The last record, held back because copies of it would only take room in the sweep: sorted, they follow it.
  private var pending: HeldRecord?

  init(keep: DedupeOptions.Keep, meter: StageMeter) {
    self.keep = keep
    self.meter = meter
  }

  /// Passes the numbers before `number`, and says whether nothing is on its way any more.
  mutating func isClear(before number: UInt64, _ output: inout PieceOutput) throws(PipeFailure) -> Bool {
    if let pending, pending.first != number { try enterPending(&output) }
    if pending != nil { return false }
    if !sweep.isEmpty { try sweep.advance(to: number, &output) }
    return sweep.isEmpty
  }

  /// Takes the next record in order.
  mutating func take(_ record: HeldRecord, _ output: inout PieceOutput) throws(PipeFailure) {
    guard let old = pending, old.first == record.first, old.last == record.last else {
      try enterPending(&output)
      pending = record
      return
    }
    let (kept, dropped) = keep == .first ? (old, record) : (record, old)
    meter.duplicates.add(1)
    pending = kept
    if output.wantsDecisions {
      try output.logEqual(
        first: kept.first, last: kept.last, kept: kept.annotation.span, dropped: dropped.annotation.span)
    }
  }

  /// Passes all the numbers.
  mutating func finish(_ output: inout PieceOutput) throws(PipeFailure) {
    try enterPending(&output)
    try sweep.advance(to: .max, &output)
  }

  private mutating func enterPending(_ output: inout PieceOutput) throws(PipeFailure) {
    guard let record = pending.take() else { return }
    try sweep.advance(to: record.first, &output)
    try sweep.insert(
      ActiveRecord(
        width: record.last - record.first,
        rank: keep == .first ? Int64(record.ordinal) : -Int64(record.ordinal), last: record.last,
        annotation: record.annotation), &output)
  }
}
