// The name of `classify` in messages and rejects.

package import Records

extension StageName {
  /// Classifies messages. Not a stage of a pipeline, but a filter with rejects like those of the stages.
  package static let classify = StageName(rawValue: "classify")
}
