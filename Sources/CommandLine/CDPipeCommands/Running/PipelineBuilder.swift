// A pipeline file made into a pipeline: each stage's keys become that command's arguments and are read by the same
// parser, so that a file and a shell can't differ.

import ArgumentParser
import EmitStage
import PipeRunner
import PipeStage
import Publishing
import SystemIO
import YAMLDocument

/// A stage's arguments as they would be typed, and what they mean.
struct StageInvocation {
  var name: StageName
  var arguments: [String]
  var plan: StagePlan?

  /// `cdpipe normalize --region=CN`
  var shell: String {
    (["cdpipe", name.rawValue] + arguments.map(PipeText.quoted)).joined(separator: " ")
  }
}

/// What is wrong with a pipeline file's stage, found by the parser of its options.
struct StageOptionsError: Error {
  var mark: Mark
  var message: String
}

/// Builds a pipeline from a pipeline file.
struct PipelineBuilder {
  /// One source as it would be typed.
  struct SourceInvocation {
    var name: String
    var input: Pipeline.Input
    /// The command that reads the input, if that is download.
    var download: StageInvocation?
    /// The file, if there is no download.
    var path: String?
    var stages: [StageInvocation]
    /// Whether a run that can't use it fails.
    var isRequired = true
    /// Whether its bytes that were good last stand in for ones that can't be used.
    var usesLastGood = false
    /// What its rows must be like.
    var checks = SourceChecks()
  }

  let path: String
  /// The pipeline file and those that it includes.
  let files: [String]
  let sources: [SourceInvocation]
  let shared: [StageInvocation]
  let emits: [StageInvocation]
  /// Where and how the outputs are published; nil when each lies where its path says.
  let publish: PublishArguments?
  private let publishText: String
  private let emitPlan: StagePlan

  init(_ document: PipelineDocument) throws {
    path = document.path
    files = document.files
    sources = try document.sources.map { try Self.source($0) }
    shared = try PipelineDocument.sharedStages.compactMap { name -> StageInvocation? in
      let settings = document.stages.first { $0.stage == name }
      if settings == nil, PipelineDocument.namedStages.contains(name) { return nil }
      return try Self.stage(name, settings)
    }
    var typed: [String] = []
    publish = try document.publish.map { publish -> PublishArguments in
      typed = try Self.arguments(publish.settings) { arguments in
        // Keys are judged one by one, and one of them must be there.
        try PublishArguments.parse(["--directory=x"] + arguments)
      }.typed
      do {
        return try PublishArguments.parse(typed)
      } catch {
        throw StageOptionsError(mark: publish.mark, message: CDPipe.message(for: error))
      }
    }
    publishText = typed.joined(separator: " ")
    let outputs: [StageSettings?] = document.emits.isEmpty ? [nil] : document.emits
    emits = try Self.emits(outputs, document.publish, publish)
    emitPlan = .emit(Self.outputs(emits))
  }

  /// The pipeline.
  func pipeline(threads: Int) -> Pipeline {
    var pipeline = Pipeline(
      sources: sources.map { source in
        Pipeline.Source(name: source.name, input: source.input, stages: source.stages.compactMap(\.plan))
      }, stages: shared.compactMap(\.plan) + [emitPlan], threads: threads)
    for index in sources.indices { pipeline.sources[index].checks = sources[index].checks }
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
    text = "set -o pipefail\n" + text + " \\\n  | " + emits[emits.count - 1].shell + "\n"
    if let folder = publish.map({ PublishedFolder($0.directory) }) {
      text +=
        "# What a shell can't: '\(folder.staging)' is judged, and made the current version in one step.\n"
    }
    return text
  }

  /// All that decides what comes of the same inputs; by it a later run knows whether there is anything to do.
  var identity: String {
    Publisher.identity(of: [CDPipe.version, publishText, shell].joined(separator: "\n"))
  }

  /// The files that are read besides the sources' own.
  var sideInputs: [String] {
    let pipeline = pipeline(threads: 1)
    return (pipeline.lists + pipeline.labelMaps).filter { $0 != InputFile.standardInput }
  }

  private static func source(_ settings: SourceSettings) throws -> SourceInvocation {
    var source = try input(of: settings)
    source.isRequired = settings.isRequired
    source.usesLastGood = settings.usesLastGood
    source.checks = try arguments(settings.checks) { try SourceCheckArguments.parse($0) }.options.checks
    return source
  }

  private static func input(of settings: SourceSettings) throws -> SourceInvocation {
    var stages: [StageInvocation] = []
    for name in PipelineDocument.sourceStages where name != .download {
      stages.append(try stage(name, settings.stages.first { $0.stage == name }))
    }
    let download = settings.stages.first { $0.stage == .download }
    switch settings.input {
    case .generate(let generate):
      return SourceInvocation(
        name: settings.name, input: .nothing, stages: [try stage(.generate, generate)])
    case .path(let path, let mark):
      if let download {
        throw StageOptionsError(mark: download.mark, message: "'download' goes with 'url', not with 'path'")
      }
      let resolved = PipelineDocument.resolve(path, at: mark)
      return SourceInvocation(name: settings.name, input: .files([resolved]), path: resolved, stages: stages)
    case .url(let typedURL, let mark):
      let url = typedURL.contains("://") ? typedURL : PipelineDocument.resolve(typedURL, at: mark)
      let (typed, options) = try arguments(download?.settings ?? []) { try DownloadArguments.parse($0) }
      return SourceInvocation(
        name: settings.name, input: .download(options.options([url])),
        download: StageInvocation(name: .download, arguments: typed + [url]), stages: stages)
    }
  }

