// Collects the output records of stages that cut ranges: select and the set operations.

import BasicContainers
import Records

/// The batch that is being filled for the next stage.
struct RecordOutput: ~Copyable {
  /// The fewest records that are worth a batch.
  private static let wholeBatchMin = RecordBatch.recordsMax / 8

  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// For each entry of the source batch's fields table, its index in this batch's table, plus 1; 0 if unknown.
  private var known = RigidArray<UInt16>(repeating: 0, count: RecordBatch.recordsMax)

  init(_ context: StageContext, _ downstream: any RecordSink) {
    meter = context.meter
    self.downstream = downstream
  }

  /// Forgets the indices of the previous source batch. Call it before sending records of another batch.
  mutating func changeSource() {
    for index in 0..<known.count { known[index] = 0 }
  }

  /// Appends part of the record at `index` of the source; sends the batch when it is full.
  @inline(__always)
  mutating func send(
    first: UInt64, last: UInt64, of source: borrowing RecordBatch, at index: Int
  ) throws(Failure) {
    let recordFields = Int(source.fieldsIndices[index])
    if known[recordFields] == 0 || batch.isFull { try learn(recordFields, of: source) }
    batch.append(first: first, last: last, fieldsIndex: Int(known[recordFields]) - 1)
  }

  /// Sends the records of a batch that holds nothing else, as it is if that is worth a batch of its own. Call
  /// ``changeSource()`` before.
  mutating func send(_ source: inout RecordBatch) throws(Failure) {
    guard source.count >= Self.wholeBatchMin else {
      for index in 0..<source.count {
        try send(first: source.firsts[index], last: source.lasts[index], of: source, at: index)
      }
      return
    }
    try flush()
    meter.rowsOut.add(source.count)
    try downstream.receive(&source)
  }

  /// Adds a record's fields to the output batch's table; sends the batch first if the table is full.
  private mutating func learn(_ recordFields: Int, of source: borrowing RecordBatch) throws(Failure) {
    if batch.isFull { try flush() }
    var index = batch.fieldsTable.intern(source.fieldsTable[recordFields])
    if index == nil {
      try flush()
      // An empty table has space for any record fields.
      index = batch.fieldsTable.intern(source.fieldsTable[recordFields])
    }
    known[recordFields] = UInt16(truncatingIfNeeded: (index ?? 0) + 1)
  }

  mutating func send(first: UInt64, last: UInt64, _ recordFields: Span<UInt8>) throws(Failure) {
    if batch.append(first: first, last: last, recordFields: recordFields) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: recordFields)
  }

  private mutating func flush() throws(Failure) {
    if !batch.isEmpty {
      meter.rowsOut.add(batch.count)
      try downstream.receive(&batch)
    }
    batch.removeAll()
    changeSource()
  }

  /// Sends the last batch and ends the stream.
  mutating func finish() throws(Failure) {
    try flush()
    meter.finish()
    try downstream.finish()
  }
}
