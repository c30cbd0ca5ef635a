// Whole pipelines in process: every row accounted for, the same bytes with any number of threads, and no files left by
// a run that fails.

import InputStages
import NumberPlan
import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import Runner

@Suite("Pipelines in process")
struct AccountsTests {
  /// JSON rows: valid, broken, patterns, ranges, and duplicates.
  private static func json(_ rows: Int, _ generator: inout SplitMix64) -> [UInt8] {
    var text = "[\n"
    for _ in 0..<rows {
      let number = String(13_800_138_000 + UInt64.random(in: 0..<UInt64(rows), using: &generator))
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: text += "{\"\(number)\": \"no end\n"
      case 1: text += "{\"\(number)\" \"no colon\"},\n"
      case 2: text += "{\"12\": \"too short\"},\n"
      case 3: text += "{\"+86 \(number.dropLast(2))##\": \"pattern\"},\n"
      case 4: text += "{\"86\(number)..86\(UInt64(number)! + 20)\": \"range\"},\n"
      default: text += "{\"86\(number)\": \"\(generator.chance(oneIn: 2) ? "a" : "b")\"},\n"
      }
    }
    return Array((text + "]\n").utf8)
  }

  private static func stages(_ directory: TemporaryDirectory, _ dedupe: DedupeOptions) -> [any StagePlan] {
    [
      SortOptions(memory: SortOptions.memoryMin),
      dedupe,
      EmitPlan([
        EmitOptions(format: .tsv, output: directory / "out.tsv"),
        EmitOptions(format: .store, output: directory / "out.cdstore"),
      ]),
    ]
  }

  private static func heads() -> [any StagePlan] {
    [
      ParsePlan(ParseOptions()),
      NormalizeOptions(region: Region("CN"), numbers: .auto, require: .possible),
    ]
  }

  private static func expectNothingNew(_ directory: TemporaryDirectory, _ names: [String]) {
    #expect(directory.names == names.sorted())
  }

  @Test("rows in are rows out, duplicates and rejects", .seeded, arguments: 0..<12)
  func balance(round: Int) throws {
    var generator = SplitMix64(test: "balance \(round)")
    let directory = try TemporaryDirectory()
    let sources = Int.random(in: 1...3, using: &generator)
    for source in 0..<sources {
      let rows = RecordShape.randomCount(&generator, most: 4000)
      try directory.write("\(source).json", Self.json(rows, &generator))
    }
    try directory.write("good.json", Array("{\"8613800138000\": \"never nothing usable\"}\n".utf8))
    var dedupe = DedupeOptions(keep: DedupeOptions.Keep.allCases.randomElement(using: &generator) ?? .first)
    dedupe.priority = dedupe.keep == .priority ? ["nobody"] : []
    if generator.chance(oneIn: 2) { dedupe.limit = UInt64.random(in: 1...2000, using: &generator) }
    if generator.chance(oneIn: 3) {
      // The number of good.json remains: no rule drops it, and it needs no score.
      try directory.write("map.txt", Array("a = -\nrange = b\n".utf8))
      dedupe.labelMapPath = directory / "map.txt"
    }
    dedupe.coalesce = generator.chance(oneIn: 2)
    dedupe.conflictsPath = directory / "conflicts.tsv"
    var outputs: [[UInt8]?] = []
    for threads in [1, 2, 4] {
      let pipeline = Pipeline(
        sources: (0..<sources).map { index in
          Pipeline.Source(
            name: "\(index)", input: .files([directory / "good.json", directory / "\(index).json"]),
            stages: Self.heads())
        }, stages: Self.stages(directory, dedupe), threads: threads)
      let outcome = try execute(pipeline, policy: RejectPolicy(path: directory / "rejects.tsv"))
      let failure = outcome.failure.map { "\($0)" }
      #expect(failure == nil)
      #expect(outcome.accounts.isBalanced, "\(outcome.accounts)")
      #expect(outcome.accounts.rejects == outcome.rejects)
      #expect(outcome.accounts.rowsIn >= UInt64(sources))
      let text = directory.read("out.tsv")
      let files = ["out.cdstore", "rejects.tsv", "conflicts.tsv"].map { directory.read($0) }
      if outputs.isEmpty { outputs = [text] + files }
      #expect(text.map { UInt64($0.count { $0 == UInt8(ascii: "\n") }) } == outcome.accounts.recordsOut)
      #expect([text] + files == outputs, "\(threads) threads")
    }
  }

  @Test("a missing source ends the run, and nothing is published", arguments: [1, 2])
  func missingSource(threads: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write("a.json", Array("{\"8613800138000\": \"a\"}\n".utf8))
    let pipeline = Pipeline(
      sources: ["a.json", "b.json"].map {
        Pipeline.Source(name: $0, input: .files([directory / $0]), stages: Self.heads())
      }, stages: Self.stages(directory, DedupeOptions()), threads: threads)
    let outcome = try execute(pipeline)
    #expect(outcome.failure?.errorClass == .noInput)
    Self.expectNothingNew(directory, ["a.json"])
  }

  @Test("a disk that fails at any write ends the run, and nothing is published", arguments: [1, 2])
  func failingDisk(threads: Int) throws {
    let directory = try TemporaryDirectory()
    var generator = SplitMix64(seed: 7)
    try directory.write("a.json", Self.json(3000, &generator))
    let pipeline = Pipeline(
      sources: [Pipeline.Source(input: .files([directory / "a.json"]), stages: Self.heads())],
      stages: Self.stages(directory, DedupeOptions()), threads: threads)
    var failed = 0
    for number in 1...200 {
      let calls = FailingCalls(.write, at: number, .fails(.noSpace))
      let outcome = try execute(pipeline, calls: calls)
      guard let failure = outcome.failure else { break }
      failed += 1
      #expect(failure.errorClass == .inputOutput)
      #expect(calls.openFiles == 0, "files are open after write \(number) failed")
      Self.expectNothingNew(directory, ["a.json"])
    }
    #expect(failed > 0)
    Self.expectNothingNew(directory, ["a.json", "out.cdstore", "out.tsv"])
  }

  @Test("too many rejects publish nothing", arguments: [RejectPolicy.Limit.count(1), .percent(10)])
  func tooManyRejects(limit: RejectPolicy.Limit) throws {
    let directory = try TemporaryDirectory()
    let rows = "{\"8613800138000\": \"a\"}\n{\"12\": \"b\"}\n{\"13\": \"c\"}\n"
    try directory.write("a.json", Array(rows.utf8))
    let pipeline = Pipeline(
      sources: [Pipeline.Source(input: .files([directory / "a.json"]), stages: Self.heads())],
      stages: Self.stages(directory, DedupeOptions()), threads: 2)
    let outcome = try execute(pipeline, policy: RejectPolicy(limit: limit))
    #expect(outcome.failure?.code == "reject-limit")
    #expect(outcome.failure?.errorClass == .badData)
    Self.expectNothingNew(directory, ["a.json"])
  }

  @Test("stages in the wrong order are refused before anything is opened")
  func mismatch() throws {
    let directory = try TemporaryDirectory()
    let pipeline = Pipeline(
      sources: [
        Pipeline.Source(
          input: .files([directory / "a.json"]), stages: [ParsePlan(ParseOptions())])
      ],
      stages: Self.stages(directory, DedupeOptions()), threads: 2)
    let outcome = try execute(pipeline)
    #expect(outcome.failure?.errorClass == .usage)
    Self.expectNothingNew(directory, [])
  }
}
