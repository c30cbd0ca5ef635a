// The bytes of a spilled run, read from front to back through a buffer of fixed size.
//
// Not for: what they mean (RunCursor, BlockCursor).

import BasicContainers
import SystemIO
import SystemPackage

/// Reads a run's bytes.
struct RunBytes: ~Copyable {
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
  var damage: SystemError { SystemError(.readSpill, file.directory, .ioError) }

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

  /// Decodes the next block of a run to `records`, which is empty. `place` is where the run stands in the merge.
  mutating func readBlock<Word: BlockWord>(
    as form: RunForm, place: Int, into records: inout RigidArray<Word>
  ) throws(SystemError) {
    if available < form.blockBytesMax { try refill() }
    guard let length = Word.decode(buffer.span, at, as: form, place: place, into: &records) else {
      throw damage
    }
    at += length
  }
}
