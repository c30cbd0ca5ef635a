// A member that may be a gzip or zlib stream itself, unpacked in its turn: one level, as asked for by `--nested`.
//
// Told by its first bytes and not by its name. A member that is a zip archive is refused: its directory is at its end,
// and an archive of archives of archives is how the first bombs were built.

import BasicContainers
import PipeStage
import SystemIO

/// Takes a member's unpacked bytes, and unpacks them once more if they are packed.
struct NestedOutput: ~Copyable {
  private let entry: ZipEntry
  private let stage: StageName
  private var chunk = ByteChunk()
  private var isDetected = false
  private var stream: DeflateStream?

  init(_ entry: ZipEntry, stage: StageName) {
    self.entry = entry
    self.stage = stage
  }

  /// Lets `write` give some bytes, and passes them on. Returns what `write` did: 0 at the end.
  mutating func fill(
    _ output: inout UnpackedOutput, _ write: (inout ByteChunk) throws(StageError) -> Int
  ) throws(StageError) -> Int {
    let count = try write(&chunk)
    if !isDetected {
      let magic = Magic(chunk.span, isWhole: count == 0)
      // There is room for more: a chunk is larger than what has to be seen.
      if magic == .unclear { return count }
      isDetected = true
      try begin(magic)
    }
    if var stream = stream.take() {
      try stream.receive(chunk.span, into: &output) { (output, position) throws(StageError) in
        try output.checkRatio(bytesIn: max(position, 1), bytesOut: output.memberBytes)
      }
      if count == 0 { try stream.finish() }
      self.stream = consume stream
    } else {
      try output.append(chunk.span)
    }
    chunk.removeAll()
    return count
  }

  private mutating func begin(_ magic: Magic) throws(StageError) {
    switch magic {
    case .plain, .unclear: break
    case .packed(.zip), .damaged(.zip):
      throw StageError(stage, UnzipError.nestedArchive(name: entry.name))
    case .foreign(let format):
      throw StageError(stage, UnzipError.unsupportedFormat(format, member: entry.name))
    case .packed(let format):
      stream = try DeflateStream(PackedStream(format, member: entry.name), stage: stage)
    case .damaged(let format):
      throw StageError(
        stage,
        UnzipError.damagedStream(PackedStream(format, member: entry.name), atByte: 0, text: ""))
    }
  }
}
