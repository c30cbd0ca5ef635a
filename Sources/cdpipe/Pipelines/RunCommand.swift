// `cdpipe run`: a pipeline file or a typed pipe, and `--check`.

import ArgumentParser
import InputStages
import RecordStages
import Records
import Runner
import SystemIO
import SystemPackage

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a pipeline in one process.",
    discussion: """
      Reads a pipeline file (YAML: sources, then sort, dedupe and emit, each with the options of its command) or a \
      pipe typed with --pipe, and runs all stages in one process. The output is byte for byte that of the shell \
      script that --explain prints.
      """)

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline.yaml"), completion: .pipelineFile)
  var file: String?

  @Option("A pipe of stages, written as for a shell, instead of a file.", value: "'parse … | sort …'")
  var pipe: String?

  @Option("Replace a value of the file, such as normalize.region=KR. May be repeated.", value: "key=value")
  var set: [String] = []

  @Flag(help: "Print the equivalent shell script, and run nothing.")
  var explain = false

  @Flag(help: "Check the pipeline file and that its inputs exist, and run nothing.")
  var check = false

  @Flag(help: "With --check: print a JSON object.")
  var json = false

  @Flag(help: "Print the JSON Schema of pipeline files, for editors that complete keys.")
  var schema = false

  @Option(threads: "The number of threads, 1 to 64 (default: one per processor). The output is the same.")
  var threads: Int?

  @OptionGroup(title: "Reporting options") var reportingOptions: ReportingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Threads.validate(threads)
    if schema {
      try refuse(
        file != nil || pipe != nil || !set.isEmpty || explain || check || json,
        "--schema can't be combined with other options")
      return
    }
    if file != nil, pipe != nil { throw ValidationError("give a pipeline file or --pipe, not both") }
    if file == nil, pipe == nil { throw ValidationError("needs either a pipeline file or --pipe") }
    if explain, check { throw ValidationError("choose --explain or --check") }
    if json, !check { throw ValidationError("--json needs --check") }
    if pipe != nil, !set.isEmpty { throw ValidationError("--set needs a pipeline file") }
    try refuse(
      pipe != nil && (explain || check), "\(option: explain ? "explain" : "check") needs a pipeline file")
  }

  func run() throws {
    if schema {
      return StandardOutput.print(PipelineSchema.text, terminator: "")
    }
    Diagnostics.set { settings in
      settings.format = reportingOptions.logFormat
      settings.pipeline = file
    }
    var common = common
    if reportingOptions.logFormat == .json { common.progress = .never }
    // The filters of a shell pipe print no such message: a signal ends all of them.
    if !common.quiet, common.progress != .never { ErrorStream.announceInterruption(RunSummary.interrupted) }
    var reports = reportingOptions.reports
    if let pipe {
      let typed = try PipeInvocation(pipe, threads: Threads.count(threads), common)
      return try PipelineCommand.run(typed.pipeline, typed.common, reports: reports, summary: nil)
    }
    Diagnostics.setNaming { StageTable.keys.text($0, of: $1) }
    reports.file = file
    reports.pipeline = file ?? ""
    let builder = try builder(&reports)
    if explain { return StandardOutput.print(builder.shell, terminator: "") }
    if check { return try builder.check(name: reports.pipeline, isJSON: json) }
    if Refresh.isFor(builder) {
      return try Refresh(builder: builder, common: common, threads: Threads.count(threads)).run(reports)
    }
    try PipelineCommand.run(
      builder.pipeline(threads: Threads.count(threads)), common, reports: reports,
      files: builder.files, summary: RunSummary.lines)
  }

  private func builder(_ reports: inout ReportOptions) throws -> PipelineBuilder {
    let document: PipelineDocument
    do throws(PipelineFileError) {
      document = try PipelineDocument(path: file ?? "", layout: StageTable.layout, overrides: set) { name in
        RunningProcess.environment(name)
      }
    } catch {
      throw endInvalid(
        error.failure.userMessage, error.failure.errorClass, at: error.mark, key: error.key, reports)
    }
    reports.pipeline = document.name
    do {
      return try PipelineBuilder(document)
    } catch let error as StageOptionsError {
      throw endInvalid(
        UserMessage("\(error.mark.place): \(error.message)"),
        error.mark.isFromCommandLine ? .usage : .badData, at: error.mark, key: error.key, reports)
    }
  }

  /// Ends a run whose pipeline file is invalid. Writes the reports nevertheless; with `--check --json`, prints the error
  /// as JSON.
  private func endInvalid(
    _ message: UserMessage, _ errorClass: ErrorClass, at mark: Mark?, key: String?, _ reports: ReportOptions
  ) -> ExitCode {
    if check, json {
      StandardOutput.print(JSONLine.text(InvalidPipeline(file ?? "", message, at: mark, key: key)))
    }
    let status = Diagnostics.typed.end(message, ExitStatus.of(errorClass))
    // The included files may be unknown.
    let isPipeline =
      OutputNames.replaced(reports.paths, of: [file ?? ""]) != nil
      || reports.paths.contains { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
    if explain || isPipeline { return status }
    do throws(Failure) {
      try RunReporting(reports)?.end(message, stage: nil, status)
    } catch {
      _ = Diagnostics.typed.end(error)
    }
    return status
  }
}

