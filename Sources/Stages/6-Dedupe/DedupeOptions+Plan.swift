// `dedupe` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Makes sorted records disjoint.
  public static let dedupe = StageName(rawValue: "dedupe")
}

// No thread of its own: deduping is little work, and shares the thread of the sort's merge.
extension DedupeOptions: StagePlan {
  /// The stage's name.
  public var name: StageName { .dedupe }
  /// The kind of data that flows in.
  public var input: DataKind { .records }
  /// The kind of data that flows out.
  public var output: DataKind { .records }

  /// The files that the stage reads or writes besides the data that flows through it.
  public var files: [StageFile] {
    var files: [StageFile] = []
    if let labelMapPath { files.append(StageFile(labelMapPath, .settings)) }
    if let conflictsPath { files.append(StageFile(conflictsPath, .log)) }
    return files
  }

  /// Builds the stage, which sends its output to `downstream`.
  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    var options = self
    if let notify = environment.notify { options.observe = { notify($0) } }
    return .records(
      try Deduper(options: options, context: environment.context, downstream: downstream.recordSink))
  }
}

extension DedupeNotice: StageNotice {}
