// A buffered reader for the bytes of a spilled run, from front to back.
//
// Not for: the format (RunCursor, BlockCursor).

import BasicContainers
import SystemIO
import SystemPackage

/// Reads a run's bytes.
struct RunReader: ~Copyable {
  private let file: TemporaryFile
  private(set) var buffer: ByteChunk
  private var spare: ByteChunk
  private var offset: Int64 = 0
  /// The index of the first unread byte.
  var at = 0

  init(_ file: consuming TemporaryFile, bufferBytes: Int) {
    self.file = file
    // One half reads ahead while the other still holds the record that crosses the boundary.
    buffer = ByteChunk(capacity: bufferBytes / 2)
    spare = ByteChunk(capacity: bufferBytes / 2)
  }

  /// The number of bytes that can be read without another system call.
  var available: Int { buffer.count - at }

  /// The error for a file that is shorter than what was written, or has different content.
  var corruptionError: SystemError { SystemError(.readSpill, file.directory, .ioError) }

  /// Moves the unread bytes to the front, and fills the rest of the buffer.
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

  /// Decodes the next block into `records`, which is empty. `run` is the run's index in the merge.
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
