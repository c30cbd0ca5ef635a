// What `run` can be told about telling.

import ArgumentParser

/// Reports, metrics, and the form of messages.
struct ReportingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Write what became of every row, also when the run fails, to FILE: as JSON, or as a page when the name ends in \
      .html. May be repeated.
      """, valueName: "file"))
  var report: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write metrics to FILE for the node exporter's textfile collector, also when the run fails.",
      valueName: "file.prom"))
  var metrics: String?

  @Option(help: ArgumentHelp("The form of messages: sentences, or a JSON object a line.", valueName: "form"))
  var logFormat: LogFormat = .text

  func validate() throws {
    // The records may go there, and a report among them would be none.
    if report.contains("-") || metrics == "-" {
      throw ValidationError("a report needs a file of its own; /dev/stderr is one")
    }
  }

  /// The reports that are wanted.
  var reports: ReportOptions {
    ReportOptions(reports: report, metrics: metrics)
  }
}
