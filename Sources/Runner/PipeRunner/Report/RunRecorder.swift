// What a run is asked to remember for its report: how its records are spread, and what it wrote.
//
// A run without a watch counts nothing of this. Not for: stages' counters (StageMeter), which every run has.

import CallRecord
public import EmitStage
import PipeStage
import Synchronization

/// Remembers what a report tells; any thread may ask.
public final class RunRecorder: Sendable {
  private struct State {
    var counts: RecordCounts?
    var outputs: [EmittedOutput] = []
  }
  private let state = Mutex(State())

  /// Makes a watch that has seen nothing.
  public init() {}

  /// How the records are spread that went into the last stage; nil until all of them did.
  public var counts: RecordCounts? { state.withLock { $0.counts } }

  /// What was put in place.
  public var outputs: [EmittedOutput] { state.withLock { $0.outputs } }

  func note(_ counts: RecordCounts) { state.withLock { $0.counts = counts } }

  func note(_ outputs: [EmittedOutput]) { state.withLock { $0.outputs = outputs } }
}

/// Records to a sink, counted.
final class CountedRecords: RecordSink {
  private let watch: RunRecorder
  private let downstream: any RecordSink
  private var tally = RecordTally()

  init(_ watch: RunRecorder, _ downstream: any RecordSink) {
    self.watch = watch
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(StageError) {
    tally.count(batch)
    try downstream.receive(&batch)
  }

  func finish() throws(StageError) {
    watch.note(tally.take())
    try downstream.finish()
  }
}
