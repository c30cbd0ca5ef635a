// `unzip` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Unpacks archives.
  public static let unzip = StageName(rawValue: "unzip")
}

extension UnzipOptions: StagePlan {
  /// The stage's name.
  public var name: StageName { .unzip }
  /// The kind of data that flows in.
  public var input: DataKind { .bytes }
  /// The kind of data that flows out.
  public var output: DataKind { .bytes }

  /// Builds the stage, which sends its output to `downstream`.
  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    .bytes(Unzipper(options: self, context: environment.context, downstream: downstream.byteSink))
  }
}

extension Unzipper: FileReader {
  /// The unzipper: it seeks in a zip archive that is a regular file.
  public var fileReader: (any FileReader)? { self }
}
