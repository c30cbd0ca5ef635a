// Pipelines in process that fail: all threads end, and no files are left. AccountsTests has the runs that succeed.

import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Pipelines in process")
struct PipelineRunTests {
  static func pipeline(_ inputs: [String], output: String, threads: Int, strict: Bool = false) -> Pipeline {
    var parse = ParseOptions()
    parse.format = .json
    parse.isStrict = strict
    return Pipeline(
      sources: inputs.map { input in
        Pipeline.Source(
          name: input, input: .files([input]),
          stages: [ParsePlan(parse), NormalizeOptions(region: Region("CN"))])
      },
      stages: [
        SortOptions(memory: SortOptions.memoryMin), DedupeOptions(),
        EmitPlan([EmitOptions(format: .tsv, output: output)]),
      ], threads: threads)
  }

  @Test("a run has a day if rows have a maximum age, so that the next night is not skipped")
  func day() {
    var parse = ParseOptions()
    parse.dateField = .name("when")
    func days(_ options: ParseOptions...) -> [String] {
      Pipeline(
        sources: options.map { Pipeline.Source(name: "a", input: .nothing, stages: [ParsePlan($0)]) },
        stages: []
      ).agesFrom.map(\.text)
    }
    #expect(days(parse) == [])
    parse.dates.maxAge = 90
    var chosen = parse
    chosen.dates.now = CalendarDay(year: 2026, month: 11, day: 1)
    #expect(days(chosen, parse) == ["2026-11-01", CalendarDay.ofRun.text])
  }

  /// A list with valid, duplicate, broken and invalid rows, and patterns.
  static func list(rows: Int, _ generator: inout SplitMix64) -> String {
    var text = "[\n"
    for row in 0..<rows {
      switch generator.next() % 12 {
      case 0: text += "{\"broken\(row)\n"
      case 1: text += "{\"12\": \"too short\"},\n"
      case 2: text += "{\"+33162\(generator.next() % 10)#####\": \"range \(generator.next() % 3)\"},\n"
      default: text += "{\"1380013\(1000 + generator.next() % 9000)\": \"label \(generator.next() % 5)\"},\n"
      }
    }
    return text + "]\n"
  }

