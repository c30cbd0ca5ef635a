// `generate` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Patterns to records.
  public static let generate = StageName(rawValue: "generate")
}

extension GenerateOptions: StagePlan {
  public var name: StageName { .generate }
  public var input: DataKind { .nothing }
  public var output: DataKind { .records }
  public var files: [StageFile] { patternFile.map { [StageFile($0, .input)] } ?? [] }

  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    .records(
      try Generator(options: self, context: environment.context, downstream: downstream.recordSink))
  }
}
