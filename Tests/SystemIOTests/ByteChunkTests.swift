// A chunk is filled, appended to and emptied, and never grows.

import BasicContainers
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("ByteChunk")
struct ByteChunkTests {
  @Test("fill appends after the present bytes, and only the count that it returns")
  func fills() throws {
    var chunk = ByteChunk(capacity: 8)
    chunk.append([1, 2].span)
    let written = unsafe chunk.fill { free in
      unsafe free.copyBytes(from: [3, 4, 5])
      return free.count == 6 ? 3 : 0
    }
    #expect(written == 3)
    expectEqual([UInt8](copying: chunk.span), [1, 2, 3, 4, 5])
    expectEqual(chunk.freeCapacity, 3)
    chunk.removeAll()
    expectTrue(chunk.isEmpty && chunk.freeCapacity == 8)
  }

  @Test("a fill that fails changes nothing")
  func failedFill() {
    var chunk = ByteChunk(capacity: 8)
    chunk.append([1, 2].span)
    do throws(Errno) {
      _ = try unsafe chunk.fill { (_) throws(Errno) in throw .ioError }
      Issue.record("no error")
    } catch {
      #expect(error == .ioError)
    }
    expectEqual([UInt8](copying: chunk.span), [1, 2])
  }
}
