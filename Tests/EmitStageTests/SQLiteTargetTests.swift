// SQLite databases as outputs: the same bytes whatever the batches, and the old file after a failure.
//
// Not for: what is in them (Tests/CommandTests/Sessions/emit-sqlite.md reads it with another program).

import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("SQLite databases", .seeded)
struct SQLiteTargetTests {
  private static func emit(
    _ records: [TestRecord], to path: String, calls: any SystemCalls = KernelCalls(), cut: Cut = .whole
  ) throws(Failure) {
    let stage = try StageFixture(.emit, calls: calls)
    let options = EmitOptions(format: .sqlite, output: path)
    try feed(
      records, cut: cut,
      to: try Emitter(options: [options], context: stage.context))
  }

  @Test("the bytes do not depend on the batches", arguments: StoreBatchTests.Labels.allCases)
  func cuts(labels: StoreBatchTests.Labels) throws {
    var generator = SplitMix64(test: "SQLite batches \(labels)")
    var number: UInt64 = 8_613_000_000_000
    let records = (0..<9_000).map { index in
      number += 1 + generator.next() % 5000
      let first = number
      if generator.chance(oneIn: 50) { number += generator.next() % 50 }
      return TestRecord(first, to: number, StoreBatchTests.label(labels, index, &generator))
    }
    let directory = try TemporaryDirectory()
    for (name, cut) in [("one", Cut.every(1)), ("seven", .every(7)), ("whole", .whole)] {
      try Self.emit(records, to: directory / name, cut: cut)
      #expect(directory.read(name) == directory.read("one"), "\(name)")
    }
    let size = try #require(directory.read("one")).count
    #expect(size > 100_000 && size % 4096 == 0)
  }

  @Test("after a failure the old file is there, and no other")
  func failures() throws {
    let directory = try TemporaryDirectory()
    let path = directory / "list.sqlite"
    try Self.emit([TestRecord(1, "old")], to: path)
    let old = directory.read("list.sqlite")
    let cases: [([TestRecord], any SystemCalls)] = [
      ([TestRecord(2, "new"), TestRecord(1, "new")], KernelCalls()),
      ([TestRecord(1, "new")], FailingCalls(.sync)),
      ([TestRecord(1, "new")], FailingCalls(.rename)),
    ]
    for (records, calls) in cases {
      let failure = stageError { () throws(Failure) in
        try Self.emit(records, to: path, calls: calls)
      }
      #expect(failure != nil, "\(records)")
      #expect(directory.read("list.sqlite") == old && directory.names == ["list.sqlite"], "\(records)")
    }
  }
}
