// Batches of records and of raw rows: filled, read, truncated, emptied; and the numbers at the start of a
// line.

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

@Suite("RecordLine", .seeded)
struct RecordLineTests {
  static func head(_ line: String) -> Result<[UInt64], RecordLineError> {
    let bytes = Array(line.utf8)
    do throws(RecordLineError) {
      let head = try RecordLine.head(bytes.span)
      return .success([head.first, head.last, UInt64(head.fieldsStart)])
    } catch {
      return .failure(error)
    }
  }

  @Test("single numbers and ranges")
  func heads() {
    #expect(Self.head("8613800138000\t骚扰电话") == .success([8_613_800_138_000, 8_613_800_138_000, 14]))
    #expect(Self.head("8613800138000") == .success([8_613_800_138_000, 8_613_800_138_000, 13]))
    #expect(Self.head("8613800138000\t") == .success([8_613_800_138_000, 8_613_800_138_000, 14]))
    #expect(Self.head("1..2\ta") == .success([1, 2, 5]))
    #expect(Self.head("1..2") == .success([1, 2, 4]))
    #expect(Self.head("1..2\t") == .success([1, 2, 5]))
    #expect(Self.head("7..7") == .success([7, 7, 4]))
    #expect(
      Self.head("999999999999998..999999999999999\t")
        == .success([PhoneNumber.max - 1, PhoneNumber.max, 33]))
  }

  @Test(
    "no number",
    arguments: [
      "", "\t", "\tlabel", "0", "01", "x", "+86", " 1", "1 ", "1 \ta", "1.", "1.2", "1.\ta", "1-2", "1\r",
      "1,2", "..",
      "..2", "1000000000000000", "1000000000000000..1000000000000001", "1\\t",
    ])
  func notANumber(_ line: String) {
    #expect(Self.head(line) == .failure(.notANumber))
  }

  @Test(
    "no range",
    arguments: [
      "1..", "1..\t", "1..\ta", "2..1", "1..x", "1...2", "1..02", "1..0", "1..2 ", "1..2..3",
      "1..1000000000000000",
      "1..+2", "1..2x\ta",
    ])
  func notARange(_ line: String) {
    #expect(Self.head(line) == .failure(.notARange))
  }

  @Test("random lines: the parts are at the expected offsets")
  func random() {
    var generator = SplitMix64(test: "record line")
    for shape in RecordShape.Numbers.allCases {
      for record in RecordShape(shape, .some, .fields).records(300, &generator) {
        let line = record.description
        let end = record.recordFields.isEmpty ? line.utf8.count : line.utf8.count - record.recordFields.count
        #expect(Self.head(line) == .success([record.first, record.last, UInt64(end)]), "\(line)")
      }
    }
  }

  @Test("no bytes cause a trap")
  func hostile() {
    var generator = SplitMix64(test: "hostile line")
    var good = 0
    for _ in 0..<30_000 {
      let line = String(
        (0..<Int.random(in: 0...9, using: &generator)).map { _ in
          "0129..\t-x".randomElement(using: &generator) ?? "0"
        })
      if case .success(let parts) = Self.head(line) {
        good += 1
        #expect(parts[0] <= parts[1] && parts[2] <= UInt64(line.utf8.count), "'\(line)'")
      }
    }
    #expect(good > 100)
  }
}
