// The last step of dedupe: counts the output, and reports.

import Records

/// Counts records on their way to the next stage.
final class DedupeOutput: RecordSink {
  private let meter: StageMeter
  private let log: ConflictLog?
  private let leftOut: LeftOutCounter
  private let sources: PrioritySourceCheck?
  private let observe: (@Sendable (DedupeNotice) -> Void)?
  private let downstream: any RecordSink

  init(
    _ meter: StageMeter, _ log: ConflictLog?, _ leftOut: LeftOutCounter, _ sources: PrioritySourceCheck?,
    _ observe: (@Sendable (DedupeNotice) -> Void)?, _ downstream: any RecordSink
  ) {
    self.meter = meter
    self.log = log
    self.leftOut = leftOut
    self.sources = sources
    self.observe = observe
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    // All decisions have been made. A full disk must be detected before the next stage publishes its files.
    try log?.flush()
    meter.finish()
    if let observe {
      if let missing = sources?.missing, !missing.isEmpty, meter.rowsIn.value > 0 {
        observe(.sourcesWithoutRecords(missing))
      }
      leftOut.report(to: observe)
    }
    try downstream.finish()
  }
}
