// `dedupe` as a stage of a pipeline.

public import PipeStage

extension StageName {
  /// Records, ascending and disjoint.
  public static let dedupe = StageName(rawValue: "dedupe")
}

// No thread of its own: deduping is little work, and shares the thread of the sort's merge.
extension DedupeOptions: StagePlan {
  public var name: StageName { .dedupe }
  public var input: DataKind { .records }
  public var output: DataKind { .records }

  public var files: [StageFile] {
    var files: [StageFile] = []
    if let labelMapPath { files.append(StageFile(labelMapPath, .settings)) }
    if let conflictsPath { files.append(StageFile(conflictsPath, .log)) }
    return files
  }

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
