// A pipeline file: sources, shared stages, outputs.

package import Records
package import SystemIO
import SystemPackage

/// The `publish` settings of a pipeline file.
package struct PublishSettings: Sendable {
  /// The keys, in file order.
  package var settings: [StageSetting]
  /// The position of the key `publish`.
  package var mark: Mark
}

package struct PipelineDocument: Sendable {
  /// The maximum size of a pipeline file in bytes; a long one has a few thousand.
  package static let bytesMax = 1 << 20

  package let path: String
  package let files: [String]
  /// The pipeline's name; by default the file's.
  package var name: String
  package var sources: [SourceSettings]
  /// The shared stages that the file names, in pipeline order, without the outputs.
  package var stages: [StageSettings]
  package var emits: [StageSettings]
  /// How the outputs are published; nil if each is written to its path.
  package var publish: PublishSettings?

  /// Reads a pipeline file with the files that it includes, applies overrides such as `normalize.region=KR`, and
  /// replaces variables such as `${REGION}`. `environment` looks up a variable of the environment.
  package init(
    path: String, layout: PipelineLayout, overrides: [String],
    environment: @escaping (String) -> String? = { _ in nil },
    calls: any SystemCalls = KernelCalls()
  ) throws(PipelineFileError) {
    var inclusion = Inclusion { (path) throws(PipelineFileError) in try Self.node(path, calls) }
    let chain = [FilePath(path).lexicallyNormalized().string]
    var root = try inclusion.resolve(try Self.node(path, calls), chain: chain)
    for override in overrides { try root.apply(Override(override), layout) }
    root = try Variables(root, environment: environment).applied(toFile: root)
    try self.init(root, layout, path: path, files: [path] + inclusion.paths)
  }

  /// Reads the text of a pipeline file that is in no file, and includes none.
  package init(text: String, layout: PipelineLayout) throws(PipelineFileError) {
    let root = try Self.node(Array(text.utf8), "-")
    let applied = try Variables(root, environment: { _ in nil }).applied(toFile: root)
    try self.init(applied, layout, path: "-", files: [])
  }

  private static func node(_ path: String, _ calls: any SystemCalls) throws(PipelineFileError) -> YAMLNode {
    let text: [UInt8]
    do throws(SystemError) {
      text = try InputFile.bytes(of: path, limit: bytesMax, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    return try node(text, path)
  }

  private static func node(_ text: [UInt8], _ path: String) throws(PipelineFileError) -> YAMLNode {
    guard text.count <= bytesMax else { throw .tooLarge(path, limit: bytesMax) }
    do throws(YAMLError) {
      return try YAMLReader.read(text, file: path)
    } catch {
      throw .document(error)
    }
  }

  /// Resolves a path: relative to the file that contains it, or to the working directory if it was typed on the command
  /// line.
  package static func resolve(_ path: String, at mark: Mark) -> String {
    if path.hasPrefix("/") || path == "-" || mark.isFromCommandLine { return path }
    guard let slash = mark.file.lastIndex(of: "/") else { return path }
    return mark.file[...slash] + path
  }

  private init(
    _ root: YAMLNode, _ layout: PipelineLayout, path: String, files: [String]
  ) throws(PipelineFileError) {
    self.path = path
    self.files = files
    let entries = try root.entries(of: PipelineFileError.wholeFile)
    try entries.rejectUnknown(layout.fileKeys)
    name = try entries.text("name") ?? path
    guard let list = entries.value("sources") else {
      throw .missingKey(root.mark, key: "sources", of: PipelineFileError.wholeFile)
    }
    sources = try Self.sources(list, layout)
    stages = try layout.stages(.shared, .optional, .sourceOrShared).settings(entries)
    emits = []
    for stage in layout.stages(.output) {
      let key = stage.name.rawValue
      guard let entry = entries.entry(key) else { continue }
      for node in try entry.value.items(key: key) {
        let output = YAMLEntry(key: key, keyMark: node.mark, value: node)
        emits.append(try StageSettings(stage.name, output, listKey: stage.listKey))
      }
    }
    if let entry = entries.entry("publish") {
      // Its keys have the same form as a stage's.
      let read = try StageSettings(StageName(rawValue: "publish"), entry)
      publish = PublishSettings(settings: read.settings, mark: entry.keyMark)
    } else {
      try Self.checkUnpublished(sources)
    }
  }

  private static func sources(
    _ list: YAMLNode, _ layout: PipelineLayout
  ) throws(PipelineFileError) -> [SourceSettings] {
    var sources: [SourceSettings] = []
    let nodes = try list.items(key: "sources")
    var firstLines: [String: Int] = [:]
    for (index, node) in nodes.enumerated() {
      guard let source = try SourceSettings(node, number: index + 1, layout) else { continue }
      if let firstLine = firstLines.updateValue(source.mark.line, forKey: source.name) {
        throw .repeatedName(source.mark, name: source.name, firstLine: firstLine)
      }
      sources.append(source)
    }
    guard !nodes.isEmpty else { throw .missingKey(list.mark, key: "path", of: "sources") }
    guard !sources.isEmpty else { throw .nothingEnabled(list.mark) }
    // Keep the file's order except where priorities differ.
    return sources.enumerated().sorted {
      ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset)
    }.map(\.element)
  }

  /// Rejects the keys of sources that need `publish`.
  private static func checkUnpublished(_ sources: [SourceSettings]) throws(PipelineFileError) {
    for source in sources {
      let entry = source.checks.first { $0.key == "max-change" }
      if let entry { throw .lonelyKey(entry.mark, key: entry.key, needs: "publish") }
      if source.usesLastGood { throw .lonelyKey(source.mark, key: "use-last-good", needs: "publish") }
    }
  }
}

// MARK: - The stages that a pipeline file can contain and their positions
//
// The command layer derives the layout from its table of stages.

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
  /// In a source, and at the top level, shared by all sources. Without the key there, the stage is not run.
  case sourceOrShared
  /// At the top level, as one item or a list: the outputs.
  case output
  /// Not in pipeline files: the stage is a command only.
  case commandOnly
}

