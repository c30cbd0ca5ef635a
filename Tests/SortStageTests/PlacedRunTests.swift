// Runs whose record fields travel with their numbers: the form of a block, and merges of such runs with packed ones, all
// against the oracle.

import BasicContainers
import CallRecord
import PipeStage
import SystemIO
import TestSupport
import Testing

@testable import SortStage

@Suite("Placed runs", .seeded)
struct PlacedRunTests {
  /// A number and its record fields: a name or a text.
  struct Entry {
    var number: UInt64
    var name: UInt32?
    var text: [UInt8] = []
  }

  static func block(_ entries: [Entry]) -> ByteChunk {
    var numbers = RigidArray<UInt64>(capacity: entries.count)
    var fieldsTable = RigidArray<UInt32>(capacity: entries.count)
    var text = RigidArray<UInt8>(capacity: PlacedBlock.textBytesMax)
    for entry in entries {
      numbers.append(entry.number)
      fieldsTable.append(entry.name.map { $0 << 1 | 1 } ?? UInt32(entry.text.count) << 1)
      text.append(copying: entry.text.span)
    }
    var chunk = ByteChunk(capacity: PlacedBlock.bytesMax)
    PlacedBlock.append(numbers.span, fieldsTable.span, text: text.span, to: &chunk)
    return chunk
  }

  /// Encodes and decodes, and expects the same.
  static func roundTrip(_ entries: [Entry], place: Int, _ story: Comment) {
    let chunk = block(entries)
    var back = RigidArray<PlacedWord>(capacity: RunForm.blockRecordsMax)
    expectEqual(PlacedBlock.decode(chunk.span, 0, place: place, into: &back), chunk.count, story)
    expectEqual(back.count, entries.count, story)
    for index in 0..<min(back.count, entries.count) {
      let (word, entry) = (back[index], entries[index])
      var isSame = word.number == entry.number && word.name == entry.name
      if isSame, entry.name == nil {
        let text = chunk.span.extracting(word.range)
        isSame = word.place == place && text.count == entry.text.count
        for at in 0..<min(text.count, entry.text.count) where text[at] != entry.text[at] { isSame = false }
      }
      guard isSame else {
        Issue.record("\(story): record \(index) of \(entries.count)")
        return
      }
    }
  }

  @Test("blocks of every length and width come back as they were")
  func blocks() {
    var generator = SplitMix64(test: "placed blocks")
    let long = [UInt8](repeating: 0x61, count: RecordFields.bytesMax)
    let name = RecordFieldsDictionary.absent - 1
    Self.roundTrip([Entry(number: 1)], place: 0, "an empty recordFields")
    Self.roundTrip([Entry(number: 7, text: long)], place: 127, "the longest recordFields")
    Self.roundTrip(
      [Entry(number: 0, name: 0), Entry(number: PhoneNumber.max, name: name)], place: 3, "the widest gap")
    Self.roundTrip(
      Array(repeating: Entry(number: 86, text: [0x62]), count: RunForm.blockRecordsMax), place: 1,
      "a full block of equal ones")
    for _ in 0..<200 {
      let count = Int.random(in: 1...RunForm.blockRecordsMax, using: &generator)
      let gapBits = UInt64.random(in: 0...39, using: &generator)
      let longest = PlacedBlock.textBytesMax / count
      var number = UInt64.random(in: 0..<1 << 40, using: &generator)
      let entries = (0..<count).map { _ -> Entry in
        number = min(number + UInt64.random(in: 0..<1 << gapBits, using: &generator), PhoneNumber.max)
        if generator.chance(oneIn: 3) {
          return Entry(number: number, name: UInt32.random(in: 0...name, using: &generator))
        }
        let length = Int.random(in: 0...min(longest, 40), using: &generator)
        return Entry(
          number: number,
          text: (0..<length).map { _ in UInt8.random(in: 0x61...0x7A, using: &generator) })
      }
      Self.roundTrip(
        entries, place: Int.random(in: 0...127, using: &generator), "\(count) records, \(gapBits) bits")
    }
  }

