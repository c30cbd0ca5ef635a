// The sorter's own merges of merged runs, with so little memory that hundreds of runs are cheap.

import Records
import SystemIO
import TestSupport
import Testing

@testable import RecordStages

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
