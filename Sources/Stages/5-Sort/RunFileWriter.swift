// The file of a run that is being written, with its output buffer.
//
// Not for: the format (PackedRunWriter, InlineRunWriter, VarintRunWriter).

import BasicContainers
import Records
import SystemIO

/// A run's file while it is written.
struct RunFileWriter: ~Copyable {
  private var file: TemporaryFile
  /// Bytes to be written. Call `reserveSpace(for:)` before adding to it.
  var chunk: ByteChunk

  init(in directory: String, calls: any SystemCalls) throws(Failure) {
    // Everything that can fail comes before the first property is set; OutputFile explains why.
    let made: TemporaryFile
    do throws(SystemError) {
      made = try TemporaryFile(in: directory, calls: calls)
    } catch {
      throw Failure(.sort, error)
    }
    file = made
    chunk = ByteChunk()
  }

  /// Makes sure that the chunk has capacity for `bytes` more bytes.
  @inline(__always)
  mutating func reserveSpace(for bytes: Int) throws(Failure) {
    if chunk.freeCapacity < bytes { try flush() }
  }

  private mutating func flush() throws(Failure) {
    do throws(SystemError) {
      try file.append(chunk)
    } catch {
      throw Failure(.sort, error)
    }
    chunk.removeAll()
  }

  /// Writes the rest, and returns the run.
  consuming func finish(records: Int, level: Int, format: RunFormat) throws(Failure) -> SpilledRun {
    try flush()
    return SpilledRun(file: file, records: records, level: level, format: format)
  }
}
