// Batches of records and of raw rows: filled, read, truncated, emptied.

import BasicContainers
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Batches")
struct BatchTests {
  @Test("a record batch contains at most its maximum")
  func recordBatch() {
    var batch = RecordBatch()
    for index in 0..<RecordBatch.recordsMax {
      expectTrue(
        batch.append(first: UInt64(index + 1), last: UInt64(index + 2), recordFields: [UInt8(index % 7)].span)
      )
    }
    expectTrue(batch.isFull)
    expectTrue(!batch.append(first: 1, last: 1, recordFields: [0].span))
    expectEqual(batch.fieldsTable.count, 7)
    batch.truncate(to: 10)
    expectEqual(batch.count, 10)
    expectTrue(batch.firsts[9] == 10 && batch.lasts[9] == 11)
    expectEqual([UInt8](copying: batch[fieldsAt: 9]), [2])
    expectTrue(batch.append(first: 99, last: 99, recordFields: [6].span))
    expectEqual([UInt8](copying: batch[fieldsAt: 10]), [6])
    batch.removeAll()
    expectTrue(batch.isEmpty && batch.fieldsTable.count == 0)
  }

  @Test("a row batch is bounded in rows and in bytes, and continues to count when it is emptied")
  func rawRowBatch() {
    let none: [UInt8] = []
    var batch = RawRowBatch()
    let text = [UInt8](repeating: 0x31, count: RawRowBatch.textBytesMax)
    var rows = 0
    while batch.append(text: text.span, recordFields: none.span) { rows += 1 }
    #expect(rows == RawRowBatch.textsBytesMax / RawRowBatch.textBytesMax)
    expectTrue(!batch.hasCapacity(forText: 1) && batch.hasCapacity(forText: 0))
    expectEqual([UInt8](copying: batch[textAt: rows - 1]), text)
    batch.removeAll()
    expectEqual(batch.firstOrdinal, UInt64(rows + 1))
    for _ in 0..<RawRowBatch.rowsMax { expectTrue(batch.append(text: none.span, recordFields: none.span)) }
    expectTrue(!batch.append(text: none.span, recordFields: none.span))
    batch.removeAll()
    expectEqual(batch.firstOrdinal, UInt64(rows + RawRowBatch.rowsMax + 1))
  }
}
