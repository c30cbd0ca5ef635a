// One stage's counters in a run, with the source that the stage belongs to.

public import PipeStage

/// One stage's counters in a run.
public struct StageCounters: Sendable {
  /// The index of the source that the stage belongs to; nil for a shared stage.
  public let sourceIndex: Int?
  /// The source's name; empty for a shared stage.
  public let sourceName: String
  /// The kind of data that the stage outputs.
  public let output: DataKind
  /// The counters.
  public let meter: StageMeter

  /// Whether the stage's input and output are counted in rows.
  var countsRows: Bool { output != .bytes }

  init(_ stage: MeteredStage, sourceIndex: Int, sourceName: String) {
    self.sourceIndex = sourceIndex
    self.sourceName = sourceName
    output = stage.output
    meter = stage.meter
  }

  init(shared stage: MeteredStage) {
    sourceIndex = nil
    sourceName = ""
    output = stage.output
    meter = stage.meter
  }
}

/// A stage's counters and the kind of data that it outputs.
struct MeteredStage {
  let meter: StageMeter
  let output: DataKind
}
