// Votes where a limit is near: very many sources, very long labels, sums beyond the largest number.

import RecordStages
import Records
import TestSupport
import Testing

@Suite("Votes")
struct VotesTests {
  private static func run(
    _ records: [TestRecord], _ cut: Cut = .whole, _ set: (inout DedupeOptions) -> Void
  ) throws(Failure) -> (records: [TestRecord], meter: StageMeter) {
    var options = DedupeOptions()
    set(&options)
    let stage = try StageFixture(.dedupe)
    let sink = CollectingRecords()
    try feed(records, cut: cut, to: try Deduper(options: options, context: stage.context, downstream: sink))
    return (sink.records, stage.meter)
  }

  @Test("a number with very many sources does not change those of the next one")
  func manySources() throws {
    let long = String(repeating: "x", count: 900)
    var records = (0..<70_000).map { TestRecord(1, "\ts\($0)") }
    records += (0..<12_000).map { TestRecord(2, "\t\(long)\($0)") }
    records += (0..<5).map { TestRecord(3, "\ts\($0)") } + (0..<4).map { TestRecord(4, "\ts\($0)") }
    for (least, numbers) in [(5, [1, 2, 3]), (12_000, [1, 2]), (DedupeOptions.sourcesMax, [1])] {
      let output = try Self.run(records, .every(1000)) { $0.voteMinimums.sources = least }
      #expect(output.records.map(\.first) == numbers.map { UInt64($0) })
    }
  }

  @Test(
    "a record that its combined score makes too long is rejected, and the others continue", arguments: [1, 2])
  func longLabels(size: Int) throws {
    let long = String(repeating: "x", count: RecordFields.bytesMax)
    let records = [
      TestRecord(1, "a"), TestRecord(2, long), TestRecord(2, "b"), TestRecord(3, to: 5, long),
      TestRecord(6, "c"),
    ]
    let output = try Self.run(records, .every(size)) { $0.combination = .sum }
    #expect(output.records == [TestRecord(1, "a\t\t1"), TestRecord(6, "c\t\t1")])
    #expect(output.meter.rejects.value == 2 && output.meter.duplicates.value == 1)
    // A dense block whose label leaves no space for the source is not filled.
    let block = (0..<5).map { TestRecord(4_915_123_456_700 + $0, String(long.dropLast(3))) }
    let dense = try Self.run(block) { $0.inference = InferenceRule.rules("10:4") ?? [] }
    #expect(dense.records == block)
  }

  @Test("sums stop at the ends of 64-bit integers")
  func sums() throws {
    let scores: [(Int64, Int64, Int64)] = [(.max, 1, .max), (.min, -1, .min), (.max, .min, -1)]
    for (one, other, sum) in scores {
      let output = try Self.run([TestRecord(1, "\t\t\(one)"), TestRecord(1, "\t\t\(other)")]) {
        $0.combination = .sum
      }
      #expect(output.records == [TestRecord(1, "\t\t\(sum)")])
    }
  }
}
