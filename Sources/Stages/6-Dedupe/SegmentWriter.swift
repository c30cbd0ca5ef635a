// What the records that won their numbers become: records of the output, or left out for want of votes.

import BasicContainers
import Records

struct SegmentWriter: ~Copyable {
  private let policy: KeepPolicy
  private let minimums: VoteMinimums
  private let log: ConflictLog?
  private let leftOut: LeftOutCounter
  private let context: StageContext
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// For each of an input batch's record fields, the last score that it was written with, and the index in ``batch``;
  /// -1 if it is not there.
  private var written: [(score: Int64?, index: Int)] = []
  private var scratch: [UInt8] = []

  init(
    _ options: DedupeOptions, _ policy: KeepPolicy, _ log: ConflictLog?, _ leftOut: LeftOutCounter,
    _ context: StageContext, _ downstream: any RecordSink
  ) {
    self.policy = policy
    minimums = options.voteMinimums
    self.log = log
    self.leftOut = leftOut
    self.context = context
    self.downstream = downstream
  }

  mutating func receive(_ segment: Segment, isFirstOfRecord: Bool) throws(Failure) {
    if !isFirstOfRecord { context.meter.splits.add(1) }
    try write(first: segment.first, last: segment.last, segment.recordFields.span, segment.votes)
  }

  /// Counts a record that won no number.
  mutating func receiveDuplicate() { context.meter.duplicates.add(1) }

  /// Logs that a record loses the numbers from `first` to `last` to a stronger one. Every number that a record loses is
  /// passed once; the stronger record may lose it to yet another.
  mutating func receiveConflict(
    first: UInt64, last: UInt64, kept: ActiveRecord, dropped: ActiveRecord
  ) throws(Failure) {
    guard let log else { return }
    let decision =
      kept.width < dropped.width
      ? .moreSpecific : policy.decision(kept: kept.recordFields.span, dropped: dropped.recordFields.span)
    try log.add(
      first: first, last: last, kept: kept.recordFields.span, dropped: dropped.recordFields.span, decision,
      kept.votes)
  }

  /// The fields of a record with its combined score; nil if they are too long: then the record is rejected.
  func combined(_ record: HeldRecord, _ votes: Votes) throws(Failure) -> [UInt8]? {
    let bytes = votes.written(to: record.recordFields)
    if bytes.count <= RecordFields.bytesMax { return bytes }
    try reject(record.recordFields.span, ordinal: record.ordinal)
    return nil
  }

  private func reject(_ recordFields: Span<UInt8>, ordinal: UInt64) throws(Failure) {
    try context.reject(.row(ordinal), DedupeReject.labelTooLong, text: recordFields)
  }

  mutating func write(
    first: UInt64, last: UInt64, _ recordFields: Span<UInt8>, _ votes: Votes?
  ) throws(Failure) {
    if let votes, let reason = votes.missed(minimums) {
      return try leftOut.add(first: first, last: last, recordFields, reason, votes)
    }
    if batch.append(first: first, last: last, recordFields: recordFields) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: recordFields)
  }

  // MARK: Single numbers with votes

  /// Begins with the record fields of another batch.
  mutating func begin(_ table: borrowing RecordFieldsTable) {
    written.removeAll(keepingCapacity: true)
    written.append(contentsOf: repeatElement((score: Int64?.none, index: -1), count: table.count))
  }

  /// Writes a number with fields of the table that was begun with, and its combined score. Its record is the one with the
  /// given place in the stream.
  mutating func write(
    _ number: UInt64, _ table: borrowing RecordFieldsTable, _ fieldsIndex: Int, _ votes: Votes,
    ordinal: UInt64
  ) throws(Failure) {
    let score = votes.score
    if let reason = votes.missed(minimums), !leftOut.needsFields {
      return try leftOut.add(first: number, last: number, table[fieldsIndex], reason, votes)
    }
    if written[fieldsIndex].index >= 0, written[fieldsIndex].score == score, !batch.isFull,
      !leftOut.needsFields || votes.missed(minimums) == nil
    {
      return batch.append(first: number, last: number, fieldsIndex: written[fieldsIndex].index)
    }
    if score == nil {
      try write(first: number, last: number, table[fieldsIndex], votes)
    } else {
      votes.write(to: table[fieldsIndex], &scratch)
      if scratch.count > RecordFields.bytesMax { return try reject(table[fieldsIndex], ordinal: ordinal) }
      let bytes = scratch
      try write(first: number, last: number, bytes.span, votes)
    }
    if !batch.isEmpty, batch.firsts[batch.count - 1] == number {
      written[fieldsIndex] = (score, Int(batch.fieldsIndices[batch.count - 1]))
    }
  }

  mutating func flush() throws(Failure) {
    guard !batch.isEmpty else { return }
    try downstream.receive(&batch)
    batch.removeAll()
    for index in written.indices { written[index].index = -1 }
  }
}
