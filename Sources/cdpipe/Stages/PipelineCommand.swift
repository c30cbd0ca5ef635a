// Runs a pipeline for a command: shows rejects and progress, prints the summary, and determines the exit status.

import ArgumentParser
import InputStages
import RecordStages
import Records
import Runner
import Synchronization
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum PipelineCommand {
  /// The maximum number of rejects to show.
  static let rejectsShown = UInt64(RejectLog.firstMax)

  /// Runs a pipeline, prints messages, and writes the reports. `finish` is called after a successful run, before anything
  /// is printed. Throws the exit status if it is not 0.
  static func run(
    _ pipeline: Pipeline, _ common: CommonOptions, reports: ReportOptions = ReportOptions(),
    files: [String] = [],
    summary: ((PipelineRun, _ seconds: Double) -> [LogEntry])?,
    finish: ((PipelineRun) throws(Failure) -> Void)? = nil
  ) throws {
    let reporting = try begin(pipeline, common, reports, files: files)
    let result = attempt(pipeline, common, reporting, summary: summary, finish: finish)
    if case .failed(let failure) = result { throw RunReporting.end(reporting, failure) }
  }

  /// Prepares a run: handles signals, checks the names of files, and creates the reports' files.
  static func begin(
    _ pipeline: Pipeline, _ common: CommonOptions, _ reports: ReportOptions, files: [String] = [],
    keys: [String] = [], folder: String? = nil
  ) throws(Failure) -> RunReporting? {
    Interruption.cleanUp()
    try OutputNames.check(
      pipeline, rejects: common.rejects, reports: reports.paths, files: files, keys: keys, folder: folder)
    TerminalInput.announce(pipeline.inputs, isQuiet: common.quiet)
    return try RunReporting(reports)
  }

  /// Runs a stage that is not in a pipeline, with a log of its rejects. `body` returns the number of its rows.
  static func withRejects(
    _ stage: StageName, _ common: CommonOptions, _ body: (StageContext) throws(Failure) -> UInt64
  ) throws(Failure) -> (rejects: UInt64, rows: UInt64) {
    let isQuiet = common.quiet
    let log = try RejectLog(policy: common.policy) { reject, ordinal in
      if !isQuiet, ordinal <= rejectsShown { Diagnostics.log(reject, .info) }
    }
    let rows: UInt64
    do throws(Failure) {
      rows = try body(StageContext(meter: StageMeter(stage), rejects: log))
      try log.check(stage: stage, inputs: rows)
    } catch {
      try? log.publish()
      throw error
    }
    try log.publish()
    return (log.count, rows)
  }

  enum Attempt {
    case succeeded
    /// Sources failed that the run can do without: repeat it without them.
    case repeats
    /// The run failed. The error is not printed or reported yet, because the command may retry.
    case failed(Failure)
  }

  /// Runs a pipeline once. `recover` decides whether the run can do without a source that failed. `finish` is called
  /// after a successful run, before anything is printed; an error that it throws is returned, too.
  static func attempt(
    _ pipeline: Pipeline, _ common: CommonOptions, _ reporting: RunReporting?,
    calls: any SystemCalls = KernelCalls(), summary: ((PipelineRun, _ seconds: Double) -> [LogEntry])?,
    recover: ((Failure) throws(Failure) -> Bool)? = nil,
    finish: ((PipelineRun) throws(Failure) -> Void)? = nil
  ) -> Attempt {
    let start = MonotonicClock.seconds()
    var progress: ProgressDisplay?
    let isQuiet = common.quiet
    let log: RejectLog
    let encodingHint = EncodingHintFlag()
    let display = isQuiet ? nil : RejectDisplay()
    reporting?.beginAttempt()
    let recorder = reporting?.recorder
    var policy = common.policy
    policy.isRepeatable = recover != nil
    do throws(Failure) {
      log = try RejectLog(policy: policy) { reject, _ in
        encodingHint.note(reject)
        recorder?.note(reject)
        display?.note(reject)
      }
    } catch {
      return .failed(error)
    }
    do throws(Failure) {
      let run = try PipelineRun(
        pipeline, rejects: log, calls: calls, recorder: recorder, showsDetails: Diagnostics.isVerbose,
        notify: isQuiet ? nil : notices(isWatched: isWatched(common), encodingHint))
      reporting?.follow(run)
      progress = ProgressDisplay.start(
        common.progress, isQuiet: isQuiet, sharesTerminal: pipeline.sharesTerminal, run.counters)
      let isComplete = try run.execute { (error) throws(Failure) in try recover?(error) ?? false }
      progress?.stop()
      guard isComplete else { return .repeats }
      try finish?(run)
      try log.publish()
      try reporting?.end()
      if !isQuiet {
        display?.showRest(of: log)
        let totals = run.counters.map(RejectText.StageTotal.init)
        for entry in RejectText.totals(totals, shown: rejectsShown, path: common.rejects) {
          Diagnostics.typed.log(entry)
        }
        if let text = RejectText.patterns(run.counters) { Diagnostics(command: "normalize").log(text) }
        if encodingHint.isRaised, pipeline.allStages.contains(where: \.assumesEncoding) {
          Diagnostics.typed.log(LogEntry(nil, Diagnostics.shown(RejectText.encodingHint, of: .parse)))
        }
        for entry in summary?(run, MonotonicClock.seconds() - start) ?? [] { Diagnostics.typed.log(entry) }
        showCountries(of: run, pipeline)
      }
    } catch {
      progress?.stop()
      display?.showRest(of: log)
      try? log.publish()
      return .failed(error)
    }
    return .succeeded
  }

  /// Shows the numbers by country. Those that are the input of another command are shown only to a user who is watching.
  private static func showCountries(of run: PipelineRun, _ pipeline: Pipeline) {
    guard let countries = run.countries, let stage = pipeline.allStages.last,
      stage.output == .nothing || RunningProcess.isErrorTerminal
    else { return }
    Diagnostics(command: stage.name.rawValue).log(CountryText.line(countries))
  }

  /// Whether a user watches the run: standard error is a terminal, or progress or details are wanted.
  private static func isWatched(_ common: CommonOptions) -> Bool {
    if Diagnostics.isVerbose { return true }
    return RunningProcess.isErrorTerminal ? common.progress != .never : common.progress == .always
  }

  private static func notices(
    isWatched: Bool, _ encodingHint: EncodingHintFlag
  ) -> @Sendable (any StageNotice) -> Void {
    return { notice in
      guard let notice = notice as? InputNotice else { return show(notice) }
      let diagnostics = Diagnostics(command: StageName.parse.rawValue)
      if case .otherEncoding = notice.finding { encodingHint.lower() }
      if let note = notice.note, isWatched || notice.isAnswer {
        diagnostics.log(note, source: notice.source)
      }
      for warning in notice.warnings { diagnostics.warn(warning, source: notice.source) }
    }
  }

  static let show: @Sendable (any StageNotice) -> Void = { notice in
    func log(_ stage: StageName, _ lines: [String]) {
      for (index, line) in lines.enumerated() {
        Diagnostics(command: stage.rawValue).log(LogEntry(index == 0 ? stage.rawValue : nil, line))
      }
    }
    switch notice {
    case let notice as CountryNotice:
      Diagnostics(command: notice.stage.rawValue).warn(CountryText.warning(notice), source: notice.source)
    case let notice as EmitNotice: Diagnostics(command: StageName.emit.rawValue).warn(notice.warning)
    case let notice as DetailNotice:
      Diagnostics(command: notice.stage.rawValue).log(notice.text, source: notice.source)
    case let notice as DownloadEvent where notice.isDetail && !Diagnostics.isVerbose: break
    case let notice as DownloadEvent: log(.download, notice.lines)
    case let notice as UnzipNotice:
      Diagnostics(command: StageName.unzip.rawValue).warn(notice.warning, source: notice.source)
    case let notice as DedupeNotice: log(.dedupe, [notice.line])
    case let notice as SelectNotice:
      Diagnostics(command: StageName.select.rawValue).log(notice.line, source: notice.source)
    default: break
    }
  }
}

