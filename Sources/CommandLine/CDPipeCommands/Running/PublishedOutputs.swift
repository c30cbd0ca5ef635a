// The outputs of a pipeline file that publishes: their paths lie in the version's folder, and one of them is its shards.

import EmitStage
import PipeRunner
import PipeStage
import Publishing
import SystemIO
import SystemPackage
import YAMLDocument

extension PipelineBuilder {
  /// The outputs as they would be typed; with nothing under `emit`, the shards or standard output.
  static func emits(
    _ settings: [StageSettings?], _ published: PublishSettings?, _ publish: PublishArguments?
  ) throws -> [StageInvocation] {
    guard let published, let publish else { return try settings.map { try stage(.emit, $0) } }
    let staging = PublishedFolder(publish.directory).staging
    let emits = try settings.map { one in
      try stage(.emit, inside(one ?? StageSettings(.emit, at: published.mark), staging))
    }
    guard outputs(emits).contains(where: { $0.isDirectory && $0.output == staging }) else {
      throw StageOptionsError(
        mark: published.mark,
        message: "'publish' needs an output of shards in the version's own folder: format: store, and no path"
      )
    }
    return emits
  }

  /// What all outputs are.
  static func outputs(_ emits: [StageInvocation]) -> [EmitOptions] {
    emits.flatMap { emit -> [EmitOptions] in
      if case .emit(let options)? = emit.plan { options } else { [] }
    }
  }

  /// An output's settings with its path in the folder that becomes the version. Without a path it is that folder.
  private static func inside(_ settings: StageSettings, _ staging: String) throws -> StageSettings {
    var settings = settings
    if let baseline = settings.settings.first(where: { $0.key == "baseline" }) {
      throw StageOptionsError(
        mark: baseline.mark, message: "'publish' knows the versions before: no 'baseline'")
    }
    let path = settings.settings.firstIndex { $0.key == "path" }
    let mark = path.map { settings.settings[$0].valueMark } ?? settings.mark
    var output = staging
    if let path {
      let text = settings.settings[path].values.first?.text ?? ""
      let components = FilePath(text).components
      let isInside =
        !text.hasPrefix("/") && text != "-" && !components.isEmpty
        && components.allSatisfy { $0.kind == .regular && !$0.string.hasPrefix(".") }
      guard isInside, FilePath(text).lexicallyNormalized().string != ShardDirectory.manifestName else {
        throw StageOptionsError(
          mark: mark,
          message: "with 'publish', 'path' is a name in the version's folder, and '\(text)' is not")
      }
      output += "/" + text
      settings.settings.remove(at: path)
    } else if !settings.settings.contains(where: { $0.key == "format" }) {
      settings.settings.append(setting("format", "store", mark))
    }
    // As if typed: it is not relative to the file any more.
    settings.settings.append(setting("path", output, Mark(file: mark.file, line: 0, column: 0)))
    return settings
  }

  private static func setting(_ key: String, _ text: String, _ mark: Mark) -> StageSetting {
    StageSetting(
      key: key, values: [SettingValue(text: text, isPlain: false)], mark: mark, valueMark: mark)
  }

  // MARK: --check

  /// Says what the file is, or which of its inputs is not there. Nothing is fetched, and nothing written.
  func check(_ voice: Diagnostics) throws {
    for source in sources where source.isRequired {
      guard let path = source.path, path != InputFile.standardInput else { continue }
      try look(path, voice)
    }
    for path in sideInputs where FileKind(of: FilePath(path)) != .directory { try look(path, voice) }
    let count = sources.count == 1 ? "1 source" : "\(sources.count) sources"
    let outputs = emits.count == 1 ? "1 output" : "\(emits.count) outputs"
    print("\(path): \(count), \(outputs)" + (publish.map { ", published in '\($0.directory)'" } ?? ""))
  }

  private func look(_ path: String, _ voice: Diagnostics) throws {
    do throws(SystemError) {
      _ = try InputFile(path)
    } catch {
      throw voice.end(StageError(nil, error))
    }
  }
}
