// The keys and values of a stage in a pipeline file.

package import Records

/// A value of a key.
package struct SettingValue: Equatable, Sendable {
  /// The value as text.
  package var text: String
  /// Whether the value was written without quotes; only then is `true` a Boolean.
  package var isPlain: Bool

  /// Creates a value.
  package init(text: String, isPlain: Bool) {
    self.text = text
    self.isPlain = isPlain
  }
}

/// A key of a stage with its values.
package struct StageSetting: Sendable {
  /// The key: the name of an option.
  package var key: String
  /// The values: one, or the items of a list, which may be empty.
  package var values: [SettingValue]
  /// Whether the values are written as a list.
  package var isList = false
  /// The position of the key.
  package var mark: Mark
  /// The position of the value.
  package var valueMark: Mark

  /// Creates a setting.
  package init(key: String, values: [SettingValue], mark: Mark, valueMark: Mark) {
    self.key = key
    self.values = values
    self.mark = mark
    self.valueMark = valueMark
  }

  init(_ entry: YAMLEntry, key: String? = nil) throws(PipelineFileError) {
    self.key = key ?? entry.key
    values = try entry.values()
    if case .sequence = entry.value { isList = true }
    mark = entry.keyMark
    valueMark = entry.value.mark
  }
}

/// A stage of a pipeline file with its settings.
package struct StageSettings: Sendable {
  /// The stage's name.
  package var stage: StageName
  /// The settings, in file order.
  package var settings: [StageSetting]
  /// The position of the stage's key.
  package var mark: Mark

  /// Creates a stage without settings.
  package init(_ stage: StageName, at mark: Mark) {
    self.stage = stage
    self.mark = mark
    settings = []
  }

  /// Reads a stage. With a `listKey`, the stage's value may be that key's list or single value.
  init(_ stage: StageName, _ entry: YAMLEntry, listKey: String? = nil) throws(PipelineFileError) {
    self.init(stage, at: entry.keyMark)
    if let listKey, !entry.value.isMapping {
      settings = [try StageSetting(entry, key: listKey)]
      return
    }
    // `sort:` without a value means the stage with its defaults.
    if case .scalar("", isPlain: true, _) = entry.value { return }
    for entry in try entry.value.entries(of: entry.key) { settings.append(try StageSetting(entry)) }
  }
}
