// One run of the parse stage over bytes in memory; the clock runs around the stage only.

import InputStages
import Records
import SystemIO

/// Counts rows.
private final class RowCounter: RawRowSink {
  var rows: UInt64 = 0

  func receive(_ batch: inout RawRowBatch) throws(Failure) { rows += UInt64(batch.count) }
  func finish() throws(Failure) {}
}

/// Reads a file into memory, in chunks of the size that the runner uses.
func wholeFile(_ path: String) throws(SystemError) -> ChunkList {
  var file = try InputFile(path)
  let chunks = ChunkList()
  while true {
    var chunk = ByteChunk()
    while chunk.freeCapacity > 0 {
      if try file.read(into: &chunk) == 0 { break }
    }
    if chunk.isEmpty { return chunks }
    chunks.append(chunk)
  }
}

/// A file in memory.
final class ChunkList {
  private var chunks: [Holder] = []

  private final class Holder {
    var chunk: ByteChunk
    init(_ chunk: consuming ByteChunk) { self.chunk = chunk }
  }

  func append(_ chunk: consuming ByteChunk) { chunks.append(Holder(chunk)) }

  /// Calls `body` with each chunk.
  func forEach(_ body: (inout ByteChunk) throws(Failure) -> Void) throws(Failure) {
    for holder in chunks { try body(&holder.chunk) }
  }
}

/// Parses the bytes once.
func parsed(
  _ bytes: ChunkList, _ name: String, _ options: ParseOptions
) throws(Failure) -> (seconds: Double, rows: UInt64) {
  let counter = RowCounter()
  let context = StageContext(meter: StageMeter(.parse), rejects: try RejectLog())
  let start = MonotonicClock.seconds()
  let parser = RowParser(
    options: options, input: name, context: context, downstream: counter)
  try bytes.forEach { (chunk) throws(Failure) in try parser.receive(&chunk) }
  try parser.finish()
  return (MonotonicClock.seconds() - start, counter.rows)
}
