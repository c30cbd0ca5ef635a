// The stages of a run that other processes have completed, such as tasks on the machines of a cluster: this process runs
// the remaining ones, and its manifest and report describe the whole run.
//
// Not for: the reports in which those processes recorded their counts (RunReport).

package import Records

/// The sources and stages of a run that other processes have completed.
package struct CompletedStages: Sendable {
  /// A source that was read.
  package struct Source: Sendable {
    /// The source's name, and the size and hash of its bytes as far as they are known.
    package var content: RunProvenance.Source
    /// The conditions that the source's rows must meet for the run to succeed.
    package var checks = SourceChecks()

    /// Describes a source.
    package init(_ content: RunProvenance.Source) {
      self.content = content
    }
  }

  /// The sources, in the order of the run.
  package var sources: [Source]
  /// Returns new counters with the counts of the completed stages: source by source in the order of ``sources``, then
  /// those of shared stages. A shared stage that this process continues goes on counting with its counters.
  package var counters: @Sendable () -> [StageCounters]

  /// The records that a continued stage reads although an earlier part of it has read and counted them, by stage.
  package var countedBefore: [StageName: UInt64] = [:]

  /// The first stage that this process runs on all records, and how many there are. A run with another number of records
  /// fails before anything is published: files may have been forgotten.
  package var expected: (stage: StageName, records: UInt64)?

  /// Describes completed stages.
  package init(sources: [Source], counters: @escaping @Sendable () -> [StageCounters]) {
    self.sources = sources
    self.counters = counters
  }
}
