// Many sources: each is built when its turn comes and released when it has ended, and those that fail are found in one
// run.

import InputStages
import NumberPlan
import RecordStages
import Records
import Synchronization
import SystemIO
import TestSupport
import Testing

@testable import Runner

@Suite("Many sources")
struct ManySourcesTests {
  /// Counts the sources whose stages exist.
  private final class Living: Sendable {
    let count = Mutex(0)
    let peak = Mutex(0)

    func add(_ amount: Int) {
      let now = count.withLock { count in
        count += amount
        return count
      }
      peak.withLock { $0 = max($0, now) }
    }
  }

  /// Forwards raw rows for as long as it lives.
  private final class CountedSink: RawRowSink {
    private let living: Living
    private let downstream: any RawRowSink

    init(_ living: Living, _ downstream: any RawRowSink) {
      self.living = living
      self.downstream = downstream
      living.add(1)
    }

    deinit { living.add(-1) }

    func receive(_ batch: inout RawRowBatch) throws(Failure) { try downstream.receive(&batch) }

    func finish() throws(Failure) { try downstream.finish() }
  }

  private struct CountedPlan: StagePlan {
    let living: Living
    var name: StageName { StageName(rawValue: "counted") }
    var input: DataKind { .rawRows }
    var output: DataKind { .rawRows }

    func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
      .rawRows(CountedSink(living, downstream.rawRowSink))
    }
  }

  private static func pipeline(
    _ directory: TemporaryDirectory, _ texts: [String], threads: Int, _ living: Living = Living()
  ) throws -> Pipeline {
    var sources: [Pipeline.Source] = []
    for (index, text) in texts.enumerated() {
      try directory.write("\(index).json", Array(text.utf8))
      sources.append(
        Pipeline.Source(
          name: "\(index)", input: .files([directory / "\(index).json"]),
          stages: [
            ParsePlan(ParseOptions()), CountedPlan(living: living),
            NormalizeOptions(region: Region("CN")),
          ]))
    }
    return Pipeline(
      sources: sources,
      stages: [
        SortOptions(memory: SortOptions.memoryMin), DedupeOptions(),
        EmitPlan([EmitOptions(format: .tsv, output: directory / "out.tsv")]),
      ], threads: threads)
  }

  private static func list(_ index: Int) -> String { "[{\"1380013\(1000 + index)\": \"a\"}]\n" }

  @Test("each thread has the stages of at most one source", arguments: [1, 2])
  func oneAtATime(threads: Int) throws {
    let directory = try TemporaryDirectory()
    let living = Living()
    let pipeline = try Self.pipeline(directory, (0..<60).map(Self.list), threads: threads, living)
    let outcome = try execute(pipeline)
    #expect(outcome.failure == nil)
    #expect(outcome.accounts.rowsIn == 60 && outcome.accounts.recordsOut == 60 && outcome.accounts.isBalanced)
    #expect((1...threads).contains(living.peak.withLock { $0 }))
    #expect(living.count.withLock { $0 } == 0)
  }

  @Test("one run finds all sources that fail, and leaves nothing", arguments: [1, 2])
  func failing(threads: Int) throws {
    let directory = try TemporaryDirectory()
    let bad = [
      "<html><body>gone", "[{\"12\": \"too short\"}]", "SQLite format 3\u{0}",
      "\u{1F}\u{8B}\u{8}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{3}truncated",
    ]
    let texts = (0..<40).map { $0 % 4 == 2 ? Self.list($0) : bad[$0 / 4 % bad.count] }
    let pipeline = try Self.pipeline(directory, texts, threads: threads)
    let names = directory.names
    var failed: [Int] = []
    do {
      let run = try PipelineRun(pipeline, rejects: try RejectLog())
      let isComplete = try run.execute { failure in
        failed.append(failure.sourceIndex ?? -1)
        return true
      }
      #expect(!isComplete)
    }
    #expect(failed == (0..<40).filter { $0 % 4 != 2 })
    #expect(directory.names == names)

    var rest = pipeline
    rest.sources = pipeline.sources.enumerated().filter { $0.offset % 4 == 2 }.map(\.element)
    let outcome = try execute(rest)
    #expect(outcome.failure == nil)
    #expect(outcome.accounts.recordsOut == 10)
  }

  @Test("a source that is needed ends the run at once", arguments: [1, 2])
  func needed(threads: Int) throws {
    let directory = try TemporaryDirectory()
    let pipeline = try Self.pipeline(
      directory, [Self.list(0), "<html>", Self.list(1), "<html>"], threads: threads)
    let names = directory.names
    var asked = 0
    let failure = stageError { () throws(Failure) in
      let run = try PipelineRun(pipeline, rejects: try RejectLog())
      try run.execute { _ in
        asked += 1
        return false
      }
    }
    #expect(asked == 1 && failure?.sourceIndex == 1)
    #expect(directory.names == names)
  }
}