package struct StageKey: Sendable {
  package var name: StageName
  package var position: StagePosition
  /// The key inside the stage whose values may be written directly as the stage's value; nil for none.
  package var listKey: String?
  /// Keys of the stage that may be written directly in the source.
  package var sourceKeys: [String]
  /// Whether the stage's keys may be a list of mappings, because their order matters.
  package var isOrdered: Bool

  package init(
    _ name: StageName, _ position: StagePosition, listKey: String? = nil, sourceKeys: [String] = [],
    isOrdered: Bool = false
  ) {
    self.isOrdered = isOrdered
    self.name = name
    self.position = position
    self.listKey = listKey
    self.sourceKeys = sourceKeys
  }
}

extension [StageKey] {
  /// Reads those of these stages that have a key.
  fileprivate func settings(_ entries: [YAMLEntry]) throws(PipelineFileError) -> [StageSettings] {
    var settings: [StageSettings] = []
    for stage in self {
      guard let entry = entries.entry(stage.name.rawValue) else { continue }
      settings.append(
        try StageSettings(stage.name, entry, listKey: stage.listKey, isOrdered: stage.isOrdered))
    }
    return settings
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

  package var fileKeys: [String] {
    ["name", Inclusion.key, Variables.key, "sources"]
      + (stages(.shared, .optional, .sourceOrShared) + stages(.output)).map(\.name.rawValue) + ["publish"]
  }

  package var sourceKeys: [String] {
    ["name", "enabled", "required", "use-last-good", "priority"] + stages.flatMap(\.sourceKeys)
      + checkKeys + ["url", "path"]
      + (stages(.generator) + stages(.fetch, .source, .sourceOrShared)).map(\.name.rawValue)
  }
}

// MARK: - One source of a pipeline file

/// A source of a pipeline file: its input, its stages and its checks.
package struct SourceSettings: Sendable {
  /// Where the source's bytes come from.
  package enum Input: Sendable {
    /// A URL to fetch, or a path as in `path`.
    case url(String, Mark)
    /// Paths and globs; relative to the file that contains them unless they were typed on the command line.
    case paths([SourcePath])
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
        let stages = try layout.stages(.sourceOrShared).settings(entries)
        return (.generator(try Self.generator(generator, entry, entries, layout)), stages)
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
    return (input, try layout.stages(.fetch, .source, .sourceOrShared).settings(entries))
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
    let items = if case .sequence(let listed, _) = value { listed } else { [value] }
    if items.isEmpty { throw .wrongShape(value.mark, key: key, wanted: .paths) }
    return try items.map { (item) throws(PipelineFileError) in
      guard case .scalar(let text, _, let mark) = item else {
        throw .wrongShape(item.mark, key: key, wanted: .paths)
      }
      return SourcePath(text: text, mark: mark)
    }
  }

  fileprivate func integer(_ key: String) throws(PipelineFileError) -> Int? {
    guard let text = try text(key) else { return nil }
    guard let value = Int(text) else {
      throw .wrongShape(self.value(key)?.mark ?? self[0].keyMark, key: key, wanted: .integer)
    }
    return value
  }
}

// MARK: - The keys and values of a stage in a pipeline file

package struct SettingValue: Equatable, Sendable {
  package var text: String
  /// Whether the value was written without quotes; only then is `true` a Boolean.
  package var isPlain: Bool

  package init(text: String, isPlain: Bool) {
    self.text = text
    self.isPlain = isPlain
  }
}

package struct StageSetting: Sendable {
  /// The key: the name of an option.
  package var key: String
  /// The values: one, or the items of a list, which may be empty.
  package var values: [SettingValue]
  package var isList = false
  package var mark: Mark
  package var valueMark: Mark

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

package struct StageSettings: Sendable {
  package var stage: StageName
  /// The settings, in file order.
  package var settings: [StageSetting]
  package var mark: Mark

  package init(_ stage: StageName, at mark: Mark) {
    self.stage = stage
    self.mark = mark
    settings = []
  }

  /// Reads a stage. With a `listKey`, the stage's value may be that key's list or single value.
  /// With `isOrdered`, it may be a list of mappings.
  init(
    _ stage: StageName, _ entry: YAMLEntry, listKey: String? = nil, isOrdered: Bool = false
  ) throws(PipelineFileError) {
    self.init(stage, at: entry.keyMark)
    if let listKey, !entry.value.isMapping {
      settings = [try StageSetting(entry, key: listKey)]
      return
    }
    // `sort:` without a value means the stage with its defaults.
    if case .scalar("", isPlain: true, _) = entry.value { return }
    let mappings = isOrdered ? try entry.value.items(key: entry.key) : [entry.value]
    for mapping in mappings {
      let entries = try mapping.entries(of: entry.key)
      if isOrdered, entries.count > 1 {
        throw .unorderedKeys(entries[1].keyMark, entries[0].key, entries[1].key)
      }
      for entry in entries { settings.append(try StageSetting(entry)) }
    }
  }
}

// MARK: - Reads nodes with the shape that a pipeline file requires

extension YAMLNode {
  var isMapping: Bool {
    if case .mapping = self { true } else { false }
  }

  func entries(of owner: String) throws(PipelineFileError) -> [YAMLEntry] {
    guard case .mapping(let entries, _) = self else { throw .wrongShape(mark, key: owner, wanted: .mapping) }
    return entries
  }

  /// Returns the items of a list. A single mapping counts as a list of one.
  func items(key: String) throws(PipelineFileError) -> [YAMLNode] {
    switch self {
    case .sequence(let items, _): return items
    case .mapping: return [self]
    case .scalar: throw .wrongShape(mark, key: key, wanted: .sequence)
    }
  }
}

extension YAMLEntry {
  /// Returns the values of an option: a single value or the items of a list.
  func values() throws(PipelineFileError) -> [SettingValue] {
    switch value {
    case .scalar(let text, let isPlain, _): return [SettingValue(text: text, isPlain: isPlain)]
    case .mapping: throw .wrongShape(value.mark, key: key, wanted: .scalar)
    case .sequence(let items, _):
      return try items.map { (item) throws(PipelineFileError) in
        guard case .scalar(let text, let isPlain, _) = item else {
          throw .wrongShape(item.mark, key: key, wanted: .scalar)
        }
        return SettingValue(text: text, isPlain: isPlain)
      }
    }
  }
}

extension [YAMLEntry] {
  func entry(_ key: String) -> YAMLEntry? { first { $0.key == key } }

  func value(_ key: String) -> YAMLNode? { entry(key)?.value }

  /// Returns a text, or nil if the key is missing.
  func text(_ key: String) throws(PipelineFileError) -> String? {
    guard let value = value(key) else { return nil }
    guard case .scalar(let text, _, _) = value else {
      throw .wrongShape(value.mark, key: key, wanted: .scalar)
    }
    return text
  }

  func rejectUnknown(_ known: [String]) throws(PipelineFileError) {
    for entry in self where !known.contains(entry.key) {
      throw .unknownKey(entry.keyMark, key: entry.key, known: known)
    }
  }
}
