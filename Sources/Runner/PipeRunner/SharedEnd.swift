// The end of each source's stages in a pipeline of several sources.

import CallRecord
import PipeStage

/// Forwards records and leaves the stream open for the next source.
final class SharedEnd: RecordSink {
  private let downstream: any RecordSink

  init(_ downstream: any RecordSink) {
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(StageError) {
    try downstream.receive(&batch)
  }

  func finish() {}
}

/// The end of a pipeline whose last stage writes its own files: it receives nothing.
final class EmptyEnd: RecordSink {
  func receive(_ batch: inout RecordBatch) {}
  func finish() {}
}
