// The file of a run that is being written, and the bytes on their way there.
//
// Not for: what they mean (PackedRunWriter, InlineRunWriter, VarintRunWriter).

import BasicContainers
import PipeStage
import SystemIO

/// A run's file in the making.
struct RunFileWriter: ~Copyable {
  private var file: TemporaryFile
  /// What waits to be written. Room is asked for before it is filled.
  var chunk: ByteChunk

  init(in directory: String, calls: any SystemCalls) throws(StageError) {
    // What can fail comes before the first property is set; OutputFile says why.
    let made: TemporaryFile
    do throws(SystemError) {
      made = try TemporaryFile(in: directory, calls: calls)
    } catch {
      throw StageError(.sort, error)
    }
    file = made
    chunk = ByteChunk()
  }

  /// Sees to it that so many bytes fit into the chunk.
  @inline(__always)
  mutating func reserveSpace(for bytes: Int) throws(StageError) {
    if chunk.freeCapacity < bytes { try flush() }
  }

  private mutating func flush() throws(StageError) {
    do throws(SystemError) {
      try file.append(chunk)
    } catch {
      throw StageError(.sort, error)
    }
    chunk.removeAll()
  }

  /// Ends the run, which has so many records.
  consuming func finish(records: Int, level: Int, format: RunFormat) throws(StageError) -> SpilledRun {
    try flush()
    return SpilledRun(file: file, records: records, level: level, format: format)
  }
}
