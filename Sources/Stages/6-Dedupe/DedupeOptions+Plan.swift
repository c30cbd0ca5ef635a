// `dedupe` as a stage of a pipeline.

package import Records

extension StageName {
  /// Makes sorted records disjoint.
  package static let dedupe = StageName(rawValue: "dedupe")
}

// No thread of its own: deduping is little work, and shares the thread of the sort's merge.
extension DedupeOptions: StagePlan {
  /// The stage's name.
  package var name: StageName { .dedupe }
  /// The kind of data that flows in.
  package var input: DataKind { .records }
  /// The kind of data that flows out.
  package var output: DataKind { .records }

  /// The files that the stage reads or writes besides the data that flows through it.
  package var files: [StageFile] {
    var files: [StageFile] = []
    if let labelMapPath { files.append(StageFile(labelMapPath, .settings)) }
    if let conflictsPath { files.append(StageFile(conflictsPath, .log)) }
    return files
  }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    var options = self
    if let notify = environment.notify { options.observe = { notify($0) } }
    return .records(
      try Deduper(options: options, context: environment.context, downstream: downstream.recordSink))
  }
}

extension DedupeNotice: StageNotice {}
