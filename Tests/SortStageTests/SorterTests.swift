// The sort stage against the oracle: lists that fit into memory and larger ones, with every shape and every cut.

import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

/// Runs a sorter on records. The directory must be empty afterwards.
func sorted(
  _ records: [TestRecord], cut: Cut = .whole, memory: Int = SortOptions.memoryMin, swaps: Bool = false
) throws -> (records: [TestRecord], meter: StageMeter) {
  let directory = try TemporaryDirectory()
  let calls = FailingCalls(nil)
  let stage = try StageFixture(.sort, calls: calls)
  let sink = CollectingRecords(CollectorOptions(swaps: swaps))
  let options = SortOptions(memory: memory, temporaryDirectory: directory.path)
  try feed(records, cut: cut, to: Sorter(options: options, context: stage.context, downstream: sink))
  #expect(sink.rules.isFinished && stage.meter.isFinished)
  #expect(directory.names.isEmpty)
  #expect(calls.openFiles == 0)
  #expect(
    stage.meter.rowsIn.value == UInt64(records.count) && stage.meter.rowsOut.value == UInt64(records.count))
  return (sink.records, stage.meter)
}

@Suite("Sort", .seeded)
struct SorterTests {
  @Test("lists that fit into memory: every shape, every cut", arguments: RecordShape.Labels.allCases)
  func inMemory(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "sort \(labels)")
    for numbers in RecordShape.Numbers.allCases {
      for ranges in RecordShape.Ranges.allCases {
        let shape = RecordShape(numbers, ranges, labels)
        let records = shape.records(
          RecordShape.randomCount(&generator, most: labels == .long ? 40 : 300), &generator)
        let cut = Cut.common(&generator).randomElement(using: &generator) ?? .whole
        let (result, meter) = try sorted(records, cut: cut, swaps: generator.chance(oneIn: 2))
        #expect(result == SortOracle.sorted(records), "\(shape), \(cut)")
        #expect(meter.bytesSpilled.value == 0)
      }
    }
  }

  @Test("more different labels than the dictionary holds", arguments: [RecordShape.Ranges.none, .some])
  func manyLabels(ranges: RecordShape.Ranges) throws {
    var generator = SplitMix64(test: "many labels \(ranges)")
    let records = RecordShape(.few, ranges, .different).records(25_000, &generator)
    let (result, meter) = try sorted(records)
    #expect(result == SortOracle.sorted(records))
    #expect(meter.bytesSpilled.value == 0)
  }

  @Test("labels in the dictionary appear again after thousands that are not in it")
  func labelsAgain() throws {
    var generator = SplitMix64(test: "labels again")
    // All labels of a full dictionary, then as many others and more, then some of both.
    var records = RecordShape(.few, .none, .different).records(45_000, &generator)
    for index in 30_000..<records.count where index % 3 > 0 {
      records[index].recordFields = records[index % (index % 3 == 1 ? 50 : 30_000)].recordFields
    }
    let (result, _) = try sorted(records)
    let areSame = result == SortOracle.sorted(records)
    #expect(areSame)
  }

  @Test(
    "lists larger than memory: the same output for every memory size and cut",
    arguments: [RecordShape.Ranges.none, .some, .staggered])
  func spilled(ranges: RecordShape.Ranges) throws {
    var generator = SplitMix64(test: "spilled \(ranges)")
    // A few kilobytes per record: three runs with the minimum memory, without hundreds of thousands of records.
    var records = RecordShape(.common, ranges, .long).records(9_000, &generator)
    // Equal records far apart, so that their input order matters.
    for index in stride(from: 0, to: records.count, by: 3) {
      records[index].first = 8_613_500_000_000
      records[index].last = 8_613_500_000_000 + (index % 2 == 0 ? 0 : 7)
    }
    // Between the long labels, short labels that are in the dictionary.
    for index in stride(from: 1, to: records.count, by: 3) {
      records[index].recordFields = [UInt8(index % 7)]
    }
    let expected = SortOracle.sorted(records)
    let (small, smallMeter) = try sorted(
      records, cut: .random(seed: generator.next(), most: 500), swaps: true)
    #expect(small == expected)
    #expect(smallMeter.bytesSpilled.value > UInt64(SortOptions.memoryMin) / 2)
    let (large, largeMeter) = try sorted(records, memory: SortOptions.defaultMemory)
    #expect(large == expected)
    #expect(largeMeter.bytesSpilled.value == 0)
  }

  @Test("lists larger than memory, with the longest labels")
  func longestLabels() throws {
    var records: [TestRecord] = []
    for index in 0..<700 {
      let head = Array("\(index) ".utf8)
      let first = UInt64(1000 - index)
      let label = head + [UInt8](repeating: 0x78, count: RecordFields.bytesMax - head.count)
      records.append(TestRecord(first, first + UInt64(index % 3), label))
    }
    let (result, meter) = try sorted(records)
    #expect(result == SortOracle.sorted(records))
    #expect(meter.bytesSpilled.value > 700 * UInt64(RecordFields.bytesMax) / 2)
  }

  @Test("no records, no batch")
  func empty() throws {
    let stage = try StageFixture(.sort)
    let sink = CollectingRecords()
    try feed([TestRecord](), to: Sorter(options: SortOptions(), context: stage.context, downstream: sink))
    #expect(sink.rules.batches == 0 && sink.rules.isFinished)
  }
}
