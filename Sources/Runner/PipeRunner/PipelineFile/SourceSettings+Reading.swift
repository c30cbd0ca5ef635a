// One source of a pipeline file, read from its keys.

import PipeStage
import YAMLDocument

extension SourceSettings {
  /// The keys of a source.
  public static let keys =
    ["name", "enabled", "required", "use-last-good", "priority", "region"] + checkKeys + inputKeys
    + PipelineDocument.sourceStages.map(\.rawValue)

  /// The keys that say where the bytes come from.
  static let inputKeys = ["url", "path", "generate"]

  /// Reads a source; nil when it is switched off. A mistake in one that is switched off is a mistake too.
  init?(_ node: YAMLNode, number: Int) throws(PipelineFileError) {
    let entries = try node.entries(of: "sources")
    try entries.rejectUnknown(Self.keys)
    let read = try Self.input(entries, node)
    var stages = read.stages
    if let region = entries.entry("region") { try Self.put(region, into: &stages, entries) }
    name = try entries.text("name") ?? String(number)
    input = read.input
    self.stages = stages
    mark = node.mark
    isRequired = try entries.truth("required") ?? true
    usesLastGood = try entries.truth("use-last-good") ?? false
    priority = try entries.integer("priority") ?? 0
    checks = []
    for key in Self.checkKeys {
      guard let entry = entries.entry(key) else { continue }
      checks.append(
        StageSetting(
          key: key, values: try entry.values(), mark: entry.keyMark, valueMark: entry.value.mark))
    }
    if try entries.truth("enabled") == false { return nil }
  }

  private static func input(
    _ entries: [YAMLEntry], _ node: YAMLNode
  ) throws(PipelineFileError) -> (input: Input, stages: [StageSettings]) {
    if let generate = entries.entry("generate") {
      let others =
        ["url", "path", "region", "use-last-good"] + checkKeys
        + PipelineDocument.sourceStages.map(\.rawValue)
      if let other = others.compactMap({ entries.entry($0) }).first {
        throw .exclusiveKeys(other.keyMark, key: other.key, other: "generate")
      }
      return (.generate(try StageSettings(.generate, generate, listKey: StageSettings.patternsKey)), [])
    }
    let input: Input
    switch (try entries.text("url"), try entries.text("path")) {
    case (let url?, nil): input = .url(url, entries.value("url")?.mark ?? node.mark)
    case (nil, let path?): input = .path(path, entries.value("path")?.mark ?? node.mark)
    case (nil, nil): throw .missingKey(node.mark, key: "path", of: "sources")
    case (.some, .some):
      throw .exclusiveKeys(entries.entry("path")?.keyMark ?? node.mark, key: "path", other: "url")
    }
    var stages: [StageSettings] = []
    for stage in PipelineDocument.sourceStages {
      if let entry = entries.entry(stage.rawValue) { stages.append(try StageSettings(stage, entry)) }
    }
    return (input, stages)
  }

  /// `region: CN` is short for `normalize: { region: CN }`.
  private static func put(
    _ region: YAMLEntry, into stages: inout [StageSettings], _ entries: [YAMLEntry]
  ) throws(PipelineFileError) {
    let setting = StageSetting(
      key: "region", values: try region.values(), mark: region.keyMark, valueMark: region.value.mark)
    guard let index = stages.firstIndex(where: { $0.stage == .normalize }) else {
      var normalize = try StageSettings(
        .normalize, YAMLEntry(key: "normalize", keyMark: region.keyMark, value: .mapping([], region.keyMark)))
      normalize.settings = [setting]
      return stages.append(normalize)
    }
    if stages[index].settings.contains(where: { $0.key == "region" }) {
      throw .exclusiveKeys(region.keyMark, key: "region", other: "normalize.region")
    }
    stages[index].settings.append(setting)
  }
}

extension [YAMLEntry] {
  /// `true` or `false`, or nil if the key is not there. What is typed or put in by a name may be either.
  fileprivate func truth(_ key: String) throws(PipelineFileError) -> Bool? {
    guard let node = value(key), let text = try text(key) else { return nil }
    // In quotes it is a text, as everywhere in YAML.
    guard case .scalar(_, let isPlain, let mark) = node, isPlain || mark.isTyped, let value = Bool(text)
    else {
      throw .wrongShape(node.mark, key: key, wanted: .truth)
    }
    return value
  }

  fileprivate func integer(_ key: String) throws(PipelineFileError) -> Int? {
    guard let text = try text(key) else { return nil }
    guard let value = Int(text) else {
      throw .wrongShape(self.value(key)?.mark ?? self[0].keyMark, key: key, wanted: .integer)
    }
    return value
  }
}
