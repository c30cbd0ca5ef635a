// The reports of one run: data collected during the run, and files written at its end, also when it fails.

import ArgumentParser
import RecordStages
import FoundationEssentials
import InputStages
import Runner
import Records
import SystemIO

/// The reports that a run writes.
struct ReportOptions {
  /// The report files: JSON, or HTML if the name ends in .html.
  var reports: [String] = []
  /// The file for the metrics.
  var metrics: String?

  /// The pipeline's name and file in the report; nil for a typed pipe's file.
  var pipeline = ""
  var file: String?

  /// The paths of all report files.
  var paths: [String] { reports + (metrics.map { [$0] } ?? []) }
}

/// Collects the data of a run, and writes its reports.
final class RunReporting {
  private enum Target {
    case json(ReportFile)
    case page(ReportFile, ReportProgram)
    case metrics(ReportFile, path: String)
  }

  /// Records labels, numbers and outputs.
  let recorder = RunRecorder()
  /// The rejects of the current attempt.
  private var rejects = RejectUses()
  /// Whether there are other reports than metrics, which don't list changes.
  let hasReports: Bool
  /// The staging folder and, once published, the version's folder; nil if the run does not publish.
  private var published: (staging: String, version: String?)?
  private var sourceErrors: [(source: String, error: RunReport.SourceError)] = []

  private let start = MonotonicClock.seconds()
  private let startTime = WallClock.seconds()
  private var targets: [Target] = []
  private var report = RunReport()
  /// The stages' counters; empty until the run has started.
  private var counters: [StageCounters] = []

  /// Returns the countries of the numbers; nil until they have been counted.
  private var countries: () -> CountryCounts? = { nil }
  /// Returns the sizes and hashes of the sources as far as they are known.
  private var contents: () -> [RunProvenance.Source] = { [] }

  /// Creates the files; nil if there are none.
  init?(_ options: ReportOptions) throws(Failure) {
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
    report.cdpipe = ProgramVersion.current
    report.pipeline = options.pipeline
    report.file = options.file
    report.run.started = WallClock.text(startTime)
  }

  /// Creates the files; an error ends the command.
  static func begin(_ options: ReportOptions, _ diagnostics: Diagnostics) throws -> RunReporting? {
    do throws(Failure) {
      return try RunReporting(options)
    } catch {
      throw diagnostics.end(error)
    }
  }

  /// Prints why a run failed, adds it to the reports, and returns the exit status.
  static func end(_ reporting: RunReporting?, _ failure: Failure, _ diagnostics: Diagnostics) -> ExitCode {
    let status = diagnostics.end(failure)
    let sentence = Diagnostics.message(of: failure)
    reporting?.end(sentence, stage: failure.stage, status, diagnostics)
    return status
  }

  /// Ends the reports of a failed run. An error of writing them is printed; it does not change the status.
  func end(_ sentence: UserMessage, stage: StageName?, _ status: ExitCode, _ diagnostics: Diagnostics) {
    if status == ExitStatus.unchanged {
      report.status = .unchanged
    } else if status != .success {
      report.status = .failed
      var failure = RunReport.RunError()
      failure.stage = stage?.rawValue
      failure.message = PrintableText.line(sentence.message)
      failure.hint = sentence.hint
      failure.exitStatus = Int(status.rawValue)
      report.failure = failure
    }
    do throws(Failure) {
      try end()
    } catch {
      _ = diagnostics.end(error)
    }
  }

  // MARK: During the run

  /// Collects the counts of an attempt.
  func follow(_ run: PipelineRun) {
    counters = run.counters
    countries = { run.countries }
    contents = { run.sourceContents }
  }

  /// Starts an attempt: discards the counts of the previous one, and returns the collector of its rejects.
  func beginAttempt() -> RejectUses {
    rejects = RejectUses()
    recorder.removeNotices()
    report.changes = nil
    counters = []
    countries = { nil }
    contents = { [] }
    return rejects
  }

  /// Records that a source can't be used; the run continues without it, or with its last good copy.
  func note(_ error: RunReport.SourceError, of source: String) {
    sourceErrors.append((source, error))
  }

  /// Records that the outputs are written in a folder that may be published.
  func notePublishing(in staging: String) {
    published = (staging, nil)
  }

  /// Records the outcome of publishing, and the folder of the new version if there is one.
  func note(_ outcome: RunReport.Published, at version: String?) {
    report.published = outcome
    published?.version = version
    if version == nil { report.status = .unchanged }
  }

  /// Records the changes from the version that is current before the result is published.
  func note(_ changes: RunReport.Changes) {
    var changes = changes
    for index in changes.countries.items.indices {
      changes.countries.items[index].country = Self.country(changes.countries.items[index].name)
    }
    report.changes = changes
  }

  /// Records what has happened to the published folder, oldest first.
  func note(_ events: [RunReport.Event]) {
    report.history = events.filter { $0.event == .published }.suffix(RunReport.Event.listedMax)
  }

  private static func country(_ callingCode: String) -> String? {
    UInt16(callingCode).flatMap(CountryMessages.country(callingCode:))
  }

  /// Records that a failed run published nothing, unless an outcome was recorded before.
  func noteNothing(in directory: String, current: String?) {
    if report.published != nil { return }
    report.published = RunReport.Published(
      directory: directory, outcome: .nothing, version: nil, before: current)
  }

  // MARK: The end

  /// Writes the reports. Call it once.
  func end() throws(Failure) {
    fill()
    var failure: Failure?
    for target in targets {
      do throws(Failure) {
        switch target {
        case .json(let file): try file.publish(Self.json(report))
        case .page(let file, let program): try file.publish(Self.json(report), by: program)
        case .metrics(let file, let path):
          try file.publish(
            RunMetrics.text(report, startTime: startTime, before: PreviousMetrics(path)))
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
    report.rows = ReportBuilder.rows(counters)
    report.sources = ReportBuilder.sources(counters, contents())
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
    report.rejects = rejects.sorted
    if let counts = recorder.counts {
      report.labels = ReportBuilder.labels(counts)
      report.prefixes = ReportBuilder.prefixes(counts)
    }
    if let countries = countries() {
      var codes = ReportBuilder.callingCodes(countries)
      for index in codes.items.indices { codes.items[index].country = Self.country(codes.items[index].name) }
      report.callingCodes = codes
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

  /// Formats a report.
  static func json(_ report: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: encoding can't fail.
    let data = (try? encoder.encode(report)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }
}
