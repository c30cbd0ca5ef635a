// Shared by the tests of this target: random sorted lists with ranges, lists in files, dedupe in memory.

import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

/// The records of a list after dedupe.
func deduped(_ records: [TestRecord], _ keep: DedupeOptions.Keep) throws -> [TestRecord] {
  var options = DedupeOptions(keep: keep)
  options.priority = ["s1", "s0"]
  let sink = CollectingRecords()
  let dedupe = try Deduper(options: options, context: StageFixture(.dedupe).context, downstream: sink)
  try feed(records, to: dedupe)
  return sink.records
}

/// The records of a list in the text form, which tests have written themselves.
func records(_ text: [UInt8]) throws -> [TestRecord] {
  let sink = CollectingRecords()
  try feed(text, to: RecordReader(context: StageFixture(.split).context, downstream: sink))
  return sink.records
}

/// Random sorted lists: single numbers, nested, overlapping and adjacent ranges, equal numbers, and gaps.
struct RandomSortedLists {
  var generator: SplitMix64

  /// A list of at most `count` records within `width` numbers.
  mutating func list(_ count: Int, width: UInt64) -> [TestRecord] {
    var list: [TestRecord] = []
    let widest = UInt64([1, 3, 20].randomElement(using: &generator) ?? 1)
    for _ in 0..<Int.random(in: 0...count, using: &generator) {
      let first = UInt64.random(in: 1...width, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1: add(first, first, to: &list)
      case 2: add(first, first + UInt64.random(in: 0...widest, using: &generator), to: &list)
      case 3:
        // Nested.
        add(first, first + widest, to: &list)
        add(first + widest / 2, first + widest, to: &list)
      case 4:
        // Adjacent.
        add(first, first + widest, to: &list)
        add(first + widest + 1, first + 2 * widest, to: &list)
      default:
        // Equal, and as wide.
        add(first, first + widest, to: &list)
        add(first, first + widest, to: &list)
        add(first, first, to: &list)
      }
    }
    return SortOracle.sorted(list)
  }

  private mutating func add(_ first: UInt64, _ last: UInt64, to list: inout [TestRecord]) {
    let fields = ["", "a", "b", "c\ts1", "c\ts0\t7", "a\ts1\t-3", "b\t\t7"].randomElement(using: &generator)
    list.append(TestRecord(first, Swift.max(first, last), Array((fields ?? "").utf8)))
  }
}

/// The parts that a splitter writes, as bytes.
func parts(
  of list: String, _ splitter: ListSplitter, in directory: TemporaryDirectory,
  calls: any SystemCalls = FailingCalls.unsynced()
) throws -> [[UInt8]] {
  let folder = try PartFolder(directory / "parts", list: list, calls: calls)
  let outcome = try splitter.split(list, into: folder, calls: calls)
  try folder.publish()
  #expect(directory.names(in: "parts") == outcome.parts.map(\.fileName))
  let written = outcome.parts.map { directory.read("parts/\($0.fileName)") ?? [] }
  #expect(outcome.parts.map(\.bytes) == written.map { UInt64($0.count) })
  return written
}
