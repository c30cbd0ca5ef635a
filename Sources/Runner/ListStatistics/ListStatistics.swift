// The counts of `cdpipe stats`, and the last stage of its pipeline, which counts records.
//
// In Runner/ and not in Stages/: it combines stages (parse and normalize for raw rows) and counts what they output with
// the counters of a run's report. Not for displaying the counts (the command layer).

package import Records
import Synchronization

extension StageName {
  /// Counts records. Not a stage of a pipeline file.
  package static let stats = StageName(rawValue: "stats")
}

/// The counts of all records of a run. Usable from any thread.
package final class ListStatistics: Sendable {
  /// The maximum number of distinct labels, and of distinct sources, that are counted separately: more than anyone
  /// reads, in a few mebibytes.
  package static let textsMax = 1 << 16

  private let value = Mutex(RecordCounts())

  /// Creates counts of zero.
  package init() {}

  /// The counts; zero until the stream has ended.
  package var counts: RecordCounts { value.withLock { $0 } }

  fileprivate func set(_ counts: RecordCounts) { value.withLock { $0 = counts } }
}

/// The last stage of the pipeline: it counts records and outputs nothing.
package struct StatsPlan: StagePlan {
  private let statistics: ListStatistics

  /// Creates a plan.
  ///
  /// - Parameter statistics: set at the end of the stream.
  package init(_ statistics: ListStatistics) {
    self.statistics = statistics
  }

  /// The stage's name.
  package var name: StageName { .stats }
  /// The kind of data that flows in.
  package var input: DataKind { .records }
  /// The kind of data that flows out.
  package var output: DataKind { .nothing }
  /// Whether the stage runs on a thread of its own.
  package var needsThread: Bool { true }
  /// The stage counts countries itself.
  package var checksCountries: Bool { false }

  /// Builds the stage.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    .records(RecordCounter(statistics, environment.context.meter))
  }
}

/// Counts records.
private final class RecordCounter: RecordSink {
  private let statistics: ListStatistics
  private let meter: StageMeter
  private var tally = RecordTally(labelsMax: ListStatistics.textsMax, sourcesMax: ListStatistics.textsMax)

  init(_ statistics: ListStatistics, _ meter: StageMeter) {
    self.statistics = statistics
    self.meter = meter
  }

  func receive(_ batch: inout RecordBatch) {
    tally.count(batch)
  }

  func finish() {
    statistics.set(tally.take())
    meter.finish()
  }
}
