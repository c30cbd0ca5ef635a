// Records that are spooled to disk in their text form.

import CallRecord
import PipeStage
import SystemIO
import SystemPackage

/// Text in an unnamed file, written once and read back once.
final class SpooledText: ByteSink {
  private let meter: StageMeter
  private var file: TemporaryFile

  init(_ directory: String, _ context: StageContext) throws(SystemError) {
    let made = try TemporaryFile(in: directory, calls: context.calls)
    meter = context.meter
    file = made
  }

  /// Writes a chunk.
  func receive(_ chunk: inout ByteChunk) throws(StageError) {
    do throws(SystemError) {
      try file.append(chunk)
    } catch {
      throw StageError(.dedupe, error)
    }
    meter.bytesSpilled.add(chunk.count)
    chunk.removeAll()
  }

  /// Does nothing.
  func finish() {}

  /// Sends everything that was written to a sink, and finishes it.
  func replay(to sink: any ByteSink) throws(StageError) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while offset < file.size {
      do throws(SystemError) {
        let count = try file.read(into: &chunk, at: offset)
        // No other process can truncate an unnamed file, so missing data is a disk error.
        guard count > 0 else { throw SystemError(.readSpill, file.directory, .ioError) }
        offset += Int64(count)
      } catch {
        throw StageError(.dedupe, error)
      }
      try sink.receive(&chunk)
      chunk.removeAll()
    }
    try sink.finish()
  }
}
