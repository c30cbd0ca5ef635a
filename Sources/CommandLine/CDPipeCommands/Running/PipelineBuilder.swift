// A pipeline file made into a pipeline: each stage's keys become that command's arguments and are read by the same
// parser, so that a file and a shell can't differ.

import ArgumentParser
import EmitStage
import PipeRunner
import PipeStage
import YAMLDocument

/// A stage's arguments as they would be typed, and what they mean.
struct TypedStage {
  var name: StageName
  var arguments: [String]
  var plan: StagePlan?

  /// `cdpipe normalize --region=CN`
  var shell: String {
    (["cdpipe", name.rawValue] + arguments.map(PipeText.quoted)).joined(separator: " ")
  }
}

/// What is wrong with a pipeline file's stage, found by the parser of its options.
struct StageMistake: Error {
  var mark: Mark
  var message: String
}

/// Builds a pipeline from a pipeline file.
struct PipelineBuilder {
  /// One source as it would be typed.
  struct TypedSource {
    var name: String
    var input: Pipeline.Input
    /// The command that reads the input, if that is download.
    var download: TypedStage?
    /// The file, if there is no download.
    var path: String?
    var stages: [TypedStage]
  }

  let sources: [TypedSource]
  let shared: [TypedStage]
  let emits: [TypedStage]
  private let emitPlan: StagePlan

  init(_ document: PipelineDocument) throws {
    let directory = Self.directory(of: document.path)
    sources = try document.sources.map { try Self.source($0, directory) }
    shared = try PipelineDocument.sharedStages.compactMap { name -> TypedStage? in
      let settings = document.stages.first { $0.stage == name }
      if settings == nil, PipelineDocument.namedStages.contains(name) { return nil }
      return try Self.stage(name, settings, directory)
    }
    emits =
      try document.emits.isEmpty
      ? [Self.stage(.emit, nil, directory)] : document.emits.map { try Self.stage(.emit, $0, directory) }
    var outputs: [EmitOptions] = []
    for emit in emits {
      if case .emit(let options)? = emit.plan { outputs += options }
    }
    emitPlan = .emit(outputs)
  }

  /// The pipeline.
  func pipeline(threads: Int) -> Pipeline {
    var pipeline = Pipeline(
      sources: sources.map { source in
        Pipeline.Source(name: source.name, input: source.input, stages: source.stages.compactMap(\.plan))
      }, stages: shared.compactMap(\.plan) + [emitPlan], threads: threads)
    pipeline.tellsSources = true
    return pipeline
  }

  /// The shell pipeline that the file stands for.
  var shell: String {
    var heads: [String] = []
    for source in sources {
      var commands: [String] = []
      if let download = source.download { commands.append(download.shell) }
      for (index, stage) in source.stages.enumerated() {
        var shell = stage.shell
        if index == 0, let path = source.path {
          shell += " " + PipeText.quoted(path.hasPrefix("-") ? "./" + path : path)
        }
        commands.append(shell)
      }
      heads.append(commands.joined(separator: " \\\n  | "))
    }
    // A source that fails must fail the whole, which the shell only sees when the next one is not begun.
    var text = heads.count == 1 ? heads[0] : "{ " + heads.joined(separator: " && ") + "; }"
    for stage in shared { text += " \\\n  | " + stage.shell }
    for emit in emits.dropLast() { text += " \\\n  | tee >(\(emit.shell))" }
    return "set -o pipefail\n" + text + " \\\n  | " + emits[emits.count - 1].shell + "\n"
  }

  private static func source(_ settings: SourceSettings, _ directory: String) throws -> TypedSource {
    var stages: [TypedStage] = []
    for name in PipelineDocument.sourceStages where name != .download {
      stages.append(try stage(name, settings.stages.first { $0.stage == name }, directory))
    }
    let download = settings.stages.first { $0.stage == .download }
    switch settings.input {
    case .generate(let generate):
      return TypedSource(
        name: settings.name, input: .nothing, stages: [try stage(.generate, generate, directory)])
    case .path(let path, let mark):
      if let download {
        throw StageMistake(mark: download.mark, message: "'download' goes with 'url', not with 'path'")
      }
      let resolved = resolve(path, mark, directory)
      return TypedSource(name: settings.name, input: .files([resolved]), path: resolved, stages: stages)
    case .url(let typedURL, let mark):
      let url = typedURL.contains("://") ? typedURL : resolve(typedURL, mark, directory)
      let typed = try arguments(download?.settings ?? [], directory) { arguments in
        _ = try DownloadArguments.parse(arguments)
      }
      let options = try DownloadArguments.parse(typed)
      return TypedSource(
        name: settings.name, input: .download(options.options([url])),
        download: TypedStage(name: .download, arguments: typed + [url]), stages: stages)
    }
  }

