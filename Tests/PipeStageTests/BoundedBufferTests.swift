// The queue between two threads: order, back-pressure, and that both sides wake up at its end.

import Synchronization
import SystemIO
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
    Pause.long()
    expectEqual(pushed.load(ordering: .relaxed), depth)
    // The writer is woken when half of the queue is free, not for each batch.
    let half = max(1, depth / 2)
    var batch = 0
    for number in 1...half {
      Pause.long()
      expectEqual(pushed.load(ordering: .relaxed), depth)
      expectTrue(buffer.pop(&batch))
      #expect(batch == number)
    }
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
  /// Long enough for a thread to do everything that it can.
  static func long() { usleep(30_000) }
}
