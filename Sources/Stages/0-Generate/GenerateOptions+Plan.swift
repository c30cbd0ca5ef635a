// `generate` as a stage of a pipeline.

package import Records

extension StageName {
  /// Turns patterns into records.
  package static let generate = StageName(rawValue: "generate")
}

extension GenerateOptions: StagePlan {
  /// The stage's name.
  package var name: StageName { .generate }
  /// The kind of data that flows in.
  package var input: DataKind { .nothing }
  /// The kind of data that flows out.
  package var output: DataKind { .records }
  /// The files that the stage reads or writes besides the data that flows through it.
  package var files: [StageFile] { patternFile.map { [StageFile($0, .input)] } ?? [] }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    .records(
      try Generator(options: self, context: environment.context, downstream: downstream.recordSink))
  }
}
