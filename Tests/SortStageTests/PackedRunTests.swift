// Runs of packed records: the format of a block, the merge without a tournament, and the thread that spills, all
// against the oracle.

import BasicContainers
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import RecordStages

@Suite("Packed runs", .seeded)
struct PackedRunTests {
  static func packed(_ pairs: [(UInt64, UInt32)]) -> RigidArray<PackedRecord> {
    var records = RigidArray<PackedRecord>(capacity: max(pairs.count, 1))
    for (number, id) in pairs {
      records.append(PackedRecord(number: number, fieldsID: id))
    }
    return records
  }

  /// Encodes and decodes, and expects the same.
  static func roundTrip(_ pairs: [(UInt64, UInt32)], _ story: Comment) {
    let records = packed(pairs)
    var chunk = ByteChunk(capacity: PackedBlock.bytesMax)
    PackedBlock.append(records.span, to: &chunk)
    var back = RigidArray<PackedRecord>(capacity: RunFormat.blockRecordsMax)
    expectEqual(PackedBlock.decode(chunk.span, 0, into: &back), chunk.count, story)
    expectEqual(back.count, pairs.count, story)
    for index in 0..<min(back.count, pairs.count) {
      guard back[index].number == pairs[index].0, back[index].fieldsID == pairs[index].1 else {
        Issue.record("\(story): record \(index) of \(pairs.count)")
        return
      }
    }
  }

  @Test("blocks of every length and width round-trip")
  func blocks() {
    var generator = SplitMix64(test: "packed blocks")
    let id = RecordFieldsDictionary.absent - 1
    Self.roundTrip([(1, 0)], "one")
    Self.roundTrip([(0, 0), (PhoneNumber.max, id)], "the widest gap and id")
    Self.roundTrip(Array(repeating: (86, 3), count: RunFormat.blockRecordsMax), "a full block of equal ones")
    for _ in 0..<200 {
      let count = Int.random(in: 1...RunFormat.blockRecordsMax, using: &generator)
      let gapBits = UInt64.random(in: 0...39, using: &generator)
      let idMax = UInt32(1) << UInt32.random(in: 0...13, using: &generator)
      var number = UInt64.random(in: 0..<1 << 40, using: &generator)
      let pairs = (0..<count).map { _ in
        number += UInt64.random(in: 0..<1 << gapBits, using: &generator)
        return (number & (1 << 50 - 1), UInt32.random(in: 0..<idMax, using: &generator))
      }.sorted { $0.0 < $1.0 }
      Self.roundTrip(pairs, "\(count) records, gaps of \(gapBits) bits, IDs below \(idMax)")
    }
  }

  @Test("a truncated block and invalid headers are not decoded")
  func corruption() {
    let records = Self.packed((0..<100).map { (UInt64(1000 + 7 * $0), UInt32($0 % 5)) })
    var chunk = ByteChunk(capacity: PackedBlock.bytesMax)
    PackedBlock.append(records.span, to: &chunk)
    var back = RigidArray<PackedRecord>(capacity: RunFormat.blockRecordsMax)
    for count in 0..<chunk.count {
      let length = PackedBlock.decode(chunk.span.extracting(0..<count), 0, into: &back)
      expectTrue(length == nil && back.isEmpty, "cut to \(count) bytes")
    }
    // Records, bytes of an entry, bits of an ID.
    for (offset, byte) in [(1, 0xFF), (2, 0), (2, 9), (4, 15), (0, 0)] as [(Int, UInt8)] {
      let held = chunk.bytes[offset]
      chunk.bytes[offset] = byte
      expectEqual(PackedBlock.decode(chunk.span, 0, into: &back), nil, "byte \(offset)")
      chunk.bytes[offset] = held
    }
    expectEqual(PackedBlock.decode(chunk.span, 0, into: &back), chunk.count)
  }

  /// Sorts with runs of about 3,000 records.
  static func sorted(
    _ records: [TestRecord], every: Int, threads: Int, calls: FailingCalls = FailingCalls(nil)
  ) throws -> [TestRecord] {
    let directory = try TemporaryDirectory()
    let stage = try StageFixture(.sort, calls: calls)
    let sink = CollectingRecords(CollectorOptions(swaps: true))
    let budget = SortBudget(
      runBytes: RecordFieldsTable.bytesMax + every * 88 + 3_000 * 16, mergeBytes: 1 << 20,
      overlaps: threads > 1, threads: threads)
    let sorter = Sorter(
      options: SortOptions(temporaryDirectory: directory.path), budget: budget, context: stage.context,
      downstream: sink)
    try feed(records, cut: .every(every), to: sorter)
    #expect(directory.names.isEmpty)
    #expect(calls.openFiles == 0)
    #expect(stage.meter.bytesSpilled.value > 0)
    return sink.records
  }

  @Test("runs of several blocks, many equal numbers, ranges in some runs", arguments: [1, 2, 4, 8])
  func merges(threads: Int) throws {
    var generator = SplitMix64(test: "packed merges \(threads)")
    for numbers in RecordShape.Numbers.allCases {
      // Ranges and inline labels in the middle only: packed runs before and after the others.
      let shape = RecordShape(numbers, .none, .few)
      var records = shape.records(9_000, &generator)
      let hasRanges = generator.chance(oneIn: 2)
      if hasRanges { records += RecordShape(numbers, .some, .few).records(2_000, &generator) }
      records += shape.records(9_000, &generator)
      let every = Int.random(in: 100...700, using: &generator)
      let result = try Self.sorted(records, every: every, threads: threads)
      #expect(
        result == SortOracle.sorted(records), "\(shape), \(every) a batch, ranges in the middle: \(hasRanges)"
      )
    }
  }

  @Test("thousands of records for one number in every run keep their order", arguments: [2, 4, 8])
  func equalNumbers(threads: Int) throws {
    let records = (0..<20_000).map { index in
      TestRecord(index % 3 == 0 ? UInt64(1 + index) : 5_000, "label \(index % 16_000)")
    }
    #expect(try Self.sorted(records, every: 500, threads: threads) == SortOracle.sorted(records))
  }

  @Test(
    "a disk that fails while the next run is filled",
    arguments: [(FailingCalls.Call.open, 2), (.write, 1), (.write, 4), (.read, 3), (.read, 40)], [2, 6])
  func failing(_ failing: (call: FailingCalls.Call, number: Int), threads: Int) throws {
    var generator = SplitMix64(test: "spill thread fails")
    let records = RecordShape(.common, .none, .few).records(30_000, &generator)
    let calls = FailingCalls(failing.call, at: failing.number, .fails(.ioError))
    let failure = stageError { () throws(Failure) in
      let stage = try StageFixture(.sort, calls: calls)
      let budget = SortBudget(
        runBytes: RecordFieldsTable.bytesMax + 300 * 88 + 3_000 * 16, mergeBytes: 1 << 20, overlaps: true,
        threads: threads)
      let sorter = Sorter(
        options: SortOptions(), budget: budget, context: stage.context, downstream: CollectingRecords())
      try feed(records, cut: .every(300), to: sorter)
    }
    #expect(failure?.systemError?.code == .ioError)
    #expect(calls.openFiles == 0)
  }
}