  @Test("a block that is cut, and heads that no block has, give nothing")
  func damage() {
    let entries = (0..<100).map { (index: Int) -> Entry in
      let number = UInt64(1000 + 7 * index)
      if index % 4 == 0 { return Entry(number: number, name: UInt32(index)) }
      return Entry(number: number, text: Array("label \(index)".utf8))
    }
    var chunk = Self.block(entries)
    var back = RigidArray<PlacedWord>(capacity: RunForm.blockRecordsMax)
    for count in 0..<chunk.count {
      let length = PlacedBlock.decode(chunk.span.extracting(0..<count), 0, place: 0, into: &back)
      expectTrue(length == nil && back.isEmpty, "cut to \(count) bytes")
    }
    // Records, bytes of a gap, bytes of a record\'s fields's entry, bytes of text.
    for (place, byte) in [(1, 0xFF), (0, 0), (2, 0), (2, 8), (3, 0), (3, 4), (4, 0), (6, 1)] as [(Int, UInt8)]
    {
      let held = chunk.bytes[place]
      chunk.bytes[place] = byte
      expectEqual(PlacedBlock.decode(chunk.span, 0, place: 0, into: &back), nil, "byte \(place)")
      back.removeAll()
      chunk.bytes[place] = held
    }
    expectEqual(PlacedBlock.decode(chunk.span, 0, place: 0, into: &back), chunk.count)
  }

  @Test(
    "more fieldsTable than have names: packed runs in front, placed ones behind", arguments: [false, true])
  func merges(overlaps: Bool) throws {
    var generator = SplitMix64(test: "placed merges \(overlaps)")
    for numbers in RecordShape.Numbers.allCases {
      // Names are given to the first record fields that come; ranges make some runs loose.
      let shape = RecordShape(numbers, .none, .different)
      var records = RecordShape(numbers, .none, .few).records(6_000, &generator)
      records += shape.records(30_000, &generator)
      let hasRanges = generator.chance(oneIn: 3)
      if hasRanges { records += RecordShape(numbers, .some, .different).records(2_000, &generator) }
      records += RecordShape(numbers, .none, .few).records(6_000, &generator)
      let every = Int.random(in: 100...700, using: &generator)
      let result = try PackedRunTests.sorted(records, every: every, overlaps: overlaps)
      let isSame = result == SortOracle.sorted(records)
      #expect(isSame, "\(shape), \(every) a batch, ranges: \(hasRanges)")
    }
  }

  @Test("fieldsTable as long as they may be")
  func long() throws {
    var generator = SplitMix64(test: "long placed fieldsTable")
    let records = (0..<600).map { (index: Int) -> TestRecord in
      let count =
        generator.chance(oneIn: 3) ? RecordFields.bytesMax : Int.random(in: 8...9_000, using: &generator)
      let label = "\(index) " + String(repeating: "x", count: count - 8)
      return TestRecord(UInt64.random(in: 1...500, using: &generator), label)
    }
    let isSame = try PackedRunTests.sorted(records, every: 3, overlaps: true) == SortOracle.sorted(records)
    #expect(isSame)
  }

  @Test("the first run fills the memory, the next are shorter, and they grow with what came before")
  func lengths() {
    let budget = SortBudget(memory: 64 << 20, threads: 2)
    var length = RunLength(budget)
    #expect(length.bytesWanted == .max)
    length.end(at: 30 << 20)
    #expect(length.bytesWanted == 15 << 20)
    length.end(at: 15 << 20)
    #expect(length.bytesWanted == RunLength.bytesMin)
    for _ in 0..<200 { length.end(at: min(length.bytesWanted, 30 << 20)) }
    #expect(length.bytesWanted > 30 << 20)
    var alone = RunLength(SortBudget(memory: 64 << 20, threads: 1))
    alone.end(at: 60 << 20)
    #expect(alone.bytesWanted == .max)
  }

  @Test(
    "the first run fills the memory unless its input is sure to be more",
    arguments: [(nil, false), (0, false), (0.5, false), (0.2, false), (0.1, true), (0.001, true)]
      as [(Double?, Bool)])
  func firstLength(share: Double?, isShort: Bool) {
    var length = RunLength(SortBudget(memory: 64 << 20, threads: 2))
    length.judge(8 << 20, share: share)
    #expect(length.isJudged)
    #expect(length.bytesWanted == (isShort ? RunLength.bytesMin : .max))
    var alone = RunLength(SortBudget(memory: 64 << 20, threads: 1))
    alone.judge(8 << 20, share: share)
    #expect(alone.bytesWanted == .max)
  }
}
