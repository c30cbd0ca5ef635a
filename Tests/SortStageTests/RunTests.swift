// Runs in memory and on disk: records with field IDs, with inline fields, and the dictionary of IDs.

import BasicContainers
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import RecordStages

@Suite("Packed runs", .seeded)
struct PackedRunTests {
  static func packed(_ pairs: [(UInt64, UInt32)]) -> RigidArray<CompactRecord> {
    var records = RigidArray<CompactRecord>(capacity: max(pairs.count, 1))
    for (number, id) in pairs {
      records.append(CompactRecord(number: number, fieldsID: id))
    }
    return records
  }

  /// Encodes and decodes, and expects the same.
  static func roundTrip(_ pairs: [(UInt64, UInt32)], _ story: Comment) {
    let records = packed(pairs)
    var chunk = ByteChunk(capacity: CompactBlock.bytesMax)
    CompactBlock.append(records.span, to: &chunk)
    var back = RigidArray<CompactRecord>(capacity: RunFormat.blockRecordsMax)
    expectEqual(CompactBlock.decode(chunk.span, 0, into: &back), chunk.count, story)
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
    var chunk = ByteChunk(capacity: CompactBlock.bytesMax)
    CompactBlock.append(records.span, to: &chunk)
    var back = RigidArray<CompactRecord>(capacity: RunFormat.blockRecordsMax)
    for count in 0..<chunk.count {
      let length = CompactBlock.decode(chunk.span.extracting(0..<count), 0, into: &back)
      expectTrue(length == nil && back.isEmpty, "cut to \(count) bytes")
    }
    // Records, bytes of an entry, bits of an ID.
    for (offset, byte) in [(1, 0xFF), (2, 0), (2, 9), (4, 15), (0, 0)] as [(Int, UInt8)] {
      let held = chunk.bytes[offset]
      chunk.bytes[offset] = byte
      expectEqual(CompactBlock.decode(chunk.span, 0, into: &back), nil, "byte \(offset)")
      chunk.bytes[offset] = held
    }
    expectEqual(CompactBlock.decode(chunk.span, 0, into: &back), chunk.count)
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

@Suite("Inline runs", .seeded)
struct InlineRunTests {
  /// A number and its record fields: a dictionary ID or the text.
  struct InlineEntry {
    var number: UInt64
    var fieldsID: UInt32?
    var text: [UInt8] = []
  }

  static func block(_ entries: [InlineEntry]) -> ByteChunk {
    var numbers = RigidArray<UInt64>(capacity: entries.count)
    var fields = RigidArray<UInt32>(capacity: entries.count)
    var text = RigidArray<UInt8>(capacity: InlineBlock.textBytesMax)
    for entry in entries {
      numbers.append(entry.number)
      fields.append(entry.fieldsID.map { $0 << 1 | 1 } ?? UInt32(entry.text.count) << 1)
      text.append(copying: entry.text.span)
    }
    var chunk = ByteChunk(capacity: InlineBlock.bytesMax)
    InlineBlock.append(numbers.span, fields.span, text: text.span, to: &chunk)
    return chunk
  }

  /// Encodes and decodes, and expects the same.
  static func roundTrip(_ entries: [InlineEntry], run: Int, _ story: Comment) {
    let chunk = block(entries)
    var back = RigidArray<MergeRecord>(capacity: RunFormat.blockRecordsMax)
    expectEqual(InlineBlock.decode(chunk.span, 0, run: run, into: &back), chunk.count, story)
    expectEqual(back.count, entries.count, story)
    for index in 0..<min(back.count, entries.count) {
      let (record, entry) = (back[index], entries[index])
      var isSame = record.number == entry.number && record.fieldsID == entry.fieldsID
      if isSame, entry.fieldsID == nil {
        let text = chunk.span.extracting(record.range)
        isSame = record.run == run && text.count == entry.text.count
        for at in 0..<min(text.count, entry.text.count) where text[at] != entry.text[at] { isSame = false }
      }
      guard isSame else {
        Issue.record("\(story): record \(index) of \(entries.count)")
        return
      }
    }
  }

  @Test("blocks of every length and width round-trip")
  func blocks() {
    var generator = SplitMix64(test: "placed blocks")
    let long = [UInt8](repeating: 0x61, count: RecordFields.bytesMax)
    let id = RecordFieldsDictionary.absent - 1
    Self.roundTrip([InlineEntry(number: 1)], run: 0, "empty record fields")
    Self.roundTrip([InlineEntry(number: 7, text: long)], run: 127, "the longest record fields")
    Self.roundTrip(
      [InlineEntry(number: 0, fieldsID: 0), InlineEntry(number: PhoneNumber.max, fieldsID: id)], run: 3,
      "the widest gap")
    Self.roundTrip(
      Array(repeating: InlineEntry(number: 86, text: [0x62]), count: RunFormat.blockRecordsMax), run: 1,
      "a full block of equal ones")
    for _ in 0..<200 {
      let count = Int.random(in: 1...RunFormat.blockRecordsMax, using: &generator)
      let gapBits = UInt64.random(in: 0...39, using: &generator)
      let longest = InlineBlock.textBytesMax / count
      var number = UInt64.random(in: 0..<1 << 40, using: &generator)
      let entries = (0..<count).map { _ -> InlineEntry in
        number = min(number + UInt64.random(in: 0..<1 << gapBits, using: &generator), PhoneNumber.max)
        if generator.chance(oneIn: 3) {
          return InlineEntry(number: number, fieldsID: UInt32.random(in: 0...id, using: &generator))
        }
        let length = Int.random(in: 0...min(longest, 40), using: &generator)
        return InlineEntry(
          number: number,
          text: (0..<length).map { _ in UInt8.random(in: 0x61...0x7A, using: &generator) })
      }
      Self.roundTrip(
        entries, run: Int.random(in: 0...127, using: &generator), "\(count) records, \(gapBits) bits")
    }
  }

  @Test("a truncated block and invalid headers are not decoded")
  func corruption() {
    let entries = (0..<100).map { (index: Int) -> InlineEntry in
      let number = UInt64(1000 + 7 * index)
      if index % 4 == 0 { return InlineEntry(number: number, fieldsID: UInt32(index)) }
      return InlineEntry(number: number, text: Array("label \(index)".utf8))
    }
    var chunk = Self.block(entries)
    var back = RigidArray<MergeRecord>(capacity: RunFormat.blockRecordsMax)
    for count in 0..<chunk.count {
      let length = InlineBlock.decode(chunk.span.extracting(0..<count), 0, run: 0, into: &back)
      expectTrue(length == nil && back.isEmpty, "cut to \(count) bytes")
    }
    // Records, bytes of a gap, bytes of a fields entry, bytes of text.
    for (offset, byte) in [(1, 0xFF), (0, 0), (2, 0), (2, 8), (3, 0), (3, 4), (4, 0), (6, 1)]
      as [(Int, UInt8)]
    {
      let held = chunk.bytes[offset]
      chunk.bytes[offset] = byte
      expectEqual(InlineBlock.decode(chunk.span, 0, run: 0, into: &back), nil, "byte \(offset)")
      back.removeAll()
      chunk.bytes[offset] = held
    }
    expectEqual(InlineBlock.decode(chunk.span, 0, run: 0, into: &back), chunk.count)
  }

  @Test(
    "more record fields than dictionary IDs: packed runs first, inline runs after them",
    arguments: [false, true])
  func merges(overlaps: Bool) throws {
    var generator = SplitMix64(test: "placed merges \(overlaps)")
    for numbers in RecordShape.Numbers.allCases {
      // The first distinct record fields get dictionary IDs; ranges force some runs to varints.
      let shape = RecordShape(numbers, .none, .different)
      var records = RecordShape(numbers, .none, .few).records(6_000, &generator)
      records += shape.records(30_000, &generator)
      let hasRanges = generator.chance(oneIn: 3)
      if hasRanges { records += RecordShape(numbers, .some, .different).records(2_000, &generator) }
      records += RecordShape(numbers, .none, .few).records(6_000, &generator)
      let every = Int.random(in: 100...700, using: &generator)
      let result = try PackedRunTests.sorted(records, every: every, threads: overlaps ? 2 : 1)
      let isSame = result == SortOracle.sorted(records)
      #expect(isSame, "\(shape), \(every) a batch, ranges: \(hasRanges)")
    }
  }

  @Test("record fields of the maximum length")
  func long() throws {
    var generator = SplitMix64(test: "long placed annotations")
    let records = (0..<600).map { (index: Int) -> TestRecord in
      let count =
        generator.chance(oneIn: 3) ? RecordFields.bytesMax : Int.random(in: 8...9_000, using: &generator)
      let label = "\(index) " + String(repeating: "x", count: count - 8)
      return TestRecord(UInt64.random(in: 1...500, using: &generator), label)
    }
    let isSame = try PackedRunTests.sorted(records, every: 3, threads: 2) == SortOracle.sorted(records)
    #expect(isSame)
  }

  @Test("the first run fills the memory, later ones start shorter and grow with the earlier total")
  func lengths() {
    let budget = SortBudget(memory: 64 << 20, threads: 2)
    var length = RunLengthPolicy(budget)
    #expect(length.targetBytes == .max)
    length.end(at: 30 << 20)
    #expect(length.targetBytes == 15 << 20)
    length.end(at: 15 << 20)
    #expect(length.targetBytes == RunLengthPolicy.bytesMin)
    for _ in 0..<200 { length.end(at: min(length.targetBytes, 30 << 20)) }
    #expect(length.targetBytes > 30 << 20)
    var alone = RunLengthPolicy(SortBudget(memory: 64 << 20, threads: 1))
    alone.end(at: 60 << 20)
    #expect(alone.targetBytes == .max)
  }

  @Test(
    "the first run fills the memory unless the input is clearly larger",
    arguments: [(nil, false), (0, false), (0.5, false), (0.2, false), (0.1, true), (0.001, true)]
      as [(Double?, Bool)])
  func firstLength(share: Double?, isShort: Bool) {
    var length = RunLengthPolicy(SortBudget(memory: 64 << 20, threads: 2))
    length.estimate(8 << 20, share: share)
    #expect(length.isEstimated)
    #expect(length.targetBytes == (isShort ? RunLengthPolicy.bytesMin : .max))
    var alone = RunLengthPolicy(SortBudget(memory: 64 << 20, threads: 1))
    alone.estimate(8 << 20, share: share)
    #expect(alone.targetBytes == .max)
  }
}

@Suite("RecordFieldsDictionary")
struct RecordFieldsDictionaryTests {
  private static func label(_ index: Int) -> [UInt8] { Array("label \(index)".utf8) }

  @Test("a full dictionary still finds its entries, after thousands that it does not have")
  func full() {
    var dictionary = RecordFieldsDictionary()
    let most = RecordFieldsDictionary.countMax
    var areInOrder = true
    for index in 0..<most {
      areInOrder = dictionary.id(of: Self.label(index).span) == UInt32(index) && areInOrder
    }
    #expect(areInOrder && dictionary.count == most)
    for index in [0, 17, most - 1] {
      #expect(dictionary.id(of: Self.label(most + index).span) == RecordFieldsDictionary.absent)
      #expect(dictionary.id(of: Self.label(index).span) == UInt32(index))
    }
    var absent = 0
    for index in most..<most + 20_000
    where dictionary.id(of: Self.label(index).span) == RecordFieldsDictionary.absent {
      absent += 1
    }
    #expect(absent == 20_000)
    // An entry may not be found for some time, but never gets another entry's ID.
    var asked = 0
    while asked < 100, dictionary.id(of: Self.label(17).span) == RecordFieldsDictionary.absent { asked += 1 }
    #expect(asked < 100)
    for index in 0..<100 { #expect(dictionary.id(of: Self.label(index).span) == UInt32(index)) }
  }
}
