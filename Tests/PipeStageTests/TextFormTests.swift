// Records and raw rows to text and back, cut everywhere, and every line that is not one.

import Records
import SystemIO
import TestSupport
import Testing

@Suite("Records as text", .seeded)
struct RecordTextTests {
  static func read(
    _ bytes: [UInt8], cut: Cut = .whole, swaps: Bool = false
  ) throws(Failure) -> (records: [TestRecord], rejects: [String]) {
    let stage = try StageFixture(.sort)
    let sink = CollectingRecords(CollectorOptions(swaps: swaps))
    try feed(bytes, cut: cut, to: RecordReader(context: stage.context, downstream: sink))
    #expect(sink.rules.isFinished)
    // The next stage counts the rows that reach it; those that don't are counted here.
    #expect(stage.meter.rejects.value == UInt64(stage.rejects.count))
    #expect(stage.meter.rowsIn.value == UInt64(stage.rejects.count))
    return (sink.records, stage.rejectLines)
  }

  static func write(_ records: [TestRecord], cut: Cut = .whole, swaps: Bool = false) throws(Failure)
    -> [UInt8]
  {
    let sink = CollectingBytes(CollectorOptions(swaps: swaps))
    try feed(records, cut: cut, to: RecordWriter(downstream: sink))
    #expect(sink.rules.isFinished)
    return sink.bytes
  }