extension PipelineBuilder {
  /// A source that can't be read now, and that the run can do without.
  private struct UnusedSource {
    var name: String
    var error: Failure
    /// Whether its last good copy replaces it; otherwise it is left out.
    var hasCopy: Bool
  }

  /// Prints a summary of the file, and warnings about sources that the run would do without; or reports the first input
  /// that is missing, or the first invalid name of an output.
  func check(name: String, isJSON: Bool) throws(Failure) {
    let unused: [UnusedSource]
    do throws(Failure) {
      unused = try unusedSources()
      for path in publish?.signing.sign ?? [] {
        _ = try SigningKey(path: path)
      }
      for path in sideInputs where FileKind(of: FilePath(path)) != .directory { try Self.look(path) }
      // The outputs of a published version have other names.
      if publish == nil { try OutputNames.check(pipeline(threads: 1), rejects: nil, files: files) }
    } catch {
      if isJSON {
        StandardOutput.print(
          JSONLine.text(InvalidPipeline(self.path, Diagnostics.message(of: error), source: error.sourceName)))
      }
      throw error
    }
    for source in unused {
      Diagnostics.typed.warn(
        PublishText.unusedSource(Diagnostics.message(of: source.error), hasCopy: source.hasCopy),
        source: source.name)
    }
    if isJSON {
      let errors = Dictionary(uniqueKeysWithValues: unused.map { ($0.name, $0.error) })
      return StandardOutput.print(JSONLine.text(CheckedPipeline(self, name: name, errors)))
    }
    let count = Figures.counted(UInt64(sources.count), "source")
    let outputs = Figures.counted(UInt64(emits.count), "output")
    StandardOutput.print(
      "\(path): \(count), \(outputs)" + (publish.map { ", published in '\($0.directory)'" } ?? ""))
    printDecisions()
  }

  /// Prints what decides which numbers are listed: `  source 'own': select --drop=country=AT`.
  private func printDecisions() {
    func printAll(_ owner: String, _ stages: [StageInvocation<any StagePlan>]) {
      for decision in stages.compactMap(\.decision) {
        StandardOutput.print("  " + (sources.count > 1 ? owner + ": " : "") + decision)
      }
    }
    for source in sources { printAll("source '\(PrintableText.name(source.name))'", source.stages) }
    printAll("all sources", shared)
  }

  /// The sources that can't be read now. Throws the error of one that the run can't do without.
  private func unusedSources() throws(Failure) -> [UnusedSource] {
    let folder = publish.map { PublishedFolder($0.directory) }
    var unused: [UnusedSource] = []
    var remaining = sources.count
    for source in sources {
      do throws(Failure) {
        try Self.look(at: source.input)
      } catch {
        var error = error
        let hasCopy =
          source.usesLastGood && folder.map { SourceCache.hasCopy(of: source.name, in: $0) } ?? false
        // The run can't do without its last source either.
        guard error.blamesSource, hasCopy || (!source.isRequired && remaining > 1) else {
          if sources.count > 1 { error.sourceName = source.name }
          throw error
        }
        if !hasCopy { remaining -= 1 }
        error.sourceName = source.name
        unused.append(UnusedSource(name: source.name, error: error, hasCopy: hasCopy))
      }
    }
    return unused
  }

  private static func look(at input: Pipeline.Input) throws(Failure) {
    if case .unlisted(let failure) = input { throw failure.of(nil) }
    for path in input.paths where path != InputFile.standardInput { try look(path) }
  }

  private static func look(_ path: String) throws(Failure) {
    // The writer of a named pipe need not be there yet.
    _ = try asFailure(nil) { () throws(SystemError) in try InputFile(path, waits: false) }
  }
}

/// The JSON form of a valid pipeline file. Secrets in URLs are left out.
private struct CheckedPipeline: Encodable {
  struct Source: Encodable {
    var name: String
    /// The files that are read; nil for a URL or a generator.
    var paths: [String]?
    var url: String?
    var isRequired: Bool
    /// The stages that decide which of its numbers are listed, with the options that do; nil for none.
    var decisions: [String]?
    /// Why the source can't be read now; nil if it can, or if that is not known.
    var error: String?
  }
  struct Output: Encodable {
    var path: String
    var format: String
  }

  var file: String
  var name: String
  var isValid = true
  var sources: [Source]
  /// The same of all sources together.
  var decisions: [String]?
  var outputs: [Output]
  /// The folder in which versions are published.
  var directory: String?

  init(_ builder: PipelineBuilder, name: String, _ errors: [String: Failure]) {
    file = builder.path
    self.name = name
    sources = builder.sources.map { source in
      Source(
        name: source.name, paths: source.paths.isEmpty ? nil : source.paths,
        url: source.download?.value.options.resources.first.map { URLRedaction.resource($0) },
        isRequired: source.isRequired, decisions: Self.decisions(source.stages),
        error: errors[source.name].map { Diagnostics.message(of: $0).message })
    }
    decisions = Self.decisions(builder.shared)
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

  private static func decisions(_ stages: [StageInvocation<any StagePlan>]) -> [String]? {
    let decisions = stages.compactMap(\.decision)
    return decisions.isEmpty ? nil : decisions
  }
}
