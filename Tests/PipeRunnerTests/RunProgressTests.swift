// The progress of a run: phases, shares, current rates and estimates, from counters at given times.

import RecordStages
import Records
import Testing

@testable import Runner

@Suite("Run progress")
struct RunProgressTests {
  private static func stage(_ name: String, source: Int? = nil) -> StageCounters {
    StageCounters(
      StageName(rawValue: name), output: .records, sourceIndex: source,
      sourceName: source.map { "s\($0)" } ?? "")
  }

  @Test("a smoothed rate is that of the last seconds, not an average since the start")
  func rate() throws {
    var rate = SmoothedRate(seconds: 1)
    #expect(rate.perSecond == nil)
    rate.add(0, at: 10)
    #expect(rate.perSecond == nil)
    // The first interval counts fully: 500 in a tenth of a second.
    rate.add(500, at: 10.1)
    #expect(abs((rate.perSecond ?? 0) - 5000) < 1e-6)
    var count: UInt64 = 500
    for step in 1...100 {
      count += 100
      rate.add(count, at: 10.1 + Double(step) / 10)
    }
    #expect(abs((rate.perSecond ?? 0) - 1000) < 1)
    // It stands still.
    for step in 1...50 { rate.add(count, at: 20.1 + Double(step) / 10) }
    #expect((rate.perSecond ?? 1000) < 20)
    // The same time again, and a counter that was reset, change nothing.
    let before = rate.perSecond
    rate.add(count + 5, at: 25.1)
    rate.add(0, at: 26)
    #expect(rate.perSecond == before)
  }

  @Test("bytes of a known size have a share and an estimate; the stages after have their own rows only")
  func reading() throws {
    let (parse, normalize) = (Self.stage("parse"), Self.stage("normalize"))
    var progress = RunProgress([parse, normalize])
    #expect(progress.snapshot(at: 0).stages.isEmpty)
    parse.meter.bytesExpected.add(1000)
    for step in 1...20 {
      parse.meter.bytesIn.add(25)
      parse.meter.rowsIn.add(5)
      normalize.meter.rowsIn.add(5)
      _ = progress.snapshot(at: Double(step) / 10)
    }
    let stages = progress.snapshot(at: 2).stages
    #expect(stages.map(\.stage.rawValue) == ["parse", "normalize"])
    #expect(stages[0].share == 0.5 && stages[1].share == nil)
    #expect(stages.map(\.rows) == [100, 100] && stages[0].bytes == 500)
    #expect(stages.allSatisfy { $0.phase == .reading && abs(($0.rowsPerSecond ?? 0) - 50) < 0.01 })
    #expect(abs((stages[0].secondsLeft ?? 0) - 2) < 0.01)
    // A file that grew has no total.
    parse.meter.bytesIn.add(501)
    #expect(progress.snapshot(at: 2.1).stages[0].share == nil)
    parse.meter.finish()
    let last = progress.snapshot(at: 2.2).stages
    #expect(last.map(\.stage.rawValue) == ["normalize"])
    #expect(last[0].phase == .completing)
  }

  @Test("when sort has read everything, its total is that of the merge, and the stages after it have a share")
  func merging() throws {
    let all = ["sort", "dedupe", "subtract", "emit"].map { Self.stage($0) }
    var progress = RunProgress(all)
    all[0].meter.rowsIn.add(400)
    for step in 0...10 { _ = progress.snapshot(at: Double(step) / 10) }
    #expect(progress.snapshot(at: 1.1).stages.first?.share == nil)
    all[0].meter.rowsExpected.add(400)
    let first = progress.snapshot(at: 2).stages
    #expect(first.map(\.phase) == [.merging] && first[0].share == 0 && first[0].rowsPerSecond == nil)
    for step in 1...20 {
      all[0].meter.rowsOut.add(10)
      all[1].meter.rowsIn.add(10)
      all[2].meter.rowsIn.add(5)
      all[3].meter.rowsIn.add(2)
      _ = progress.snapshot(at: 2 + Double(step) / 10)
    }
    let stages = progress.snapshot(at: 4).stages
    #expect(stages.map(\.stage.rawValue) == ["sort", "dedupe", "subtract", "emit"])
    #expect(stages.map(\.share) == [0.5, 0.5, 0.5, 0.5])
    #expect(stages.map(\.rows) == [200, 200, 100, 40])
    #expect(stages.allSatisfy { abs(($0.secondsLeft ?? 0) - 2) < 0.01 })
    for stage in all.dropLast() { stage.meter.finish() }
    #expect(progress.snapshot(at: 5).stages.map(\.phase) == [.completing])
    all[3].meter.finish()
    #expect(progress.snapshot(at: 5).stages.isEmpty)
  }

  @Test("sources that have not begun are counted")
  func sources() {
    var all: [StageCounters] = []
    for source in 0..<3 {
      all += [Self.stage("parse", source: source), Self.stage("normalize", source: source)]
    }
    all.append(Self.stage("sort"))
    var progress = RunProgress(all)
    #expect(progress.snapshot(at: 0).sourcesWaiting == 3)
    all[0].meter.rowsIn.add(1)
    all[1].meter.rowsIn.add(1)
    all[6].meter.rowsIn.add(1)
    let snapshot = progress.snapshot(at: 1)
    #expect(snapshot.sourcesWaiting == 2)
    #expect(snapshot.stages.map(\.source) == ["s0", "s0", ""])
    // A source without rows has been read, too.
    for stage in all[0..<4] { stage.meter.finish() }
    all[4].meter.bytesIn.add(1)
    let next = progress.snapshot(at: 2)
    #expect(next.sourcesWaiting == 0)
    #expect(next.stages.map(\.source) == ["s2", ""])
  }
}
