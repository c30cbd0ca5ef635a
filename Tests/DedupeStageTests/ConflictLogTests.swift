// The conflicts file: its contents, and when it exists.

import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Conflicts")
struct ConflictLogTests {
  /// The lines of the conflicts file, which must not depend on how the records are divided into batches.
  static func conflicts(_ records: [TestRecord], keep: DedupeOptions.Keep = .first) throws -> [String] {
    var results: [[String]] = []
    for cut in [Cut.whole, .every(1), .every(2), .every(3)] {
      let directory = try TemporaryDirectory()
      let stage = try StageFixture(.dedupe)
      let options = DedupeOptions(keep: keep, conflictsPath: directory / "conflicts.tsv")
      try feed(
        records, cut: cut,
        to: try Deduper(options: options, context: stage.context, downstream: CollectingRecords()))
      #expect(directory.names == ["conflicts.tsv"])
      let text = try #require(directory.text("conflicts.tsv"))
      results.append(text.split(separator: "\n").map(String.init))
    }
    for result in results { #expect(result == results[0]) }
    return results[0]
  }

  @Test("the columns are numbers, kept, dropped, why")
  func singles() throws {
    let records = [TestRecord(5, "a"), TestRecord(5, "b"), TestRecord(5, "a"), TestRecord(6, "c")]
    #expect(try Self.conflicts(records) == ["5\ta\tb\tfirst", "5\ta\ta\tsame"])
    #expect(try Self.conflicts(records, keep: .last) == ["5\ta\ta\tsame", "5\ta\tb\tlast"])
  }

  @Test("a more specific record is kept")
  func specific() throws {
    let records = [TestRecord(1, to: 10, "range"), TestRecord(4, "one"), TestRecord(8, to: 9, "two")]
    #expect(
      try Self.conflicts(records) == ["4\tone\trange\tmore-specific", "8..9\ttwo\trange\tmore-specific"])
  }

  @Test("ranges of one width are decided by the policy")
  func equalRanges() throws {
    let records = [TestRecord(1, to: 10, "a"), TestRecord(6, to: 15, "b")]
    #expect(try Self.conflicts(records) == ["6..10\ta\tb\tfirst"])
    #expect(try Self.conflicts(records, keep: .last) == ["6..10\tb\ta\tlast"])
  }

  @Test("sources come last, and fields are escaped")
  func sources() throws {
    let records = [TestRecord(5, "a\\tb\tlist one\t7"), TestRecord(5, "c"), TestRecord(5, "\tlist two")]
    #expect(
      try Self.conflicts(records) == [
        "5\ta\\tb\tc\tfirst\tlist one\t\t7", "5\ta\\tb\t\tfirst\tlist one\tlist two\t7",
      ])
  }

  @Test("a record loses each number once, to the weakest of the stronger records")
  func severalWinners() throws {
    // 7..10 belongs to a in the end: b lost it, and c lost it to b.
    let records = [TestRecord(1, to: 10, "a"), TestRecord(5, to: 30, "b"), TestRecord(7, to: 40, "c")]
    #expect(
      try Self.conflicts(records) == ["5..10\ta\tb\tmore-specific", "7..30\tb\tc\tmore-specific"])
  }

  @Test("nothing to decide, an empty file")
  func none() throws {
    #expect(try Self.conflicts([TestRecord(1, "a"), TestRecord(2, "a")]) == [])
  }

  @Test("many decisions are written without a loss")
  func many() throws {
    let records = (0..<6000).map { TestRecord(UInt64(1 + $0 / 2), "label \($0)") }
    let directory = try TemporaryDirectory()
    let stage = try StageFixture(.dedupe)
    let options = DedupeOptions(conflictsPath: directory / "c")
    try feed(
      records, to: try Deduper(options: options, context: stage.context, downstream: CollectingRecords()))
    let lines = try #require(directory.text("c")).split(separator: "\n")
    #expect(lines.count == 3000)
    #expect(lines.last == "3000\tlabel 5998\tlabel 5999\tfirst")
  }

  @Test("a failed write is named, and no file is left", arguments: [FailingCalls.Call.open, .write, .rename])
  func failing(call: FailingCalls.Call) throws {
    let directory = try TemporaryDirectory()
    let path = directory / "c"
    let failure = stageError { () throws(Failure) in
      let stage = try StageFixture(.dedupe, calls: FailingCalls(call, .fails(.noSpace)))
      let options = DedupeOptions(conflictsPath: path)
      let deduper = try Deduper(options: options, context: stage.context, downstream: CollectingRecords())
      try feed([TestRecord(5, "a"), TestRecord(5, "b")], to: deduper)
    }
    let operation: SystemError.Operation =
      call == .open ? .createOutput : call == .write ? .writeOutput : .publishOutput
    #expect(failure?.stage == .dedupe)
    #expect(failure?.systemError == SystemError(operation, path, .noSpace))
    #expect(directory.names.isEmpty)
  }

  @Test("a run that fails leaves no file")
  func failedRun() throws {
    let directory = try TemporaryDirectory()
    let path = directory / "c"
    _ = stageError { () throws(Failure) in
      let stage = try StageFixture(.dedupe)
      let deduper = try Deduper(
        options: DedupeOptions(conflictsPath: path), context: stage.context, downstream: CollectingRecords())
      try feed([TestRecord(5, "a"), TestRecord(5, "b"), TestRecord(4, "c")], cut: .every(2), to: deduper)
    }
    #expect(directory.names.isEmpty)
  }
}
