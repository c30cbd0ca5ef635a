// A stage of a pipeline file: its keys and their values.

public import PipeStage
public import YAMLDocument

/// A value of a stage's key.
public struct SettingValue: Equatable, Sendable {
  /// The text.
  public var text: String
  /// Whether it was written without quotes: only then `true` is a truth value.
  public var isPlain: Bool

  /// Makes a value.
  public init(text: String, isPlain: Bool) {
    self.text = text
    self.isPlain = isPlain
  }
}

/// One key of a stage and its values.
public struct StageSetting: Sendable {
  /// The key: an option's name.
  public var key: String
  /// The values: one, or the items of a list, which may be empty.
  public var values: [SettingValue]
  /// The position of the key.
  public var mark: Mark
  /// The position of the value.
  public var valueMark: Mark

  /// Makes a setting.
  public init(key: String, values: [SettingValue], mark: Mark, valueMark: Mark) {
    self.key = key
    self.values = values
    self.mark = mark
    self.valueMark = valueMark
  }

  init(_ entry: YAMLEntry, key: String? = nil) throws(PipelineFileError) {
    self.key = key ?? entry.key
    values = try entry.values()
    mark = entry.keyMark
    valueMark = entry.value.mark
  }
}

/// A stage of a pipeline file.
public struct StageSettings: Sendable {
  /// The stage.
  public var stage: StageName
  /// Its keys in their order.
  public var settings: [StageSetting]
  /// The position of the stage's key.
  public var mark: Mark

  /// Makes a stage without settings.
  public init(_ stage: StageName, at mark: Mark) {
    self.stage = stage
    self.mark = mark
    settings = []
  }

  /// Reads a stage. With a `listKey` a list, or one value, may stand for that key alone.
  init(_ stage: StageName, _ entry: YAMLEntry, listKey: String? = nil) throws(PipelineFileError) {
    self.init(stage, at: entry.keyMark)
    if let listKey, !entry.value.isMapping {
      settings = [try StageSetting(entry, key: listKey)]
      return
    }
    // `sort:` without a value is a stage with its defaults.
    if case .scalar("", isPlain: true, _) = entry.value { return }
    for entry in try entry.value.entries(of: entry.key) { settings.append(try StageSetting(entry)) }
  }
}
