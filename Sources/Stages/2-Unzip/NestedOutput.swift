// A member that may itself be a gzip or zlib stream, unpacked one level deep for `--nested`.
//
// It is detected by its first bytes, not by its name. A zip archive within an archive is refused: its directory is at
// its end, and the first zip bombs were archives nested in archives.

import BasicContainers
import Records
import SystemIO

/// Receives a member's unpacked bytes, and unpacks them again if they are packed.
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

  /// Passes on the bytes that `write` produces. Returns the result of `write`: 0 at the end.
  mutating func fill(
    _ output: inout UnpackedOutput, _ write: (inout ByteChunk) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let count = try write(&chunk)
    if !isDetected {
      let magic = Magic(chunk.span, isWhole: count == 0)
      // The chunk has more capacity than is needed for detection.
      if magic == .unclear { return count }
      isDetected = true
      try begin(magic)
    }
    if var stream = stream.take() {
      try stream.receive(chunk.span, into: &output) { (output, position) throws(Failure) in
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

  private mutating func begin(_ magic: Magic) throws(Failure) {
    switch magic {
    case .plain, .unclear, .office: break
    case .packed(.zip), .damaged(.zip):
      throw Failure(stage, UnzipError.nestedArchive(name: entry.name))
    case .foreign(let format):
      throw Failure(stage, UnzipError.unsupportedFormat(format, member: entry.name))
    case .packed(let format):
      stream = try DeflateStream(PackedStream(format, member: entry.name), stage: stage)
    case .damaged(let format):
      throw Failure(
        stage,
        UnzipError.damagedStream(PackedStream(format, member: entry.name), atByte: 0, text: ""))
    }
  }
}
