// The sort stage against the oracle: lists that fit into memory and larger ones, with every shape and every cut.

import BasicContainers
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import RecordStages

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

@Suite("Sort failures")
struct SorterErrorTests {
  /// Records for a little more than one spilled run with the minimum memory, cheap to generate: few and long.
  static let records: [TestRecord] = (0..<500).map { index in
    let head = Array("\(index) ".utf8)
    let label = head + [UInt8](repeating: 0x78, count: RecordFields.bytesMax - head.count)
    return TestRecord(UInt64(1 + index), UInt64(1 + index), label)
  }

  static func failure(
    _ calls: FailingCalls, in directory: String, _ options: CollectorOptions = CollectorOptions()
  ) -> Failure? {
    stageError { () throws(Failure) in
      let stage = try StageFixture(.sort, calls: calls)
      let sorter = Sorter(
        options: SortOptions(memory: SortOptions.memoryMin, temporaryDirectory: directory),
        context: stage.context,
        downstream: CollectingRecords(options))
      try feed(Self.records, to: sorter)
    }
  }

  @Test(
    "a full disk, a broken disk, and one that reads back less than was written",
    arguments: [
      (
        FailingCalls.Call.open, 1, FailingCalls.CallError.fails(.permissionDenied),
        SystemError.Operation.createSpill
      ),
      (.open, 2, .fails(.tooManyOpenFiles), .createSpill),
      (.write, 1, .fails(.noSpace), .writeSpill),
      (.write, 3, .fails(.noSpace), .writeSpill),
      (.read, 1, .fails(.ioError), .readSpill),
      (.read, 4, .fails(.ioError), .readSpill),
      (.read, 1, .endsFile, .readSpill),
      (.read, 6, .endsFile, .readSpill),
    ])
  func failing(
    call: FailingCalls.Call, number: Int, fault: FailingCalls.CallError, operation: SystemError.Operation
  ) throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(call, at: number, fault)
    let failure = Self.failure(calls, in: directory.path)
    let code: Errno = if case .fails(let code) = fault { code } else { .ioError }
    #expect(failure?.stage == .sort)
    #expect(failure?.systemError == SystemError(operation, directory.path, code))
    #expect(calls.count(of: call) >= number)
    #expect(directory.names.isEmpty)
    #expect(calls.openFiles == 0)
  }

  @Test("a missing temporary directory is named")
  func missingDirectory() throws {
    let directory = try TemporaryDirectory()
    let missing = directory / "missing"
    let failure = Self.failure(FailingCalls(nil), in: missing)
    #expect(failure?.systemError == SystemError(.createSpill, missing, .noSuchFileOrDirectory))
    #expect(failure?.errorClass == .cannotCreate)
  }

  @Test("a list that fits into memory needs no temporary directory")
  func noSpillNeeded() throws {
    let stage = try StageFixture(.sort)
    let sink = CollectingRecords()
    let options = SortOptions(temporaryDirectory: "/nonexistent/directory")
    let sorter = Sorter(options: options, context: stage.context, downstream: sink)
    try feed([TestRecord(2), TestRecord(1)], to: sorter)
    #expect(sink.records == [TestRecord(1), TestRecord(2)])
  }

  @Test("an error of the next stage is rethrown, and no files stay")
  func downstream() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    let failure = Self.failure(calls, in: directory.path, CollectorOptions(failsAfter: 3))
    #expect(failure?.code == CollectorError.asConfigured(batches: 3).code)
    #expect(directory.names.isEmpty)
    #expect(calls.openFiles == 0)
  }

  @Test("a sort that is released in the middle leaves no files")
  func dropped() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    do {
      let stage = try StageFixture(.sort, calls: calls)
      let sorter = Sorter(
        options: SortOptions(memory: SortOptions.memoryMin, temporaryDirectory: directory.path),
        context: stage.context,
        downstream: CollectingRecords())
      var batch = RecordBatch()
      for record in Self.records {
        if batch.append(first: record.first, last: record.last, recordFields: record.recordFields.span) {
          continue
        }
        try sorter.receive(&batch)
        batch.removeAll()
      }
      #expect(calls.openFiles > 0, "nothing was spilled")
      #expect(directory.names.isEmpty)
    }
    #expect(calls.openFiles == 0)
  }
}

// Enough runs that the sorter merges merged runs, through the real stage: tens of millions of records.
//
// Optimized code needs seconds for it, unoptimized code minutes. So an unoptimized build sorts only a few runs, and
// MergeTests tests the same steps with runs of a few records.

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

@Suite("Sorter with hundreds of runs", .seeded)
struct TinyBudgetTests {
  @Test("more runs than one merge reads, and more than two levels of them", arguments: [130, 260, 400])
  func manyRuns(runs: Int) throws {
    var generator = SplitMix64(test: "tiny budget \(runs)")
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    let stage = try StageFixture(.sort, calls: calls)
    let sink = CollectingRecords(CollectorOptions(swaps: true))
    // One batch of five records fits, a second does not.
    let budget = SortBudget(runBytes: RecordFieldsTable.bytesMax + 5 * 88, mergeBytes: 1 << 20)
    let sorter = Sorter(
      options: SortOptions(temporaryDirectory: directory.path), budget: budget, context: stage.context,
      downstream: sink)
    let records = RecordShape(.few, .some, .different).records(5 * runs, &generator)
    try feed(records, cut: .every(5), to: sorter)
    #expect(sink.records == SortOracle.sorted(records))
    #expect(calls.count(of: .open) > runs)
    #expect(calls.openFiles == 0)
    #expect(directory.names.isEmpty)
  }
}

@Suite("SortCheck", .seeded)
struct SortCheckTests {
  static func disorder(_ records: [TestRecord], cut: Cut = .whole) throws -> [UInt64]? {
    let check = SortCheck()
    try feed(records, cut: cut, to: check)
    return check.disorder.map {
      [$0.row, $0.previous.lowerBound, $0.previous.upperBound, $0.numbers.lowerBound, $0.numbers.upperBound]
    }
  }

  @Test("sorted records pass, whatever the cuts")
  func inOrder() throws {
    var generator = SplitMix64(test: "sort check")
    for _ in 0..<60 {
      let shape = RecordShape.random(&generator)
      let records = SortOracle.sorted(shape.records(20, &generator))
      for cut in [Cut.whole, .every(1), .every(7)] {
        #expect(try Self.disorder(records, cut: cut) == nil, "\(shape)")
      }
    }
    #expect(try Self.disorder([]) == nil)
  }

  @Test("the first of several errors is named", arguments: [Cut.whole, .every(1), .every(2), .every(3)])
  func disorder(cut: Cut) throws {
    let records = [
      TestRecord(1), TestRecord(5, to: 9), TestRecord(5), TestRecord(4), TestRecord(3), TestRecord(9),
    ]
    #expect(try Self.disorder(records, cut: cut) == [4, 5, 5, 4, 4])
    // A narrower range before a wider one is out of order, too.
    #expect(try Self.disorder([TestRecord(5), TestRecord(5, to: 9)], cut: cut) == [2, 5, 5, 5, 9])
  }
}
