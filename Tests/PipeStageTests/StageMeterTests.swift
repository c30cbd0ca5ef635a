// Counters that one thread adds to and others read.

import Records
import SystemIO
import Testing

@Suite("StageMeter")
struct StageMeterTests {
  @Test("what is added is read, from any thread")
  func counts() throws {
    let meter = StageMeter(.sort)
    let threads = try (0..<2).map { _ in
      try WorkerThread(name: "test") {
        for _ in 0..<1000 { meter.rowsIn.add(3) }
      }
    }
    for thread in threads { thread.join() }
    #expect(meter.rowsIn.value == 6000 && meter.rowsOut.value == 0)
    #expect(!meter.isFinished)
    meter.finish()
    #expect(meter.isFinished && meter.stage == .sort)
  }
}
