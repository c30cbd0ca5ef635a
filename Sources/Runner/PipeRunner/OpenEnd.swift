// The ends of the ways in a pipeline of several sources.

import CallRecord
import PipeStage

/// Passes records on and keeps the end open: between two sources of one pipeline.
final class OpenEnd: RecordSink {
  private let downstream: any RecordSink

  init(_ downstream: any RecordSink) {
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(StageError) {
    try downstream.receive(&batch)
  }

  func finish() {}
}
