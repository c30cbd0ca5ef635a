// Dedupe's rules one by one: which record wins, the required order, the limits.

import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Dedupe rules")
struct DedupeRuleTests {
  static func lines(_ records: [TestRecord], keep: DedupeOptions.Keep = .first) throws(Failure)
    -> [String]
  {
    var batch = RecordBatch()
    return try DedupeRun(records, DedupeOptions(keep: keep), through: &batch).records.map(\.description)
  }

  @Test("of the records for one number, the first or the last is kept")
  func policy() throws {
    let records = [TestRecord(5, "a"), TestRecord(5, "b"), TestRecord(5, "c"), TestRecord(6, "d")]
    #expect(try Self.lines(records) == ["5\ta", "6\td"])
    #expect(try Self.lines(records, keep: .last) == ["5\tc", "6\td"])
  }

  @Test("a number wins over a range, a short range over a long one", arguments: DedupeOptions.Keep.allCases)
  func specific(keep: DedupeOptions.Keep) throws {
    #expect(
      try Self.lines(
        [TestRecord(1, to: 10, "wide"), TestRecord(3, to: 6, "narrow"), TestRecord(5, "one")], keep: keep)
        == ["1..2\twide", "3..4\tnarrow", "5\tone", "6\tnarrow", "7..10\twide"])
  }

  @Test("a range is not cut by a record that loses")
  func notCut() throws {
    #expect(
      try Self.lines([TestRecord(1, to: 10, "a"), TestRecord(3, to: 20, "b"), TestRecord(4, to: 10, "c")])
        == ["1..3\ta", "4..10\tc", "11..20\tb"])
    #expect(
      try Self.lines([TestRecord(1, to: 10, "a"), TestRecord(3, to: 20, "b")]) == ["1..10\ta", "11..20\tb"])
  }

  @Test("adjacent records with one label stay two records")
  func neighbours() throws {
    #expect(
      try Self.lines([TestRecord(1, to: 2, "a"), TestRecord(3, to: 4, "a")]) == ["1..2\ta", "3..4\ta"])
  }

  @Test("the smallest and the largest number")
  func extremes() throws {
    #expect(
      try Self.lines([
        TestRecord(1, to: PhoneNumber.max, "all"), TestRecord(1, "a"), TestRecord(PhoneNumber.max, "z"),
      ])
        == ["1\ta", "2..999999999999998\tall", "999999999999999\tz"])
  }

  @Test("no records, no batch")
  func empty() throws {
    let stage = try StageFixture(.dedupe)
    let sink = CollectingRecords()
    try feed(
      [TestRecord](), to: try Deduper(options: DedupeOptions(), context: stage.context, downstream: sink))
    #expect(sink.rules.batches == 0 && sink.rules.isFinished)
  }

  @Test(
    "a record below the previous one ends the run, and is named",
    arguments: [Cut.whole, .every(1), .every(2), .every(3)])
  func notSorted(cut: Cut) throws {
    for tail in [TestRecord(6, "x"), TestRecord(6, to: 9, "x")] {
      for middle in [TestRecord(7, "m"), TestRecord(7, to: 30, "m")] {
        let records = [TestRecord(3, "a"), TestRecord(3, "b"), middle, tail, TestRecord(50, "z")]
        let failure = stageError { () throws(Failure) in
          let stage = try StageFixture(.dedupe)
          let deduper = try Deduper(
            options: DedupeOptions(), context: stage.context, downstream: CollectingRecords())
          try feed(records, cut: cut, to: deduper)
        }
        #expect(failure?.stage == .dedupe)
        #expect(failure?.code == "not-sorted")
        #expect(failure?.message.message == "row 4: 6 comes after 7: input is not sorted", "\(records)")
        #expect(failure?.errorClass == .badData)
      }
    }
  }

  @Test("an error of the next stage is rethrown")
  func downstream() throws {
    let failure = stageError { () throws(Failure) in
      let stage = try StageFixture(.dedupe)
      let sink = CollectingRecords(CollectorOptions(failsAfter: 2))
      let records = (1...50).map { TestRecord(UInt64($0), "a") }
      try feed(
        records, cut: .every(5),
        to: try Deduper(options: DedupeOptions(), context: stage.context, downstream: sink))
    }
    #expect(failure?.code == CollectorError.asConfigured(batches: 2).code)
  }

  /// Feeds `count` copies of a record after others, and returns the output.
  static func copies(
    _ count: Int, of record: TestRecord, after others: [TestRecord], keep: DedupeOptions.Keep
  ) throws(Failure) -> ([TestRecord], duplicates: UInt64) {
    let stage = try StageFixture(.dedupe)
    let sink = CollectingRecords()
    let deduper = try Deduper(options: DedupeOptions(keep: keep), context: stage.context, downstream: sink)
    var batch = RecordBatch()
    for other in others {
      _ = batch.append(first: other.first, last: other.last, recordFields: other.recordFields.span)
    }
    var left = count
    while left > 0 {
      let index = batch.fieldsTable.intern(record.recordFields.span) ?? 0
      while left > 0, !batch.isFull {
        batch.append(first: record.first, last: record.last, fieldsIndex: index)
        left -= 1
      }
      try deduper.receive(&batch)
      batch.removeAll()
    }
    try deduper.finish()
    return (sink.records, stage.meter.duplicates.value)
  }

  /// More than the sweep may hold at the same time.
  static let many = 70_000

  @Test("copies of a number within a range use no memory", arguments: DedupeOptions.Keep.allCases)
  func copiesWithinRange(keep: DedupeOptions.Keep) throws {
    let (records, duplicates) = try Self.copies(
      Self.many, of: TestRecord(5, "one"), after: [TestRecord(1, to: 10, "range")], keep: keep)
    #expect(records.map(\.description) == ["1..4\trange", "5\tone", "6..10\trange"])
    #expect(duplicates == UInt64(Self.many - 1))
  }

  @Test("copies of a range use no memory", arguments: DedupeOptions.Keep.allCases)
  func copiesOfRange(keep: DedupeOptions.Keep) throws {
    let (records, duplicates) = try Self.copies(
      Self.many, of: TestRecord(5, to: 9, "range"), after: [], keep: keep)
    #expect(records.map(\.description) == ["5..9\trange"])
    #expect(duplicates == UInt64(Self.many - 1))
  }

  @Test("copies of a range after a narrower one use no memory", arguments: DedupeOptions.Keep.allCases)
  func copiesAfterNarrower(keep: DedupeOptions.Keep) throws {
    let (records, duplicates) = try Self.copies(
      Self.many, of: TestRecord(5, to: 90, "wide"), after: [TestRecord(1, to: 10, "narrow")], keep: keep)
    #expect(records.map(\.description) == ["1..10\tnarrow", "11..90\twide"])
    #expect(duplicates == UInt64(Self.many - 1))
  }

  @Test("tens of thousands of staggered ranges are refused with an error, before memory runs out")
  func tooManyOverlaps() throws {
    let failure = stageError { () throws(Failure) in
      let stage = try StageFixture(.dedupe)
      let deduper = try Deduper(
        options: DedupeOptions(), context: stage.context, downstream: CollectingRecords())
      var batch = RecordBatch()
      let none: [UInt8] = []
      for index in 0..<UInt64(Self.many) {
        if batch.isFull {
          try deduper.receive(&batch)
          batch.removeAll()
        }
        // Each is a little wider than the previous one, so that none can be dropped.
        _ = batch.append(first: 1 + index, last: 1_000_000 + 2 * index, recordFields: none.span)
      }
      try deduper.receive(&batch)
    }
    #expect(failure?.code == "too-many-overlaps")
    #expect(failure?.message.message.hasPrefix("more than 65,536 ranges overlap at ") == true)
    #expect(failure?.errorClass == .badData)
  }

  @Test("wide ranges that ended under a narrow one are released soon")
  func endedUnderNarrow() throws {
    // At each number two narrow ranges and four wide ones: never more than that, however long the list is.
    var records: [TestRecord] = []
    for index in 1...UInt64(Self.many) {
      records.append(TestRecord(index, to: index + 3, "wide"))
      records.append(TestRecord(index, to: index + 1, "narrow"))
    }
    var batch = RecordBatch()
    let run = try DedupeRun(records, DedupeOptions(), through: &batch)
    let narrow = run.records.count { $0.recordFields == Array("narrow".utf8) }
    #expect(narrow >= Self.many / 2)
    #expect(run.records.last?.last == UInt64(Self.many) + 3)
  }

  @Test(
    "most-frequent: a range after a shorter one can't be counted, which is an error", arguments: [1, 2, 3])
  func widerRangeAfter(size: Int) throws {
    let records = [
      TestRecord(3, "a"), TestRecord(5, to: 9, "a"), TestRecord(5, "b"), TestRecord(5, to: 9, "c"),
    ]
    let failure = stageError { () throws(Failure) in
      var batch = RecordBatch()
      _ = try DedupeRun(records, DedupeOptions(keep: .mostFrequent), cut: .every(size), through: &batch)
    }
    #expect(failure?.code == "wider-range-after")
    #expect(
      failure?.message.message.hasPrefix("row 4: a range that starts at 5 comes after a shorter one") == true)
    #expect(try Self.lines(records) == ["3\ta", "5\tb", "6..9\ta"])
  }

  @Test("most-frequent: more different labels than can be counted are an error that names the number")
  func tooManyLabels() throws {
    let label = String(repeating: "x", count: 1000)
    let failure = stageError { () throws(Failure) in
      var batch = RecordBatch()
      let records = (0..<6000).map { TestRecord(7, "\($0)\(label)") }
      _ = try DedupeRun(records, DedupeOptions(keep: .mostFrequent), through: &batch)
    }
    #expect(failure?.code == "labels-too-large")
    #expect(
      failure?.message.message == "the distinct labels of 7 exceed \(Figures.bytes(8 << 20)) in total")
  }

  @Test("priority: a source without records is reported once; an empty list reports nothing")
  func missingSources() throws {
    var options = DedupeOptions(keep: .priority)
    options.priority = ["s1", "typo", "a\tb"]
    var batch = RecordBatch()
    let records = [TestRecord(5, "a\ts2"), TestRecord(5, "b\ts1"), TestRecord(6, "c\ta\\tb"), TestRecord(7)]
    let run = try DedupeRun(records, options, cut: .every(1), through: &batch)
    #expect(run.records.map(\.description) == ["5\tb\ts1", "6\tc\ta\\tb", "7"])
    #expect(run.notices == [.sourcesWithoutRecords(["typo"])])
    #expect(try DedupeRun([], options, through: &batch).notices == [])
  }
}
