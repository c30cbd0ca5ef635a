// The bytes of a spilled run, read from front to back through a buffer of fixed size.
//
// Not for: what they mean (RunCursor, BlockCursor).

import BasicContainers
import SystemIO
import SystemPackage

/// Reads a run's bytes.
struct RunReader: ~Copyable {
  private let file: TemporaryFile
  private(set) var buffer: ByteChunk
  private var spare: ByteChunk
  private var offset: Int64 = 0
  /// The first byte that is unread.
  var at = 0

  init(_ file: consuming TemporaryFile, bufferBytes: Int) {
    self.file = file
    // Half reads ahead while the other half still holds the record that crosses the border.
    buffer = ByteChunk(capacity: bufferBytes / 2)
    spare = ByteChunk(capacity: bufferBytes / 2)
  }

  /// How many bytes are there to be read without another call.
  var available: Int { buffer.count - at }

  /// The file is shorter than what was written to it, or is not what was written.
  var corruptionError: SystemError { SystemError(.readSpill, file.directory, .ioError) }

  /// Moves what is unread to the front and fills the rest.
  mutating func refill() throws(SystemError) {
    Self.copy(from: buffer, at, to: &spare)
    buffer.removeAll()
    swap(&buffer, &spare)
    at = 0
    while buffer.freeCapacity > 0 {
      let count = try file.read(into: &buffer, at: offset)
      if count == 0 { return }
      offset += Int64(count)
    }
  }

  private static func copy(from buffer: borrowing ByteChunk, _ start: Int, to spare: inout ByteChunk) {
    spare.append(buffer.span.extracting(start..<buffer.count))
  }

  /// Decodes the next block of a run to `records`, which is empty. `run` is where the run stands in the merge.
  mutating func readBlock<Record: BlockRecord>(
    as format: RunFormat, run: Int, into records: inout RigidArray<Record>
  ) throws(SystemError) {
    if available < format.blockBytesMax { try refill() }
    guard let length = Record.decode(buffer.span, at, as: format, run: run, into: &records) else {
      throw corruptionError
    }
    at += length
  }
}
