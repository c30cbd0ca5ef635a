// `cdpipe run`

import PhoneTools
import ArgumentParser
import Runner
import Records
import SystemIO

struct RunCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a pipeline in one process.",
    discussion: """
      Reads a pipeline file (YAML: sources, then sort, dedupe and emit, each with the options of its command) or a \
      pipe typed with --pipe, and runs all stages in one process. The output is byte for byte that of the shell \
      script that --explain prints.
      """)

  static let examples = [
    Example("Run a pipeline file", "cdpipe run nightly.yaml"),
    Example("Check the file and its inputs, and run nothing", "cdpipe run --check nightly.yaml"),
    Example("Show the same job as a shell script", "cdpipe run --explain nightly.yaml"),
    Example("Replace a value of the file", "cdpipe run --set publish.directory=test nightly.yaml"),
    Example(
      "Run a pipe in one process",
      "cdpipe run --pipe 'parse list.csv | normalize --region CN | sort | dedupe'"),
  ]

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline.yaml"), completion: .pipelineFile)
  var file: String?

  @Option(
    help: ArgumentHelp(
      "A pipe of stages, written as for a shell, instead of a file.", valueName: "'parse … | sort …'"))
  var pipe: String?

  @Option(
    help: ArgumentHelp(
      "Replace a value of the file, such as normalize.region=KR. May be repeated.",
      valueName: "key=value"))
  var set: [String] = []

  @Flag(help: "Print the equivalent shell script, and run nothing.")
  var explain = false

  @Flag(help: "Check the pipeline file and that its inputs exist, and run nothing.")
  var check = false

  @Flag(help: "With --check: print a JSON object.")
  var json = false

  @Flag(help: "Print the JSON Schema of pipeline files, for editors that complete keys.")
  var schema = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The number of threads, 1 to 64 (default: one per processor). The output is the same.", valueName: "n")
  )
  var threads: Int?

  @OptionGroup(title: "Reporting options") var reportingOptions: ReportingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Threads.validate(threads)
    if schema {
      if file != nil || pipe != nil || !set.isEmpty || explain || check || json {
        throw ValidationError("--schema can't be combined with other options")
      }
      return
    }
    if file != nil, pipe != nil { throw ValidationError("give a pipeline file or --pipe, not both") }
    if file == nil, pipe == nil { throw ValidationError("needs either a pipeline file or --pipe") }
    if explain, check { throw ValidationError("choose --explain or --check") }
    if json, !check { throw ValidationError("--json needs --check") }
    if pipe != nil, !set.isEmpty { throw ValidationError("--set needs a pipeline file") }
    if pipe != nil, explain || check {
      throw ValidationError("--\(explain ? "explain" : "check") needs a pipeline file")
    }
  }

  func run() throws {
    if schema { return StandardOutput.print(EmbeddedFile.at("docs/formats/pipeline.schema.json").text, terminator: "") }
    Diagnostics.set(
      LogSettings(format: reportingOptions.logFormat, command: "cdpipe run", pipeline: file))
    let diagnostics = Diagnostics(command: "run")
    var common = common
    if reportingOptions.logFormat == .json { common.progress = .never }
    // The filters of a shell pipe print no such message: a signal ends all of them.
    if !common.quiet, common.progress != .never { ErrorStream.announceInterruption(RunSummary.interrupted) }
    var reports = reportingOptions.reports
    if let pipe {
      let typed = try PipeInvocation(pipe, diagnostics, threads: Threads.count(threads), common)
      return try PipelineCommand.run(
        typed.pipeline, typed.common, command: "run", reports: reports, summary: nil)
    }
    Diagnostics.setKeyNames(StageTable.keyNames)
    reports.file = file
    reports.pipeline = file ?? ""
    let builder = try builder(diagnostics, &reports)
    if explain { return StandardOutput.print(builder.shell, terminator: "") }
    if check { return try builder.check(diagnostics, name: reports.pipeline, isJSON: json) }
    if Refresh.isFor(builder) {
      return try Refresh(builder: builder, common: common, threads: Threads.count(threads)).run(reports)
    }
    try PipelineCommand.run(
      builder.pipeline(threads: Threads.count(threads)), common, command: "run", reports: reports,
      files: builder.files, summary: RunSummary.lines)
  }

  private func builder(_ diagnostics: Diagnostics, _ reports: inout ReportOptions) throws -> PipelineBuilder {
    let document: PipelineDocument
    do throws(PipelineFileError) {
      document = try PipelineDocument(path: file ?? "", layout: StageTable.layout, overrides: set) { name in
        RunningProcess.environment(name)
      }
    } catch {
      let message = error.failure.userMessage
      printInvalid(message, at: error.mark, key: error.key)
      throw endInvalid(message, ExitStatus.of(error.failure.errorClass), diagnostics, reports)
    }
    reports.pipeline = document.name
    do {
      return try PipelineBuilder(document)
    } catch let error as StageOptionsError {
      let message = UserMessage("\(error.mark.place): \(error.message)")
      printInvalid(message, at: error.mark, key: error.key)
      throw endInvalid(
        message, error.mark.isFromCommandLine ? ExitStatus.usage : ExitStatus.badData, diagnostics, reports)
    }
  }

  /// Prints the error of an invalid pipeline file as JSON, with `--check --json`.
  private func printInvalid(_ message: UserMessage, at mark: Mark?, key: String?) {
    guard check, json else { return }
    StandardOutput.print(JSONLine.text(InvalidPipeline(file ?? "", message, at: mark, key: key)))
  }

  /// Ends a run whose pipeline file is invalid. Writes the reports nevertheless.
  private func endInvalid(
    _ sentence: UserMessage, _ status: ExitCode, _ diagnostics: Diagnostics, _ reports: ReportOptions
  ) -> ExitCode {
    let status = diagnostics.end(sentence, status)
    // The included files may be unknown.
    let isPipeline =
      OutputNames.replaced(reports.paths, of: [file ?? ""]) != nil
      || reports.paths.contains { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
    if !explain, !isPipeline, let reporting = try? RunReporting.begin(reports, diagnostics) {
      reporting.end(sentence, stage: nil, status, diagnostics)
    }
    return status
  }
}
