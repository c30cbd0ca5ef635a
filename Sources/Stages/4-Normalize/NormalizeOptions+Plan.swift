// `normalize` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Raw rows to records.
  public static let normalize = StageName(rawValue: "normalize")
}

extension NormalizeOptions: StagePlan {
  public var name: StageName { .normalize }
  public var input: DataKind { .rawRows }
  public var output: DataKind { .records }
  public var needsThread: Bool { true }

  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    .rawRows(
      Normalizer(options: self, context: environment.context, downstream: downstream.recordSink))
  }
}