  @Test(
    "a failure anywhere ends all threads and leaves nothing", .timeLimit(.minutes(10)), arguments: [1, 2],
    1...6)
  func failures(threads: Int, write: Int) throws {
    var generator = SplitMix64(test: "failures")
    let directory = try TemporaryDirectory()
    try directory.write("in.json", Array(Self.list(rows: 60_000, &generator).utf8))
    let calls = FailingCalls(.write, at: write, .fails(.noSpace))
    let failure = stageError { () throws(Failure) in
      let run = try PipelineRun(
        Self.pipeline([directory / "in.json"], output: directory / "out.tsv", threads: threads),
        rejects: try RejectLog(), calls: calls)
      try run.execute()
    }
    if calls.count(of: .write) >= write { #expect(failure?.systemError != nil) }
    if failure != nil { #expect(directory.names == ["in.json"]) }
    #expect(calls.openFiles == 0)
  }

  @Test("the stage that stops a run is named, whatever thread it ran in", arguments: [1, 2])
  func strict(threads: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write("in.json", Array("[{\"8613800138000\": \"a\"},]".utf8))
    let failure = stageError { () throws(Failure) in
      let run = try PipelineRun(
        Self.pipeline([directory / "in.json"], output: directory / "out.tsv", threads: threads, strict: true),
        rejects: try RejectLog())
      try run.execute()
    }
    #expect(failure?.stage == .parse)
    #expect(failure?.code == "not-json")
    #expect(directory.names == ["in.json"])
  }

  @Test("stages that don't fit together are refused")
  func mismatch() throws {
    let directory = try TemporaryDirectory()
    try directory.write("in.json", Array("[]".utf8))
    let failure = stageError { () throws(Failure) in
      let pipeline = Pipeline(
        sources: [Pipeline.Source(input: .files([directory / "in.json"]))],
        stages: [ParsePlan(ParseOptions()), SortOptions()], output: directory / "out")
      _ = try PipelineRun(pipeline, rejects: try RejectLog())
    }
    #expect(failure?.stage == .sort)
    #expect(failure?.code == "mismatch")
    #expect(directory.names == ["in.json"])
  }

  @Test("a file that ends before its size fails the run, and nothing is put in place", arguments: [1, 2])
  func shrinking(threads: Int) throws {
    let directory = try TemporaryDirectory()
    let row = "{\"13800138000\": \"a\"},\n"
    let text = "[\n" + String(repeating: row, count: 2 * ByteChunk.defaultBytes / row.utf8.count) + "]\n"
    try directory.write("in.json", Array(text.utf8))
    // As if the file were truncated after the first read.
    let calls = FailingCalls(.read, at: 2, .endsFile)
    let failure = stageError { () throws(Failure) in
      let run = try PipelineRun(
        Self.pipeline([directory / "in.json"], output: directory / "out.tsv", threads: threads),
        rejects: try RejectLog(), calls: calls)
      try run.execute()
    }
    #expect(failure?.code == "input-shrank")
    #expect(
      failure?.message.message == "'\(directory / "in.json")' became shorter while it was read: "
        + "it ended after \(ByteChunk.defaultBytes) of \(text.utf8.count) bytes")
    #expect(directory.names == ["in.json"])
  }

  @Test("a manifest never lacks a source's hash because the machine failed", arguments: [1, 2])
  func hashes(threads: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write("in.json", Array("[\n{\"13800138000\": \"a\"}\n]\n".utf8))
    var failures = 0
    for call in [FailingCalls.Call.open, .read] {
      for number in 1...20 {
        let output = "\(call)-\(number)"
        var pipeline = Self.pipeline([directory / "in.json"], output: directory / output, threads: threads)
        pipeline.stages.removeLast()
        pipeline.stages.append(EmitPlan([EmitOptions(format: .store, output: directory / "\(output)/")]))
        let outcome = try execute(pipeline, calls: FailingCalls(call, at: number, .fails(.ioError)))
        if let failure = outcome.failure {
          failures += 1
          #expect(failure.errorClass == .inputOutput, "\(call) \(number): \(failure)")
        } else {
          let manifest = directory.text("\(output)/manifest.json")
          #expect(manifest?.contains("\"sha256\" : \"") == true, "\(call) \(number)")
        }
      }
    }
    #expect(failures >= 4)
  }

  @Test("nothing is put in place when everything was rejected", arguments: [1, 2])
  func nothingUsable(threads: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write("in.json", Array("none\nnot a list\nnone\n".utf8))
    let failure = stageError { () throws(Failure) in
      let run = try PipelineRun(
        Self.pipeline([directory / "in.json"], output: directory / "out.tsv", threads: threads),
        rejects: try RejectLog())
      try run.execute()
    }
    #expect(failure?.code == "nothing-usable")
    #expect(directory.names == ["in.json"])
  }

  @Test("nothing is put in place when every row of one source is rejected", arguments: [1, 2])
  func sourceUnusable(threads: Int) throws {
    let directory = try TemporaryDirectory()
    try directory.write("good.json", Array("[{\"13800138000\": \"a\"}]\n".utf8))
    try directory.write("bad.json", Array("[{\"12\": \"b\"},\n{\"hello\": \"c\"}]\n".utf8))
    var pipeline = Self.pipeline([directory / "good.json"], output: directory / "out.tsv", threads: threads)
    var second = pipeline.sources[0]
    second.input = .files([directory / "bad.json"])
    pipeline.sources.append(second)
    let failure = stageError { () throws(Failure) in
      let run = try PipelineRun(pipeline, rejects: try RejectLog())
      try run.execute()
    }
    #expect(failure?.code == "nothing-usable" && failure?.rejects?.count == 2)
    #expect(directory.names == ["bad.json", "good.json"])
  }
}
