// The pipeline of `cdpipe stats`: what each input is recognised as, and equal counts for all forms of a list.

import InputStages
import NumberPlan
import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import Runner

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("StatsPipeline")
struct StatsPipelineTests {
  /// Counts the records of inputs.
  private func counts(
    _ inputs: [String], region: String? = nil, threads: Int = 2
  ) throws -> RecordCounts {
    let statistics = ListStatistics()
    let normalize = NormalizeOptions(region: region.flatMap { Region($0) })
    let rawStages: [any StagePlan] = [ParsePlan(ParseOptions()), normalize]
    let pipeline = try StatsPipeline.pipeline(
      inputs, statistics, rawStages: rawStages, isRaw: region != nil, threads: threads)
    try PipelineRun(pipeline, rejects: try RejectLog()).execute()
    return statistics.counts
  }

  /// Writes records as a store, as a directory of shards, and as text.
  private func write(_ records: [TestRecord], to directory: TemporaryDirectory) throws {
    var text: [UInt8] = []
    for record in records { text += Array("\(record)\n".utf8) }
    try directory.write("list.tsv", text)
    var shards = EmitOptions(format: .store, output: directory / "shards")
    shards.maxEntries = 1000
    for options in [EmitOptions(format: .store, output: directory / "list.cdstore"), shards] {
      let pipeline = Pipeline(
        sources: [Pipeline.Source(input: .files([directory / "list.tsv"]))], stages: [EmitPlan([options])])
      try PipelineRun(pipeline, rejects: try RejectLog()).execute()
    }
  }

  @Test("all forms of a list have the same counts", .seeded, arguments: 0..<6)
  func forms(round: Int) throws {
    var generator = SplitMix64(test: "stats \(round)")
    let directory = try TemporaryDirectory()
    var records: [TestRecord] = []
    var number: UInt64 = 8_613_800_000_000
    // More labels than the reader of stores remembers, in every second round.
    let labels = round % 2 == 0 ? 5 : 2000
    for _ in 0..<9000 {
      number += UInt64.random(in: 1...20_000, using: &generator)
      let last = number + (generator.chance(oneIn: 10) ? UInt64.random(in: 1...9, using: &generator) : 0)
      records.append(TestRecord(number, to: last, "label \(Int.random(in: 0..<labels, using: &generator))"))
      number = last
    }
    try write(records, to: directory)
    var oracle: [[UInt8]: RecordCounts.Count] = [:]
    for record in records {
      oracle[record.recordFields, default: RecordCounts.Count()].add(
        RecordCounts.Count(records: 1, entries: record.last - record.first + 1))
    }
    let text = try counts([directory / "list.tsv"], threads: 1 + round % 2)
    #expect(text.labels == oracle)
    #expect(text.all.records == 9000)
    #expect(text.ranges == UInt64(records.count { $0.first < $0.last }))
    #expect(try counts([directory / "list.cdstore"], threads: 1 + round % 2) == text)
    let shards = try counts([directory / "shards"], threads: 1 + round % 2)
    #expect(try counts([directory / "shards/manifest.json"]) == shards)
    // A range may end up in two shards.
    #expect(shards.all.records >= 9000 && shards.all.records < 9020)
    #expect(shards.labels.mapValues(\.entries) == oracle.mapValues(\.entries))
    let both = try counts([directory / "list.cdstore", directory / "list.tsv", directory / "list.tsv"])
    #expect(both.all == Self.multiplied(text.all, by: 3))
    #expect(both.labels == oracle.mapValues { Self.multiplied($0, by: 3) })
    #expect(both.countries == text.countries.mapValues { Self.multiplied($0, by: 3) })
  }

  private static func multiplied(_ count: RecordCounts.Count, by factor: UInt64) -> RecordCounts.Count {
    RecordCounts.Count(records: count.records * factor, entries: count.entries * factor)
  }

  @Test("raw rows are parsed and normalized")
  func rawRows() throws {
    let directory = try TemporaryDirectory()
    try directory.write("rows.csv", Array("number,label\n13800138000,a\n0755-12345678,b\n".utf8))
    let counts = try counts([directory / "rows.csv"], region: "CN")
    #expect(counts.labels.keys.sorted { $0[0] < $1[0] } == [[0x61], [0x62]])
    #expect(counts.prefixes.keys.sorted() == [86138, 86755])
    #expect(counts.types.keys.sorted { $0.rawValue < $1.rawValue } == [.fixedLine, .mobile])
    // Records, unless a region states that they are not.
    try directory.write("numbers.txt", Array("13800138000\n".utf8))
    #expect(try self.counts([directory / "numbers.txt"]).prefixes.keys.sorted() == [1380])
    #expect(try self.counts([directory / "numbers.txt"], region: "CN").prefixes.keys.sorted() == [86138])
  }

  @Test(
    "text is recognised by its first lines",
    arguments: [
      ("", .records), ("8613800138000\n", .records), ("8613800138000", .records),
      ("1..2\tx\ts\t-1\n", .records),
      ("1\tx\nnumber,label\n", .rawRows), ("\n1\n", .rawRows), ("number\n", .rawRows), ("1,x\n", .rawRows),
      ("[{}]", .rawRows), ("1\tx\r\n", .rawRows), ("+86138\n", .rawRows), ("2..1\n", .rawRows),
    ] as [(String, ListContent)])
  func content(text: String, content: ListContent) {
    #expect(ListContent(head: Array(text.utf8), isWhole: true) == content)
    // A last line without a line feed may go on, unless it is the first one.
    guard text.hasSuffix("\n") else { return }
    #expect(ListContent(head: Array((text + "x").utf8), isWhole: false) == content)
  }

  @Test("a first line that is longer than any record is not a record")
  func longLine() {
    let head = [UInt8](repeating: 0x31, count: ListContent.headBytes)
    #expect(ListContent(head: head, isWhole: false) == .rawRows)
  }

  @Test("a named pipe is read once, from its first byte on")
  func pipe() throws {
    let directory = try TemporaryDirectory()
    let lines = (0..<30_000).map { "\(8_613_800_000_000 + $0)\tlabel\n" }.joined()
    let path = directory / "pipe"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let writer = try WorkerThread(name: "writer") { try? PlainFile.write(path, Array(lines.utf8)) }
    let counts = try counts([path])
    writer.join()
    #expect(counts.all.records == 30_000)
    #expect(counts.labels == [Array("label".utf8): RecordCounts.Count(records: 30_000, entries: 30_000)])
  }

  @Test("inputs that can't be read are errors of the command, and damaged stores name their file")
  func errors() throws {
    let directory = try TemporaryDirectory()
    let missing = stageError { () throws(Failure) in _ = try pipeline([directory / "none"]) }
    #expect(missing?.stage == .stats)
    let noManifest = stageError { () throws(Failure) in _ = try pipeline([directory.path]) }
    #expect(noManifest?.stage == .stats)
    try write([TestRecord(8_613_800_138_000, "a")], to: directory)
    let bytes = try #require(directory.read("list.cdstore"))
    try directory.write("damaged.cdstore", Array(bytes.prefix(bytes.count / 2)))
    let damaged = #expect(throws: Failure.self) { try counts([directory / "damaged.cdstore"]) }
    #expect(damaged?.stage == .stats)
  }

  private func pipeline(_ inputs: [String]) throws(Failure) -> Pipeline {
    try StatsPipeline.pipeline(inputs, ListStatistics(), rawStages: [], isRaw: false, threads: 1)
  }
}
