// The outputs of a pipeline file with `publish`: their paths are in the version's folder, and one of them is the
// directory of shards.

import ArgumentParser
import CallManifest
import DownloadStage
import EmitStage
import PipeRunner
import PipeStage
import PipelineFile
import Publishing
import SystemIO
import SystemPackage
import UserMessages
import YAMLDocument

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
      guard isInside, FilePath(text).lexicallyNormalized().string != Manifest.fileName else {
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

  // MARK: --check

  /// Prints a summary of the file, or reports the first input that is missing. Nothing is fetched or written.
  func check(_ diagnostics: Diagnostics, name: String, isJSON: Bool) throws {
    for source in sources where source.isRequired {
      if case .unlisted(let cause) = source.input { throw diagnostics.end(error(cause, in: source)) }
      for path in source.input.paths where path != InputFile.standardInput {
        try look(path, diagnostics, source)
      }
    }
    for path in sideInputs where FileKind(of: FilePath(path)) != .directory { try look(path, diagnostics) }
    if isJSON { return StandardOutput.print(JSONLine.text(CheckedPipeline(self, name: name))) }
    let count = Figures.counted(UInt64(sources.count), "source")
    let outputs = Figures.counted(UInt64(emits.count), "output")
    StandardOutput.print(
      "\(path): \(count), \(outputs)" + (publish.map { ", published in '\($0.directory)'" } ?? ""))
  }

  /// The JSON form of a valid pipeline file. Secrets in URLs are left out.
  private struct CheckedPipeline: Encodable {
    struct Source: Encodable {
      var name: String
      /// The files that are read; nil for a URL or a generator.
      var paths: [String]?
      var url: String?
      var isRequired: Bool
    }
    struct Output: Encodable {
      var path: String
      var format: String
    }

    var file: String
    var name: String
    var isValid = true
    var sources: [Source]
    var outputs: [Output]
    /// The folder in which versions are published.
    var directory: String?

    init(_ builder: PipelineBuilder, name: String) {
      file = builder.path
      self.name = name
      sources = builder.sources.map { source in
        Source(
          name: source.name, paths: source.paths.isEmpty ? nil : source.paths,
          url: source.download?.value.options.resources.first.map { URLRedaction.resource($0) },
          isRequired: source.isRequired)
      }
      directory = builder.publish?.directory
      let staging = directory.map { PublishedFolder($0).staging }
      outputs = builder.emits.map { emit in
        var path = emit.options.output
        if let staging, path.hasPrefix(staging) {
          // A published output is in the folder of its version.
          path = String(path.dropFirst(staging.count).drop { $0 == "/" })
        }
        return Output(path: path.isEmpty ? "." : path, format: emit.options.format.rawValue)
      }
    }
  }

  private func look(_ path: String, _ diagnostics: Diagnostics, _ source: SourceInvocation? = nil) throws {
    do throws(SystemError) {
      // The writer of a named pipe need not be there yet.
      _ = try InputFile(path, waits: false)
    } catch {
      throw diagnostics.end(self.error(error, in: source))
    }
  }

  private func error(_ cause: any ErrorCause, in source: SourceInvocation?) -> StageError {
    var error = StageError(nil, cause)
    if sources.count > 1 { error.sourceName = source?.name }
    return error
  }
}
