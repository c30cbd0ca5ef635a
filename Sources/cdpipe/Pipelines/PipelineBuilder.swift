// Builds a pipeline from a pipeline file. Each stage's keys become the command's arguments and are parsed by the same
// parser, so files and commands behave the same.

import ArgumentParser
import CallManifest
import InputStages
import RecordStages
import Records
import Runner
import SystemIO
import SystemPackage

/// A stage's arguments as they would be typed, with the options parsed from them.
struct StageInvocation<Options> {
  var name: StageName
  var arguments: [String]
  var options: Options

  /// The command as it would be typed: `cdpipe normalize --region=CN`.
  var shell: String {
    (["cdpipe", name.rawValue] + arguments.map(ShellQuoting.quoted)).joined(separator: " ")
  }

  /// The stage with the options that decide which numbers are listed: `dedupe --min-total=3`; nil without any.
  var decision: String? {
    let traits = StageTable.row(named: name.rawValue)?.traits ?? [:]
    let options = arguments.filter { argument in
      let option = String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
      return argument.hasPrefix("--") && traits[traits.key(of: option)]?.decides == true
    }
    if options.isEmpty { return nil }
    return ([name.rawValue] + options.map(ShellQuoting.quoted)).joined(separator: " ")
  }
}

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
  let files: [String]
  let sources: [SourceInvocation]
  let shared: [StageInvocation<any StagePlan>]
  let emits: [StageInvocation<EmitOptions>]
  /// How the outputs are published; nil if each is written to its path.
  let publish: PublishArguments?
  private let publishText: String

  init(_ document: PipelineDocument) throws {
    path = document.path
    files = document.files
    let parsers = SourceParsers()
    sources = try document.sources.map { try Self.source($0, parsers) }
    shared = try StageTable.rows.compactMap { row in
      guard [.shared, .optional, .sourceOrShared].contains(row.position) else { return nil }
      let settings = document.stages.first { $0.stage == row.name }
      if settings == nil, row.position != .shared { return nil }
      return try Self.stage(row, settings)
    }
    let publish = try document.publish.map { try Self.publish($0) }
    self.publish = publish?.options
    publishText = publish?.arguments.joined(separator: " ") ?? ""
    let outputs: [StageSettings?] = document.emits.isEmpty ? [nil] : document.emits
    emits = try Self.emits(outputs, document.publish, self.publish)
    try checkOwnOutputs(document)
  }

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
    let texts = [ProgramVersion.current, publishText, commands]
    // Rows grow too old while nothing else changes.
    return Publisher.identity(
      of: (texts + pipeline(threads: 1).agesFrom.map(\.text)).joined(separator: "\n"))
  }

  /// The files that are read in addition to the sources.
  var sideInputs: [String] {
    let pipeline = pipeline(threads: 1)
    return (pipeline.files(.input) + pipeline.files(.settings)).filter { $0 != InputFile.standardInput }
  }

  // MARK: Reading the stages' keys

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
    let written = Set(
      outputs.filter { !$0.isDirectory }.flatMap(\.paths).compactMap { FileIdentity(output: $0) })
    for (settings, source) in zip(document.sources, sources) {
      guard case .paths(let paths) = settings.input,
        let pattern = paths.first(where: { FilePattern.isPattern($0.text) }),
        let own = source.paths.first(where: { FileIdentity(input: $0).map(written.contains) ?? false })
      else { continue }
      throw StageOptionsError(
        pattern.mark, "'\(own)' is an output of the pipeline, and 'path' of the source matches it")
    }
  }

  private static func source(
    _ settings: SourceSettings, _ parsers: SourceParsers
  ) throws -> SourceInvocation {
    var source = try input(of: settings, parsers)
    source.isRequired = settings.isRequired
    source.usesLastGood = settings.usesLastGood
    source.checks = try read(settings.checks, SourceCheckArguments.self) { try parsers.checks.options($0) }
      .options
    if !source.isRequired || source.usesLastGood { source.checks.bound() }
    return source
  }

  private static func input(
    of settings: SourceSettings, _ parsers: SourceParsers
  ) throws -> SourceInvocation {
    func named(_ name: StageName) -> StageSettings? { settings.stages.first { $0.stage == name } }
    let download = named(.download)
    func stages() throws -> [StageInvocation<any StagePlan>] {
      try StageTable.sourceRows.compactMap { row in
        let settings = named(row.name)
        return settings == nil && row.position == .sourceOrShared ? nil : try stage(row, settings, parsers)
      }
    }
    switch settings.input {
    case .generator(let generator):
      guard let row = StageTable.row(named: generator.stage.rawValue) else {
        preconditionFailure("the layout has the table's stages")
      }
      let others = try settings.stages.map { settings in
        guard let row = StageTable.row(named: settings.stage.rawValue) else {
          preconditionFailure("the layout has the table's stages")
        }
        return try stage(row, settings, parsers)
      }
      return SourceInvocation(
        name: settings.name, input: .nothing, stages: [try stage(row, generator, parsers)] + others)
    case .paths(let paths):
      let stages = try stages()
      if let download {
        throw StageOptionsError(
          download.mark, "'download' needs 'url' in place of 'path'")
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
      let (arguments, options) = try read(
        download?.settings ?? [], DownloadArguments.self, DownloadArguments.keys, of: .download
      ) {
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
        mark, sentence.message + (sentence.hint.map { "; \($0)" } ?? ""))
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
      return try read(
        settings?.settings ?? [], row.declaration, row.arguments?.keys ?? [:],
        of: row.name, parse: parse
      ).options
    } catch let error as StageOptionsError {
      throw error
    } catch {
      guard let mark = settings?.mark else { throw error }
      throw StageOptionsError(
        mark, StageTable.keys.text(RunCommand.message(for: error), of: row.name))
    }
  }

  private static func publish(
    _ settings: PublishSettings
  ) throws -> (arguments: [String], options: PublishArguments) {
    let read = try read(settings.settings, PublishArguments.self, PublishArguments.keys) {
      try PublishArguments.parse($0)
    }
    if read.options.directory.isEmpty {
      let mark = settings.settings.first { $0.key == "directory" }?.mark ?? settings.mark
      throw StageOptionsError(mark, "'publish' needs 'directory', the folder for the versions")
    }
    return read
  }

  /// Reads keys with the parser of the type that declares them. `stage` has the keys; nil if they are not those of a stage.
  private static func read<Options>(
    _ settings: [StageSetting], _ type: any ParsableArguments.Type, _ traits: [String: KeyTraits] = [:],
    of stage: StageName? = nil, parse: @escaping ([String]) throws -> Options
  ) throws -> (arguments: [String], options: Options) {
    let reader = StageOptionsReader(
      traits, names: { OptionTable.of(type).names }, parse: parse,
      reason: { error, key in
        let option = traits[key]?.option ?? key
        return reason(error, (option, key), OptionTable.of(type).option(option)?.allValues ?? [], stage)
      })
    return try reader.read(settings)
  }

  /// Why the parser does not accept a key's value. `choice` are the values that it accepts, if they are a choice.
  private static func reason(
    _ error: any Error, _ own: (option: String, key: String), _ choice: [String], _ stage: StageName?
  ) -> String {
    let problem = ArgumentProblem(error)
    func named(_ error: any Error) -> String {
      let keys = stage == nil ? OptionKeys { _, _ in nil } : StageTable.keys
      return keys.text(RunCommand.message(for: error), of: stage, own: own)
    }
    guard problem.option == own.option else { return named(error) }
    switch problem.kind {
    case .unableToParseValue: return problem.sentence(of: own.key, choice) { named($0) }
    case .missingValueForOption: return "Missing value for '\(own.key)'"
    case .unexpectedValueForOption:
      return
        "The option '\(own.key)' does not take any value, but '\(problem.value ?? "")' was specified."
    default: return named(error)
    }
  }
}

