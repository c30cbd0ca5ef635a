// The stages that a pipeline file can have, and where. The command layer makes the layout from its table of stages.

public import PipeStage

/// Where a stage stands in a pipeline file.
public enum StagePosition: Sendable {
  /// In a source, in place of `url` or `path`.
  case generator
  /// In a source with a `url`.
  case fetch
  /// In a source. A source without the key has the stage with its defaults.
  case source
  /// At the top level, shared by all sources. A file without the key has the stage with its defaults.
  case shared
  /// At the top level, shared by all sources. A file without the key does not have the stage.
  case optional
  /// At the top level, once or as a list: the outputs.
  case output
  /// Nowhere: the stage is a command only.
  case commandOnly
}

/// A stage that a pipeline file can have.
public struct StageKey: Sendable {
  /// The stage: its name is the key.
  public var name: StageName
  /// Where it stands.
  public var position: StagePosition
  /// The key inside the stage whose values may stand alone in place of all keys; nil for none.
  public var listKey: String?
  /// Keys of the stage that may stand in the source itself.
  public var sourceKeys: [String]

  /// Makes a stage.
  public init(
    _ name: StageName, _ position: StagePosition, listKey: String? = nil, sourceKeys: [String] = []
  ) {
    self.name = name
    self.position = position
    self.listKey = listKey
    self.sourceKeys = sourceKeys
  }
}

/// The stages that a pipeline file can have, in the order of the data.
public struct PipelineLayout: Sendable {
  /// The stages.
  public let stages: [StageKey]

  /// Makes a layout.
  public init(_ stages: [StageKey]) {
    self.stages = stages
  }

  /// The stages at some positions, in the order of the data.
  public func stages(_ positions: StagePosition...) -> [StageKey] {
    stages.filter { positions.contains($0.position) }
  }

  /// The keys of a pipeline file.
  public var fileKeys: [String] {
    ["name", Inclusion.key, Variables.key, "sources"]
      + (stages(.shared, .optional) + stages(.output)).map(\.name.rawValue) + ["publish"]
  }

  /// The keys of a source.
  public var sourceKeys: [String] {
    ["name", "enabled", "required", "use-last-good", "priority"] + stages.flatMap(\.sourceKeys)
      + SourceSettings.checkKeys + ["url", "path"]
      + (stages(.generator) + stages(.fetch, .source)).map(\.name.rawValue)
  }
}
