// Samples and plans: their limits, evenness, and text.

import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Samples and plans", .seeded)
struct SampleTests {
  private static func sample(_ records: [TestRecord], _ limits: ListSample.Limits = .standard) throws
    -> ListSample
  {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", lines(records))
    return try ListSample(of: directory / "list.tsv", limits)
  }

  /// The ranges in the text of a sample.
  private static func covered(_ sample: ListSample) throws -> [TestRecord] {
    let ranges = sample.text.split(separator: "\n").filter { $0.contains("..") }
    return try records(Array(ranges.joined(separator: "\n").utf8))
  }

  @Test("the text of a small sample")
  func text() throws {
    let sample = try Self.sample([
      TestRecord(5), TestRecord(10, to: 19), TestRecord(12, to: 14), TestRecord(19, to: 22),
      TestRecord(23, to: 29), TestRecord(40), TestRecord(40),
    ])
    #expect(
      sample.text == """
        cdpipe-sample 1
        records\t7
        bytes\t36
        numbers\t7
        covered\t2
        5\t1
        10\t1
        12\t1
        19\t1
        23\t1
        40\t1
        40\t1
        10..22
        23..29

        """)
  }

  @Test("a sample is small, and stands for all records", arguments: [1, 1023, 1024, 1025, 5000, 100_000])
  func size(count: Int) throws {
    let sample = try Self.sample((0..<count).map { TestRecord(8_613_800_000_000 + 3 * UInt64($0)) })
    #expect(sample.records == UInt64(count))
    let marks = sample.text.split(separator: "\n").dropFirst(5).map { $0.split(separator: "\t") }
    #expect(marks.count <= 1024 && marks.count >= min(count, 512))
    #expect(marks.first?[0] == "8613800000000")
    let sum = marks.reduce(0) { $0 + (UInt64($1[1]) ?? 0) }
    #expect(sum == UInt64(count))
  }

  @Test("parts are even by records", arguments: [2, 7, 64])
  func evenness(parts: Int) throws {
    let records = (UInt64(0)..<200_000).map { index in
      TestRecord(1_000_000 + 1000 * index + index * index % 977)
    }
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", lines(records))
    let cuts = try CutPlan(list: directory / "list.tsv", parts: parts).cuts(parts: parts)
    let outcome = try ListSplitter(cuts: cuts).split(directory / "list.tsv")
    #expect(outcome.parts.count == parts)
    let share = Double(records.count) / Double(parts)
    for part in outcome.parts {
      #expect(abs(Double(part.records ?? 0) - share) < share / 16, "\(part)")
    }
  }

  @Test("many ranges are merged, and every range stays covered", arguments: 0..<20)
  func manyRanges(round: Int) throws {
    var generator = SplitMix64(test: "many ranges \(round)")
    var next: UInt64 = 1000
    let records = (0..<3000).map { _ in
      let first = next + UInt64.random(in: 1...(round % 2 == 0 ? 3 : 300), using: &generator)
      next = first + UInt64.random(in: 0...9, using: &generator)
      return TestRecord(first, to: next)
    }
    let limit = [2, 3, 16, 33, 512][round % 5]
    let covered = try Self.covered(try Self.sample(records, ListSample.Limits(numbers: 64, covered: limit)))
    #expect(covered.count <= limit && covered.count > limit / 3)
    for (one, other) in zip(covered, covered.dropFirst()) { #expect(one.last < other.first) }
    for record in records where record.last > record.first {
      let isCovered = covered.contains { $0.first <= record.first && record.last <= $0.last }
      #expect(isCovered, "\(record)")
    }
    // The gaps that stay are spread over the list.
    let widest = covered.map { $0.last - $0.first }.max() ?? 0
    #expect(limit < 16 || widest < (next - 1000) / UInt64(limit / 6))
  }

  @Test("the roundest gap stays")
  func roundGap() throws {
    // Blocks of 100 numbers; the only number where two kept ranges may meet is 20000.
    let records = (150..<250).map { TestRecord(UInt64($0) * 100, to: UInt64($0) * 100 + 99) }
    let covered = try Self.covered(try Self.sample(records, ListSample.Limits(numbers: 64, covered: 2)))
    #expect(covered == [TestRecord(15_000, to: 19_999), TestRecord(20_000, to: 24_999)])
  }

  @Test("ranges that overlap everywhere leave no cut")
  func coveredEverywhere() throws {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", lines((1..<100).map { TestRecord($0 * 10, to: $0 * 10 + 10) }))
    #expect(try CutPlan(list: directory / "list.tsv", parts: 8).cuts(parts: 8).isEmpty)
    try directory.write("empty.tsv", [])
    #expect(try CutPlan(list: directory / "empty.tsv", parts: 8).cuts(parts: 8).isEmpty)
  }

  @Test("every shorter text of a sample, and one with a changed count, is an error")
  func damaged() throws {
    let text = Array(try Self.sample([TestRecord(5), TestRecord(10, to: 19), TestRecord(30)]).text.utf8)
    let directory = try TemporaryDirectory()
    func error(_ bytes: [UInt8]) throws -> String? {
      try directory.write("sample", bytes)
      let failure = stageError { () throws(Failure) in
        _ = try CutPlan(samples: [directory / "sample"])
      }
      return failure?.code
    }
    #expect(try error(text) == nil)
    #expect(try error(text + text) == nil)
    for count in text.indices { #expect(try error(Array(text[..<count])) != nil, "\(count) bytes") }
    let changes = [
      ("records\t3", "records\t4"), ("numbers\t3", "numbers\t2"), ("covered\t1", "covered\t0"),
      ("10..19", "19..19"), ("5\t1", "50\t1"), ("5\t1", "5\t9"), ("30\t1\n", "30\t1 \n"),
    ]
    for (old, new) in changes {
      let changed = String(decoding: text, as: UTF8.self).replacing(old, with: new)
      #expect(try error(Array(changed.utf8)) != nil, "\(new)")
    }
    #expect(try error(Array("cdpipe-sample 2\n".utf8)) == "unknown-sample-version")
    #expect(try error(Array("12\tlabel\n".utf8)) == "not-a-sample")
  }
}
