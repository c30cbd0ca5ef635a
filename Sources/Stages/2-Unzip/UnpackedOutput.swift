// What was unpacked, on its way downstream: counted against the limits before anyone sees it.

import BasicContainers
import PipeStage
import SystemIO

/// One chunk of unpacked bytes and the limits on all of them.
struct UnpackedOutput: ~Copyable {
  private let stage: StageName
  private let downstream: any ByteSink
  private let maxBytes: UInt64
  private let maxRatio: Double
  private var chunk = ByteChunk()
  private(set) var total: UInt64 = 0
  /// The last byte that came out.
  private var last: UInt8?
  private var needsNewline = false
  private var memberStart: UInt64 = 0

  init(_ options: UnzipOptions, stage: StageName, downstream: any ByteSink) {
    self.stage = stage
    self.downstream = downstream
    maxBytes = options.maxBytes
    maxRatio = options.maxRatio
  }

  /// Another member begins: should any byte of it come, a newline comes before it if the one before lacks one, so
  /// that its last row stays its own.
  mutating func beginMember() {
    needsNewline = last != nil && last != UInt8(ascii: "\n")
    memberStart = total
  }

  /// What came out since the last member began.
  var memberBytes: UInt64 { total - memberStart }

  /// Lets `write` fill some of the chunk's room, which is never empty.
  mutating func fill<Produced>(
    _ write: (inout ByteChunk) throws(StageError) -> Produced
  ) throws(StageError) -> Produced {
    // Room for a newline and a byte behind it.
    if chunk.freeCapacity < 2 { try flush() }
    if needsNewline { chunk.bytes.append(UInt8(ascii: "\n")) }
    let before = chunk.count
    let produced = try write(&chunk)
    let count = chunk.count - before
    if count > 0 {
      total += UInt64(count) + (needsNewline ? 1 : 0)
      let newest = chunk.span[chunk.count - 1]
      last = newest
      needsNewline = false
      if total > maxBytes { throw StageError(stage, UnzipError.tooLarge(limit: maxBytes)) }
    } else if needsNewline {
      chunk.bytes.removeLast()
    }
    return produced
  }

  /// Adds bytes.
  mutating func append(_ bytes: Span<UInt8>) throws(StageError) {
    var rest = bytes
    while !rest.isEmpty {
      let more = rest
      let count = try fill { chunk in
        let count = min(chunk.freeCapacity, more.count)
        chunk.append(more.extracting(first: count))
        return count
      }
      rest = rest.extracting(droppingFirst: count)
    }
  }

  /// Judges how much came out of how much.
  func checkRatio(bytesIn: UInt64, bytesOut: UInt64) throws(StageError) {
    if bytesOut > UnzipOptions.ratioFreeBytes, Double(bytesOut) > maxRatio * Double(bytesIn) {
      throw StageError(
        stage, UnzipError.expandsTooMuch(limit: maxRatio, bytesIn: bytesIn, bytesOut: bytesOut))
    }
  }

  /// Judges what is going to come out, so that nothing does if it is too much.
  func checkTotal(_ bytes: UInt64) throws(StageError) {
    if bytes > maxBytes { throw StageError(stage, UnzipError.tooLarge(limit: maxBytes)) }
  }

  /// Hands on what there is.
  mutating func flush() throws(StageError) {
    if !chunk.isEmpty {
      try downstream.receive(&chunk)
      chunk.removeAll()
    }
    // A sink may have swapped the chunk for one it had.
    if chunk.freeCapacity < 2 { chunk = ByteChunk() }
  }
}