  @Test("every shape survives writing and reading, whatever the cuts", arguments: RecordShape.Labels.allCases)
  func roundTrip(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "record text \(labels)")
    for numbers in RecordShape.Numbers.allCases {
      for _ in 0..<3 {
        let shape = RecordShape(
          numbers, RecordShape.Ranges.allCases.randomElement(using: &generator) ?? .some, labels)
        let count = RecordShape.randomCount(&generator, most: labels == .long ? 12 : 120)
        let records = shape.records(count, &generator)
        let text = lines(records)
        for cut in Cut.common(&generator) where labels != .long || cut != .every(1) {
          let swaps = generator.chance(oneIn: 2)
          #expect(try Self.write(records, cut: cut, swaps: swaps) == text, "\(shape), \(cut)")
          let (read, rejects) = try Self.read(text, cut: cut, swaps: swaps)
          #expect(read == records && rejects == [], "\(shape), \(cut)")
        }
      }
    }
  }

  @Test(
    "more records, labels and bytes than a batch or a chunk holds",
    arguments: [RecordShape.Labels.different, .long])
  func large(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "large record text \(labels)")
    let records = RecordShape(.wide, .some, labels).records(labels == .long ? 600 : 20_000, &generator)
    let text = try Self.write(records, swaps: true)
    #expect(text == lines(records))
    #expect(text.count > ByteChunk.defaultBytes)
    let (read, rejects) = try Self.read(
      text, cut: .random(seed: generator.next(), most: 100_000), swaps: true)
    #expect(read == records && rejects == [])
  }

  @Test("lines that are not records are rejected with their row numbers, and the others continue")
  func badLines() throws {
    let text = """
      8613800138000\ta
      +8613800138000\ta

      1..5\tb
      5..1\tb
      7\ta\\x
      7\ta\tb\tc
      7\ta\tb\t1\td
      8\t
      9\ta\r
      10\ta\t\t
      11\t骚扰电话\tlist\t3
      12..x
      0
      13
      """
    var generator = SplitMix64(test: "bad lines")
    for cut in Cut.common(&generator) {
      let (records, rejects) = try Self.read(Array(text.utf8), cut: cut, swaps: generator.chance(oneIn: 2))
      #expect(
        records.map(\.description) == [
          "8613800138000\ta", "1..5\tb", "8", "10\ta", "11\t骚扰电话\tlist\t3", "13",
        ], "\(cut)")
      #expect(
        rejects == [
          "2 not-a-number", "3 not-a-number", "5 not-a-range", "6 bad-escape", "7 bad-score",
          "8 bad-day",
          "10 stray-carriage-return", "13 not-a-range", "14 not-a-number",
        ], "\(cut)")
    }
  }

  @Test("bytes that are not UTF-8 are rejected, also in a repeated label")
  func notUTF8() throws {
    var text = Array("1\ta\n2\t".utf8)
    text += [0xFF, UInt8(ascii: "\n")]
    text += Array("3\ta\n4\t".utf8)
    text += [0xFF, UInt8(ascii: "\n")]
    let (records, rejects) = try Self.read(text)
    #expect(records.map(\.first) == [1, 3])
    #expect(rejects == ["2 invalid-utf8", "4 invalid-utf8"])
  }

  @Test("a last line without a line feed is a line; after a final line feed there is no further line")
  func lastLine() throws {
    for cut in [Cut.whole, .every(1), .every(2), .every(3), .every(7)] {
      #expect(try Self.read(Array("1\ta\n2\tb".utf8), cut: cut).records.count == 2)
      #expect(try Self.read(Array("1\ta\n2\tb\n".utf8), cut: cut).records.count == 2)
      #expect(try Self.read(Array("1".utf8), cut: cut).records == [TestRecord(1)])
      #expect(try Self.read([], cut: cut).records == [])
      let (records, rejects) = try Self.read(Array("\n1\n\n".utf8), cut: cut)
      #expect(records == [TestRecord(1)])
      #expect(rejects == ["1 not-a-number", "3 not-a-number"])
    }
  }

  @Test("a line may be as long as the longest record, but not longer")
  func longLines() throws {
    var generator = SplitMix64(test: "long lines")
    let numbers = "999999999999998..999999999999999\t"
    let longest = Array(numbers.utf8) + [UInt8](repeating: 0x61, count: RecordFields.bytesMax)
    let tooLongLabel = Array("1\t".utf8) + [UInt8](repeating: 0x62, count: RecordFields.bytesMax + 1)
    let atLimit = Array("1\t".utf8) + [UInt8](repeating: 0x63, count: RecordLine.bytesMax - 2)
    let endless = Array("2\t".utf8) + [UInt8](repeating: 0x64, count: 3 * RecordLine.bytesMax)
    var text: [UInt8] = []
    for line in [longest, tooLongLabel, atLimit, atLimit + [0x63], endless, Array("3\tc".utf8)] {
      text += line + [UInt8(ascii: "\n")]
    }
    for cut in [Cut.whole, .every(1000), .every(32_768), .random(seed: generator.next(), most: 50_000)] {
      let (records, rejects) = try Self.read(text, cut: cut)
      #expect(
        records == [
          TestRecord(PhoneNumber.max - 1, PhoneNumber.max, Array(longest[33...])), TestRecord(3, "c"),
        ])
      #expect(
        rejects == ["2 label-too-long", "3 label-too-long", "4 line-too-long", "5 line-too-long"], "\(cut)")
    }
    // An endless last line, which no line feed ends.
    #expect(try Self.read(endless, cut: .every(5000)).rejects == ["1 line-too-long"])
  }

  @Test("an error of the next stage is rethrown")
  func downstream() throws {
    let failure = stageError { () throws(Failure) in
      let stage = try StageFixture(.sort)
      let sink = CollectingRecords(CollectorOptions(failsAfter: 1))
      try feed(
        lines((1...10_000).map { TestRecord(UInt64($0)) }),
        to: RecordReader(context: stage.context, downstream: sink))
    }
    #expect(failure?.code == CollectorError.asConfigured(batches: 1).code)
  }
}

@Suite("Raw rows as text", .seeded)
struct RawRowTextTests {
  static func read(
    _ bytes: [UInt8], cut: Cut = .whole, swaps: Bool = false
  ) throws(Failure) -> (rows: [TestRow], rejects: [String]) {
    let stage = try StageFixture(.normalize)
    let sink = CollectingRawRows(CollectorOptions(swaps: swaps))
    try feed(bytes, cut: cut, to: RawRowReader(context: stage.context, downstream: sink))
    #expect(sink.rules.isFinished)
    return (sink.rows, stage.rejectLines)
  }

  static func write(_ rows: [TestRow], cut: Cut, swaps: Bool) throws(Failure) -> [UInt8] {
    let sink = CollectingBytes(CollectorOptions(swaps: swaps))
    try feed(rows, cut: cut, to: RawRowWriter(downstream: sink))
    #expect(sink.rules.isFinished)
    return sink.bytes
  }

