// The outputs of a pipeline file with `publish`: their paths are in the version's folder, and one of them is the
// directory of shards.

import ArgumentParser
import CallManifest
import RecordStages
import Records
import Runner
import SystemIO
import SystemPackage

extension PipelineBuilder {
  /// Returns the outputs as they would be typed. Without `emit`, the output is the shards, or standard output if
  /// nothing is published.
  static func emits(
    _ settings: [StageSettings?], _ published: PublishSettings?, _ publish: PublishArguments?
  ) throws -> [StageInvocation<EmitOptions>] {
    func output(_ settings: StageSettings?) throws -> StageInvocation<EmitOptions> {
      try invocation(EmitCommand.row, settings) {
        StageInvocation(name: .emit, arguments: $0, options: try EmitArguments.parse($0).options())
      }
    }
    guard let published, let publish else { return try settings.map(output) }
    let staging = PublishedFolder(publish.directory).staging
    let emits = try settings.map { one in
      try output(inside(one ?? StageSettings(.emit, at: published.mark), staging))
    }
    guard emits.contains(where: { $0.options.isDirectory && $0.options.output == staging }) else {
      throw StageOptionsError(
        published.mark,
        .invalid("'publish' needs an output with shards: 'format: store' without a 'path'"))
    }
    return emits
  }

  /// Returns an output's settings with its path inside the staging folder; without a path, it is that folder.
  private static func inside(_ settings: StageSettings, _ staging: String) throws -> StageSettings {
    var settings = settings
    if let baseline = settings.settings.first(where: { $0.key == "baseline" }) {
      throw StageOptionsError(
        baseline.mark,
        .invalid("with 'publish', 'baseline' is not allowed: the baseline is the current version"))
    }
    // The baseline is set when the run begins.
    if let limit = settings.settings.first(where: { $0.key == "delta-entries" }) {
      settings.settings.append(setting("baseline", "none", limit.mark))
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
      let own = [Manifest.fileName, ManifestSignature.fileName]
      guard isInside, !own.contains(FilePath(text).lexicallyNormalized().string) else {
        throw StageOptionsError(
          mark, .invalid("with 'publish', 'path' is a name in the version's folder; '\(text)' is not"))
      }
      output += "/" + text
      settings.settings.remove(at: path)
    } else if !settings.settings.contains(where: { $0.key == "format" }) {
      settings.settings.append(setting("format", "store", mark))
    }
    // A mark as for typed values, because the path is no longer relative to the file.
    settings.settings.append(setting("path", output, Mark(file: mark.file, line: 0, column: 0)))
    return settings
  }

  private static func setting(_ key: String, _ text: String, _ mark: Mark) -> StageSetting {
    StageSetting(
      key: key, values: [SettingValue(text: text, isPlain: false)], mark: mark, valueMark: mark)
  }
}
