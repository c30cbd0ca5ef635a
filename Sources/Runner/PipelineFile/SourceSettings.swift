// One source of a pipeline file.

package import Records

/// A source of a pipeline file: its input, its stages and its checks.
package struct SourceSettings: Sendable {
  /// Where the source's bytes come from.
  package enum Input: Sendable {
    /// A URL to fetch, or a path as in `path`.
    case url(String, Mark)
    /// Paths and globs; relative to the file that contains them unless they were typed on the command line.
    case paths([SourcePath])
    /// A stage that generates records.
    case generator(StageSettings)
  }
  /// The source's name; by default its number.
  package var name: String
  /// Where the source's bytes come from.
  package var input: Input
  /// The stages that the source names, in pipeline order.
  package var stages: [StageSettings]
  /// The conditions that the source's rows must meet; its keys are those of the layout.
  package var checks: [StageSetting] = []
  /// Whether the run fails if the source can't be used.
  package var isRequired = true
  /// Whether the last good copy is used if the current bytes can't be used.
  package var usesLastGood = false
  /// Sources with a higher priority come first; equal ones keep the file's order.
  package var priority = 0
  /// The position of the source.
  package var mark: Mark

  /// The conditions that concern records, which generated sources accept, too.
  private static let boundKeys = ["max-rows", "max-numbers", "max-overlaps"]

  /// Reads a source; nil if it is disabled. Errors in a disabled source are reported, too.
  init?(_ node: YAMLNode, number: Int, _ layout: PipelineLayout) throws(PipelineFileError) {
    let entries = try node.entries(of: "sources")
    try entries.rejectUnknown(layout.sourceKeys)
    (input, stages) = try Self.input(entries, node, layout)
    for stage in layout.stages {
      for key in stage.sourceKeys {
        if let entry = entries.entry(key) { try Self.add(entry, to: stage.name, in: &stages) }
      }
    }
    name = try entries.text("name") ?? String(number)
    mark = node.mark
    isRequired = try entries.truth("required") ?? true
    usesLastGood = try entries.truth("use-last-good") ?? false
    priority = try entries.integer("priority") ?? 0
    for key in layout.checkKeys {
      if let entry = entries.entry(key) { checks.append(try StageSetting(entry)) }
    }
    if try entries.truth("enabled") == false { return nil }
  }

  private static func input(
    _ entries: [YAMLEntry], _ node: YAMLNode, _ layout: PipelineLayout
  ) throws(PipelineFileError) -> (input: Input, stages: [StageSettings]) {
    for generator in layout.stages(.generator) {
      if let entry = entries.entry(generator.name.rawValue) {
        return (.generator(try Self.generator(generator, entry, entries, layout)), [])
      }
    }
    let input: Input
    switch (try entries.text("url"), try entries.paths("path")) {
    case (let url?, nil): input = .url(url, entries.value("url")?.mark ?? node.mark)
    case (nil, let paths?): input = .paths(paths)
    case (nil, nil): throw .missingKey(node.mark, key: "path", of: "sources")
    case (.some, .some):
      throw .exclusiveKeys(entries.entry("path")?.keyMark ?? node.mark, key: "path", other: "url")
    }
    var stages: [StageSettings] = []
    for stage in layout.stages(.fetch, .source) {
      guard let entry = entries.entry(stage.name.rawValue) else { continue }
      stages.append(try StageSettings(stage.name, entry, listKey: stage.listKey))
    }
    return (input, stages)
  }

  /// Reads the stage that generates a source's records. Such a source has no bytes and no keys that concern bytes or
  /// rejects.
  private static func generator(
    _ stage: StageKey, _ entry: YAMLEntry, _ entries: [YAMLEntry], _ layout: PipelineLayout
  ) throws(PipelineFileError) -> StageSettings {
    let checks = layout.checkKeys.filter { !boundKeys.contains($0) }
    let others =
      ["url", "path"] + layout.stages.flatMap(\.sourceKeys) + ["use-last-good"] + checks
      + layout.stages(.fetch, .source).map(\.name.rawValue)
    if let other = others.compactMap({ entries.entry($0) }).first {
      throw .exclusiveKeys(other.keyMark, key: other.key, other: stage.name.rawValue)
    }
    return try StageSettings(stage.name, entry, listKey: stage.listKey)
  }

  /// Adds a key of the source to a stage: `region: CN` is short for `normalize: { region: CN }`.
  private static func add(
    _ entry: YAMLEntry, to stage: StageName, in stages: inout [StageSettings]
  ) throws(PipelineFileError) {
    let setting = try StageSetting(entry)
    guard let index = stages.firstIndex(where: { $0.stage == stage }) else {
      var settings = StageSettings(stage, at: entry.keyMark)
      settings.settings = [setting]
      return stages.append(settings)
    }
    if stages[index].settings.contains(where: { $0.key == entry.key }) {
      throw .exclusiveKeys(entry.keyMark, key: entry.key, other: "\(stage.rawValue).\(entry.key)")
    }
    stages[index].settings.append(setting)
  }
}

extension [YAMLEntry] {
  /// Reads a Boolean; nil if the key is missing. A value from the command line or a variable may be quoted.
  fileprivate func truth(_ key: String) throws(PipelineFileError) -> Bool? {
    guard let node = value(key), let text = try text(key) else { return nil }
    // A quoted value is a text, as everywhere in YAML.
    guard case .scalar(_, let isPlain, let mark) = node, isPlain || mark.isFromCommandLine,
      let value = Bool(text)
    else {
      throw .wrongShape(node.mark, key: key, wanted: .truth)
    }
    return value
  }

  /// Reads a path or a list of paths; nil if the key is missing.
  fileprivate func paths(_ key: String) throws(PipelineFileError) -> [SourcePath]? {
    guard let value = value(key) else { return nil }
    var items = [value]
    if case .sequence(let listed, _) = value { items = listed }
    var paths: [SourcePath] = []
    for item in items {
      guard case .scalar(let text, _, let mark) = item else {
        throw .wrongShape(item.mark, key: key, wanted: .paths)
      }
      paths.append(SourcePath(text: text, mark: mark))
    }
    if paths.isEmpty { throw .wrongShape(value.mark, key: key, wanted: .paths) }
    return paths
  }

  fileprivate func integer(_ key: String) throws(PipelineFileError) -> Int? {
    guard let text = try text(key) else { return nil }
    guard let value = Int(text) else {
      throw .wrongShape(self.value(key)?.mark ?? self[0].keyMark, key: key, wanted: .integer)
    }
    return value
  }
}
