// `sort` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Sorts records.
  public static let sort = StageName(rawValue: "sort")
}

// No thread of its own: a sort receives records faster than a batch changes threads, and spills in another thread.
extension SortOptions: StagePlan {
  /// The stage's name.
  public var name: StageName { .sort }
  /// The kind of data that flows in.
  public var input: DataKind { .records }
  /// The kind of data that flows out.
  public var output: DataKind { .records }
  /// True: all output is written at the end.
  public var needsWriterThread: Bool { true }

  /// Builds the stage, which sends its output to `downstream`.
  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    var options = self
    options.threads = environment.threads
    return .records(
      Sorter(
        options: options, context: environment.context, inputShare: environment.inputShare,
        downstream: downstream.recordSink))
  }
}
