// Dedupe against the oracle, over thousands of small cases in which nearly everything overlaps.

import CallRecord
import DedupeStage
import PipeStage
import SystemIO
import TestSupport
import Testing

/// Runs a deduper over sorted records.
func deduped(
  _ records: [TestRecord], keep: DedupeOptions.Keep, cut: Cut = .whole, swaps: Bool = false,
  through batch: inout RecordBatch
) throws(PipeFailure) -> (records: [TestRecord], meter: StageMeter) {
  let stage = try StageFixture(.dedupe)
  let sink = CollectingRecords(CollectorOptions(swaps: swaps))
  try feed(
    records, cut: cut, through: &batch,
    to: try Deduper(options: DedupeOptions(keep: keep), context: stage.context, downstream: sink))
  #expect(sink.rules.isFinished)
  #expect(stage.meter.isFinished)
  return (sink.records, stage.meter)
}

@Suite("Dedupe against the oracle", .seeded)
struct DedupeOracleTests {
  /// Runs one case under one cut and compares everything that can be known about it.
  static func check(
    _ sorted: [TestRecord], _ keep: DedupeOptions.Keep, _ cut: Cut, swaps: Bool, _ batch: inout RecordBatch
  ) throws(PipeFailure) -> Bool {
    let oracle = DedupeOracle(sorted: sorted, keepLast: keep == .last)
    let (records, meter) = try deduped(sorted, keep: keep, cut: cut, swaps: swaps, through: &batch)
    let story: Comment = "keep \(keep.rawValue), \(cut): \(sorted)"
    var before: UInt64 = 0
    for record in records {
      #expect(record.first > before && record.last >= record.first, story)
      before = record.last
    }
    #expect(records == oracle.pieces, story)
    #expect(meter.rowsIn.value == UInt64(sorted.count), story)
    #expect(meter.rowsOut.value == UInt64(records.count), story)
    #expect(meter.duplicates.value == UInt64(oracle.duplicates), story)
    #expect(meter.splits.value == UInt64(oracle.splits), story)
    #expect(meter.rowsIn.value + meter.splits.value == meter.rowsOut.value + meter.duplicates.value, story)
    return records == oracle.pieces
  }

  @Test("small universes, every shape, random cuts", arguments: RecordShape.Ranges.allCases)
  func smallUniverses(ranges: RecordShape.Ranges) throws {
    var generator = SplitMix64(test: "dedupe \(ranges)")
    var batch = RecordBatch()
    var failures = 0
    for _ in 0..<700 {
      let shape = RecordShape(
        [.few, .few, .huge, .equal].randomElement(using: &generator) ?? .few, ranges,
        [.few, .different].randomElement(using: &generator) ?? .few)
      let sorted = SortOracle.sorted(
        shape.records(RecordShape.randomCount(&generator, most: 16), &generator))
      for keep in DedupeOptions.Keep.allCases {
        let cut: Cut = generator.chance(oneIn: 3) ? .every(1) : .random(seed: generator.next(), most: 6)
        for cut in [Cut.whole, cut] {
          let swaps = generator.chance(oneIn: 4)
          if try !Self.check(sorted, keep, cut, swaps: swaps, &batch) { failures += 1 }
        }
      }
      // A fault shows in a few cases; thousands would only bury them.
      if failures > 3 { break }
    }
  }

  @Test("singles and ranges in stretches, so that the stage changes its way in mid-stream")
  func stretches() throws {
    var generator = SplitMix64(test: "dedupe stretches")
    var batch = RecordBatch()
    for _ in 0..<250 {
      var records: [TestRecord] = []
      var number: UInt64 = 1
      for index in 0..<Int.random(in: 1...60, using: &generator) {
        if generator.chance(oneIn: 2) { number += UInt64.random(in: 1...3, using: &generator) }
        let isRange = generator.chance(oneIn: 12)
        records.append(
          TestRecord(
            number, to: isRange ? number + UInt64.random(in: 1...4, using: &generator) : nil,
            "label \(index % 9)"))
      }
      let sorted = SortOracle.sorted(records)
      for keep in DedupeOptions.Keep.allCases {
        for cut in [Cut.every(1), .every(2), .every(3), .every(7), .random(seed: generator.next(), most: 12)]
        {
          if try !Self.check(sorted, keep, cut, swaps: generator.chance(oneIn: 2), &batch) { return }
        }
      }
    }
  }

  @Test(
    "more than a batch, so that tables fill and batches are cut",
    arguments: [RecordShape.Labels.few, .different, .long])
  func large(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "dedupe large \(labels)")
    var batch = RecordBatch()
    var records: [TestRecord] = []
    let labelled = RecordShape(.few, .none, labels).records(labels == .long ? 400 : 9000, &generator)
    var number: UInt64 = 8_613_800_000_000
    for record in labelled {
      number += UInt64.random(in: 0...2, using: &generator)
      let width = generator.chance(oneIn: 100) ? UInt64.random(in: 1...60, using: &generator) : 0
      records.append(TestRecord(number, number + width, record.annotation))
    }
    let sorted = SortOracle.sorted(records)
    for keep in DedupeOptions.Keep.allCases {
      for cut in [Cut.whole, .random(seed: generator.next(), most: 900)] {
        _ = try Self.check(sorted, keep, cut, swaps: true, &batch)
      }
    }
  }
}
