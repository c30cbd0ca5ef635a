// Records that wait on disk, in their text form.

import CallRecord
import PipeStage
import SystemIO
import SystemPackage

/// Text in a file without a name, written once and read back once.
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

  /// All has been written.
  func finish() {}

  /// Hands everything that was written to a sink, and ends its stream.
  func replay(to sink: any ByteSink) throws(StageError) {
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while offset < file.size {
      do throws(SystemError) {
        let count = try file.read(into: &chunk, at: offset)
        // Nobody else can shorten a file without a name; a disk that lost a part of it is broken.
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
