// Sorted records into batches for the next stage.

import BasicContainers
import CallRecord
import PipeStage

/// Fills batches and hands them on.
struct BatchWriter: RunSink, PackedRecordSink, ~Copyable {
  private let dictionary: RecordFieldsDictionary
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// What a dictionary record fields is called in this batch, plus one; 0 if it is not in the batch.
  private var indices: RigidArray<UInt16>
  /// The dictionary record fields in this batch.
  private var used = RigidArray<UInt16>(capacity: RecordBatch.recordsMax)

  init(_ dictionary: consuming RecordFieldsDictionary, _ meter: StageMeter, _ downstream: any RecordSink) {
    indices = RigidArray(repeating: 0, count: dictionary.count)
    self.dictionary = dictionary
    self.meter = meter
    self.downstream = downstream
  }

  mutating func receive(first: UInt64, last: UInt64, fieldsID: UInt32) throws(StageError) {
    if batch.isFull { try flush() }
    let id = Int(fieldsID)
    if indices[id] == 0 { try internFields(id) }
    batch.append(first: first, last: last, fieldsIndex: Int(indices[id]) - 1)
  }

  mutating func receive(packed records: Span<PackedRecord>) throws(StageError) {
    var start = 0
    while start < records.count {
      if batch.isFull { try flush() }
      let count = Self.append(
        records.extracting(start..<records.count), &batch.firsts, &batch.lasts, &batch.fieldsIndices,
        indices)
      start += count
      if count == 0 { try internFields(Int(records[start].fieldsID)) }
    }
  }

  /// Appends records until the columns are full or a record's fields is not in the batch, and returns how many.
  private static func append(
    _ records: Span<PackedRecord>, _ firsts: inout RigidArray<UInt64>, _ lasts: inout RigidArray<UInt64>,
    _ fieldsIndices: inout RigidArray<UInt32>, _ indices: borrowing RigidArray<UInt16>
  ) -> Int {
    let limit = min(records.count, firsts.freeCapacity)
    let indices = indices.span
    var count = 0
    fieldsIndices.append(addingCount: limit) { output in
      while count < limit {
        // `count` is below the records' own.
        let index = indices[unsafe Int(records[unchecked: count].fieldsID)]
        if index == 0 { break }
        output.append(UInt32(index) &- 1)
        count &+= 1
      }
    }
    let start = firsts.count
    firsts.append(addingCount: count) { output in
      for index in 0..<count { output.append(records[index].number) }
    }
    lasts.append(copying: firsts.span.extracting(start..<start + count))
    return count
  }

  /// Takes a record's fields into the batch, or into the next one.
  private mutating func internFields(_ id: Int) throws(StageError) {
    var index = dictionary.intern(id, in: &batch.fieldsTable)
    if index == nil {
      try flush()
      index = dictionary.intern(id, in: &batch.fieldsTable)
    }
    // An empty batch has room for any record fields.
    indices[id] = UInt16(index! + 1)
    used.append(UInt16(id))
  }

  mutating func receive(first: UInt64, last: UInt64, inline fields: Span<UInt8>) throws(StageError) {
    if batch.append(first: first, last: last, recordFields: fields) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: fields)
  }

  mutating func flush() throws(StageError) {
    guard !batch.isEmpty else { return }
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
    for index in 0..<used.count { indices[Int(used[index])] = 0 }
    used.removeAll()
  }
}
