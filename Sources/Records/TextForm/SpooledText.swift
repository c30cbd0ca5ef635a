// Records that are spooled to disk in their text form: a stage writes them once and reads them back once.
//
// Not for: the runs of sort, which have a format of their own (SortStage).

package import SystemIO
import SystemPackage

/// Text in an unnamed file, written once and read back once.
package final class SpooledText: ByteSink {
  private let meter: StageMeter
  private var file: TemporaryFile

  /// Makes the file in a directory. Errors are errors of the context's stage, and what is written counts as its spilled
  /// bytes.
  package init(_ directory: String, _ context: StageContext) throws(Failure) {
    let made = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: directory, calls: context.calls)
    }
    meter = context.meter
    file = made
  }

  /// The directory that contains the file, for messages.
  package var directory: String { file.directory }

  /// Writes a chunk.
  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    do throws(SystemError) {
      try file.append(chunk)
    } catch {
      throw Failure(meter.stage, error)
    }
    meter.bytesSpilled.add(chunk.count)
    chunk.removeAll()
  }

  /// Does nothing.
  package func finish() {}

  /// Reads bytes at an offset into the chunk's free capacity, and returns how many: 0 at the end of what was written.
  package func read(into chunk: inout ByteChunk, at offset: Int64) throws(Failure) -> Int {
    if offset == file.size { return 0 }
    do throws(SystemError) {
      let count = try file.read(into: &chunk, at: offset)
      // No other process can truncate an unnamed file, so missing data is a disk error.
      guard count > 0 else { throw SystemError(.readSpill, file.directory, .ioError) }
      return count
    } catch {
      throw Failure(meter.stage, error)
    }
  }

  /// Sends everything that was written to a sink, and finishes it.
  package func replay(to sink: any ByteSink) throws(Failure) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while true {
      let count = try read(into: &chunk, at: offset)
      if count == 0 { break }
      offset += Int64(count)
      try sink.receive(&chunk)
      chunk.removeAll()
    }
    try sink.finish()
  }
}
