// Joining threads, and a monotonic clock.

import Synchronization
import SystemIO
import Testing

@Suite("Threads and clock")
struct ThreadAndClockTests {
  private final class Log: Sendable {
    let entries = Mutex<[Int]>([])
    func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
  }

  @Test("join returns when the closure has")
  func joins() throws {
    let log = Log()
    let threads = try (0..<8).map { number in
      try WorkerThread(name: "test") {
        let start = MonotonicClock.seconds()
        while MonotonicClock.seconds() - start < 0.02 {}
        log.add(number)
      }
    }
    for thread in threads { thread.join() }
    #expect(log.entries.withLock { $0.sorted() } == Array(0..<8))
  }

  private final class Token: Sendable {}

  @Test("the closure's captures are released")
  func lifetime() throws {
    weak var held: Token?
    do {
      let token = Token()
      held = token
      let thread = try WorkerThread(name: "test") { [token] in _ = token }
      thread.join()
    }
    #expect(held == nil)
  }

  @Test("the clock advances")
  func clock() {
    var before = MonotonicClock.seconds()
    for _ in 0..<1000 {
      let now = MonotonicClock.seconds()
      #expect(now >= before)
      before = now
    }
  }
}