// The outputs of a pipeline file with `publish`: their paths are in the version's folder, and one of them is the
// directory of shards.

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
        "'publish' needs an output with shards: 'format: store' without a 'path'")
    }
    return emits
  }

  /// Returns an output's settings with its path inside the staging folder; without a path, it is that folder.
  private static func inside(_ settings: StageSettings, _ staging: String) throws -> StageSettings {
    var settings = settings
    if let baseline = settings.settings.first(where: { $0.key == "baseline" }) {
      throw StageOptionsError(
        baseline.mark,
        "with 'publish', 'baseline' is not allowed: the baseline is the current version")
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
          mark, "with 'publish', 'path' is a name in the version's folder; '\(text)' is not")
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

// The options that were parsed already: hundreds of sources have the same few options, parsing them takes longer than
// reading a short list, and equal options share their memory.

/// Parses arguments, each distinct list once.
final class ParsedArguments<Options> {
  private let parse: ([String]) throws -> Options
  private var parsed: [[String]: Options] = [:]

  /// Creates an empty collection. Only what `parse` returns is kept; it is called again for arguments that it rejected.
  init(_ parse: @escaping ([String]) throws -> Options) {
    self.parse = parse
  }

  func options(_ arguments: [String]) throws -> Options {
    if let known = parsed[arguments] { return known }
    let options = try parse(arguments)
    parsed[arguments] = options
    return options
  }
}

extension PipelineBuilder {
  /// The equivalent shell script, with comments on what a shell can't do.
  var shell: String {
    var text = commands
    let copied = sources.filter(\.usesLastGood).map { "'\($0.name)'" }
    if !copied.isEmpty {
      let names = PrintableText.line(copied.joined(separator: ", "))
      text += "# A shell can't use the last good copy of a source: \(names).\n"
    }
    if let publish {
      let staging = PublishedFolder(publish.directory).staging
      text += "# A shell can't check '\(staging)' and make it the current version in one step.\n"
    }
    return text
  }

  /// The commands of the script. A command can't know whether the ones before it succeed, so the records are written to
  /// a temporary file: if any of these commands fails, the script ends before an output is replaced.
  var commands: String {
    var pipe = sources.count == 1 ? sources[0].shell(indent: "") : "{\n\(heads)}"
    for stage in shared { pipe += " \\\n  | " + stage.shell }
    let emits = emits.map { "\($0.shell) \"$temp/records\"\n" }.joined()
    return """
      set -eo pipefail
      temp=$(mktemp -d)
      trap 'rm -r "$temp"' EXIT
      \(pipe) >"$temp/records"
      \(emits)
      """
  }

  /// The commands of several sources, one after another. If none is required, at least one must be usable.
  private var heads: String {
    let needsOne = !sources.contains { $0.isRequired }
    var text = ""
    for source in sources {
      text +=
        source.isRequired
        ? "  \(source.shell(indent: "  "))\n" : source.optionalShell(isCounted: needsOne)
    }
    return text + (needsOne ? "  [ \"$used\" ] || exit \"$status\"\n" : "")
  }
}

extension PipelineBuilder.SourceInvocation {
  /// The commands of the source as they would be typed; all lines but the first are indented.
  fileprivate func shell(indent: String) -> String {
    var commands = download.map { [$0.value.shell] } ?? []
    var stages = stages.map { (shell: $0.shell, readsBytes: $0.options.input == .bytes) }
    if paths.count == 1 {
      stages[0].shell += " " + Self.argument(paths[0])
    } else if paths.count > 1 {
      // Each file has its own format and header, so each is read by commands of its own.
      let ofFile = stages.prefix { $0.readsBytes }
      stages.removeFirst(ofFile.count)
      commands.append(Self.loop(ofFile.map(\.shell), over: paths, indent))
    }
    commands += stages.map(\.shell)
    return commands.joined(separator: " \\\n\(indent)  | ")
  }

  /// The commands of a source that is not required: if one fails, none of the source's records are used. A counted
  /// source sets `used` or `status`.
  fileprivate func optionalShell(isCounted: Bool) -> String {
    let message = "source \(ShellQuoting.quoted(name)) 'is left out: it is not required'"
    return [
      "if \(shell(indent: "  ")) >\"$temp/source\"; then", "  cat \"$temp/source\"",
      isCounted ? "  used=yes" : nil, "else", isCounted ? "  status=$?" : nil, "  echo \(message) >&2", "fi",
    ].compactMap { $0 }.map { "  \($0)\n" }.joined()
  }

  private static func argument(_ path: String) -> String {
    ShellQuoting.quoted(path.hasPrefix("-") && path != InputFile.standardInput ? "./" + path : path)
  }

  /// The commands that each file goes through, one file after another. The first failure ends the loop.
  private static func loop(_ commands: [String], over paths: [String], _ indent: String) -> String {
    var commands = commands
    commands[0] += " \"$file\""
    let files = paths.map { " \\\n\(indent)    " + argument($0) }.joined()
    let body = "\(indent)    \(commands.joined(separator: " | ")) || exit"
    return "for file in\(files); do\n\(body)\n\(indent)  done"
  }
}
