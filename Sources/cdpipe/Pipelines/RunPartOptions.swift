// The options of `run` for a part of a run.

import ArgumentParser
import RecordStages
import Records
import Runner
import SystemIO

/// The last stage of a part of a run.
enum LastStage: String, ExpressibleByArgument, CaseIterable {
  case sort, dedupe
}

/// The options that select a part of a run.
struct RunPartOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read only this source of the file. May be repeated.", valueName: "name"))
  var onlySource: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      With --only-source: write to --output how the source's file can be divided into slices of about this size, such as \
      256MiB, and run nothing else.
      """, valueName: "size"))
  var planSlices: ByteSize?

  @Option(
    help: ArgumentHelp(
      "With --only-source: read only this slice of the source's file. The first is 1.", valueName: "n"))
  var slice: Int?

  @Option(
    help: ArgumentHelp("The plan of the slices, which --plan-slices wrote.", valueName: "plan.json"),
    completion: .file(extensions: ["json"]))
  var slices: String?

  @Option(
    help: ArgumentHelp(
      """
      End after this stage, and write its records to --output: sorted runs, or deduplicated parts, without 'limit' and \
      'coalesce' of dedupe.
      """,
      valueName: "stage"))
  var until: LastStage?

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      "With --until: write to FILE, which is replaced when the output is complete (default: '-').",
      valueName: "file"), completion: .file())
  var output: String?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Continue with sorted runs, or slices of them, in the order of their sources.", valueName: "file"),
    completion: .file())
  var fromRuns: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Continue with deduplicated parts in ascending order; 'limit' and 'coalesce' of dedupe follow. Their conflicts are \
      read from PART.conflicts, where --until dedupe writes them.
      """,
      valueName: "file"), completion: .file())
  var fromParts: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      The merged report of the processes that read the sources ('cdpipe report merge'), for the manifest and the report \
      of the whole run.
      """, valueName: "report.json"), completion: .file(extensions: ["json"]))
  var accounts: String?

  func validate() throws {
    let continues = !fromRuns.isEmpty || !fromParts.isEmpty
    if !fromRuns.isEmpty, !fromParts.isEmpty {
      throw ValidationError("choose --from-runs or --from-parts")
    }
    if continues, !onlySource.isEmpty {
      throw ValidationError(
        "--only-source can't be used with --from-runs or --from-parts: the sources were read")
    }
    try validateSlices()
    if planSlices != nil { return }
    if output != nil, until == nil { throw ValidationError("--output needs --until") }
    if !onlySource.isEmpty, until == nil {
      throw ValidationError("--only-source needs --until: a part of the sources is not a complete list")
    }
    if until != nil, accounts != nil { throw ValidationError("--accounts can't be used with --until") }
    if accounts != nil, !continues { throw ValidationError("--accounts needs --from-runs or --from-parts") }
    if until == .dedupe, !fromParts.isEmpty {
      throw ValidationError("--until dedupe can't be used with --from-parts: the parts are deduplicated")
    }
    if until == .sort, continues {
      throw ValidationError("--until sort can't be used with --from-runs or --from-parts: they are sorted")
    }
    if continues, until == nil, accounts == nil {
      throw ValidationError(
        "--\(fromRuns.isEmpty ? "from-parts" : "from-runs") needs --accounts or --until dedupe")
    }
  }

  private func validateSlices() throws {
    if (slice == nil) != (slices == nil) { throw ValidationError("--slice and --slices need each other") }
    guard planSlices != nil || slice != nil else { return }
    let option = planSlices == nil ? "--slice" : "--plan-slices"
    if onlySource.count != 1 { throw ValidationError("\(option) needs --only-source, once") }
    if slice != nil, until != .sort { throw ValidationError("--slice needs --until sort") }
    guard let planSlices else { return }
    if slice != nil { throw ValidationError("choose --plan-slices or --slice") }
    if until != nil { throw ValidationError("--until can't be used with --plan-slices") }
    if planSlices.bytes < SourceSlices.sliceBytesMin {
      throw ValidationError(
        "--plan-slices must be at least \(Figures.bytes(SourceSlices.sliceBytesMin))")
    }
  }

  /// The part that is selected; nil for the whole run.
  var part: RunPart? {
    if onlySource.isEmpty, until == nil, fromRuns.isEmpty, fromParts.isEmpty { return nil }
    let start: RunPart.Start =
      !fromRuns.isEmpty ? .runs(fromRuns) : !fromParts.isEmpty ? .parts(fromParts) : .sources(onlySource)
    return RunPart(
      start: start, until: until.map { StageName(rawValue: $0.rawValue) },
      output: output ?? OutputFile.standardOutput)
  }

  /// The part that is selected, with the accounts of the processes before, which must fit the pipeline file; nil for the
  /// whole run. Throws the exit status after printing a message.
  func part(
    of builder: PipelineBuilder, pipeline: String, _ diagnostics: Diagnostics
  ) throws -> RunPart? {
    guard var part else { return nil }
    let names = builder.sources.map(\.name)
    if let unknown = onlySource.first(where: { !names.contains($0) }) {
      throw diagnostics.end(
        RunPartMessages.unknownSource(unknown, in: builder.path, names: names), ExitStatus.usage)
    }
    if part.until == .dedupe, output == nil, builder.writesConflicts {
      throw diagnostics.end(RunPartMessages.unnamedPart, ExitStatus.usage)
    }
    if let slice, let slices {
      let plan = try SourceSlices(slices, source: onlySource[0], diagnostics)
      guard (1...plan.count).contains(slice) else {
        throw diagnostics.end(RunPartMessages.noSuchSlice(slice, slices, count: plan.count), ExitStatus.usage)
      }
      if plan.count > 1 { part.slice = (slice, plan) }
    }
    guard let accounts else { return part }
    let report = try ReportReading.report(accounts, diagnostics)
    if report.status == .failed {
      throw diagnostics.end(
        RunPartMessages.failedTask(accounts, report.failure?.message ?? ""), ExitStatus.badData)
    }
    part.accounts = report
    let read = Dictionary(report.sources.map { ($0.name, $0) }) { first, _ in first }
    guard report.pipeline == pipeline else {
      throw diagnostics.end(
        RunPartMessages.otherPipeline(accounts, report.pipeline, expected: pipeline), ExitStatus.badData)
    }
    for source in builder.sources {
      let message: UserMessage? =
        switch read[source.name] {
        case nil: RunPartMessages.missingSource(source.name, accounts, file: builder.path)
        case let counts? where !counts.stages.isEmpty && counts.stages.map(\.stage) != source.stageNames:
          RunPartMessages.otherStages(accounts, source: source.name)
        case let counts? where counts.stages.isEmpty && source.isRequired:
          RunPartMessages.unusedSource(source.name, accounts, counts.trouble?.message ?? "")
        default: nil
        }
      if let message { throw diagnostics.end(message, ExitStatus.badData) }
    }
    let needed = fromParts.isEmpty ? StageName.sort : .dedupe
    guard report.stages.contains(where: { $0.stage == needed.rawValue }) else {
      throw diagnostics.end(RunPartMessages.missingStage(needed, accounts), ExitStatus.badData)
    }
    for source in report.sources {
      guard let trouble = source.trouble, source.stages.isEmpty else { continue }
      diagnostics.log(RunPartMessages.leftOut(source.name, trouble.message), .warning, source: source.name)
    }
    if report.sources.allSatisfy(\.stages.isEmpty) {
      throw diagnostics.end(RunPartMessages.noSource(accounts), ExitStatus.badData)
    }
    return part
  }
}

extension PipelineBuilder {
  /// Whether the decisions of dedupe are written to a file.
  fileprivate var writesConflicts: Bool {
    shared.contains { ($0.options as? DedupeOptions)?.conflictsPath != nil }
  }
}

extension PipelineBuilder.SourceInvocation {
  /// The names of the source's own stages, as a report has them.
  fileprivate var stageNames: [String] {
    (download.map { [$0.value.name.rawValue] } ?? []) + stages.map(\.name.rawValue)
  }
}
