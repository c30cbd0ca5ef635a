// What flows between stages, and who takes it. A stage is a sink for what it reads and holds the sink for what
// it makes; it knows its neighbours only by these three protocols.
//
// Not for: threads. A stage belongs to one thread; the runner puts bounded buffers between threads, and they
// are sinks too.

public import CallRecord
public import SystemIO

/// Takes bytes.
///
/// `receive` may read the chunk or swap it for an empty one; afterwards its content is nobody's, and the caller
/// empties it. `finish` comes once, behind the last chunk; after a throw nothing more comes.
public protocol ByteSink: AnyObject {
  /// Takes one chunk.
  func receive(_ chunk: inout ByteChunk) throws(StageError)
  /// There is no more.
  func finish() throws(StageError)
}

/// Takes raw rows. The rules are those of ``ByteSink``.
public protocol RawRowSink: AnyObject {
  /// Takes one batch.
  func receive(_ batch: inout RawRowBatch) throws(StageError)
  /// There is no more.
  func finish() throws(StageError)
}

/// Takes records. The rules are those of ``ByteSink``.
public protocol RecordSink: AnyObject {
  /// Takes one batch.
  func receive(_ batch: inout RecordBatch) throws(StageError)
  /// There is no more.
  func finish() throws(StageError)
}
