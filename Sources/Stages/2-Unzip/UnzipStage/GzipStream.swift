// A gzip stream in pieces of any size: members one behind the other, then perhaps zeros (RFC 1952, 2.2; zeros
// are what tapes and some tools pad with, and gzip accepts them).

import PipeStage
import SystemIO

/// Unpacks a gzip stream.
struct GzipStream: ~Copyable {
  private enum Phase { case member, betweenMembers, padding }
  private static let firstMagicByte: UInt8 = 0x1F
  /// In the first bytes of what should be a further member, zlib finds out that it is none.
  private static let magicBytes: UInt64 = 2

  private let stage: StageName
  private var inflater: Inflater
  private var phase = Phase.member
  private var position: UInt64 = 0
  private var memberStart: UInt64 = 0

  init(stage: StageName) throws(PipeFailure) {
    self.stage = stage
    do throws(UnzipFailure) {
      inflater = try Inflater()
    } catch {
      throw PipeFailure(stage, error)
    }
  }

  /// Unpacks the next piece.
  mutating func receive(_ bytes: Span<UInt8>, into output: inout UnpackedOutput) throws(PipeFailure) {
    var rest = bytes
    var hasMore = !bytes.isEmpty
    while hasMore {
      switch phase {
      case .member:
        hasMore = try unpack(&rest, &output)
      case .betweenMembers where rest[0] == Self.firstMagicByte:
        memberStart = position
        inflater.restart()
        phase = .member
      case .betweenMembers, .padding:
        guard rest[0] == 0 else { throw failure(.trailingGarbage(atByte: position)) }
        phase = .padding
        position += 1
        rest = rest.extracting(droppingFirst: 1)
        hasMore = !rest.isEmpty
      }
    }
  }

  /// There is no more.
  func finish() throws(PipeFailure) {
    if phase == .member { throw failure(.truncatedGzip(atByte: position)) }
  }

  /// One call of the decompressor. Returns whether there is more to do with what has come so far.
  private mutating func unpack(
    _ rest: inout Span<UInt8>, _ output: inout UnpackedOutput
  ) throws(PipeFailure) -> Bool {
    let input = rest
    let (result, consumed, isFull) = try output.fill { chunk in
      let (result, consumed) = inflater.run(input, into: &chunk)
      return (result, consumed, chunk.freeCapacity == 0)
    }
    position += UInt64(consumed)
    rest = rest.extracting(droppingFirst: consumed)
    try output.checkRatio(bytesIn: position, bytesOut: output.total)
    switch result {
    case .going:
      // A full chunk may mean that the decompressor has more in store than its input shows.
      return !rest.isEmpty || isFull
    case .end:
      phase = .betweenMembers
      return !rest.isEmpty
    case .outOfMemory:
      throw failure(.outOfMemory)
    case .damaged:
      if memberStart > 0, position - memberStart <= Self.magicBytes {
        throw failure(.trailingGarbage(atByte: memberStart))
      }
      throw failure(.damagedGzip(atByte: position, text: inflater.text))
    }
  }

  private func failure(_ failure: UnzipFailure) -> PipeFailure { PipeFailure(stage, failure) }
}