  static func randomRows(_ count: Int, _ labels: RecordShape.Labels, _ generator: inout SplitMix64)
    -> [TestRow]
  {
    RecordShape(.common, .none, labels).records(count, &generator).enumerated().map { index, record in
      let text =
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: RecordShape.text(&generator, most: 10)
        case 1: generator.chance(oneIn: 20) ? String(repeating: "\\", count: RawRowBatch.textBytesMax) : ""
        default: "+\(record.first)"
        }
      return TestRow(UInt64(index + 1), text: Array(text.utf8), recordFields: record.recordFields)
    }
  }

  @Test("every text survives writing and reading, whatever the cuts", arguments: RecordShape.Labels.allCases)
  func roundTrip(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "row text \(labels)")
    for _ in 0..<8 {
      let count = RecordShape.randomCount(&generator, most: labels == .long ? 10 : 80)
      let rows = Self.randomRows(count, labels, &generator)
      let text = try Self.write(rows, cut: .whole, swaps: false)
      #expect(text.count { $0 == UInt8(ascii: "\n") } == rows.count)
      for cut in Cut.common(&generator) where labels != .long || cut != .every(1) {
        #expect(try Self.write(rows, cut: cut, swaps: generator.chance(oneIn: 2)) == text, "\(cut)")
        let (read, rejects) = try Self.read(text, cut: cut)
        #expect(read == rows && rejects == [], "\(cut)")
      }
    }
  }

  @Test(
    "ordinals continue across batches, also if the sink swaps a batch", arguments: [false, true])
  func ordinalsOverBatches(swaps: Bool) throws {
    var generator = SplitMix64(test: "ordinals")
    let rows = Self.randomRows(10_000, .few, &generator)
    let text = try Self.write(rows, cut: .whole, swaps: swaps)
    let (read, rejects) = try Self.read(
      text, cut: .random(seed: generator.next(), most: 70_000), swaps: swaps)
    #expect(rejects == [])
    #expect(read.count == rows.count)
    let wrong = zip(read, rows).first { $0 != $1 }
    #expect(wrong == nil)
  }

  @Test("rows after rejected lines keep their line numbers as ordinals", arguments: [false, true])
  func ordinalsAfterRejects(swaps: Bool) throws {
    let text = "a\tx\\y\nb\nc\tl\nd\t1\t2\tx\ne\nf\\q\n\\\ng\tl\n\th\n"
    for cut in [Cut.whole, .every(1), .every(2), .every(3), .every(7)] {
      let (rows, rejects) = try Self.read(Array(text.utf8), cut: cut, swaps: swaps)
      #expect(
        rows == [
          TestRow(2, "b"), TestRow(3, "c", "l"), TestRow(5, "e"), TestRow(8, "g", "l"), TestRow(9, "", "h"),
        ], "\(cut)")
      #expect(rejects == ["1 bad-escape", "4 bad-score", "6 bad-escape", "7 bad-escape"], "\(cut)")
    }
  }

  @Test("texts and lines have their limits")
  func limits() throws {
    let most = RawRowBatch.textBytesMax
    let plain = String(repeating: "1", count: most)
    let escaped = String(repeating: "\\t", count: most)
    let label = String(repeating: "x", count: RecordFields.bytesMax)
    let text = [
      plain, plain + "1", escaped, escaped + "\\t", escaped + "1",
      String(repeating: "1", count: 5000) + "\tx",
      escaped + "\t" + label, "1\t" + label + "x", "2\t" + String(repeating: label, count: 2), "3",
    ].joined(separator: "\n")
    for cut in [Cut.whole, .every(999), .every(40_000)] {
      let (rows, rejects) = try Self.read(Array(text.utf8), cut: cut)
      #expect(rows.map(\.ordinal) == [1, 3, 7, 10], "\(cut)")
      #expect(rows.map(\.text.count) == [most, most, most, 1])
      #expect(
        rejects == [
          "2 line-too-long", "4 line-too-long", "5 line-too-long", "6 line-too-long", "8 label-too-long",
          "9 line-too-long",
        ], "\(cut)")
    }
  }
}