/// Shows the first rejects of a run in an order that does not depend on the threads: that of the file of rejects.
private final class RejectDisplay: Sendable {
  /// The number of rejects of the first stage so far. No others come before them, so they are shown at once.
  private let countOfFirstStage = Atomic<UInt64>(0)

  func note(_ reject: Reject) {
    guard reject.origin.stagePosition == 0 else { return }
    let count = countOfFirstStage.wrappingAdd(1, ordering: .relaxed).newValue
    if count <= PipelineCommand.rejectsShown { show(reject) }
  }

  /// Shows the first rejects of the other stages.
  func showRest(of log: RejectLog) {
    for reject in log.first where reject.origin.stagePosition > 0 { show(reject) }
  }

  private func show(_ reject: Reject) {
    Diagnostics.log(reject, source: reject.origin.source)
  }
}

/// Set if a text is not UTF-8; usable from any thread. Ignores rejects located by row number: those are from databases,
/// which declare their encoding.
private final class EncodingHintFlag: Sendable {
  private let flag = Atomic(false)
  private let isAnswered = Atomic(false)

  var isRaised: Bool { flag.load(ordering: .relaxed) && !isAnswered.load(ordering: .relaxed) }

  /// Keeps the flag down: a message has named the encoding.
  func lower() { isAnswered.store(true, ordering: .relaxed) }

  func note(_ reject: Reject) {
    guard case .line = reject.place else { return }
    if reject.reason.code == ParseReject.invalidUTF8.code { flag.store(true, ordering: .relaxed) }
  }
}

/// The parts of a filter that are needed to build a pipeline.
struct FilterParts {
  var input: Pipeline.Input
  var stages: [any StagePlan]
  var output: String
  var threads = 1
  var form = StreamForm.text
  /// The message if the filter follows another one in a pipe although it does not read from it.
  var unfedRule: String

  init(
    input: Pipeline.Input, stages: [any StagePlan], output: String, packing: PackingOptions? = nil,
    threads: Int = 1, unfedRule: String = "it reads nothing, and must be the first command"
  ) throws {
    self.input = input
    self.unfedRule = unfedRule
    if case .files(let files) = input, files.isEmpty { self.input = .files(["-"]) }
    self.stages = stages
    self.output = output
    self.threads = threads
    if let packing { form = try packing.form(output: output) }
  }

  var pipeline: Pipeline {
    var pipeline = Pipeline(
      sources: [Pipeline.Source(input: input)], stages: stages, output: output, threads: threads)
    pipeline.outputForm = form
    return pipeline
  }
}

protocol FilterCommand: ParsableCommand {
  static var row: StageRow { get }
  var common: CommonOptions { get }
  func parts() throws -> FilterParts
}

extension FilterCommand {
  func run() throws {
    try execute()
  }

  /// Runs the filter as a separate pipeline.
  func execute() throws {
    var pipeline = try parts().pipeline
    try pipeline.writeHeader()
    try PipelineCommand.run(pipeline, common, summary: nil)
  }
}

enum Threads {
  /// The maximum number of threads: more than the stages that can overlap.
  static let max = 64

  static func validate(_ threads: Int?) throws {
    if let threads, threads < 1 || threads > Self.max {
      throw ValidationError("--threads must be 1 to \(Self.max)")
    }
  }

  static func count(_ threads: Int?) -> Int {
    threads ?? RunningProcess.processorCount
  }
}
