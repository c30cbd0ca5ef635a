// The stages that a pipeline file can contain and their positions. The command layer derives the layout from its table
// of stages.

package import Records

/// The position of a stage in a pipeline file.
package enum StagePosition: Sendable {
  /// In a source, in place of `url` or `path`.
  case generator
  /// In a source with a `url`.
  case fetch
  /// In a source. A source without the key gets the stage with its defaults.
  case source
  /// At the top level, shared by all sources. A file without the key gets the stage with its defaults.
  case shared
  /// At the top level, shared by all sources. A file without the key does not get the stage.
  case optional
  /// At the top level, as one item or a list: the outputs.
  case output
  /// Not in pipeline files: the stage is a command only.
  case commandOnly
}

/// A stage that a pipeline file can contain.
package struct StageKey: Sendable {
  /// The stage; its name is the key.
  package var name: StageName
  /// The stage's position.
  package var position: StagePosition
  /// The key inside the stage whose values may be written directly as the stage's value; nil for none.
  package var listKey: String?
  /// Keys of the stage that may be written directly in the source.
  package var sourceKeys: [String]

  /// Creates a stage key.
  package init(
    _ name: StageName, _ position: StagePosition, listKey: String? = nil, sourceKeys: [String] = []
  ) {
    self.name = name
    self.position = position
    self.listKey = listKey
    self.sourceKeys = sourceKeys
  }
}

/// The stages that a pipeline file can contain, in pipeline order.
package struct PipelineLayout: Sendable {
  /// The stages, in pipeline order.
  package let stages: [StageKey]

  /// The keys of a source that are conditions that its rows must meet.
  package let checkKeys: [String]

  package init(_ stages: [StageKey], checkKeys: [String]) {
    self.stages = stages
    self.checkKeys = checkKeys
  }

  /// The stages at the given positions, in pipeline order.
  package func stages(_ positions: StagePosition...) -> [StageKey] {
    stages.filter { positions.contains($0.position) }
  }

  /// The valid keys at the top level of a pipeline file.
  package var fileKeys: [String] {
    ["name", Inclusion.key, Variables.key, "sources"]
      + (stages(.shared, .optional) + stages(.output)).map(\.name.rawValue) + ["publish"]
  }

  /// The valid keys of a source.
  package var sourceKeys: [String] {
    ["name", "enabled", "required", "use-last-good", "priority"] + stages.flatMap(\.sourceKeys)
      + checkKeys + ["url", "path"]
      + (stages(.generator) + stages(.fetch, .source)).map(\.name.rawValue)
  }
}