  private static func stage(_ name: StageName, _ settings: StageSettings?, _ directory: String) throws
    -> TypedStage
  {
    let row = StageTable[name]
    // The first list of a set operation is what comes from the stage before.
    let front = PipelineDocument.namedStages.contains(name) ? ["-"] : []
    let typed = try front + arguments(settings?.settings ?? [], directory) { _ = try row.plan(front + $0) }
    do {
      let plan = try row.plan(typed)
      return TypedStage(name: name, arguments: typed, plan: plan.fed ?? plan)
    } catch {
      // Keys are judged one by one; what is missing is seen only now.
      guard let mark = settings?.mark else { throw error }
      throw StageMistake(mark: mark, message: CDPipe.message(for: error))
    }
  }

  /// The settings as arguments. They are tried one more at a time, so that a mistake has its key's place.
  private static func arguments(
    _ settings: [StageSetting], _ directory: String, check: ([String]) throws -> Void
  ) throws -> [String] {
    var typed: [String] = []
    for setting in settings {
      // The options for these are named otherwise here, or are none of a stage.
      let instead = ["output": "; did you mean 'path'?", "help": "", "version": ""][setting.key]
      if let instead {
        throw StageMistake(mark: setting.mark, message: "unknown key '\(setting.key)'\(instead)")
      }
      let added = arguments(setting, directory)
      do {
        try check(typed + added)
      } catch {
        // Options that need each other are only right together: judge the whole then.
        let rest = settings.flatMap { arguments($0, directory) }
        if (try? check(rest)) == nil {
          let mark = setting.valueMark.isTyped ? setting.valueMark : setting.mark
          throw StageMistake(mark: mark, message: message(error, setting.key))
        }
      }
      typed += added
    }
    return typed
  }

  /// The settings of all stages whose value is a path.
  private static let pathKeys: Set = [
    "baseline", "ca-file", "cache", "conflicts", "header-file", "lists", "map-labels", "netrc-file",
    "password-file", "path", "patterns-file", "temp-dir",
  ]

  private static func arguments(_ setting: StageSetting, _ directory: String) -> [String] {
    let option = setting.key == "path" ? "--output" : "--\(setting.key)"
    let isPath = pathKeys.contains(setting.key)
    if [StageSettings.listsKey, StageSettings.patternsKey].contains(setting.key) {
      return setting.values.map { value in
        let text = isPath ? resolve(value.text, setting.valueMark, directory) : value.text
        return isPath && text.hasPrefix("-") && text != "-" ? "./" + text : text
      }
    }
    return setting.values.flatMap { value -> [String] in
      if value.isPlain || setting.valueMark.isTyped, value.text == "true" { return [option] }
      if value.isPlain || setting.valueMark.isTyped, value.text == "false" { return [] }
      // `baseline: none` is a word and no path.
      let isWord = setting.key == "baseline" && value.text == "none"
      return [
        "\(option)=\(isPath && !isWord ? resolve(value.text, setting.valueMark, directory) : value.text)"
      ]
    }
  }

  /// Paths in the file are relative to it; those from the command line to where it was typed.
  private static func resolve(_ path: String, _ mark: Mark, _ directory: String) -> String {
    path.hasPrefix("/") || path == "-" || mark.isTyped || directory.isEmpty ? path : directory + path
  }

  private static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[...slash])
  }

  /// The parser's words, for a key in place of an option.
  private static func message(_ error: any Error, _ key: String) -> String {
    let said = CDPipe.message(for: error)
    if said.hasPrefix("Unknown option") || said.hasPrefix("Unexpected argument")
      || said.contains("is not a flag")
    {
      let meant = said.split(separator: "Did you mean '--").dropFirst().first.map {
        "; did you mean '\($0.prefix { $0 != "'" })'?"
      }
      return "unknown key '\(key)'\(meant ?? "")"
    }
    return said
  }
}
