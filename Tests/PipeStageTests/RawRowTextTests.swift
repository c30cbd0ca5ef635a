// Raw rows to text and back, cut everywhere; a row's ordinal is its line, also after invalid lines.

import Records
import SystemIO
import TestSupport
import Testing

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
