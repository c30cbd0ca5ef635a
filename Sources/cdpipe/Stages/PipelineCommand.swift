// Runs a pipeline for a command: shows rejects and progress, prints the summary, and determines the exit status.

import ArgumentParser
import RecordStages
import InputStages
import Runner
import Records
import Synchronization
import SystemIO

/// Runs pipelines for commands.
enum PipelineCommand {
  /// The maximum number of rejects to show.
  static let rejectsShown = UInt64(RejectLog.firstMax)

  /// Runs a pipeline, prints messages, and writes the reports. `finish` is called after a successful run, before anything
  /// is printed. Throws the exit status if it is not 0.
  static func run(
    _ pipeline: Pipeline, _ common: CommonOptions, command: String, reports: ReportOptions = ReportOptions(),
    files: [String] = [],
    summary: ((PipelineRun, _ seconds: Double) -> [String])?,
    finish: ((PipelineRun) throws(Failure) -> Void)? = nil
  ) throws {
    let diagnostics = Diagnostics(command: command)
    let reporting = try begin(pipeline, common, reports, diagnostics, files: files)
    let result = attempt(pipeline, common, diagnostics, reporting, summary: summary, finish: finish)
    if case .failed(let failure) = result {
      throw RunReporting.end(reporting, failure, diagnostics)
    }
  }

  /// Prepares a run: handles signals, checks the names of files, and creates the reports' files.
  static func begin(
    _ pipeline: Pipeline, _ common: CommonOptions, _ reports: ReportOptions, _ diagnostics: Diagnostics,
    files: [String] = [], keys: [String] = [], folder: String? = nil
  ) throws -> RunReporting? {
    Interruption.cleanUp()
    let error = OutputNames.error(
      pipeline, rejects: common.rejects, reports: reports.paths, files: files, keys: keys, folder: folder)
    if let error { throw diagnostics.end(error, ExitStatus.usage) }
    TerminalInput.announce(pipeline.inputs, isQuiet: common.quiet, diagnostics)
    return try RunReporting.begin(reports, diagnostics)
  }

  /// The outcome of one run of a pipeline.
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
    _ pipeline: Pipeline, _ common: CommonOptions, _ diagnostics: Diagnostics, _ reporting: RunReporting?,
    calls: any SystemCalls = KernelCalls(), summary: ((PipelineRun, _ seconds: Double) -> [String])?,
    recover: ((Failure) throws(Failure) -> Bool)? = nil,
    finish: ((PipelineRun) throws(Failure) -> Void)? = nil
  ) -> Attempt {
    let start = MonotonicClock.seconds()
    var progress: ProgressDisplay?
    let isQuiet = common.quiet
    let log: RejectLog
    let encodingHint = EncodingHintFlag()
    let display = isQuiet ? nil : RejectDisplay(diagnostics)
    let uses = reporting?.beginAttempt()
    var policy = common.policy
    policy.isRepeatable = recover != nil
    do throws(Failure) {
      log = try RejectLog(policy: policy) { reject, _ in
        encodingHint.note(reject)
        uses?.add(reject)
        display?.note(reject)
      }
    } catch {
      return .failed(error)
    }
    do throws(Failure) {
      let run = try PipelineRun(
        pipeline, rejects: log, calls: calls, recorder: reporting?.recorder,
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
        for line in RejectMessages.totals(
          run.counters.map(RejectMessages.StageTotal.init), shown: rejectsShown, path: common.rejects)
        {
          diagnostics.log(line)
        }
        if let line = RejectMessages.patterns(run.counters) { diagnostics.log(line) }
        if encodingHint.isRaised, pipeline.allStages.contains(where: \.assumesEncoding) {
          diagnostics.log(Diagnostics.named(RejectMessages.encodingHint, of: .parse))
        }
        for line in summary?(run, MonotonicClock.seconds() - start) ?? [] { diagnostics.log(line) }
        showCountries(of: run, pipeline, diagnostics)
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
  private static func showCountries(
    of run: PipelineRun, _ pipeline: Pipeline, _ diagnostics: Diagnostics
  ) {
    guard let countries = run.countries, let stage = pipeline.allStages.last,
      stage.output == .nothing || RunningProcess.isErrorTerminal
    else { return }
    diagnostics.log("cdpipe \(stage.name.rawValue): \(CountryMessages.line(countries))")
  }

  /// Whether a user watches the run: standard error is a terminal, or progress is wanted.
  private static func isWatched(_ common: CommonOptions) -> Bool {
    RunningProcess.isErrorTerminal ? common.progress != .never : common.progress == .always
  }

  /// Shows the notices of a run.
  private static func notices(
    isWatched: Bool, _ encodingHint: EncodingHintFlag
  ) -> @Sendable (any StageNotice) -> Void {
    return { notice in
      guard let notice = notice as? InputNotice else { return show(notice) }
      let diagnostics = Diagnostics(command: StageName.parse.rawValue)
      if case .otherEncoding = notice.finding { encodingHint.lower() }
      if let note = notice.note, isWatched || notice.isAnswer {
        diagnostics.log("cdpipe parse: \(note)", source: notice.source)
      }
      for warning in notice.warnings { diagnostics.warn(warning, source: notice.source) }
    }
  }

  /// Shows a stage's notice.
  static let show: @Sendable (any StageNotice) -> Void = { notice in
    if let notice = notice as? CountryNotice {
      return Diagnostics(command: notice.stage.rawValue).warn(
        CountryMessages.warning(notice), source: notice.source)
    }
    if let notice = notice as? EmitNotice {
      return Diagnostics(command: StageName.emit.rawValue).warn(notice.warning)
    }
    guard let notice = notice as? any ShownNotice else { return }
    for line in notice.lines {
      Diagnostics(command: notice.stage.rawValue).log(Diagnostics.named(line, of: notice.stage))
    }
  }
}

/// Shows the first rejects of a run in an order that does not depend on the threads: that of the file of rejects.
private final class RejectDisplay: Sendable {
  private let diagnostics: Diagnostics
  /// The number of rejects of the first stage so far. No others come before them, so they are shown at once.
  private let countOfFirstStage = Atomic<UInt64>(0)

  init(_ diagnostics: Diagnostics) {
    self.diagnostics = diagnostics
  }

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
    diagnostics.log(
      RejectMessages.line(reject, Diagnostics.names), .warning, source: reject.origin.source)
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
    if reject.reason as? ParseReject == .invalidUTF8 { flag.store(true, ordering: .relaxed) }
  }
}
