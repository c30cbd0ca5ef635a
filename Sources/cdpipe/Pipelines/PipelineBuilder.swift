// Builds a pipeline from a pipeline file. Each stage's keys become the command's arguments and are parsed by the same
// parser, so files and commands behave the same.

import ArgumentParser
import InputStages
import RecordStages
import Records
import Runner
import SystemIO

/// A stage's arguments as they would be typed, with the options parsed from them.
struct StageInvocation<Options> {
  var name: StageName
  var arguments: [String]
  var options: Options

  /// The command as it would be typed: `cdpipe normalize --region=CN`.
  var shell: String {
    (["cdpipe", name.rawValue] + arguments.map(ShellQuoting.quoted)).joined(separator: " ")
  }
}

/// Builds a pipeline from a pipeline file.
struct PipelineBuilder {
  /// A source as it would be typed.
  struct SourceInvocation {
    var name: String
    var input: Pipeline.Input
    /// The command that fetches the input; nil for a file.
    var download: Boxed<StageInvocation<DownloadOptions>>?
    /// The files, or the paths and globs if these can't be listed; empty for a download.
    var paths: [String] = []
    var stages: [StageInvocation<any StagePlan>]
    /// Whether the run fails if the source can't be used.
    var isRequired = true
    /// Whether the last good copy is used if the current bytes can't be used.
    var usesLastGood = false
    /// The conditions that the source's rows must meet.
    var checks = SourceChecks()
  }

  let path: String
  /// The pipeline file and the files that it includes.
  let files: [String]
  let sources: [SourceInvocation]
  let shared: [StageInvocation<any StagePlan>]
  let emits: [StageInvocation<EmitOptions>]
  /// How the outputs are published; nil if each is written to its path.
  let publish: PublishArguments?
  private let publishText: String

  /// Reads the options of a pipeline file.
  init(_ document: PipelineDocument) throws {
    path = document.path
    files = document.files
    let parsers = SourceParsers()
    sources = try document.sources.map { try Self.source($0, parsers) }
    shared = try StageTable.rows.compactMap { row in
      guard row.position == .shared || row.position == .optional else { return nil }
      let settings = document.stages.first { $0.stage == row.name }
      if settings == nil, row.position == .optional { return nil }
      return try Self.stage(row, settings)
    }
    let publish = try document.publish.map { try Self.publish($0) }
    self.publish = publish?.options
    publishText = publish?.arguments.joined(separator: " ") ?? ""
    let outputs: [StageSettings?] = document.emits.isEmpty ? [nil] : document.emits
    emits = try Self.emits(outputs, document.publish, self.publish)
    try checkOwnOutputs(document)
  }

  /// The options of the outputs.
  var outputs: [EmitOptions] { emits.map(\.options) }

  /// Returns the pipeline with the file's outputs, or with other outputs.
  func pipeline(threads: Int, outputs: [EmitOptions]? = nil) -> Pipeline {
    var pipeline = Pipeline(
      sources: sources.map { source in
        Pipeline.Source(name: source.name, input: source.input, stages: source.stages.map(\.options))
      }, stages: shared.map(\.options) + [EmitPlan(outputs ?? self.outputs)], threads: threads)
    for index in sources.indices { pipeline.sources[index].checks = sources[index].checks }
    pipeline.recordsSources = true
    return pipeline
  }

  /// The sources as publishing needs them.
  func refreshSources(isQuiet: Bool) -> [RefreshSource] {
    sources.map { source in
      var result = RefreshSource(name: source.name, input: source.input)
      if var download = source.download?.value.options {
        if !isQuiet { download.observe = { PipelineCommand.show($0) } }
        result.download = .value(download)
      }
      result.reader = source.stages.first?.name
      result.isRequired = source.isRequired
      result.usesLastGood = source.usesLastGood
      result.checks = source.checks
      return result
    }
  }

