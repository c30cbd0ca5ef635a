// `cdpipe run`

import ArgumentParser
import PipeRunner
import PipeStage
import PipelineFile
import SystemIO
import UserMessages
import YAMLDocument

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Run a pipeline in one process.",
    discussion: """
      Reads a pipeline file (YAML: sources, then sort, dedupe and emit, each with the options of its command), or a \
      pipe typed with --pipe, and runs the stages over bounded buffers. The output is the same, byte for byte, as \
      that of the commands joined by a shell, which --explain prints.
      """)

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline.yaml"))
  var file: String?

  @Option(
    help: ArgumentHelp(
      "A pipe of stages as a shell has it, in place of a file.", valueName: "'parse … | sort …'"))
  var pipe: String?

  @Option(
    help: ArgumentHelp(
      "Put a value in place of one in the file, such as normalize.region=KR. May be repeated.",
      valueName: "key=value"))
  var set: [String] = []

  @Flag(help: "Print the shell pipeline that the file stands for, and run nothing.")
  var explain = false

  @Flag(help: "Check the pipeline file and whether its inputs are there, and run nothing.")
  var check = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Threads to use, 1 to 64 (default: one a processor). The output does not depend on it.", valueName: "n")
  )
  var threads: Int?

  @OptionGroup(title: "Options for what is told of the run") var telling: ReportingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Threads.validate(threads)
    if (file == nil) == (pipe == nil) { throw ValidationError("give either a pipeline file or --pipe") }
    if pipe != nil, !set.isEmpty { throw ValidationError("--set goes with a pipeline file") }
    if pipe != nil, explain || check {
      throw ValidationError("--\(explain ? "explain" : "check") goes with a pipeline file")
    }
  }

  func run() throws {
    Diagnostics.speak(telling.logFormat)
    let voice = Diagnostics(command: "run")
    var common = common
    if telling.logFormat == .json { common.progress = .never }
    var reports = telling.reports
    if let pipe {
      let typed = try PipeInvocation(pipe, voice, threads: Threads.count(threads), common)
      return try PipelineCommand.run(
        typed.pipeline, typed.common, command: "run", reports: reports, summary: nil)
    }
    reports.file = file
    reports.pipeline = file ?? ""
    let builder = try builder(voice, &reports)
    if explain { return print(builder.shell, terminator: "") }
    if check { return try builder.check(voice) }
    if Refresh.isFor(builder) {
      return try Refresh(builder: builder, common: common, threads: Threads.count(threads)).run(reports)
    }
    try PipelineCommand.run(
      builder.pipeline(threads: Threads.count(threads)), common, command: "run", reports: reports,
      files: builder.files, summary: RunSummary.lines)
  }

  private func builder(_ voice: Diagnostics, _ reports: inout ReportOptions) throws -> PipelineBuilder {
    let document: PipelineDocument
    do throws(PipelineFileError) {
      document = try PipelineDocument(path: file ?? "", layout: StageTable.layout, overrides: set) { name in
        RunningProcess.environment(name)
      }
    } catch {
      let failure = StageError(nil, error)
      throw refusal(
        failure.userMessage, Status.of(failure.cause.errorClass), voice, reports)
    }
    reports.pipeline = document.name
    do {
      return try PipelineBuilder(document)
    } catch let error as StageOptionsError {
      throw refusal(
        UserMessage("\(error.mark.place): \(error.message)"),
        error.mark.isTyped ? Status.usage : Status.badData, voice, reports)
    }
  }

  /// A pipeline file that can't be run: the report records that, too.
  private func refusal(
    _ sentence: UserMessage, _ status: ExitCode, _ voice: Diagnostics, _ reports: ReportOptions
  ) -> ExitCode {
    let status = voice.end(sentence, status)
    // Which files it includes may not be known then.
    let isPipeline =
      OutputNames.replaced(reports.paths, of: [file ?? ""]) != nil
      || reports.paths.contains { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
    if !explain, !isPipeline, let reporting = try? RunReporting.begin(reports, voice) {
      reporting.end(sentence, stage: nil, status, voice)
    }
    return status
  }
}
