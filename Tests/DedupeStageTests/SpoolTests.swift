// Dedupe's temporary files: records that wait for the limit, and the many records of one number.

import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

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