  /// A hash of everything that determines the output besides the inputs. A later run compares it.
  var identity: String {
    Publisher.identity(of: [ProgramVersion.current, publishText, commands].joined(separator: "\n"))
  }

  /// The files that are read in addition to the sources.
  var sideInputs: [String] {
    let pipeline = pipeline(threads: 1)
    return (pipeline.files(.input) + pipeline.files(.settings)).filter { $0 != InputFile.standardInput }
  }

  // MARK: Reading the stages' keys

  /// The parsers of the options that sources have.
  private struct SourceParsers {
    let stages = Dictionary(
      uniqueKeysWithValues: StageTable.rows.filter { $0.arguments != nil }.map { row in
        (row.name, ParsedArguments { try PipelineBuilder.stage(row, arguments: $0) })
      })
    let download = ParsedArguments { try DownloadArguments.parse($0) }
    let checks = ParsedArguments { try SourceCheckArguments.parse($0).checks }
  }

  /// Checks that no pattern matches an output: the next run would read what this one writes, and a number that
  /// disappears from the lists would stay forever.
  private func checkOwnOutputs(_ document: PipelineDocument) throws {
    let written = Set(outputs.filter { !$0.isDirectory }.compactMap { FileIdentity(output: $0.output) })
    for (settings, source) in zip(document.sources, sources) {
      guard case .paths(let paths) = settings.input,
        let pattern = paths.first(where: { FilePattern.isPattern($0.text) }),
        let own = source.paths.first(where: { FileIdentity(input: $0).map(written.contains) ?? false })
      else { continue }
      throw StageOptionsError(
        pattern.mark, .invalid("'\(own)' is an output of the pipeline, and 'path' of the source matches it"))
    }
  }

  private static func source(
    _ settings: SourceSettings, _ parsers: SourceParsers
  ) throws -> SourceInvocation {
    var source = try input(of: settings, parsers)
    source.isRequired = settings.isRequired
    source.usesLastGood = settings.usesLastGood
    source.checks = try read(settings.checks, [:]) { try parsers.checks.options($0) }.options
    if !source.isRequired || source.usesLastGood { source.checks.bound() }
    return source
  }

  private static func input(
    of settings: SourceSettings, _ parsers: SourceParsers
  ) throws -> SourceInvocation {
    func named(_ name: StageName) -> StageSettings? { settings.stages.first { $0.stage == name } }
    let download = named(.download)
    func stages() throws -> [StageInvocation<any StagePlan>] {
      try StageTable.sourceRows.map { try stage($0, named($0.name), parsers) }
    }
    switch settings.input {
    case .generator(let generator):
      guard let row = StageTable.row(named: generator.stage.rawValue) else {
        preconditionFailure("the layout has the table's stages")
      }
      return SourceInvocation(
        name: settings.name, input: .nothing, stages: [try stage(row, generator, parsers)])
    case .paths(let paths):
      let stages = try stages()
      if let download {
        throw StageOptionsError(
          download.mark, .invalid("'download' needs 'url' in place of 'path'"))
      }
      do throws(Failure) {
        let files = try SourceFiles.list(paths)
        return SourceInvocation(name: settings.name, input: .files(files), paths: files, stages: stages)
      } catch {
        return SourceInvocation(
          name: settings.name, input: .unlisted(error), paths: paths.map(\.resolved), stages: stages)
      }
    case .url(let typedURL, let mark):
      let stages = try stages()
      let url = typedURL.contains("://") ? typedURL : PipelineDocument.resolve(typedURL, at: mark)
      let (arguments, options) = try read(download?.settings ?? [], DownloadArguments.keys, of: .download) {
        try parsers.download.options($0).options([url])
      }
      try checkURL(options, at: mark)
      return SourceInvocation(
        name: settings.name, input: .stage(options),
        download: .value(StageInvocation(name: .download, arguments: arguments + [url], options: options)),
        stages: stages)
    }
  }

