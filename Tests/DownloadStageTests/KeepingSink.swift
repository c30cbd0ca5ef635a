// The sink at the end of a download under test.

import Records
import SystemIO
import Testing

/// Keeps its input, and fails at a given size.
final class KeepingSink: ByteSink {
  static let full = Failure(nil, .readerGone, "full", "the sink is full")

  var bytes: [UInt8] = []
  var chunks = 0
  var isFinished = false
  var failsBeyond = Int.max
  /// Called once, when the content exceeds the limit.
  var beyond: (Int, () -> Void)?

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    #expect(!isFinished, "bytes after the end")
    let size = chunk.count
    #expect(size > 0, "an empty chunk")
    chunks += 1
    // All bytes at once: the tests run without optimization.
    unsafe chunk.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    if let (limit, call) = beyond, bytes.count > limit {
      beyond = nil
      call()
    }
    if bytes.count > failsBeyond { throw Self.full }
    // Like a bounded buffer: the chunk is removed and another one, of any capacity, is left instead.
    chunk = ByteChunk(capacity: chunks % 2 == 0 ? 0 : ByteChunk.defaultBytes)
  }

  func finish() throws(Failure) {
    #expect(!isFinished, "a second end")
    isFinished = true
  }

  /// Whether these are the received bytes. An expectation would compare two large arrays for minutes.
  func has(_ expected: [UInt8]) -> Bool { bytes == expected }

  var text: String { String(decoding: bytes, as: UTF8.self) }
}
