// Runs merged in groups, and the merged runs merged again, with runs so small that hundreds of them are cheap.
//
// When the sorter itself merges depends on hundreds of full memories; the large sorts of SorterTests test that.

import BasicContainers
import Records
import SystemIO
import TestSupport
import Testing

@testable import RecordStages

@Suite("Runs and merges", .seeded)
struct MergeTests {
  /// The memory of a run of a few records: the buffer reserves capacity for the largest batch.
  static let runBytes = 4 * RecordFieldsTable.bytesMax

  /// One run of these records, sorted and spilled, in the best format for it or in the one that suits all runs.
  static func spill(
    _ records: ArraySlice<TestRecord>, _ dictionary: inout RecordFieldsDictionary, in directory: String,
    isVarint: Bool
  ) throws(Failure) -> SpilledRun {
    var buffer = RunBuffer(bytesMax: runBytes)
    var batch = RecordBatch()
    for record in records {
      if batch.append(first: record.first, last: record.last, recordFields: record.recordFields.span) {
        continue
      }
      buffer.append(batch, &dictionary)
      batch.removeAll()
      _ = batch.append(first: record.first, last: record.last, recordFields: record.recordFields.span)
    }
    buffer.append(batch, &dictionary)
    buffer.sort()
    switch isVarint ? .varint : buffer.format {
    case .packed:
      var writer = try CompactRunWriter(in: directory, calls: KernelCalls())
      try buffer.walkPacked(&writer)
      return try writer.finish(level: 0)
    case .inline:
      var writer = try InlineRunWriter(in: directory, calls: KernelCalls())
      try buffer.walk(&writer)
      return try writer.finish(level: 0)
    case .varint:
      var writer = try VarintRunWriter(in: directory, calls: KernelCalls())
      try buffer.walk(&writer)
      return try writer.finish(level: 0)
    }
  }

  static let readBufferBytes = SortBudget.inlineReadBufferMin

  /// The records through runs of `size` records each, merged in groups of `group`, one group after another.
  static func merged(
    _ records: [TestRecord], size: Int, group: Int, isVarint: Bool = true, in directory: String,
    _ dictionary: consuming RecordFieldsDictionary
  ) throws(Failure) -> [TestRecord] {
    var runs = RigidArray<SpilledRun>(capacity: records.count / size + 2)
    var dictionary = dictionary
    var start = 0
    while start < records.count {
      let end = min(start + size, records.count)
      runs.append(try spill(records[start..<end], &dictionary, in: directory, isVarint: isVarint))
      start = end
    }
    while runs.count > group {
      let count = min(runs.count - group + 1, group)
      var writer = try VarintRunWriter(in: directory, calls: KernelCalls())
      try KWayMerge.walk(last: count, of: &runs, bufferBytes: readBufferBytes, &writer)
      runs.append(try writer.finish(level: 1))
    }
    let sink = CollectingRecords(CollectorOptions(swaps: true))
    var writer = BatchWriter(dictionary, StageMeter(.sort), sink)
    try KWayMerge.walk(last: runs.count, of: &runs, bufferBytes: readBufferBytes, &writer)
    try writer.flush()
    return sink.records
  }

  /// A dictionary with capacity for only `capacity` more record fields.
  static func dictionary(capacity: Int) -> RecordFieldsDictionary {
    var dictionary = RecordFieldsDictionary()
    for index in 0..<RecordFieldsDictionary.countMax - capacity {
      let taken = Array("taken \(index)".utf8)
      _ = dictionary.id(of: taken.span)
    }
    return dictionary
  }

  @Test("more runs than one merge reads", arguments: [RecordShape.Labels.few, .different])
  func manyRuns(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "many runs \(labels)")
    let directory = try TemporaryDirectory()
    let shape = RecordShape(.few, .some, labels)
    let records = shape.records(2_000, &generator)
    let result = try Self.merged(
      records, size: 7, group: SortBudget.mergeRunsMax, in: directory.path, Self.dictionary(capacity: 100))
    #expect(result == SortOracle.sorted(records))
    #expect(directory.names.isEmpty)
  }

  @Test("every shape, every size of a run and of a group")
  func shapes() throws {
    var generator = SplitMix64(test: "merge shapes")
    let directory = try TemporaryDirectory()
    for _ in 0..<40 {
      let shape = RecordShape.random(&generator)
      let records = shape.records(
        Int.random(in: 1...(shape.labels == .long ? 20 : 120), using: &generator), &generator)
      let size = Int.random(in: 1...10, using: &generator)
      let group = Int.random(in: 2...9, using: &generator)
      let capacity = [0, 3, RecordFieldsDictionary.countMax].randomElement(using: &generator) ?? 0
      let result = try Self.merged(
        records, size: size, group: group, isVarint: generator.chance(oneIn: 2), in: directory.path,
        Self.dictionary(capacity: capacity))
      #expect(
        result == SortOracle.sorted(records),
        "\(shape), runs of \(size), groups of \(group), capacity for \(capacity)")
    }
  }
}

@Suite("LoserTree", .seeded)
struct LoserTreeTests {
  struct TreeEntry: Equatable {
    var first: UInt64
    var last: UInt64
    var run: Int
  }

  static func merge(_ runs: [[TestRecord]]) -> [TreeEntry] {
    var tree = LoserTree(runs: runs.count)
    var next = [Int](repeating: 0, count: runs.count)
    for (run, records) in runs.enumerated() {
      tree.set(run, first: records.first?.first ?? .max, last: records.first?.last ?? 0)
    }
    tree.build()
    var result: [TreeEntry] = []
    while !tree.isEmpty {
      let run = tree.winner
      let record = runs[run][next[run]]
      result.append(TreeEntry(first: record.first, last: record.last, run: run))
      next[run] += 1
      let following = next[run] < runs[run].count ? runs[run][next[run]] : nil
      tree.replaceWinner(first: following?.first ?? .max, last: following?.last ?? 0)
    }
    return result
  }

  static func expected(_ runs: [[TestRecord]]) -> [TreeEntry] {
    runs.enumerated().flatMap { run, records in
      records.map { TreeEntry(first: $0.first, last: $0.last, run: run) }
    }
    .enumerated().sorted { one, other in
      if one.element.first != other.element.first { return one.element.first < other.element.first }
      if one.element.last != other.element.last { return one.element.last > other.element.last }
      return one.offset < other.offset
    }.map(\.element)
  }

  @Test("random runs, some of them empty")
  func random() {
    var generator = SplitMix64(test: "loser tree")
    for _ in 0..<400 {
      let numbers = RecordShape.Numbers.allCases.randomElement(using: &generator) ?? .few
      let ranges = RecordShape.Ranges.allCases.randomElement(using: &generator) ?? .none
      let runs = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
        SortOracle.sorted(
          RecordShape(numbers, ranges, .none).records(
            RecordShape.randomCount(&generator, most: 12), &generator))
      }
      #expect(Self.merge(runs) == Self.expected(runs), "\(runs)")
    }
  }

  @Test("every number of runs, up to more than one merge", arguments: [1, 2, 3, 4, 5, 127, 128, 129])
  func sizes(count: Int) {
    let runs = (0..<count).map { [TestRecord(UInt64(1 + ($0 * 7) % count)), TestRecord(UInt64(count + 1))] }
    #expect(Self.merge(runs) == Self.expected(runs))
  }
}
