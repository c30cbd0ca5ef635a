// The unpacked output, checked against the limits before it is sent downstream.

import BasicContainers
import Records
import SystemIO

/// A chunk of unpacked bytes, and the limits on all of them.
struct UnpackedOutput: ~Copyable {
  private let stage: StageName
  private let downstream: any ByteSink
  private let maxBytes: UInt64
  private let maxRatio: Double
  private var chunk = ByteChunk()
  private(set) var total: UInt64 = 0
  /// The last byte of the output.
  private var last: UInt8?
  private var needsNewline = false
  private var memberStart: UInt64 = 0
  /// The first bytes of the member.
  private var firstBytes: [UInt8] = []

  init(_ options: UnzipOptions, stage: StageName, downstream: any ByteSink) {
    self.stage = stage
    self.downstream = downstream
    maxBytes = options.maxBytes
    maxRatio = options.maxRatio
  }

  /// Starts another member. If it has any bytes and the previous member lacks a final newline, one is inserted, so that
  /// their rows stay separate.
  mutating func beginMember() {
    needsNewline = last != nil && last != UInt8(ascii: "\n")
    memberStart = total
    firstBytes.removeAll(keepingCapacity: true)
  }

  /// The format of the current member if it is one that is read as a whole, as far as its first bytes show.
  var wholeFormat: WholeFormat? { WholeFormat(firstBytes.span) }

  /// The bytes of output since the last member started.
  var memberBytes: UInt64 { total - memberStart }

  /// Lets `write` fill the chunk's free space, which is never empty.
  mutating func fill<Produced>(
    _ write: (inout ByteChunk) throws(Failure) -> Produced
  ) throws(Failure) -> Produced {
    // Space for a newline and one more byte.
    if chunk.freeCapacity < 2 { try flush() }
    if needsNewline { chunk.bytes.append(UInt8(ascii: "\n")) }
    let before = chunk.count
    let produced = try write(&chunk)
    let count = chunk.count - before
    if count > 0 {
      total += UInt64(count) + (needsNewline ? 1 : 0)
      if firstBytes.count < WholeFormat.startBytes {
        let missing = WholeFormat.startBytes - firstBytes.count
        let newest = [UInt8](copying: chunk.span.extracting(last: count).extracting(first: missing))
        firstBytes += newest
      }
      let newest = chunk.span[chunk.count - 1]
      last = newest
      needsNewline = false
      if total > maxBytes { throw Failure(stage, UnzipError.tooLarge(limit: maxBytes)) }
    } else if needsNewline {
      chunk.bytes.removeLast()
    }
    return produced
  }

  /// Appends bytes.
  mutating func append(_ bytes: Span<UInt8>) throws(Failure) {
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

  /// Throws if the output is too large for the input.
  func checkRatio(bytesIn: UInt64, bytesOut: UInt64) throws(Failure) {
    if bytesOut > UnzipOptions.ratioFreeBytes, Double(bytesOut) > maxRatio * Double(bytesIn) {
      throw Failure(
        stage, UnzipError.expandsTooMuch(limit: maxRatio, bytesIn: bytesIn, bytesOut: bytesOut))
    }
  }

  /// Throws if the announced output would exceed the limit, before anything is output.
  func checkTotal(_ bytes: UInt64) throws(Failure) {
    if bytes > maxBytes { throw Failure(stage, UnzipError.tooLarge(limit: maxBytes)) }
  }

  /// Sends the buffered bytes.
  mutating func flush() throws(Failure) {
    if !chunk.isEmpty {
      try downstream.receive(&chunk)
      chunk.removeAll()
    }
    // A sink may have swapped the chunk for one of its own.
    if chunk.freeCapacity < 2 { chunk = ByteChunk() }
  }
}
