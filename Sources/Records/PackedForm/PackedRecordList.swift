// Reads records in the packed form batch by batch, for a merge that pulls them from several lists.
//
// Not for: filters, to which bytes are pushed (RecordReader).

/// One stream of records in the packed form.
package struct PackedRecordList: ~Copyable {
  private var stream: PackedFormStream
  private var sink = OneBatch()

  /// The records of one block.
  private struct OneBatch: PackedBlockSink, ~Copyable {
    var batch = RecordBatch()
    var packedRows: PackedForm.Rows { .records }
    var acceptsBlock: Bool { batch.isEmpty }

    mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) -> Bool {
      block.read(columns, into: &batch)
    }
  }

  /// Whether an input is in the packed form, by its first bytes.
  package static func begins(_ bytes: Span<UInt8>) -> Bool {
    !bytes.isEmpty && bytes[0] == PackedForm.signature[0]
  }

  /// Creates the state before the first byte. Errors are reported as errors of `stage`.
  package init(stage: StageName?) {
    stream = PackedFormStream(stage: stage)
  }

  /// Whether the end mark was read.
  package var isAtEnd: Bool { stream.isAtEnd }

  /// Fills an empty batch with the records of the next block, and returns the index after the last byte that was used. The
  /// batch stays empty if the block continues after `bytes`, or at the end mark.
  package mutating func fill(
    _ batch: inout RecordBatch, from bytes: Span<UInt8>, at start: Int
  ) throws(Failure) -> Int {
    swap(&sink.batch, &batch)
    defer { swap(&sink.batch, &batch) }
    return try stream.cut(bytes, from: start, for: &sink)
  }

  /// Throws if the stream has not ended.
  package func finish() throws(Failure) {
    try stream.finish()
  }
}
