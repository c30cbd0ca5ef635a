// What a run provides to each of its stages, besides the stage's own options.

/// An event that a stage reports, as data. The stage defines the type; the command layer turns it into a message.
package protocol StageNotice: Sendable {}

/// A notice that a run's report contains, too.
package protocol RecordedNotice: StageNotice {}

/// The description of an output that a stage has put in place, for a run's report.
package protocol StageOutput: Sendable {}

/// What a run provides to a stage that is built for it.
package struct StageEnvironment: Sendable {
  /// The stage's counters, the reject log, and the system calls.
  package var context: StageContext
  /// The number of threads. With 1 everything happens in one thread; with more, stages run concurrently.
  package var threads = 1
  /// What messages call the input that the stage reads.
  package var inputName = "-"
  /// Returns the share of the run's input that has been read, 0 to 1; nil when its size is unknown.
  package var inputShare: @Sendable () -> Double? = { nil }
  /// Returns the origin of the records, for a manifest; nil when the manifest does not record it.
  package var provenance: (@Sendable () throws(Failure) -> RunProvenance?)?
  /// Returns the countries of the records, for a manifest; nil until the last record has arrived.
  package var countries: @Sendable () -> CountryCounts? = { nil }
  /// Receives notices; nil when they are not shown.
  package var notify: (@Sendable (any StageNotice) -> Void)?
  /// Receives the descriptions of all outputs once they are in place; nil when no report needs them.
  package var recordOutputs: (@Sendable ([any StageOutput]) -> Void)?

  /// Makes an environment with one thread and no observers.
  package init(_ context: StageContext) {
    self.context = context
  }
}
