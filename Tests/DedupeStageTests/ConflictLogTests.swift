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

@Suite("Dedupe's temporary files", .seeded)
struct SpoolTests {
  @Test("a number with more records than fit in memory: each is logged against the one that is kept")
  func manyRecords() throws {
    let directory = try TemporaryDirectory()
    var options = DedupeOptions(keep: .highestScore, conflictsPath: directory / "c.tsv")
    options.temporaryDirectory = directory.path
    // About 2.5 MB of records for one number; the one with the highest score is in the middle.
    let filler = String(repeating: "x", count: 400)
    let records = (0..<6000).map { TestRecord(7, "\($0) \(filler)\t\t\($0 == 3210 ? 9 : 1)") }
    var batch = RecordBatch()
    let run = try DedupeRun(records, options, cut: .random(seed: 4, most: 900), through: &batch)
    #expect(run.records.map(\.recordFields) == [records[3210].recordFields])
    let lines = try #require(directory.text("c.tsv")).split(separator: "\n")
    #expect(lines.count == 5999)
    let wrong = lines.enumerated().first { index, line in
      let dropped = index < 3210 ? index : index + 1
      return line != "7\t3210 \(filler)\t\(dropped) \(filler)\thigher-score\t\t\t9\t1"
    }
    #expect(wrong == nil)
    #expect(directory.names == ["c.tsv"])
  }

  @Test("more than a batch, more than a chunk: the limit is exact")
  func largeLimit() throws {
    var generator = SplitMix64(test: "dedupe large limit")
    let records = (1...40_000).map { index in
      TestRecord(
        UInt64(2 * index),
        "label \(index % 700)\t\t\(Int64.random(in: -900_000...900_000, using: &generator))")
    }
    let ranked = records.map { (score: RecordFields.fields($0.recordFields.span).score ?? 0, record: $0) }
      .sorted { ($1.score, $0.record.first) < ($0.score, $1.record.first) }
    var batch = RecordBatch()
    for limit in [1, 4096, 39_999, 40_000, 50_000] {
      var options = DedupeOptions()
      options.limit = UInt64(limit)
      let run = try DedupeRun(records, options, through: &batch)
      let strongest = ranked.prefix(limit).map(\.record).sorted { $0.first < $1.first }
      let isRight = run.records == strongest
      #expect(isRight, "limit \(limit)")
      #expect(run.records.count == min(limit, 40_000))
      #expect(run.meter.bytesSpilled.value > 40_000 * 16)
    }
  }

  @Test("after 64 rounds the remaining records are left out, even if they would fit")
  func rounds() throws {
    // Each score has a single number and a range as wide as the remaining capacity before the single number: one round
    // per score.
    var records: [TestRecord] = []
    var first: UInt64 = 1
    for round in 0..<UInt64(70) {
      let score = 1000 - Int64(round)
      records.append(TestRecord(first, "one\t\t\(score)"))
      records.append(TestRecord(first + 2, to: first + 2 + 199 - round, "wide\t\t\(score)"))
      first += 300
    }
    var options = DedupeOptions()
    options.limit = 200
    var batch = RecordBatch()
    let run = try DedupeRun(records, options, through: &batch)
    #expect(run.records.count == 64)
    #expect(run.records.allSatisfy { $0.first == $0.last })
    #expect(run.meter.leftOut.value == 76)
  }

  @Test(
    "a disk error at any call is reported, and no file is left",
    arguments: [FailingCalls.Call.open, .write, .read])
  func failing(call: FailingCalls.Call) throws {
    var failed = 0
    for number in 1...60 {
      let directory = try TemporaryDirectory()
      let calls = FailingCalls(call, at: number, .fails(.ioError))
      var options = DedupeOptions(keep: .last, conflictsPath: directory / "c")
      options.temporaryDirectory = directory.path
      options.limit = 3
      let failure = stageError { () throws(Failure) in
        var batch = RecordBatch()
        let records = (0..<3000).map { TestRecord(7 + UInt64($0 / 2999), String(repeating: "x", count: 400)) }
        _ = try DedupeRun(records, options, through: &batch, calls: calls)
      }
      guard let failure else { break }
      failed += 1
      let cause = failure.systemError
      #expect(failure.stage == .dedupe && cause?.code == .ioError)
      #expect(calls.openFiles == 0)
      #expect(directory.names.isEmpty)
    }
    #expect(failed > 0)
  }
}
