// The queue between two threads: order, back-pressure, the end, and cancelling.

import BasicContainers
import Synchronization
import SystemIO
import Testing

@testable import PipeRunner

@Suite("Bounded buffer")
struct BoundedBufferTests {
  static func buffer(depth: Int) -> BoundedBuffer<ByteChunk> {
    var chunks = RigidArray<ByteChunk>(capacity: depth)
    for _ in 0..<depth { chunks.append(ByteChunk(capacity: 8)) }
    return BoundedBuffer(chunks)
  }

  @Test("batches come out in the order in which they went in, and then the end", arguments: [1, 2, 7])
  func order(depth: Int) throws {
    let buffer = Self.buffer(depth: depth)
    let seen = Mutex<[UInt8]>([])
    let taken = Box(seen)
    let thread = try WorkerThread(name: "taker") {
      var chunk = ByteChunk(capacity: 8)
      while buffer.pop(&chunk) {
        let byte = chunk.bytes[0]
        taken.value.withLock { $0.append(byte) }
        chunk.removeAll()
      }
    }
    var chunk = ByteChunk(capacity: 8)
    for byte in 0..<200 {
      chunk.bytes.append(UInt8(byte))
      let isPushed = buffer.push(&chunk)
      #expect(isPushed)
      let isEmpty = chunk.isEmpty
      #expect(isEmpty, "a full batch is exchanged for an empty one")
    }
    buffer.close()
    thread.join()
    #expect(taken.value.withLock { $0 } == (0..<200).map { UInt8($0) })
  }

  @Test("whoever fills waits while the queue is full")
  func backPressure() throws {
    let buffer = Self.buffer(depth: 2)
    let pushed = Box(Mutex(0))
    let thread = try WorkerThread(name: "filler") {
      var chunk = ByteChunk(capacity: 8)
      for _ in 0..<5 {
        chunk.bytes.append(1)
        guard buffer.push(&chunk) else { return }
        pushed.value.withLock { $0 += 1 }
      }
      buffer.close()
    }
    var chunk = ByteChunk(capacity: 8)
    var popped = 0
    while buffer.pop(&chunk) {
      popped += 1
      chunk.removeAll()
      #expect(pushed.value.withLock { $0 } <= popped + 2, "never more than the queue holds")
    }
    thread.join()
    #expect(popped == 5)
  }

  @Test("cancelling wakes both sides")
  func cancelling() throws {
    let full = Self.buffer(depth: 1)
    let empty = Self.buffer(depth: 1)
    let filler = try WorkerThread(name: "filler") {
      var chunk = ByteChunk(capacity: 8)
      while full.push(&chunk) {}
    }
    let taker = try WorkerThread(name: "taker") {
      var chunk = ByteChunk(capacity: 8)
      while empty.pop(&chunk) {}
    }
    full.cancel()
    empty.cancel()
    filler.join()
    taker.join()
    #expect(full.wasCancelled && empty.wasCancelled)
  }

  private final class Box<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: consuming Mutex<Value>) { self.value = value }
  }
}
