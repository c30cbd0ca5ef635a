// The file of a run that is being written, and the bytes on their way there.
//
// Not for: what they mean (PackedSpiller, PlacedSpiller, LooseSpiller).

import BasicContainers
import SystemIO

/// A run's file in the making.
struct RunOutput: ~Copyable {
  private var file: TemporaryFile
  /// What waits to be written. Room is asked for before it is filled.
  var chunk: ByteChunk

  init(in directory: String, calls: any SystemCalls) throws(SortTrouble) {
    // What can fail comes before the first property is set; OutputFile says why.
    let made: TemporaryFile
    do throws(SystemError) {
      made = try TemporaryFile(in: directory, calls: calls)
    } catch {
      throw .system(error)
    }
    file = made
    chunk = ByteChunk()
  }

  /// Sees to it that so many bytes fit into the chunk.
  @inline(__always)
  mutating func makeRoom(for bytes: Int) throws(SortTrouble) {
    if chunk.freeCapacity < bytes { try flush() }
  }

  private mutating func flush() throws(SortTrouble) {
    do throws(SystemError) {
      try file.append(chunk)
    } catch {
      throw .system(error)
    }
    chunk.removeAll()
  }

  /// Ends the run, which has so many records.
  consuming func finish(records: Int, level: Int, form: RunForm) throws(SortTrouble) -> SpilledRun {
    try flush()
    return SpilledRun(file: file, records: records, level: level, form: form)
  }
}
