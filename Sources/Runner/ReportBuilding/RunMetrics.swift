// A run's report as metrics in the text format of Prometheus, for the node exporter's textfile collector.
//
// A failed run keeps the time of the last success, for alerts on stale results. It is read from the previous file.

package import RunReport
import SystemIO

/// Formats metrics.
package enum RunMetrics {
  /// The time of a pipeline's last success in the previous file.
  package struct PreviousSuccess: Equatable {
    package var pipeline: String
    package var successTime: String
  }

  /// The maximum number of bytes to read from a metrics file; a file has a few thousand.
  private static let bytesMax = 1 << 20
  private static let lastSuccess = "cdpipe_run_last_success_timestamp_seconds"

  /// The metrics as text.
  package static func text(_ report: RunReport, startTime: Double, before: [PreviousSuccess]) -> [UInt8] {
    var page = MetricsPage(labels: [("pipeline", report.pipeline)])
    let isDone = report.status != .failed
    let end = startTime + report.run.seconds
    page.add("cdpipe_run_success", "1 if the last run succeeded.", isDone ? 1 : 0)
    page.add(
      "cdpipe_run_exit_status", "Exit status of the last run.", Double(report.failure?.exitStatus ?? 0))
    page.add("cdpipe_run_timestamp_seconds", "Unix time at which the last run ended.", end.rounded())
    let label = MetricsPage.label("pipeline", report.pipeline)
    let former = before.first { $0.pipeline == label }?.successTime
    if let time = isDone ? MetricsPage.number(end.rounded()) : former {
      page.begin(lastSuccess, "Unix time at which the last successful run ended.")
      page.line(lastSuccess, [], time)
    }
    page.add("cdpipe_run_duration_seconds", "Duration of the last run in seconds.", report.run.seconds)
    page.add("cdpipe_run_cpu_seconds", "CPU seconds used.", report.run.cpuSeconds)
    page.add(
      "cdpipe_run_peak_memory_bytes", "Peak memory in bytes.", Double(report.run.peakMemoryBytes))
    addRows(report, &page)
    addStages(report, &page)
    addSourceErrors(report, &page)
    addRejects(report, &page)
    addOutputs(report, &page)
    return Array(page.text.utf8)
  }

  private static func addRows(_ report: RunReport, _ page: inout MetricsPage) {
    page.begin("cdpipe_run_rows", "Row counts of the last run.")
    let rows = report.rows
    for (fate, count) in [
      ("read", rows.read), ("splits", rows.splits), ("written", rows.written),
      ("duplicates", rows.duplicates), ("rejects", rows.rejects), ("left_out", rows.leftOut),
      ("removed", rows.removed), ("joined", rows.joined),
    ] {
      page.line("cdpipe_run_rows", [("fate", fate)], MetricsPage.number(Double(count)))
    }
  }

  private static func addStages(_ report: RunReport, _ page: inout MetricsPage) {
    let stages =
      report.sources.flatMap { source in source.stages.map { (source.name, $0) } }
      + report.stages.map { ("", $0) }
    for (name, help, count) in [
      ("cdpipe_stage_rows_in", "Rows read by a stage.", \RunReport.Stage.rowsIn),
      ("cdpipe_stage_rows_out", "Rows written by a stage.", \RunReport.Stage.rowsOut),
    ] where !stages.isEmpty {
      page.begin(name, help)
      for (source, stage) in stages {
        page.line(
          name, [("source", source), ("stage", stage.stage)],
          MetricsPage.number(Double(stage[keyPath: count]))
        )
      }
    }
  }

  private static func addSourceErrors(_ report: RunReport, _ page: inout MetricsPage) {
    let errors = report.sources.compactMap { source in
      source.trouble.map { (source.name, $0.remedy.rawValue) }
    }
    guard !errors.isEmpty else { return }
    page.begin(
      "cdpipe_source_trouble", "Sources that could not be used; remedy: last-good, left-out or failed.")
    for (source, remedy) in errors {
      page.line("cdpipe_source_trouble", [("source", source), ("remedy", remedy)], "1")
    }
  }

  private static func addRejects(_ report: RunReport, _ page: inout MetricsPage) {
    guard !report.rejects.isEmpty else { return }
    page.begin("cdpipe_run_rejects", "Rejected rows by stage and reason.")
    for use in report.rejects {
      page.line(
        "cdpipe_run_rejects", [("stage", use.stage), ("reason", use.reason)],
        MetricsPage.number(Double(use.count)))
    }
  }

  private static func addOutputs(_ report: RunReport, _ page: inout MetricsPage) {
    guard !report.outputs.isEmpty else { return }
    page.begin("cdpipe_output_bytes", "Size of an output in bytes.")
    for output in report.outputs {
      page.line("cdpipe_output_bytes", [("path", output.path)], MetricsPage.number(Double(output.bytes)))
    }
    let stores = report.outputs.filter { $0.entries != nil }
    guard !stores.isEmpty else { return }
    page.begin("cdpipe_output_entries", "Numbers in the stores of an output, by kind.")
    for output in stores {
      guard let entries = output.entries else { continue }
      for (kind, count) in [("blocking", entries.blocking), ("identification", entries.identification)] {
        page.line(
          "cdpipe_output_entries", [("path", output.path), ("kind", kind)], MetricsPage.number(Double(count)))
      }
    }
  }

  // MARK: The previous file

  /// Reads the times of success from the previous file; none if it can't be read.
  package static func previousSuccesses(_ path: String) -> [PreviousSuccess] {
    guard Directory.holdsFile(path), let text = try? read(path) else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let head = lastSuccess + "{"
      guard line.hasPrefix(head), let end = line.lastIndex(of: "}") else { return nil }
      let value = line[line.index(after: end)...].drop { $0 == " " }
      guard let time = Double(value) else { return nil }
      return PreviousSuccess(
        pipeline: String(line[line.index(line.startIndex, offsetBy: head.count)..<end]),
        successTime: MetricsPage.number(time))
    }
  }

  private static func read(_ path: String) throws(SystemError) -> String {
    var file = try InputFile(path)
    var chunk = ByteChunk()
    var bytes: [UInt8] = []
    while bytes.count < bytesMax, try file.read(into: &chunk) > 0 {
      bytes.append(copying: chunk.span)
      chunk.removeAll()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Metrics in the text format.
package struct MetricsPage {
  /// Labels of every metric.
  package let labels: [(String, String)]
  private(set) var text = ""

  package init(labels: [(String, String)]) {
    self.labels = labels
  }

  /// Adds the help and the type of a metric.
  package mutating func begin(_ name: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
  }

  /// Adds one sample of a metric.
  package mutating func line(_ name: String, _ more: [(String, String)], _ value: String) {
    let all = (labels + more).map { Self.label($0.0, $0.1) }.joined(separator: ",")
    text += "\(name){\(all)} \(value)\n"
  }

  /// Adds a metric with one sample.
  package mutating func add(_ name: String, _ help: String, _ value: Double) {
    begin(name, help)
    line(name, [], Self.number(value))
  }

  /// A label with its value, escaped for the text format.
  package static func label(_ name: String, _ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return "\(name)=\"\(escaped)\""
  }

  /// A number without a needless fraction.
  package static func number(_ value: Double) -> String {
    value.rounded() == value && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
