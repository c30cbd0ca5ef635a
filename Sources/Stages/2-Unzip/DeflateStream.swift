// A gzip or zlib stream in pieces of any size. gzip: members one behind the other, then perhaps zeros (RFC 1952, 2.2;
// zeros are what tapes and some tools pad with, and gzip accepts them). zlib: one stream (RFC 1950) and nothing more.

import PipeStage
import SystemIO

/// Unpacks a gzip or zlib stream.
struct DeflateStream: ~Copyable {
  private enum Phase { case member, betweenMembers, padding, end }
  private static let firstMagicByte: UInt8 = 0x1F
  /// In the first bytes of what should be a further member, zlib finds out that it is none.
  private static let magicBytes: UInt64 = 2

  private let stage: StageName
  private let stream: PackedStream
  private var inflater: Inflater
  private var phase = Phase.member
  /// The bytes that were read so far.
  private(set) var position: UInt64 = 0
  private var memberStart: UInt64 = 0

  /// Makes one for a stream of gzip's or zlib's form.
  init(_ stream: PackedStream, stage: StageName) throws(StageError) {
    // What can fail comes before the first property.
    let made: Inflater
    do throws(UnzipError) {
      made = try Inflater(stream.format == .zlib ? .zlib : .gzip)
    } catch {
      throw StageError(stage, error)
    }
    self.stage = stage
    self.stream = stream
    inflater = made
  }

  /// Unpacks the next piece. `check` sees the output after each step, with how many bytes were read so far.
  mutating func receive(
    _ bytes: Span<UInt8>, into output: inout UnpackedOutput,
    check: (borrowing UnpackedOutput, UInt64) throws(StageError) -> Void
  ) throws(StageError) {
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

  /// There is no more.
  func finish() throws(StageError) {
    if phase == .member { throw stageError(.truncatedStream(stream, atByte: position)) }
  }

  /// One call of the decompressor. Returns whether there is more to do with what has come so far.
  private mutating func unpack(
    _ rest: inout Span<UInt8>, _ output: inout UnpackedOutput
  ) throws(StageError) -> Bool {
    let input = rest
    let (result, consumed, isFull) = try output.fill { chunk in
      let (result, consumed) = inflater.inflate(input, into: &chunk)
      return (result, consumed, chunk.freeCapacity == 0)
    }
    position += UInt64(consumed)
    rest = rest.extracting(droppingFirst: consumed)
    switch result {
    case .inProgress:
      // A full chunk may mean that the decompressor has more in store than its input shows.
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

  private func stageError(_ error: UnzipError) -> StageError { StageError(stage, error) }
}
