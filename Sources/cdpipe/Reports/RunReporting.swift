// The options for the reports of a run, and reports that are read.

import ArgumentParser
import FoundationEssentials
import Records
import Runner
import SystemIO

extension RunReporting {
  /// Prints why a run failed, adds it to the reports, and returns the exit status.
  static func end(_ reporting: RunReporting?, _ failure: Failure) -> ExitCode {
    let status = Diagnostics.typed.end(failure)
    reporting?.end(Diagnostics.message(of: failure), stage: failure.stage, status)
    return status
  }

  /// Ends the reports of a failed run. An error of writing them is printed; it does not change the status.
  func end(_ sentence: UserMessage, stage: StageName?, _ status: ExitCode) {
    do throws(Failure) {
      if status == ExitStatus.unchanged {
        try end(.unchanged)
      } else {
        try end(status == .success ? .done : .failed, sentence, stage: stage, exitStatus: status.rawValue)
      }
    } catch {
      _ = Diagnostics.typed.end(error)
    }
  }
}

/// The options for reports, metrics and the format of messages.
struct ReportingOptions: ParsableArguments {
  @Option(
    """
    Write a report with the counts of all rows to FILE, also when the run fails: as JSON, or as a page if the name \
    ends in .html. Can be repeated.
    """, value: "file", completion: .file())
  var report: [String] = []

  @Option(
    "Write metrics for the node exporter's textfile collector to FILE, also when the run fails.",
    value: "file.prom", completion: .file())
  var metrics: String?

  @Option("Log messages as text, or as JSON (one object per line).", value: "form")
  var logFormat: LogFormat = .text

  func validate() throws {
    // Standard output may contain the records.
    try refuse(
      report.contains("-") || metrics == "-", "a report needs a file of its own, such as /dev/stderr")
  }

  var reports: ReportOptions {
    var options = ReportOptions()
    options.reports = report
    options.metrics = metrics
    options.version = ProgramVersion.current
    return options
  }
}

enum ReportReading {
  /// The maximum size of a report in bytes. That of 20,000 sources has some 10 MB.
  private static let bytesMax = 64 << 20

  /// Reads a report in JSON.
  static func report(_ path: String) throws(Failure) -> RunReport {
    let bytes = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: bytesMax)
    }
    guard bytes.count <= bytesMax, let report = try? JSONDecoder().decode(RunReport.self, from: Data(bytes)),
      report.format == RunReport.format
    else {
      throw .notAReport(path)
    }
    guard report.version <= RunReport.version else {
      throw .newerReport(path, version: report.version)
    }
    return report
  }
}
