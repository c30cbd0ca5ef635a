// The reports of one run: data collected during the run, and files written at its end, also when it fails.

import ArgumentParser
import FoundationEssentials
import InputStages
import RecordStages
import Records
import Runner
import StoreWriting
import Synchronization
import SystemIO

struct ReportOptions {
  /// The report files: JSON, or HTML if the name ends in .html.
  var reports: [String] = []
  var metrics: String?

  /// The pipeline's name and file in the report; nil for a typed pipe's file.
  var pipeline = ""
  var file: String?

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

  static func json(_ report: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: encoding can't fail.
    let data = (try? encoder.encode(report)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }
}

/// The options for reports, metrics and the format of messages.
struct ReportingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Write a report with the counts of all rows to FILE, also when the run fails: as JSON, or as a page if the name \
      ends in .html. Can be repeated.
      """, valueName: "file"), completion: .file())
  var report: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write metrics for the node exporter's textfile collector to FILE, also when the run fails.",
      valueName: "file.prom"), completion: .file())
  var metrics: String?

  @Option(help: ArgumentHelp("Log messages as text, or as JSON (one object per line).", valueName: "form"))
  var logFormat: LogFormat = .text

  func validate() throws {
    // Standard output may contain the records.
    if report.contains("-") || metrics == "-" {
      throw ValidationError("a report needs a file of its own, such as /dev/stderr")
    }
  }

  var reports: ReportOptions {
    ReportOptions(reports: report, metrics: metrics)
  }
}

enum ReportReading {
  /// The maximum size of a report in bytes. That of 20,000 sources has some 10 MB.
  private static let bytesMax = 64 << 20

  /// Reads a report in JSON. Prints why it can't be read, and throws the exit status.
  static func report(_ path: String, _ diagnostics: Diagnostics) throws -> RunReport {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: bytesMax)
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
    guard bytes.count <= bytesMax, let report = try? JSONDecoder().decode(RunReport.self, from: Data(bytes)),
      report.format == RunReport.format
    else {
      throw diagnostics.end(HistoryMessages.notAReport(path), ExitStatus.badData)
    }
    guard report.version <= RunReport.version else {
      throw diagnostics.end(HistoryMessages.newerReport(path, version: report.version), ExitStatus.badData)
    }
    return report
  }
}

/// Counts rejects. Usable from any thread.
final class RejectUses: Sendable {
  private struct Counted {
    /// The counts, without examples.
    var use = RunReport.RejectUse()
    var first = FirstRejects(countMax: RunReport.RejectUse.examplesMax)

    var complete: RunReport.RejectUse {
      var use = use
      use.examples = first.rejects.map(RejectUses.example)
      return use
    }
  }

  private let uses = Mutex<[String: Counted]>([:])

  /// Counts a reject. Memory is bounded: the stages have a few dozen reasons.
  func add(_ reject: Reject) {
    let key = reject.stage.rawValue + " " + reject.reason.code
    uses.withLock { uses in
      var counted = uses[key] ?? Counted()
      if counted.use.count == 0 {
        counted.use.stage = reject.stage.rawValue
        counted.use.reason = reject.reason.code
        counted.use.words = OptionText.typed(reject.reason.text)
      }
      counted.use.count += 1
      counted.first.add(reject)
      uses[key] = counted
    }
  }

  /// The counts, most frequent first.
  var sorted: [RunReport.RejectUse] {
    uses.withLock { uses in
      uses.values.map(\.complete).sorted { one, other in
        one.count != other.count
          ? one.count > other.count : (one.stage, one.reason) < (other.stage, other.reason)
      }
    }
  }

  fileprivate static func example(_ reject: Reject) -> RunReport.RejectUse.Example {
    var example = RunReport.RejectUse.Example()
    example.place = URLRedaction.text(PrintableText.line(reject.placeText))
    example.text = ReportBuilder.shortened(
      PrintableText.line(String(decoding: reject.text, as: UTF8.self)),
      to: RunReport.RejectUse.textMax)
    return example
  }
}

extension VersionHistory {
  /// All events, oldest first, as reports list them.
  var reportedEvents: [RunReport.Event] {
    let withdrawn = Set(versions.filter(\.isWithdrawn).map(\.id))
    return latest(events.count).reversed().map { listed in
      let event = listed.event
      var reported = RunReport.Event()
      reported.event =
        switch event.kind {
        case .published: .published
        case .repaired: .repaired
        case .signed: .signed
        case .rolledBack: .rolledBack
        case .unchanged: .unchanged
        case .withdrawn: .withdrawn
        }
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
