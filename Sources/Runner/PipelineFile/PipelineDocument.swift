// A pipeline file: sources, shared stages, outputs. Not for the meaning of a stage's keys: they are the stage's
// options, which the command layer reads like those of a command.

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

/// A pipeline file with all includes, overrides and variables resolved.
package struct PipelineDocument: Sendable {
  /// The maximum size of a pipeline file in bytes; a long one has a few thousand.
  package static let bytesMax = 1 << 20

  /// The file's path.
  package let path: String
  /// The file and the files that it includes.
  package let files: [String]
  /// The pipeline's name; by default the file's.
  package var name: String
  /// The sources.
  package var sources: [SourceSettings]
  /// The shared stages that the file names, in pipeline order, without the outputs.
  package var stages: [StageSettings]
  /// The outputs.
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
    let entries = try root.entries(of: "the pipeline file")
    try entries.rejectUnknown(layout.fileKeys)
    name = try entries.text("name") ?? path
    guard let list = entries.value("sources") else {
      throw .missingKey(root.mark, key: "sources", of: "the pipeline file")
    }
    sources = try Self.sources(list, layout)
    stages = []
    for stage in layout.stages(.shared, .optional) {
      guard let entry = entries.entry(stage.name.rawValue) else { continue }
      stages.append(try StageSettings(stage.name, entry, listKey: stage.listKey))
    }
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
