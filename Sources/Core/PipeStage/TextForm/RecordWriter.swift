// Writes records in the text form: the output of filters that write records, and of `emit --format tsv`.

public import CallRecord
import SystemIO

/// Writes records in their text form, one per line.
public final class RecordWriter: RecordSink {
  private let downstream: any ByteSink
  private var chunk = ByteChunk()

  /// Creates a writer that passes bytes to `downstream`.
  public init(downstream: any ByteSink) {
    self.downstream = downstream
  }

  /// Writes a batch.
  public func receive(_ batch: inout RecordBatch) throws(StageError) {
    try write(batch)
    batch.removeAll()
  }

  /// Writes a batch and leaves it as it is.
  public func write(_ batch: borrowing RecordBatch) throws(StageError) {
    var index = 0
    while index < batch.count {
      index = TextForm.write(batch, from: index, into: &chunk)
      if index < batch.count { try flush() }
    }
  }

  /// Passes on the remaining bytes and ends the stream.
  public func finish() throws(StageError) {
    try flush()
    try downstream.finish()
  }

  /// Passes on the bytes written so far.
  public func flush() throws(StageError) {
    guard !chunk.isEmpty else { return }
    try downstream.receive(&chunk)
    chunk.removeAll()
  }
}

/// Writes raw rows in their text form, one per line.
public final class RawRowWriter: RawRowSink {
  private let downstream: any ByteSink
  private var chunk = ByteChunk()

  /// Creates a writer that passes bytes to `downstream`.
  public init(downstream: any ByteSink) {
    self.downstream = downstream
  }

  /// Writes a batch.
  public func receive(_ batch: inout RawRowBatch) throws(StageError) {
    var index = 0
    while index < batch.count {
      index = TextForm.write(batch, from: index, into: &chunk)
      if index < batch.count { try flush() }
    }
    batch.removeAll()
  }

  /// Passes on the remaining bytes and ends the stream.
  public func finish() throws(StageError) {
    try flush()
    try downstream.finish()
  }

  /// Passes on the bytes written so far.
  public func flush() throws(StageError) {
    guard !chunk.isEmpty else { return }
    try downstream.receive(&chunk)
    chunk.removeAll()
  }
}
