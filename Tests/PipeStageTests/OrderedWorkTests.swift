// The queue with threads between its ends: order, errors at their place, and that every thread ends.

import BasicContainers
import Synchronization
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import Records

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
      queue.close(error)
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
      #expect((thrown?.cause as? SystemError)?.code == .ioError)
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
