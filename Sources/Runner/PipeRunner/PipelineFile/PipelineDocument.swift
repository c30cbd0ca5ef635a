// A pipeline file taken apart: sources, shared stages, outputs. What a stage's keys mean is not known here: they
// are that stage's options, and the command layer reads them as it reads typed ones.

public import PipeStage
public import SystemIO
public import YAMLDocument

/// A value of a stage's key.
public struct SettingValue: Equatable, Sendable {
  /// The text.
  public var text: String
  /// Whether it was written without quotes: only then `true` is a truth value.
  public var isPlain: Bool
}

/// One key of a stage and its values.
public struct StageSetting: Sendable {
  /// The key: an option's name.
  public var key: String
  /// The values, one unless a list stands there; empty for none.
  public var values: [SettingValue]
  /// Where the key stands.
  public var mark: Mark
  /// Where the value stands.
  public var valueMark: Mark
}

/// A stage of a pipeline file.
public struct StageSettings: Sendable {
  /// The stage.
  public var stage: StageName
  /// Its keys in their order.
  public var settings: [StageSetting]
  /// Where it stands.
  public var mark: Mark
}

/// One source of a pipeline file.
public struct SourceSettings: Sendable {
  /// Where the bytes come from.
  public enum Input: Sendable {
    /// A URL for the download stage, or a path like the one below.
    case url(String, Mark)
    /// A file, relative to the pipeline file if the value stands there.
    case path(String, Mark)
    /// Patterns: there are no bytes.
    case generate(StageSettings)
  }
  /// The source's name; its number if it has none.
  public var name: String
  /// Where the bytes come from.
  public var input: Input
  /// Its stages that are named, in the order of the data.
  public var stages: [StageSettings]
  /// Where it stands.
  public var mark: Mark
}

/// A pipeline file.
public struct PipelineDocument: Sendable {
  /// The most bytes of a pipeline file; a long one has a few thousand.
  public static let bytesMax = 1 << 20

  /// The file's path.
  public let path: String
  /// The pipeline's name; the file's if it has none.
  public var name: String
  /// The sources.
  public var sources: [SourceSettings]
  /// The shared stages that are named, in the order of the data, without emit.
  public var stages: [StageSettings]
  /// The outputs.
  public var emits: [StageSettings]

  /// The stages that a source has of its own.
  public static let sourceStages: [StageName] = [.download, .unzip, .parse, .normalize]
  /// The stages that all sources share.
  public static let sharedStages: [StageName] = [.sort, .dedupe, .subtract, .intersect]
  /// Those of them that are only there when they are named.
  public static let namedStages: [StageName] = [.subtract, .intersect]

  /// Reads a pipeline file and applies overrides such as `normalize.region=KR`.
  public init(
    path: String, overrides: [String], calls: any SystemCalls = KernelCalls()
  ) throws(PipelineFileFailure) {
    let text: [UInt8]
    do throws(SystemFailure) {
      text = try Self.read(path, calls)
    } catch {
      throw .unreadable(error)
    }
    guard text.count <= Self.bytesMax else { throw .tooLarge(file: path, limit: Self.bytesMax) }
    var root: YAMLNode
    do throws(YAMLFailure) {
      root = try YAMLReader.read(text, file: path)
    } catch {
      throw .document(error)
    }
    for override in overrides { try root.apply(Override(override)) }
    try self.init(root, path: path)
  }

  private static func read(_ path: String, _ calls: any SystemCalls) throws(SystemFailure) -> [UInt8] {
    var file = try InputFile(path, calls: calls)
    var text: [UInt8] = []
    var chunk = ByteChunk()
    while try file.read(into: &chunk) > 0, text.count <= bytesMax {
      for index in 0..<chunk.count { text.append(chunk.span[index]) }
      chunk.removeAll()
    }
    return text
  }

