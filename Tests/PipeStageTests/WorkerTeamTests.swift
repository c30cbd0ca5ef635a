// The threads that share a job: every part is done once, whatever thread asks.

import Synchronization
import SystemIO
import TestSupport
import Testing

@testable import Records

@Suite("WorkerTeam")
struct WorkerTeamTests {
  @Test("each part of each job is done once", arguments: [1, 2, 5])
  func parts(size: Int) {
    let team = WorkerTeam(size: size)
    defer { team.end() }
    for count in [0, 1, 2, 3, 64, 1000] {
      let done = Mutex<[Int]>([])
      team.perform(parts: count) { part in done.withLock { $0.append(part) } }
      #expect(done.withLock { $0.sorted() } == Array(0..<count))
    }
  }

  @Test("jobs of several threads are done one after another")
  func jobs() throws {
    let team = WorkerTeam(size: 3)
    defer { team.end() }
    let sums = Mutex<[Int]>([])
    var threads: [WorkerThread] = []
    for job in 1...4 {
      threads.append(
        try WorkerThread(name: "caller") {
          for _ in 0..<100 {
            let sum = Atomic<Int>(0)
            team.perform(parts: 10) { _ in sum.add(job, ordering: .relaxed) }
            let result = sum.load(ordering: .relaxed)
            sums.withLock { $0.append(result) }
          }
        })
    }
    for thread in threads { thread.join() }
    #expect(sums.withLock { $0.sorted() } == (1...4).flatMap { Array(repeating: 10 * $0, count: 100) })
  }
}
