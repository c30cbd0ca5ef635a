// Enough runs that the sorter merges merged runs, through the real stage: tens of millions of records.
//
// Optimized code needs seconds for it, unoptimized code minutes. So an unoptimized build sorts only a few runs, and
// MergeTests tests the same steps with runs of a few records.

import BasicContainers
import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Large sorts", .seeded)
struct LargeSortTests {
  /// Whether this code is optimized.
  static let isOptimized: Bool = {
    var isOptimized = true
    // An assertion's condition is evaluated in unoptimized code only.
    assert(
      {
        isOptimized = false; return true
      }())
    return isOptimized
  }()

  /// Checks order and sums as the records pass, since they are too many to keep.
  final class Audit: RecordSink {
    struct Sums: Equatable {
      var count = 0
      var firsts: UInt64 = 0
      var lasts: UInt64 = 0
      var mixed: UInt64 = 0

      /// Adds a record to the sum. The order of records does not matter, but the fields of each record do.
      mutating func add(_ first: UInt64, _ last: UInt64, _ label: UInt64) {
        count += 1
        firsts &+= first
        lasts &+= last
        mixed &+= (first &* 0x9E37_79B9_7F4A_7C15 ^ last) &* (2 &* label &+ 1)
      }
    }

    var sums = Sums()
    var disorders = 0
    private var before: (first: UInt64, last: UInt64) = (0, 0)

    func receive(_ batch: inout RecordBatch) {
      // The label is one letter, or none.
      var labels = [UInt64](repeating: 0, count: batch.fieldsTable.count)
      for index in 0..<batch.fieldsTable.count {
        labels[index] = batch.fieldsTable[index].count == 0 ? 0 : UInt64(batch.fieldsTable[index][0])
      }
      let firsts = batch.firsts.span
      let lasts = batch.lasts.span
      let fieldsTable = batch.fieldsIndices.span
      var sums = self.sums
      var before = self.before
      for index in 0..<firsts.count {
        if firsts[index] < before.first || (firsts[index] == before.first && lasts[index] > before.last) {
          disorders += 1
        }
        before = (firsts[index], lasts[index])
        sums.add(firsts[index], lasts[index], labels[Int(fieldsTable[index])])
      }
      self.sums = sums
      self.before = before
    }

    func finish() {}
  }

  @Test("more than 128 runs with the minimum memory")
  func manyRuns() throws {
    var generator = SplitMix64(test: "large sort")
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    let stage = try StageFixture(.sort, calls: calls)
    let audit = Audit()
    let options = SortOptions(memory: SortOptions.memoryMin, temporaryDirectory: directory.path)
    let sorter = Sorter(options: options, context: stage.context, downstream: audit)
    // A range needs the most memory in a run and the least space in its file: about 330,000 per run.
    let count = Self.isOptimized ? 52_000_000 : 700_000
    var expected = Audit.Sums()
    var batch = RecordBatch()
    while expected.count < count {
      let letters = (0..<7).map { letter in
        let label = letter == 0 ? [] : [UInt8(ascii: "a") + UInt8(letter)]
        return (index: batch.fieldsTable.intern(label.span) ?? 0, value: UInt64(label.first ?? 0))
      }
      while !batch.isFull {
        let word = generator.next()
        let first = 8_613_000_000_000 + (word >> 32)
        let last = first + (word & 3)
        let letter = letters[Int(word >> 8) % 7]
        batch.append(first: first, last: last, fieldsIndex: letter.index)
        expected.add(first, last, letter.value)
      }
      try sorter.receive(&batch)
      batch.removeAll()
    }
    let opened = calls.count(of: .open)
    try sorter.finish()
    #expect(audit.sums == expected)
    #expect(audit.disorders == 0)
    #expect(opened > (Self.isOptimized ? 128 : 1), "\(opened) spill files")
    #expect(calls.openFiles == 0)
    #expect(directory.names.isEmpty)
    #expect(stage.meter.rowsOut.value == UInt64(expected.count))
  }
}
