// Collects data for a run's report: the distribution of the records, and the outputs.
//
// A run without a recorder does not count these. Not for the stages' counters (StageMeter), which every run has.

package import Records
import Synchronization

/// Collects data for a report. Usable from any thread.
package final class RunRecorder: Sendable {
  private struct Collected {
    var counts: RecordCounts?
    var outputs: [any StageOutput] = []
    var notices: [any RecordedNotice] = []
  }
  /// The maximum number of notices that are kept: a few for each input of a large pipeline.
  private static let noticesMax = 10_000

  private let collected = Mutex(Collected())

  /// Creates an empty recorder.
  package init() {}

  /// The distribution of the records that entered the last stage; nil until the stream has ended.
  package var counts: RecordCounts? { collected.withLock { $0.counts } }

  /// The outputs that were published.
  package var outputs: [any StageOutput] { collected.withLock { $0.outputs } }

  /// The first notices that belong into the report.
  package var notices: [any RecordedNotice] { collected.withLock { $0.notices } }

  /// Discards the notices of an attempt that is repeated.
  package func removeNotices() { collected.withLock { $0.notices = [] } }

  func note(_ notice: any StageNotice) {
    guard let notice = notice as? any RecordedNotice else { return }
    collected.withLock { collected in
      if collected.notices.count < Self.noticesMax { collected.notices.append(notice) }
    }
  }

  func note(_ counts: RecordCounts) { collected.withLock { $0.counts = counts } }

  func note(_ outputs: [any StageOutput]) { collected.withLock { $0.outputs = outputs } }
}

/// Forwards records and counts them.
final class CountedRecords: RecordSink {
  private let recorder: RunRecorder
  private let downstream: any RecordSink
  private var tally = RecordTally()

  init(_ recorder: RunRecorder, _ downstream: any RecordSink) {
    self.recorder = recorder
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    tally.count(batch)
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    recorder.note(tally.take())
    try downstream.finish()
  }
}
