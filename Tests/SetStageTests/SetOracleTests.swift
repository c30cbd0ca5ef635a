// The set operations against a dictionary of every number: 102,000 random cases, combined into long lists.

import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Set operations against the oracle", .seeded)
struct SetOracleTests {
  /// The number of cases in a list, which makes it longer than a batch.
  private static let cases = 1700

  /// Compares outside of `#expect`, which would print megabytes.
  private static func expectSame<Value: Equatable>(_ got: [Value], _ wanted: [Value], _ story: String) {
    if got == wanted { return }
    let place =
      zip(got, wanted).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      ?? min(got.count, wanted.count)
    let around = max(0, place - 3)..<place + 3
    let near = { (all: [Value]) in all.indices.clamped(to: around).map { "\(all[$0])" } }
    Issue.record("\(story), at \(place): got \(near(got)), wanted \(near(wanted))")
  }

  private static func expectBalance(_ outcome: SetOutcome, rowsIn: Int) {
    let meter = outcome.meter
    #expect(meter.rowsIn.value == UInt64(rowsIn))
    #expect(meter.rowsOut.value == UInt64(outcome.records.count))
    #expect(meter.rowsIn.value + meter.splits.value == meter.rowsOut.value + meter.removed.value)
  }

  @Test("subtract and intersect", arguments: [SetOptions.Operation.subtract, .intersect], 0..<10)
  func cutting(operation: SetOptions.Operation, round: Int) throws {
    var generator = SplitMix64(test: "cutting \(operation) \(round)")
    var random = RandomLists(generator)
    let count = 2 + round % 3
    let lists = random.lists(count, cases: Self.cases) { $0 == 0 }
    let wanted = operation == .subtract ? SetOracle.subtract(lists) : SetOracle.intersect(lists)
    let cut = Cut.random(seed: generator.next(), most: 5000)
    let outcome =
      round % 2 == 0
      ? try execute(operation, lists, swaps: round % 4 == 0)
      : try execute(operation, lists, fed: 0, cut: cut, swaps: round % 3 == 0)
    Self.expectSame(outcome.records, wanted, "\(operation) of \(count) lists")
    Self.expectBalance(outcome, rowsIn: lists[0].count)
    #expect(outcome.rejects.isEmpty)
  }

  @Test("union, alone and followed by a dedupe", arguments: 0..<20)
  func union(round: Int) throws {
    var generator = SplitMix64(test: "union \(round)")
    var random = RandomLists(generator)
    let count = 1 + round % 5
    let lists = random.lists(count, cases: Self.cases) { $0 % 2 == 0 }
    let fed = round % 2 == 0 ? nil : round % count
    let cut = Cut.random(seed: generator.next(), most: 5000)
    let outcome = try execute(.union, lists, fed: fed, cut: cut, swaps: round % 3 == 0)
    let merged = SortOracle.sorted(lists.flatMap { $0 })
    Self.expectSame(outcome.records, merged, "union of \(count) lists, fed \(String(describing: fed))")
    Self.expectBalance(outcome, rowsIn: merged.count)

    let sink = CollectingRecords()
    let keep = DedupeOptions.Keep.allCases[round % 2]
    let dedupe = try Deduper(
      options: DedupeOptions(keep: keep), context: StageFixture(.dedupe).context, downstream: sink)
    try feed(outcome.records, to: dedupe)
    // A union has exactly the numbers of all lists.
    var numbers: Set<UInt64> = []
    for record in merged { numbers.formUnion(record.first...record.last) }
    var got: Set<UInt64> = []
    for record in sink.records { got.formUnion(record.first...record.last) }
    let isSame = got == numbers
    #expect(isSame)
  }

  @Test("diff", arguments: 0..<20)
  func difference(round: Int) throws {
    var random = RandomLists(SplitMix64(test: "diff \(round)"))
    var lists = random.lists(2, cases: Self.cases) { _ in true }
    // Two versions of one list have most numbers in common.
    if round % 3 == 0 { lists[1] = lists[0].enumerated().filter { $0.offset % 97 != round }.map(\.element) }
    let directory = try TemporaryDirectory()
    try directory.write("old", lines(lists[0]))
    try directory.write("new", lines(lists[1]))
    let calls: any SystemCalls = round == 0 ? FailingCalls.short() : KernelCalls()
    let fixture = try StageFixture(.diff, calls: calls)
    let allFields = round % 2 == 0
    var changes: [ListChange] = []
    var difference = try ListDifference(
      old: directory / "old", new: directory / "new", allFields: allFields, fixture.context)
    try difference.walk { (change) throws(Failure) in changes.append(change) }
    Self.expectSame(
      changes, SetOracle.changes(lists[0], lists[1], allFields: allFields), "diff, all fields: \(allFields)")
    #expect(fixture.meter.rowsIn.value == UInt64(lists[0].count + lists[1].count))
  }

  @Test("small and empty lists, read byte by byte or received in pieces")
  func small() throws {
    var generator = SplitMix64(test: "small sets")
    var random = RandomLists(generator)
    for round in 0..<200 {
      let lists = random.lists(2 + round % 2, cases: round / 4 % 4) { $0 == 0 }
      let operation: SetOptions.Operation = [.subtract, .intersect, .union, .merge][round % 4]
      let wanted =
        switch operation {
        case .subtract: SetOracle.subtract(lists)
        case .intersect: SetOracle.intersect(lists)
        case .union, .merge: SortOracle.sorted(lists.flatMap { $0 })
        }
      let short = try execute(operation, lists, calls: FailingCalls.short())
      #expect(short.records == wanted, "\(operation): \(lists)")
      let cut: Cut = generator.chance(oneIn: 2) ? .every(1) : .every(3)
      let fed = try execute(operation, lists, fed: 0, cut: cut, swaps: true)
      #expect(fed.records == wanted, "\(operation), \(cut): \(lists)")
    }
  }
}
