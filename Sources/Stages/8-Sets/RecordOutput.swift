// Records on their way out of a set operation.

import BasicContainers
import CallRecord
import PipeStage

/// The batch that is filled for the stage behind.
struct RecordOutput: ~Copyable {
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// For each record fields of the batch that records come from, its index in this one, plus 1; 0 for unknown.
  private var known = RigidArray<UInt16>(repeating: 0, count: RecordBatch.recordsMax)

  init(_ context: StageContext, _ downstream: any RecordSink) {
    meter = context.meter
    self.downstream = downstream
  }

  /// Records of another batch will come.
  mutating func changeSource() {
    for index in 0..<known.count { known[index] = 0 }
  }

  /// Sends a piece of the record at `index` of the source.
  @inline(__always)
  mutating func send(
    first: UInt64, last: UInt64, of source: borrowing RecordBatch, at index: Int
  ) throws(StageError) {
    let recordFields = Int(source.fieldsIndices[index])
    if known[recordFields] == 0 || batch.isFull { try learn(recordFields, of: source) }
    batch.append(first: first, last: last, fieldsIndex: Int(known[recordFields]) - 1)
  }

  /// Finds the index of a record's fields in a batch that has room.
  private mutating func learn(_ recordFields: Int, of source: borrowing RecordBatch) throws(StageError) {
    if batch.isFull { try flush() }
    var index = batch.fieldsTable.intern(source.fieldsTable[recordFields])
    if index == nil {
      try flush()
      // An empty table has room for any record fields.
      index = batch.fieldsTable.intern(source.fieldsTable[recordFields])
    }
    known[recordFields] = UInt16(truncatingIfNeeded: (index ?? 0) + 1)
  }

  /// Sends the record at the front of a list.
  mutating func send(frontOf list: borrowing SortedList) throws(StageError) {
    if batch.append(first: list.first, last: list.last, recordFields: list.recordFields) { return }
    try flush()
    _ = batch.append(first: list.first, last: list.last, recordFields: list.recordFields)
  }

  private mutating func flush() throws(StageError) {
    if !batch.isEmpty {
      meter.rowsOut.add(batch.count)
      try downstream.receive(&batch)
    }
    batch.removeAll()
    changeSource()
  }

  /// Sends what is left, and ends the stream.
  mutating func finish() throws(StageError) {
    try flush()
    meter.finish()
    try downstream.finish()
  }
}
