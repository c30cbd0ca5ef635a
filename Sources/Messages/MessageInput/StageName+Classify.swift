// The name of `classify` in messages and rejects.

public import PipeStage

extension StageName {
  /// Classifies messages. Not a stage of a pipeline, but a filter with rejects like those of the stages.
  public static let classify = StageName(rawValue: "classify")
}
