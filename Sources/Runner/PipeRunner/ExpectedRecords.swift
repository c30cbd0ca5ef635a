// Checks that all records of the processes that began a run have arrived.

import Records

/// Forwards records, and fails at their end if there are not as many as expected.
final class ExpectedRecords: RecordSink {
  private let expected: UInt64
  private let stage: StageName
  private let downstream: any RecordSink
  private var count: UInt64 = 0

  init(_ expected: UInt64, _ stage: StageName, _ downstream: any RecordSink) {
    self.expected = expected
    self.stage = stage
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    count += UInt64(batch.count)
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    guard count == expected else {
      throw Failure(stage, PipelineError.otherRecords(read: count, expected: expected))
    }
    try downstream.finish()
  }
}