  private init(_ root: YAMLNode, path: String) throws(PipelineFileFailure) {
    self.path = path
    let known = ["name", "sources"] + Self.sharedStages.map(\.rawValue) + ["emit"]
    let entries = try root.entries(of: "the pipeline file")
    try entries.rejectUnknown(known)
    name = try entries.text("name") ?? path
    guard let list = entries.value("sources") else {
      throw .missingKey(root.mark, key: "sources", of: "the pipeline file")
    }
    sources = []
    for (index, node) in try list.items(key: "sources").enumerated() {
      let source = try SourceSettings(node, number: index + 1)
      if let first = sources.first(where: { $0.name == source.name }) {
        throw .repeatedName(source.mark, name: source.name, firstLine: first.mark.line)
      }
      sources.append(source)
    }
    guard !sources.isEmpty else { throw .missingKey(list.mark, key: "path", of: "sources") }
    stages = []
    for stage in Self.sharedStages {
      guard let entry = entries.entry(stage.rawValue) else { continue }
      let listKey = Self.namedStages.contains(stage) ? StageSettings.listsKey : nil
      stages.append(try StageSettings(stage, entry, listKey: listKey))
    }
    emits = []
    if let entry = entries.entry("emit") {
      for node in try entry.value.items(key: "emit") {
        emits.append(try StageSettings(.emit, YAMLEntry(key: "emit", keyMark: node.mark, value: node)))
      }
    }
  }
}

extension SourceSettings {
  init(_ node: YAMLNode, number: Int) throws(PipelineFileFailure) {
    let entries = try node.entries(of: "sources")
    try entries.rejectUnknown(
      ["name", "url", "path", "generate"] + PipelineDocument.sourceStages.map(\.rawValue))
    mark = node.mark
    name = try entries.text("name") ?? String(number)
    if let generate = entries.entry("generate") {
      let others = ["url", "path"] + PipelineDocument.sourceStages.map(\.rawValue)
      if let other = others.compactMap({ entries.entry($0) }).first {
        throw .exclusiveKeys(other.keyMark, key: other.key, other: "generate")
      }
      input = .generate(try StageSettings(.generate, generate, listKey: StageSettings.patternsKey))
      stages = []
      return
    }
    switch (try entries.text("url"), try entries.text("path")) {
    case (let url?, nil): input = .url(url, entries.value("url")?.mark ?? node.mark)
    case (nil, let path?): input = .path(path, entries.value("path")?.mark ?? node.mark)
    case (nil, nil): throw .missingKey(node.mark, key: "path", of: "sources")
    case (.some, .some):
      throw .exclusiveKeys(entries.entry("path")?.keyMark ?? node.mark, key: "path", other: "url")
    }
    stages = []
    for stage in PipelineDocument.sourceStages {
      if let entry = entries.entry(stage.rawValue) { stages.append(try StageSettings(stage, entry)) }
    }
  }
}

extension StageSettings {
  /// The key of what `subtract: [allow.tsv]` lists, which may be written out.
  public static let listsKey = "lists"
  /// The key of what `generate: ["+82 70 XXXX XXXX"]` lists.
  public static let patternsKey = "patterns"

  /// Reads a stage. With a `listKey` a list, or one value, may stand for that key alone.
  init(_ stage: StageName, _ entry: YAMLEntry, listKey: String? = nil) throws(PipelineFileFailure) {
    self.stage = stage
    mark = entry.keyMark
    settings = []
    if let listKey, !entry.value.isMapping {
      settings = [
        StageSetting(
          key: listKey, values: try entry.values(), mark: entry.keyMark, valueMark: entry.value.mark)
      ]
      return
    }
    // `sort:` with nothing behind it is a stage with its defaults.
    if case .scalar("", isPlain: true, _) = entry.value { return }
    for entry in try entry.value.entries(of: entry.key) {
      settings.append(
        StageSetting(
          key: entry.key, values: try entry.values(), mark: entry.keyMark, valueMark: entry.value.mark))
    }
  }
}
