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

  init(_ options: UnzipOptions, stage: StageName, downstream: any ByteSink) {
    self.stage = stage
    self.downstream = downstream
    maxBytes = options.maxBytes
    maxRatio = options.maxRatio
  }

  /// Lets `write` fill some of the chunk's room, which is never empty.
  mutating func fill<Produced>(
    _ write: (inout ByteChunk) throws(PipeFailure) -> Produced
  ) throws(PipeFailure) -> Produced {
    if chunk.freeCapacity == 0 { try handOn() }
    let before = chunk.count
    let produced = try write(&chunk)
    total += UInt64(chunk.count - before)
    if total > maxBytes { throw PipeFailure(stage, UnzipFailure.tooLarge(limit: maxBytes)) }
    return produced
  }

  /// The last byte that came out, and has not been handed on.
  var lastByte: UInt8? { chunk.isEmpty ? nil : chunk.span[chunk.count - 1] }

  /// Adds one byte.
  mutating func append(_ byte: UInt8) throws(PipeFailure) {
    try fill { chunk in chunk.bytes.append(byte) }
  }

  /// Judges how much came out of how much.
  func checkRatio(bytesIn: UInt64, bytesOut: UInt64) throws(PipeFailure) {
    if bytesOut > UnzipOptions.ratioFreeBytes, Double(bytesOut) > maxRatio * Double(bytesIn) {
      throw PipeFailure(
        stage, UnzipFailure.expandsTooMuch(limit: maxRatio, bytesIn: bytesIn, bytesOut: bytesOut))
    }
  }

  /// Hands on what there is.
  mutating func handOn() throws(PipeFailure) {
    guard !chunk.isEmpty else { return }
    try downstream.receive(&chunk)
    chunk.removeAll()
    // A sink may have swapped the chunk for one it had.
    if chunk.freeCapacity == 0 { chunk = ByteChunk() }
  }
}
