// Queues between threads and threads that share a job: order, back-pressure, errors at their place, and that
// every thread ends.

import BasicContainers
import Synchronization
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import Records

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("BoundedBuffer")
struct BoundedBufferTests {
  /// A queue of batches that are plain numbers.
  private static func buffer(depth: Int) -> BoundedBuffer<Int> {
    BoundedBuffer(count: depth) { 0 }
  }

  @Test(
    "values are received in the order they were sent, at any depth and speed", .seeded,
    arguments: [1, 2, 3, 8])
  func order(depth: Int) throws {
    let buffer = Self.buffer(depth: depth)
    let count = 2000
    let received = Mutex<[Int]>([])
    let reader = try WorkerThread(name: "reader") {
      var generator = SplitMix64(test: "order \(depth)")
      var batch = 0
      while buffer.pop(&batch) {
        received.withLock { $0.append(batch) }
        if generator.chance(oneIn: 100) { Pause.short() }
      }
    }
    var generator = SplitMix64(test: "order, writer \(depth)")
    for number in 1...count {
      var batch = number
      expectTrue(buffer.push(&batch))
      if generator.chance(oneIn: 100) { Pause.short() }
    }
    buffer.close()
    reader.join()
    #expect(received.withLock { $0 } == Array(1...count))
  }

  @Test("a full queue makes the writer wait", arguments: [1, 4])
  func backPressure(depth: Int) throws {
    let buffer = Self.buffer(depth: depth)
    let pushed = Atomic<Int>(0)
    let writer = try WorkerThread(name: "writer") {
      for number in 1...depth + 3 {
        var batch = number
        _ = buffer.push(&batch)
        pushed.add(1, ordering: .relaxed)
      }
      buffer.close()
    }
    Pause.until { pushed.load(ordering: .relaxed) == depth }
    // The writer is woken when half of the queue is free, not for each batch.
    let half = max(1, depth / 2)
    var batch = 0
    for number in 1...half {
      Pause.long()
      expectEqual(pushed.load(ordering: .relaxed), depth)
      expectTrue(buffer.pop(&batch))
      #expect(batch == number)
    }
    Pause.until { pushed.load(ordering: .relaxed) == depth + half }
    Pause.long()
    expectEqual(pushed.load(ordering: .relaxed), depth + half)
    var rest: [Int] = []
    while buffer.pop(&batch) { rest.append(batch) }
    writer.join()
    #expect(rest == Array(half + 1...depth + 3))
  }

  @Test("values in a closed queue can still be received")
  func close() {
    let buffer = Self.buffer(depth: 3)
    for number in 1...3 {
      var batch = number
      expectTrue(buffer.push(&batch))
    }
    buffer.close()
    var batch = 0
    var received: [Int] = []
    while buffer.pop(&batch) { received.append(batch) }
    #expect(received == [1, 2, 3])
    #expect(!buffer.wasCancelled)
    expectTrue(!buffer.pop(&batch))
  }

  @Test("cancel wakes a reader that waits")
  func cancelWakesReader() throws {
    let buffer = Self.buffer(depth: 2)
    let got = Atomic<Bool>(true)
    let reader = try WorkerThread(name: "reader") {
      var batch = 0
      got.store(buffer.pop(&batch), ordering: .relaxed)
    }
    Pause.long()
    buffer.cancel()
    reader.join()
    expectTrue(!got.load(ordering: .relaxed))
    #expect(buffer.wasCancelled)
  }

  @Test("cancel wakes a writer that waits, and nothing is sent or received afterwards")
  func cancelWakesWriter() throws {
    let buffer = Self.buffer(depth: 1)
    var batch = 1
    expectTrue(buffer.push(&batch))
    let wrote = Atomic<Bool>(true)
    let writer = try WorkerThread(name: "writer") {
      var batch = 2
      wrote.store(buffer.push(&batch), ordering: .relaxed)
    }
    Pause.long()
    buffer.cancel()
    writer.join()
    expectTrue(!wrote.load(ordering: .relaxed))
    expectTrue(!buffer.pop(&batch))
    expectTrue(!buffer.push(&batch))
  }
}

/// Pauses that let another thread continue.
enum Pause {
  /// Long enough for a thread to wake up.
  static func short() { usleep(100) }
  /// Usually long enough for a thread to do everything that it can: for what must not happen.
  static func long() { usleep(30_000) }
  /// Until something has happened that must happen; at most two minutes.
  static func until(_ condition: () -> Bool) {
    for _ in 0..<120_000 where !condition() { usleep(1_000) }
  }
}

@Suite("OrderedWork", .seeded)
struct OrderedWorkTests {
  private static func queue(
    threads: Int, depth: Int, _ work: @escaping @Sendable (inout Int) throws(Failure) -> Void
  ) throws -> OrderedWork<Int> {
    var items = RigidArray<Int?>(capacity: depth)
    for _ in 0..<depth { items.append(0) }
    return try OrderedWork(items, work: Array(repeating: work, count: threads))
  }

  /// Pushes numbers from 1 on in a thread of its own.
  private static func push(_ count: Int, to queue: OrderedWork<Int>, _ error: Failure? = nil) throws
    -> WorkerThread
  {
    try WorkerThread(name: "push") {
      for number in 1...count {
        var item = number
        if !queue.push(&item) { break }
      }
      queue.close(after: error)
    }
  }

  @Test("items come out in order, and each was worked on once", arguments: [1, 2, 6], [1, 2, 9])
  func order(threads: Int, depth: Int) throws {
    var generator = SplitMix64(test: "ordered work \(threads) \(depth)")
    let slow = Int.random(in: 2...50, using: &generator)
    let queue = try Self.queue(threads: threads, depth: depth) { item in
      if item % slow == 0 { Pause.short() }
      item = -item
    }
    let pusher = try Self.push(1000, to: queue)
    var (item, received) = (0, [Int]())
    while try queue.pop(&item) { received.append(item) }
    #expect(received == (1...1000).map { -$0 })
    queue.stop()
    pusher.join()
  }

  @Test("an error comes after the items before it, at whichever end it was")
  func errors() throws {
    let failure = Failure(.sort, SystemError(.readInput, "list", .ioError))
    for failsInWork in [true, false] {
      let queue = try Self.queue(threads: 3, depth: 6) { (item) throws(Failure) in
        if failsInWork, item >= 100 { throw failure }
      }
      let pusher = try Self.push(failsInWork ? 500 : 99, to: queue, failsInWork ? nil : failure)
      var (item, received) = (0, [Int]())
      let thrown = stageError { () throws(Failure) in
        while try queue.pop(&item) { received.append(item) }
      }
      #expect(received == Array(1..<100))
      #expect(thrown?.systemError?.code == .ioError)
      queue.stop()
      pusher.join()
    }
  }

  @Test("a stopped queue ends both ends")
  func stop() throws {
    let queue = try Self.queue(threads: 2, depth: 4) { _ in }
    let pusher = try Self.push(1000, to: queue)
    var item = 0
    for _ in 0..<10 { #expect(try queue.pop(&item)) }
    queue.stop()
    #expect(try !queue.pop(&item))
    pusher.join()
  }
}

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
