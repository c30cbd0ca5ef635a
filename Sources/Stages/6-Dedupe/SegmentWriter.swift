// The output of the sweep: sends records to the next step and conflicts to the log.

import Records

/// Writes segments to batches, and conflicts to the log.
struct SegmentWriter: SegmentSink, ~Copyable {
  private let policy: KeepPolicy
  private let log: ConflictLog?
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()

  init(_ policy: KeepPolicy, _ log: ConflictLog?, _ meter: StageMeter, _ downstream: any RecordSink) {
    self.policy = policy
    self.log = log
    self.meter = meter
    self.downstream = downstream
  }

  mutating func receive(_ segment: Segment, isFirstOfRecord: Bool) throws(Failure) {
    if !isFirstOfRecord { meter.splits.add(1) }
    try write(first: segment.first, last: segment.last, segment.recordFields.span)
  }

  mutating func receiveDuplicate() {
    meter.duplicates.add(1)
  }

  mutating func receiveConflict(
    first: UInt64, last: UInt64, kept: ActiveRecord, dropped: ActiveRecord
  ) throws(Failure) {
    guard let log else { return }
    let decision =
      kept.width < dropped.width
      ? .moreSpecific : policy.decision(kept: kept.recordFields.span, dropped: dropped.recordFields.span)
    try log.add(
      first: first, last: last, kept: kept.recordFields.span, dropped: dropped.recordFields.span, decision)
  }

  mutating func write(first: UInt64, last: UInt64, _ recordFields: Span<UInt8>) throws(Failure) {
    if batch.append(first: first, last: last, recordFields: recordFields) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: recordFields)
  }

  mutating func flush() throws(Failure) {
    guard !batch.isEmpty else { return }
    try downstream.receive(&batch)
    batch.removeAll()
  }
}
