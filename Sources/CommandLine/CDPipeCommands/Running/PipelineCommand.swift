// A pipeline carried out for a command: rejects shown and kept, progress, the sentences at the end, the status.

import ArgumentParser
import DedupeStage
import DownloadStage
import ParseStage
import PipeRunner
import PipeStage
import Synchronization
import SystemIO

/// What ends a command with a status and nothing more to say.
enum PipelineCommand {
  /// How many rejects are shown.
  static let rejectsShown: UInt64 = 3

  /// Runs a pipeline; says what is to be said; writes the reports; throws the exit status if it is not 0.
  static func run(
    _ pipeline: Pipeline, _ common: CommonOptions, command: String, reports: ReportOptions = ReportOptions(),
    files: [String] = [],
    summary: ((PipelineRun, _ seconds: Double) -> [String])?
  ) throws {
    let voice = Diagnostics(command: command)
    let reporting = try begin(pipeline, common, reports, voice, files: files)
    if let failure = attempt(pipeline, common, voice, reporting, summary: summary) {
      throw RunReporting.end(reporting, failure, voice)
    }
  }

  /// What comes before a run: signals are looked after, names of files are held against each other, the reports' files are
  /// made.
  static func begin(
    _ pipeline: Pipeline, _ common: CommonOptions, _ reports: ReportOptions, _ voice: Diagnostics,
    files: [String] = [], folder: String? = nil
  ) throws -> RunReporting? {
    Interruption.cleanUp()
    let mistake = OutputNames.mistake(
      pipeline, rejects: common.rejects, reports: reports.paths, files: files, folder: folder)
    if let mistake {
      throw voice.end(UserMessage(mistake), Status.usage)
    }
    return try RunReporting.begin(reports, voice)
  }

  /// Runs a pipeline once, and gives what it failed with. Of that nothing is said or reported yet: the command may want to
  /// try again. `finish` is called when everything went well, before anything is said of it; what it throws is such a
  /// failure.
  static func attempt(
    _ pipeline: Pipeline, _ common: CommonOptions, _ voice: Diagnostics, _ reporting: RunReporting?,
    summary: ((PipelineRun, _ seconds: Double) -> [String])?,
    finish: ((PipelineRun) throws(StageError) -> Void)? = nil
  ) -> StageError? {
    let start = MonotonicClock.seconds()
    var progress: ProgressDisplay?
    let isQuiet = common.quiet
    let pipeline = isQuiet ? pipeline : telling(pipeline)
    let log: RejectLog
    let doubt = EncodingHintFlag()
    let uses = reporting?.beginAttempt()
    do throws(StageError) {
      log = try RejectLog(policy: common.policy) { reject, ordinal in
        doubt.note(reject)
        uses?.add(reject)
        if !isQuiet, ordinal <= rejectsShown { voice.say(RejectMessages.line(reject), .warning) }
      }
    } catch {
      return error
    }
    do throws(StageError) {
      let run = try PipelineRun(pipeline, rejects: log, watch: reporting?.watch)
      reporting?.stations = run.stations
      progress = ProgressDisplay.start(common.progress, isQuiet: isQuiet, run.stations, voice)
      try run.execute()
      progress?.stop()
      try finish?(run)
      try log.publish()
      try reporting?.end()
      if !isQuiet {
        for line in RejectMessages.totals(
          run.stations.map(RejectMessages.Account.init), shown: rejectsShown, path: common.rejects)
        {
          voice.say(line)
        }
        if doubt.isRaised, !namesEncodings(pipeline) { voice.say(RejectMessages.encodingHint) }
        for line in summary?(run, MonotonicClock.seconds() - start) ?? [] { voice.say(line) }
      }
    } catch {
      progress?.stop()
      try? log.publish()
      if !isQuiet, log.count > rejectsShown { voice.say(RejectMessages.untilThen(log.count)) }
      return error
    }
    return nil
  }

  /// Says what happens to a download when it happens.
  static let tellsDownload: @Sendable (DownloadEvent) -> Void = { event in
    for line in DownloadMessages.lines(event) { Diagnostics(command: "download").say(line) }
  }

  /// Whether every list is read in an encoding that was named.
  private static func namesEncodings(_ pipeline: Pipeline) -> Bool {
    (pipeline.sources.flatMap(\.stages) + pipeline.stages).allSatisfy { stage in
      if case .parse(let options) = stage { options.encoding != nil } else { true }
    }
  }

  /// The pipeline, with what happens to its downloads said when it happens, and what dedupe has to tell at its end.
  private static func telling(_ pipeline: Pipeline) -> Pipeline {
    var pipeline = pipeline
    for index in pipeline.stages.indices {
      guard case .dedupe(var options) = pipeline.stages[index] else { continue }
      options.observe = { notice in Diagnostics(command: "dedupe").say(DedupeMessages.line(notice)) }
      pipeline.stages[index] = .dedupe(options)
    }
    for index in pipeline.sources.indices {
      guard case .download(var options) = pipeline.sources[index].input else { continue }
      options.observe = tellsDownload
      pipeline.sources[index].input = .download(options)
    }
    return pipeline
  }
}

/// Whether some text was no UTF-8. Any thread may raise it. A database's rows have numbers, and no encoding to be named.
private final class EncodingHintFlag: Sendable {
  private let flag = Atomic(false)

  var isRaised: Bool { flag.load(ordering: .relaxed) }

  func note(_ reject: Reject) {
    if case .row = reject.place { return }
    if reject.reason as? ParseReject == .invalidUTF8 { flag.store(true, ordering: .relaxed) }
  }
}