  /// Checks a source's URL before anything is fetched.
  private static func checkURL(_ options: DownloadOptions, at mark: Mark) throws {
    do throws(Failure) {
      try options.checkResources(isInFile: true)
    } catch {
      let sentence = error.message
      throw StageOptionsError(
        mark, .invalid(sentence.message + (sentence.hint.map { "; \($0)" } ?? "")))
    }
  }

  private static func stage(
    _ row: StageRow, _ settings: StageSettings?, _ parsers: SourceParsers? = nil
  ) throws -> StageInvocation<any StagePlan> {
    try invocation(row, settings) { arguments in
      try parsers?.stages[row.name]?.options(arguments) ?? stage(row, arguments: arguments)
    }
  }

  private static func stage(_ row: StageRow, arguments: [String]) throws -> StageInvocation<any StagePlan> {
    let all = (row.positional?.traits.startsWithInput ?? false ? ["-"] : []) + arguments
    let plan = try row.plan(all)
    return StageInvocation(name: row.name, arguments: all, options: plan.fedByPipe ?? plan)
  }

  /// Reads the keys of a stage with the parser of its command.
  static func invocation<Options>(
    _ row: StageRow, _ settings: StageSettings?,
    parse: @escaping ([String]) throws -> StageInvocation<Options>
  ) throws -> StageInvocation<Options> {
    do {
      return try read(settings?.settings ?? [], row.arguments?.keys ?? [:], of: row.name, parse: parse)
        .options
    } catch let error as StageOptionsError {
      throw error
    } catch {
      guard let mark = settings?.mark else { throw error }
      throw StageOptionsError(
        mark, .invalid(StageTable.keyNames.text(RunCommand.message(for: error), of: row.name)))
    }
  }

  private static func publish(
    _ settings: PublishSettings
  ) throws -> (arguments: [String], options: PublishArguments) {
    let (arguments, _) = try read(settings.settings, PublishArguments.keys) { arguments in
      // Keys may be checked one by one; this supplies the required key.
      try PublishArguments.parse(["--directory=x"] + arguments)
    }
    do {
      return (arguments, try PublishArguments.parse(arguments))
    } catch {
      throw StageOptionsError(settings.mark, .invalid(RunCommand.message(for: error)))
    }
  }

  /// Reads keys with an option parser. `stage` has the keys; nil if they are not those of a stage.
  private static func read<Options>(
    _ settings: [StageSetting], _ traits: [String: KeyTraits], of stage: StageName? = nil,
    parse: @escaping ([String]) throws -> Options
  ) throws -> (arguments: [String], options: Options) {
    let reader = StageOptionsReader(traits, parse: parse) { error, key in
      reason(error, key, option: traits[key]?.option ?? key, stage)
    }
    return try reader.read(settings)
  }

  /// Rewrites a parser error so that it names the key instead of the option.
  private static func reason(
    _ error: any Error, _ key: String, option: String, _ stage: StageName?
  ) -> StageOptionsError.Reason {
    let message = RunCommand.message(for: error)
    let isUnknown =
      message.hasPrefix("Unknown option") || message.hasPrefix("Unexpected argument")
      || message.contains("is not a flag")
    guard isUnknown else {
      let named = KeyNames.message(CommandMessages.onOneLine(message), aboutKey: key, option: option)
      return .invalid(stage.map { StageTable.keyNames.text(named, of: $0) } ?? named)
    }
    let suggestion = message.split(separator: "Did you mean '--").dropFirst().first
    return .unknownKey(key, suggestion: suggestion.map { String($0.prefix { $0 != "'" }) })
  }
}

extension StageOptionsError {
  /// The message for users.
  var message: String {
    switch reason {
    case .unknownKey(let key, let suggestion):
      "unknown key '\(key)'" + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
    case .listOfValues(let key, let count):
      count > 1 ? "'\(key)' takes one value, got \(count)" : "'\(key)' takes one value, not a list"
    case .invalid(let message): message
    }
  }
}
