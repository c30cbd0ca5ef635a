// Collects sorted records into batches for the next stage.

import BasicContainers
import Records

/// Fills batches and sends them to the next stage.
struct BatchWriter: RunSink, PackedRecordSink, ~Copyable {
  private let dictionary: RecordFieldsDictionary
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// The batch's index of each dictionary entry, plus one; 0 if the batch doesn't have it.
  private var indices: RigidArray<UInt16>
  /// The dictionary IDs that the batch has.
  private var used = RigidArray<UInt16>(capacity: RecordBatch.recordsMax)

  init(_ dictionary: consuming RecordFieldsDictionary, _ meter: StageMeter, _ downstream: any RecordSink) {
    indices = RigidArray(repeating: 0, count: dictionary.count)
    self.dictionary = dictionary
    self.meter = meter
    self.downstream = downstream
  }

  mutating func receive(first: UInt64, last: UInt64, fieldsID: UInt32) throws(Failure) {
    if batch.isFull { try flush() }
    let id = Int(fieldsID)
    if indices[id] == 0 { try internFields(id) }
    batch.append(first: first, last: last, fieldsIndex: Int(indices[id]) - 1)
  }

  mutating func receive(packed records: Span<PackedRecord>) throws(Failure) {
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

  /// Appends records until the columns are full or a record's fields are missing from the batch, and returns their
  /// number.
  private static func append(
    _ records: Span<PackedRecord>, _ firsts: inout RigidArray<UInt64>, _ lasts: inout RigidArray<UInt64>,
    _ fieldsIndices: inout RigidArray<UInt32>, _ indices: borrowing RigidArray<UInt16>
  ) -> Int {
    let limit = min(records.count, firsts.freeCapacity)
    let indices = indices.span
    var count = 0
    fieldsIndices.append(addingCount: limit) { output in
      while count < limit {
        // `count` is less than `limit`, and so than the number of records.
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

  /// Adds record fields to the batch, or to the next one.
  private mutating func internFields(_ id: Int) throws(Failure) {
    var index = dictionary.intern(id, in: &batch.fieldsTable)
    if index == nil {
      try flush()
      index = dictionary.intern(id, in: &batch.fieldsTable)
    }
    // An empty batch has capacity for any record fields.
    indices[id] = UInt16(index! + 1)
    used.append(UInt16(id))
  }

  mutating func receive(first: UInt64, last: UInt64, inline fields: Span<UInt8>) throws(Failure) {
    if batch.append(first: first, last: last, recordFields: fields) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: fields)
  }

  mutating func flush() throws(Failure) {
    guard !batch.isEmpty else { return }
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
    for index in 0..<used.count { indices[Int(used[index])] = 0 }
    used.removeAll()
  }
}
