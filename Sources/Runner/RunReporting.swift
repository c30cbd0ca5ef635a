// The reports of one run: data collected during the run, and files written at its end, also when it fails.

import InputStages
import RecordStages
package import Records
import StoreWriting
import SystemIO

package struct ReportOptions {
  /// The report files: JSON, or HTML if the name ends in .html.
  package var reports: [String] = []
  package var metrics: String?
  /// The pipeline's name and file in the report; nil for a typed pipe's file.
  package var pipeline = ""
  package var file: String?
  /// The version of the program.
  package var version = ""

  package init() {}

  package var paths: [String] { reports + (metrics.map { [$0] } ?? []) }
}

/// Collects the data of a run, and writes its reports.
package final class RunReporting {
  private enum Target {
    case json(ReportFile)
    case page(ReportFile, ReportProgram)
    case metrics(ReportFile, path: String)
  }

  /// Records labels, numbers, outputs and rejects.
  package let recorder = RunRecorder()
  /// Whether there are other reports than metrics, which don't list changes.
  package let hasReports: Bool
  /// The staging folder and, once published, the version's folder; nil if the run does not publish.
  private var published: (staging: String, version: String?)?
  private var sourceErrors: [(source: String, error: RunReport.SourceError)] = []

  private let start = MonotonicClock.seconds()
  private let startTime = WallClock.seconds()
  private var targets: [Target] = []
  private var report = RunReport()
  /// The attempt whose counts are reported; nil until it has started.
  private var run: PipelineRun?

  /// Creates the files; nil if there are none.
  package init?(_ options: ReportOptions) throws(Failure) {
    if options.paths.isEmpty { return nil }
    hasReports = !options.reports.isEmpty
    for path in options.reports {
      if ReportProgram.isPage(path) {
        let program = try ReportProgram()
        targets.append(.page(try ReportFile(path), program))
      } else {
        targets.append(.json(try ReportFile(path)))
      }
    }
    if let path = options.metrics { targets.append(.metrics(try ReportFile(path), path: path)) }
    report.cdpipe = options.version
    report.pipeline = options.pipeline
    report.file = options.file
    report.run.started = WallClock.text(startTime)
  }

  // MARK: During the run

  /// Starts an attempt: discards the counts of the previous one.
  package func beginAttempt() {
    recorder.begin()
    report.changes = nil
    run = nil
  }

  /// Collects the counts of an attempt.
  package func follow(_ run: PipelineRun) { self.run = run }

  /// Records that a source can't be used; the run continues without it, or with its last good copy.
  package func note(_ error: RunReport.SourceError, of source: String) {
    sourceErrors.append((source, error))
  }

  /// Records that the outputs are written in a folder that may be published.
  package func notePublishing(in staging: String) { published = (staging, nil) }

  /// Records the outcome of publishing, and the folder of the new version if there is one.
  package func note(_ outcome: RunReport.Published, at version: String?) {
    report.published = outcome
    published?.version = version
    if version == nil { report.status = .unchanged }
  }

  /// Records the changes from the version that is current before the result is published.
  package func note(_ changes: RunReport.Changes) { report.changes = changes }

  /// Records what has happened to the published folder.
  package func note(_ history: VersionHistory) {
    report.history = history.reportedEvents.filter { $0.event == .published }
      .suffix(RunReport.Event.listedMax)
  }

  /// Records that a failed run published nothing, unless an outcome was recorded before.
  package func noteNothing(in directory: String, current: String?) {
    if report.published != nil { return }
    report.published = RunReport.Published(
      directory: directory, outcome: .nothing, version: nil, before: current)
  }

  // MARK: The end

  /// Writes the reports of a run that did not succeed.
  package func end(
    _ status: RunReport.Status, _ message: UserMessage = UserMessage(""), stage: StageName? = nil,
    exitStatus: Int32 = 0
  ) throws(Failure) {
    if status != .done { report.status = status }
    if status == .failed {
      var failure = RunReport.RunError()
      failure.stage = stage?.rawValue
      failure.message = PrintableText.line(message.message)
      failure.hint = message.hint
      failure.exitStatus = Int(exitStatus)
      report.failure = failure
    }
    try end()
  }

  /// Writes the reports. Call it once.
  package func end() throws(Failure) {
    fill()
    var failure: Failure?
    for target in targets {
      do throws(Failure) {
        switch target {
        case .json(let file): try file.publish(report: report)
        case .page(let file, let program): try file.publish(report: report, by: program)
        case .metrics(let file, let path):
          try file.publish(RunMetrics.text(report, startTime: startTime, before: PreviousMetrics(path)))
        }
      } catch {
        failure = failure ?? error
      }
    }
    targets = []
    if let failure { throw failure }
  }

  private func fill() {
    // Rounds to milliseconds: further digits are noise.
    func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
    report.run.seconds = rounded(MonotonicClock.seconds() - start)
    report.run.cpuSeconds = rounded(ProcessMemory.cpuSeconds())
    report.run.peakMemoryBytes = ProcessMemory.peakBytes()
    report.run.now = run?.now?.text
    let counters = run?.counters ?? []
    report.rows = ReportBuilder.rows(counters)
    report.leftOut = ReportBuilder.leftOut(counters)
    report.sources = ReportBuilder.sources(counters, run?.sourceContents ?? [])
    report.stages = ReportBuilder.shared(counters)
    ReportBuilder.add(recorder.notices.compactMap { $0 as? InputNotice }, to: &report.sources)
    let indices = Dictionary(report.sources.enumerated().map { ($1.name, $0) }) { first, _ in first }
    for (name, error) in sourceErrors {
      if let index = indices[name] {
        report.sources[index].trouble = error
      } else {
        var source = RunReport.Source()
        source.name = name
        source.trouble = error
        report.sources.append(source)
      }
    }
    report.rejects = recorder.rejects
    if let counts = recorder.counts {
      report.labels = ReportBuilder.labels(counts)
      report.prefixes = ReportBuilder.prefixes(counts)
    }
    if let countries = run?.countries {
      report.callingCodes = ReportBuilder.callingCodes(countries)
      report.validity = ReportBuilder.validity(countries)
    }
    report.outputs = outputs
  }

  private var outputs: [RunReport.Output] {
    var outputs = recorder.outputs.compactMap { $0 as? EmittedOutput }.map(ReportBuilder.output)
    guard let (staging, version) = published else { return outputs }
    guard let version else { return [] }
    for index in outputs.indices where outputs[index].path.hasPrefix(staging) {
      outputs[index].path = version + outputs[index].path.dropFirst(staging.count)
    }
    return outputs
  }
}

extension VersionHistory {
  /// All events, oldest first, as reports list them.
  package var reportedEvents: [RunReport.Event] {
    let withdrawn = Set(versions.filter(\.isWithdrawn).map(\.id))
    return latest(events.count).reversed().map { listed in
      let event = listed.event
      var reported = RunReport.Event()
      reported.event = event.kind
      reported.time = WallClock.text(Double(event.time))
      reported.version = event.version
      reported.replaced = event.replaced
      reported.entries = event.numbers
      reported.bytes = event.bytes
      reported.changes = event.changes.map {
        RunReport.Output.Numbers(added: $0.added, removed: $0.removed, relabelled: $0.relabelled)
      }
      reported.runs = event.runs
      reported.lastTime = event.lastTime.map { WallClock.text(Double($0)) }
      reported.isCurrent = listed.isCurrent
      reported.isKept = listed.isKept
      reported.isRolledBack = withdrawn.contains(event.version)
      return reported
    }
  }
}
