// The reports of one run: what is gathered while it goes on, and what is written when it is over, well or not.

import ArgumentParser
import EmitStage
import FoundationEssentials
import PipeRunner
import PipeStage
import RunReport
import SystemIO

/// Which reports a run is to write.
struct ReportOptions: Equatable {
  /// Files for the report: JSON, or HTML where the name ends so.
  var reports: [String] = []
  /// The file for the metrics.
  var metrics: String?

  /// What the report calls the pipeline, and its file if it has one.
  var pipeline = ""
  var file: String?

  /// All the files.
  var paths: [String] { reports + (metrics.map { [$0] } ?? []) }
}

/// Gathers what a run tells about itself, and writes it.
final class RunReporting {
  private enum Target {
    case json(ReportFile)
    case page(ReportFile, ReportProgram)
    case metrics(ReportFile, path: String)
  }

  /// What the run is asked to remember.
  let recorder = RunRecorder()
  /// The rejects of the attempt at hand.
  private var rejects = RejectUses()
  /// Where the outputs are once they are published, in place of the folder that they were written in; nil for outputs that
  /// lie where they were written.
  private var published: (staging: String, version: String?)?
  private var troubles: [(source: String, trouble: RunReport.SourceError)] = []

  private let start = MonotonicClock.seconds()
  private let startTime = WallClock.seconds()
  private var targets: [Target] = []
  private var report = RunReport()
  /// The stages' counters, once the run has some.
  var counters: [StageCounters] = []

  /// Makes the files; nil if none is wanted.
  init?(_ options: ReportOptions) throws(StageError) {
    if options.paths.isEmpty { return nil }
    for path in options.reports {
      if ReportProgram.makes(path) {
        let program = try ReportProgram()
        targets.append(.page(try ReportFile(path), program))
      } else {
        targets.append(.json(try ReportFile(path)))
      }
    }
    if let path = options.metrics { targets.append(.metrics(try ReportFile(path), path: path)) }
    report.cdpipe = CDPipe.version
    report.pipeline = options.pipeline
    report.file = options.file
    report.run.started = WallClock.text(startTime)
  }

  /// Makes the files, or says why not.
  static func begin(_ options: ReportOptions, _ voice: Diagnostics) throws -> RunReporting? {
    do throws(StageError) {
      return try RunReporting(options)
    } catch {
      throw voice.end(error)
    }
  }

  /// Says why a run ended, in the reports too, and gives the status to end with.
  static func end(_ reporting: RunReporting?, _ failure: StageError, _ voice: Diagnostics) -> ExitCode {
    let status = voice.end(failure)
    let sentence = ErrorMessages.sentence(failure)
    reporting?.end(sentence, stage: failure.stage, status, voice)
    return status
  }

  /// The run failed. That a report can't be written either is said, and changes no status.
  func end(_ sentence: UserMessage, stage: StageName?, _ status: ExitCode, _ voice: Diagnostics) {
    if status == Status.unchanged {
      report.status = .unchanged
    } else if status != .success {
      report.status = .failed
      var failure = RunReport.Failure()
      failure.stage = stage?.rawValue
      failure.message = RejectMessages.printable(sentence.message)
      failure.hint = sentence.hint
      failure.exitStatus = Int(status.rawValue)
      report.failure = failure
    }
    do throws(StageError) {
      try end()
    } catch {
      _ = voice.end(error)
    }
  }

  // MARK: What happens meanwhile

  /// The run begins, perhaps anew: what was counted before counts for nothing. Gives what takes the rejects.
  func beginAttempt() -> RejectUses {
    rejects = RejectUses()
    counters = []
    return rejects
  }

  /// A source can't be used; the run goes on without it, or with what was good last.
  func note(_ trouble: RunReport.SourceError, of source: String) {
    troubles.append((source, trouble))
  }

  /// The outputs are written in a folder, and will be nowhere unless it is published.
  func notePublishing(in staging: String) {
    published = (staging, nil)
  }

  /// What was written is a version in a folder of its own now, or was none and is gone.
  func note(_ outcome: RunReport.Published, at version: String?) {
    report.published = outcome
    published?.version = version
    if version == nil { report.status = .unchanged }
  }

  /// The run failed; unless something became of its version before, nothing was published.
  func noteNothing(in directory: String, current: String?) {
    if report.published != nil { return }
    report.published = RunReport.Published(
      directory: directory, outcome: .nothing, version: nil, before: current)
  }

  // MARK: The end

  /// The run is over: writes what is to be told of it, once.
  func end() throws(StageError) {
    fill()
    var trouble: StageError?
    for target in targets {
      do throws(StageError) {
        switch target {
        case .json(let file): try file.publish(Self.json(report))
        case .page(let file, let program): try file.publish(Self.json(report), by: program)
        case .metrics(let file, let path):
          try file.publish(RunMetrics.text(report, startTime: startTime, before: RunMetrics.former(path)))
        }
      } catch {
        trouble = trouble ?? error
      }
    }
    targets = []
    if let trouble { throw trouble }
  }

  private func fill() {
    // To the millisecond: what is beyond is chance.
    func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
    report.run.seconds = rounded(MonotonicClock.seconds() - start)
    report.run.cpuSeconds = rounded(ProcessMemory.cpuSeconds())
    report.run.peakMemoryBytes = ProcessMemory.peakBytes()
    report.rows = ReportBuilder.rows(counters)
    report.sources = ReportBuilder.sources(counters)
    report.stages = ReportBuilder.shared(counters)
    for (name, trouble) in troubles {
      if let index = report.sources.firstIndex(where: { $0.name == name }) {
        report.sources[index].trouble = trouble
      } else {
        var source = RunReport.Source()
        source.name = name
        source.trouble = trouble
        report.sources.append(source)
      }
    }
    report.rejects = rejects.sorted
    if let counts = recorder.counts {
      report.labels = ReportBuilder.labels(counts)
      report.callingCodes = ReportBuilder.callingCodes(counts)
      report.prefixes = ReportBuilder.prefixes(counts)
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

  private static func json(_ report: RunReport) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: there is nothing that can't be encoded.
    let data = (try? encoder.encode(report)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }
}