  static func stage(_ name: StageName, _ settings: StageSettings?) throws -> StageInvocation {
    let row = StageTable[name]
    // The first list of a set operation is what comes from the stage before.
    let front = PipelineDocument.namedStages.contains(name) ? ["-"] : []
    do {
      let (typed, plan) = try arguments(settings?.settings ?? []) { try row.plan(front + $0) }
      return StageInvocation(name: name, arguments: front + typed, plan: plan.fed ?? plan)
    } catch let mistake as StageOptionsError {
      throw mistake
    } catch {
      guard let mark = settings?.mark else { throw error }
      throw StageOptionsError(mark: mark, message: CDPipe.message(for: error))
    }
  }

  /// The settings as arguments, and what `read` makes of them.
  ///
  /// When that fails they are tried one more at a time, so that a mistake has its key's place: to read options is most of
  /// a short run's time.
  private static func arguments<Options>(
    _ settings: [StageSetting], read: ([String]) throws -> Options
  ) throws -> (typed: [String], options: Options) {
    // The options for these are named otherwise here, or are none of a stage.
    let instead = ["output": "; did you mean 'path'?", "help": "", "version": ""]
    let all = settings.flatMap { arguments($0) }
    var failure: (any Error)?
    if settings.allSatisfy({ instead[$0.key] == nil && !isListInVain($0) }) {
      do { return (all, try read(all)) } catch { failure = error }
    }
    // A misspelt key may be why another one lacks something.
    for setting in settings where instead[setting.key] == nil {
      do { _ = try read(arguments(setting)) } catch  where isUnknown(error) {
        throw StageOptionsError(mark: setting.mark, message: message(error, setting.key))
      } catch {}
    }
    var typed: [String] = []
    for setting in settings {
      if let hint = instead[setting.key] {
        throw StageOptionsError(mark: setting.mark, message: "unknown key '\(setting.key)'\(hint)")
      }
      if isListInVain(setting) {
        throw StageOptionsError(
          mark: setting.valueMark,
          message: "'\(setting.key)' takes one value, and here are \(setting.values.count)")
      }
      typed += arguments(setting)
      do {
        _ = try read(typed)
      } catch {
        // Options that need each other are only right together.
        if failure == nil, (try? read(all)) != nil { continue }
        let mark = setting.valueMark.isTyped ? setting.valueMark : setting.mark
        throw StageOptionsError(mark: mark, message: message(error, setting.key))
      }
    }
    // Without settings there is no key to blame.
    if let failure { throw failure }
    return (all, try read(all))
  }

  /// The settings of all stages that take several values.
  private static let listKeys: Set = [
    StageSettings.listsKey, StageSettings.patternsKey, "block", "entry", "exclude", "header", "priority",
  ]

  /// Whether several values stand where one is taken: the last one would win without a word.
  private static func isListInVain(_ setting: StageSetting) -> Bool {
    setting.values.count > 1 && !listKeys.contains(setting.key)
  }

  /// The settings of all stages whose value is a path.
  private static let pathKeys: Set = [
    "baseline", "ca-file", "cache", "conflicts", "directory", "header-file", "lists", "map-labels",
    "netrc-file",
    "password-file", "path", "patterns-file", "temp-dir",
  ]

  private static func arguments(_ setting: StageSetting) -> [String] {
    let option = setting.key == "path" ? "--output" : "--\(setting.key)"
    let isPath = pathKeys.contains(setting.key)
    if [StageSettings.listsKey, StageSettings.patternsKey].contains(setting.key) {
      return setting.values.map { value in
        let text = isPath ? PipelineDocument.resolve(value.text, at: setting.valueMark) : value.text
        return isPath && text.hasPrefix("-") && text != "-" ? "./" + text : text
      }
    }
    return setting.values.flatMap { value -> [String] in
      if value.isPlain || setting.valueMark.isTyped, value.text == "true" { return [option] }
      if value.isPlain || setting.valueMark.isTyped, value.text == "false" { return [] }
      // `baseline: none` is a word and no path.
      let isWord = setting.key == "baseline" && value.text == "none"
      return [
        "\(option)=\(isPath && !isWord ? PipelineDocument.resolve(value.text, at: setting.valueMark) : value.text)"
      ]
    }
  }

  /// Whether the parser knows no such option.
  private static func isUnknown(_ error: any Error) -> Bool {
    let said = CDPipe.message(for: error)
    return said.hasPrefix("Unknown option") || said.hasPrefix("Unexpected argument")
      || said.contains("is not a flag")
  }

  /// The parser's words, for a key in place of an option.
  private static func message(_ error: any Error, _ key: String) -> String {
    let said = CDPipe.message(for: error)
    if isUnknown(error) {
      let meant = said.split(separator: "Did you mean '--").dropFirst().first.map {
        "; did you mean '\($0.prefix { $0 != "'" })'?"
      }
      return "unknown key '\(key)'\(meant ?? "")"
    }
    return said
  }
}
