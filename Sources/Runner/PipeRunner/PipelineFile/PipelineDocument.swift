// A pipeline file taken apart: sources, shared stages, outputs. What a stage's keys mean is not known here: they
// are that stage's options, and the command layer reads them as it reads typed ones.

public import PipeStage
public import SystemIO
import SystemPackage
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
  /// The values, one unless a list stands there; empty for none.
  public var values: [SettingValue]
  /// Where the key stands.
  public var mark: Mark
  /// Where the value stands.
  public var valueMark: Mark

  /// Makes a setting.
  public init(key: String, values: [SettingValue], mark: Mark, valueMark: Mark) {
    self.key = key
    self.values = values
    self.mark = mark
    self.valueMark = valueMark
  }
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
  /// What its rows must be like; the keys are ``checkKeys``.
  public var checks: [StageSetting] = []
  /// Whether a run that can't use it fails.
  public var isRequired = true
  /// Whether the bytes that were good last stand in for ones that can't be used.
  public var usesLastGood = false
  /// Sources with a higher one come first; those with the same in the file's order.
  public var priority = 0
  /// Where it stands.
  public var mark: Mark

  /// The keys of what a source's rows must be like.
  public static let checkKeys = ["min-rows", "max-rejects", "max-change"]
}

/// What a pipeline file says about publishing.
public struct PublishSettings: Sendable {
  /// Its keys in their order.
  public var settings: [StageSetting]
  /// Where it stands.
  public var mark: Mark
}

/// A pipeline file.
public struct PipelineDocument: Sendable {
  /// The most bytes of a pipeline file; a long one has a few thousand.
  public static let bytesMax = 1 << 20

  /// The file's path.
  public let path: String
  /// The file and those that it includes.
  public let files: [String]
  /// The pipeline's name; the file's if it has none.
  public var name: String
  /// The sources.
  public var sources: [SourceSettings]
  /// The shared stages that are named, in the order of the data, without emit.
  public var stages: [StageSettings]
  /// The outputs.
  public var emits: [StageSettings]
  /// Where and how they are published; nil when each lies where its path says.
  public var publish: PublishSettings?

  /// The keys of a file.
  public static let keys =
    ["name", Inclusion.key, Variables.key, "sources"] + sharedStages.map(\.rawValue) + ["emit", "publish"]

  /// The stages that a source has of its own.
  public static let sourceStages: [StageName] = [.download, .unzip, .parse, .normalize]
  /// The stages that all sources share.
  public static let sharedStages: [StageName] = [.sort, .dedupe, .subtract, .intersect]
  /// Those of them that are only there when they are named.
  public static let namedStages: [StageName] = [.subtract, .intersect]

  /// Reads a pipeline file with the files it includes, applies overrides such as `normalize.region=KR`, and puts the
  /// values of names such as `${REGION}` in; `environment` looks one up.
  public init(
    path: String, overrides: [String], environment: @escaping (String) -> String? = { _ in nil },
    calls: any SystemCalls = KernelCalls()
  ) throws(PipelineFileError) {
    var inclusion = Inclusion { (path) throws(PipelineFileError) in try Self.node(path, calls) }
    let chain = [FilePath(path).lexicallyNormalized().string]
    var root = try inclusion.resolve(try Self.node(path, calls), chain: chain)
    for override in overrides { try root.apply(Override(override)) }
    root = try Variables(root, environment: environment).applied(toFile: root)
    try self.init(root, path: path, files: [path] + inclusion.paths)
  }

  private static func node(_ path: String, _ calls: any SystemCalls) throws(PipelineFileError) -> YAMLNode {
    let text: [UInt8]
    do throws(SystemError) {
      text = try InputFile.bytes(of: path, limit: bytesMax, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    guard text.count <= bytesMax else { throw .tooLarge(file: path, limit: bytesMax) }
    do throws(YAMLError) {
      return try YAMLReader.read(text, file: path)
    } catch {
      throw .document(error)
    }
  }

  /// Paths in a file are relative to it; those from the command line to where it was typed.
  public static func resolve(_ path: String, at mark: Mark) -> String {
    if path.hasPrefix("/") || path == "-" || mark.isTyped { return path }
    guard let slash = mark.file.lastIndex(of: "/") else { return path }
    return mark.file[...slash] + path
  }

  private init(_ root: YAMLNode, path: String, files: [String]) throws(PipelineFileError) {
    self.path = path
    self.files = files
    let entries = try root.entries(of: "the pipeline file")
    try entries.rejectUnknown(Self.keys)
    name = try entries.text("name") ?? path
    guard let list = entries.value("sources") else {
      throw .missingKey(root.mark, key: "sources", of: "the pipeline file")
    }
    sources = []
    let nodes = try list.items(key: "sources")
    for (index, node) in nodes.enumerated() {
      guard let source = try SourceSettings(node, number: index + 1) else { continue }
      if let first = sources.first(where: { $0.name == source.name }) {
        throw .repeatedName(source.mark, name: source.name, firstLine: first.mark.line)
      }
      sources.append(source)
    }
    guard !nodes.isEmpty else { throw .missingKey(list.mark, key: "path", of: "sources") }
    guard !sources.isEmpty else { throw .nothingEnabled(list.mark) }
    // The order of the file, except where priorities say otherwise; the sort keeps equals in order.
    sources = sources.enumerated().sorted {
      ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset)
    }.map(\.element)
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
    if let entry = entries.entry("publish") {
      // Read as a stage's keys are; it is none.
      let read = try StageSettings(.emit, entry)
      publish = PublishSettings(settings: read.settings, mark: entry.keyMark)
    } else {
      for source in sources {
        let entry = source.checks.first { $0.key == "max-change" }
        if let entry { throw .lonelyKey(entry.mark, key: entry.key, needs: "publish") }
        if source.usesLastGood {
          throw .lonelyKey(source.mark, key: "use-last-good", needs: "publish")
        }
      }
    }
  }
}

extension StageSettings {
  /// The key of what `subtract: [allow.tsv]` lists, which may be written out.
  public static let listsKey = "lists"
  /// The key of what `generate: ["+82 70 XXXX XXXX"]` lists.
  public static let patternsKey = "patterns"

  /// A stage with nothing said of it.
  public init(_ stage: StageName, at mark: Mark) {
    self.stage = stage
    self.mark = mark
    settings = []
  }

  /// Reads a stage. With a `listKey` a list, or one value, may stand for that key alone.
  init(_ stage: StageName, _ entry: YAMLEntry, listKey: String? = nil) throws(PipelineFileError) {
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
