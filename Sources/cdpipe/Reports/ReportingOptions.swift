// The reporting options of `run`.

import ArgumentParser

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

  /// The requested reports.
  var reports: ReportOptions {
    ReportOptions(reports: report, metrics: metrics)
  }
}
