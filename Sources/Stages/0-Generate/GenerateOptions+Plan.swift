// `generate` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Turns patterns into records.
  public static let generate = StageName(rawValue: "generate")
}

extension GenerateOptions: StagePlan {
  /// The stage's name.
  public var name: StageName { .generate }
  /// The kind of data that flows in.
  public var input: DataKind { .nothing }
  /// The kind of data that flows out.
  public var output: DataKind { .records }
  /// The files that the stage reads or writes besides the data that flows through it.
  public var files: [StageFile] { patternFile.map { [StageFile($0, .input)] } ?? [] }

  /// Builds the stage, which sends its output to `downstream`.
  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    .records(
      try Generator(options: self, context: environment.context, downstream: downstream.recordSink))
  }
}
