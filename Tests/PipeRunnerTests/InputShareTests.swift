// The share of the input that was read, as far as its size is known.

import InputStages
import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@testable import Runner

/// A stage that notes which total of its input is known when the first bytes arrive.
private struct TotalPlan: StagePlan {
  let total = TotalAtFirstBytes()

  var name: StageName { .parse }
  var input: DataKind { .bytes }
  var output: DataKind { .nothing }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .bytes(TotalSink(environment.context.meter, total))
  }
}

private final class TotalAtFirstBytes: Sendable {
  let counter = Counter()
}

private final class TotalSink: ByteSink {
  private let meter: StageMeter
  private let total: TotalAtFirstBytes
  private var isFirst = true

  init(_ meter: StageMeter, _ total: TotalAtFirstBytes) {
    self.meter = meter
    self.total = total
  }

  func receive(_ chunk: inout ByteChunk) {
    if isFirst { total.counter.add(Int(meter.bytesExpected.value)) }
    isFirst = false
  }

  func nextInput(name: String) {}

  func finish() {}
}

@Suite("InputShare")
struct InputShareTests {
  @Test("the sizes of all inputs are added; with an input of unknown size the total is unknown")
  func share() {
    let share = InputShare()
    #expect(share.value == nil)
    let (one, other) = (StageMeter(.parse), StageMeter(.sort))
    share.add(one)
    share.add(other)
    #expect(share.value == nil)
    one.bytesExpected.add(300)
    one.bytesIn.add(100)
    #expect(share.value == 1.0 / 3)
    other.bytesExpected.add(100)
    #expect(share.value == 0.25)
    other.bytesIn.add(100)
    #expect(share.value == 0.5)
    // The file grew, or its size is unknown.
    other.bytesIn.add(1)
    #expect(share.value == nil)
  }

  @Test("the total of several files is known before the first one is read; it is unknown with another input")
  func total() throws {
    let directory = try TemporaryDirectory()
    let paths = ["one", "two", "three"].map { directory.path + "/" + $0 }
    for path in paths { try FileTree.write(path, Array(path.utf8)) }
    func total(_ paths: [String]) throws -> UInt64 {
      let plan = TotalPlan()
      let source = Pipeline.Source(input: .files(paths), stages: [plan])
      let run = try PipelineRun(Pipeline(sources: [source], stages: []), rejects: try RejectLog())
      try run.execute()
      return plan.total.counter.value
    }
    #expect(try total(paths) == UInt64(paths.reduce(0) { $0 + $1.utf8.count }))
    #expect(try total(paths + ["/dev/null"]) == 0)
  }
}
