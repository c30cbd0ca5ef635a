// `unzip` as a stage of a pipeline.

package import Records

extension StageName {
  /// Unpacks archives.
  package static let unzip = StageName(rawValue: "unzip")
}

extension UnzipOptions: StagePlan {
  /// The stage's name.
  package var name: StageName { .unzip }
  /// The kind of data that flows in.
  package var input: DataKind { .bytes }
  /// The kind of data that flows out.
  package var output: DataKind { .bytes }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    .bytes(Unzipper(options: self, context: environment.context, downstream: downstream.byteSink))
  }
}

extension Unzipper: FileReader {
  /// The unzipper: it seeks in a zip archive that is a regular file.
  package var fileReader: (any FileReader)? { self }
}
