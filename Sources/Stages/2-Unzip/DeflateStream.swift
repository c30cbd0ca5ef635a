// A gzip or zlib stream in chunks of any size. gzip: members one after another, optionally followed by zeros (RFC 1952,
// 2.2; tapes and some tools pad with zeros, and gzip accepts them). zlib: a single stream (RFC 1950) and nothing more.

import Records
import SystemIO

/// Unpacks a gzip or zlib stream.
struct DeflateStream: ~Copyable {
  private enum Phase { case member, betweenMembers, padding, end }
  private static let firstMagicByte: UInt8 = 0x1F
  /// If the bytes after a member are not another member, zlib detects that within its first bytes.
  private static let magicBytes: UInt64 = 2

  private let stage: StageName
  private let stream: PackedStream
  private var inflater: Inflater
  private var phase = Phase.member
  /// The number of bytes read.
  private(set) var position: UInt64 = 0
  private var memberStart: UInt64 = 0

  /// Makes a decompressor for a gzip or zlib stream.
  init(_ stream: PackedStream, stage: StageName) throws(Failure) {
    // Everything that can fail comes before the first property is set.
    let made: Inflater
    do throws(ZipError) {
      made = try Inflater(stream.format == .zlib ? .zlib : .gzip)
    } catch {
      throw Failure(stage, UnzipError.outOfMemory)
    }
    self.stage = stage
    self.stream = stream
    inflater = made
  }

  /// Unpacks the next chunk. `check` is called with the output and the number of bytes read after each step.
  mutating func receive(
    _ bytes: Span<UInt8>, into output: inout UnpackedOutput,
    check: (borrowing UnpackedOutput, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = bytes
    var hasMore = !bytes.isEmpty
    while hasMore {
      switch phase {
      case .member:
        hasMore = try unpack(&rest, &output)
        try check(output, position)
      case .betweenMembers where rest[0] == Self.firstMagicByte:
        memberStart = position
        inflater.restart()
        phase = .member
      case .betweenMembers, .padding:
        guard rest[0] == 0 else { throw stageError(.trailingGarbage(stream, atByte: position)) }
        phase = .padding
        position += 1
        rest = rest.extracting(droppingFirst: 1)
        hasMore = !rest.isEmpty
      case .end:
        throw stageError(.trailingGarbage(stream, atByte: position))
      }
    }
  }

  /// Ends the stream.
  func finish() throws(Failure) {
    if phase == .member { throw stageError(.truncatedStream(stream, atByte: position)) }
  }

  /// Calls the decompressor once. Returns whether there is more to do with the bytes received so far.
  private mutating func unpack(
    _ rest: inout Span<UInt8>, _ output: inout UnpackedOutput
  ) throws(Failure) -> Bool {
    let input = rest
    let (result, consumed, isFull) = try output.fill { chunk in
      let (result, consumed) = inflater.inflate(input, into: &chunk)
      return (result, consumed, chunk.freeCapacity == 0)
    }
    position += UInt64(consumed)
    rest = rest.extracting(droppingFirst: consumed)
    switch result {
    case .inProgress:
      // If the chunk is full, the decompressor may have more output although its input is used up.
      return !rest.isEmpty || isFull
    case .end:
      phase = stream.format == .zlib ? .end : .betweenMembers
      return !rest.isEmpty
    case .outOfMemory:
      throw stageError(.outOfMemory)
    case .damaged:
      if memberStart > 0, position - memberStart <= Self.magicBytes {
        throw stageError(.trailingGarbage(stream, atByte: memberStart))
      }
      throw stageError(.damagedStream(stream, atByte: position, text: inflater.text))
    }
  }

  private func stageError(_ error: UnzipError) -> Failure { Failure(stage, error) }
}
