// `sort` as a stage of a pipeline.

package import Records

extension StageName {
  /// Sorts records.
  package static let sort = StageName(rawValue: "sort")
}

// No thread of its own: a sort receives records faster than a batch changes threads, and spills in another thread.
extension SortOptions: StagePlan {
  /// The stage's name.
  package var name: StageName { .sort }
  /// The kind of data that flows in.
  package var input: DataKind { .records }
  /// The kind of data that flows out.
  package var output: DataKind { .records }
  /// True: all output is written at the end.
  package var needsWriterThread: Bool { true }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    var options = self
    options.threads = environment.threads
    return .records(
      Sorter(
        options: options, context: environment.context, inputShare: environment.inputShare,
        downstream: downstream.recordSink))
  }
}
