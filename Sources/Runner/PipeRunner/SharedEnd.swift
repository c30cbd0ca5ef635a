// The end of each source's stages in a pipeline of several sources.

import Records

/// Forwards records within the source's bounds and leaves the stream open for the next source.
final class SharedEnd: RecordSink {
  private let downstream: any RecordSink
  /// Whether records are dropped: the run is repeated without the sources that failed, and only looks for more of them.
  private let drops: Bool
  private var bounds: SourceBounds?

  init(_ downstream: any RecordSink, drops: Bool, _ bounds: SourceBounds?) {
    self.downstream = downstream
    self.drops = drops
    self.bounds = bounds
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    try bounds?.check(batch)
    if drops { batch.removeAll() } else { try downstream.receive(&batch) }
  }

  func finish() throws(Failure) {
    try bounds?.finish()
  }
}

/// The end of a pipeline whose last stage writes its own files: it receives nothing.
final class EmptyEnd: RecordSink {
  func receive(_ batch: inout RecordBatch) {}
  func finish() {}
}
