// A run's report as metrics in the text format of Prometheus, for the node exporter's textfile collector.
//
// A run that fails keeps the time of the last one that did not, which is what one wants to be told by: it is read from
// the file that is replaced.

import RunReport
import SystemIO

enum RunMetrics {
  /// When the last run of a pipeline succeeded, as a file of metrics says it.
  struct Former: Equatable {
    var pipeline: String
    var successTime: String
  }

  /// The most bytes that are read of a file of metrics: one has some thousands.
  private static let bytesMax = 1 << 20
  private static let lastSuccess = "cdpipe_run_last_success_timestamp_seconds"

  /// The metrics as text.
  static func text(_ report: RunReport, startTime: Double, before: [Former]) -> [UInt8] {
    var page = MetricsPage(labels: [("pipeline", report.pipeline)])
    let isDone = report.status != .failed
    let end = startTime + report.run.seconds
    page.add("cdpipe_run_success", "Whether the last run ended well.", isDone ? 1 : 0)
    page.add(
      "cdpipe_run_exit_status", "The exit status of the last run.", Double(report.failure?.exitStatus ?? 0))
    page.add("cdpipe_run_timestamp_seconds", "When the last run ended.", end.rounded())
    let label = MetricsPage.label("pipeline", report.pipeline)
    let former = before.first { $0.pipeline == label }?.successTime
    if let time = isDone ? MetricsPage.number(end.rounded()) : former {
      page.begin(lastSuccess, "When the last run ended that ended well.")
      page.line(lastSuccess, [], time)
    }
    page.add("cdpipe_run_duration_seconds", "How long the last run took.", report.run.seconds)
    page.add("cdpipe_run_cpu_seconds", "The processors' time that it took.", report.run.cpuSeconds)
    page.add(
      "cdpipe_run_peak_memory_bytes", "The most memory that it had.", Double(report.run.peakMemoryBytes))
    addRows(report, &page)
    addStages(report, &page)
    addTroubles(report, &page)
    addRejects(report, &page)
    addOutputs(report, &page)
    return Array(page.text.utf8)
  }

  private static func addRows(_ report: RunReport, _ page: inout MetricsPage) {
    page.begin("cdpipe_run_rows", "What became of the rows of the last run.")
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
      ("cdpipe_stage_rows_in", "Rows that came into a stage.", \RunReport.Stage.rowsIn),
      ("cdpipe_stage_rows_out", "Rows that went out of a stage.", \RunReport.Stage.rowsOut),
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

  private static func addTroubles(_ report: RunReport, _ page: inout MetricsPage) {
    let troubles = report.sources.compactMap { source in
      source.trouble.map { (source.name, $0.remedy.rawValue) }
    }
    guard !troubles.isEmpty else { return }
    page.begin("cdpipe_source_trouble", "Sources that could not be used, and what was done about it.")
    for (source, remedy) in troubles {
      page.line("cdpipe_source_trouble", [("source", source), ("remedy", remedy)], "1")
    }
  }

  private static func addRejects(_ report: RunReport, _ page: inout MetricsPage) {
    guard !report.rejects.isEmpty else { return }
    page.begin("cdpipe_run_rejects", "Rows that were rejected, by reason.")
    for use in report.rejects {
      page.line(
        "cdpipe_run_rejects", [("stage", use.stage), ("reason", use.reason)],
        MetricsPage.number(Double(use.count)))
    }
  }

  private static func addOutputs(_ report: RunReport, _ page: inout MetricsPage) {
    guard !report.outputs.isEmpty else { return }
    page.begin("cdpipe_output_bytes", "The size of an output.")
    for output in report.outputs {
      page.line("cdpipe_output_bytes", [("path", output.path)], MetricsPage.number(Double(output.bytes)))
    }
    let stores = report.outputs.filter { $0.entries != nil }
    guard !stores.isEmpty else { return }
    page.begin("cdpipe_output_entries", "Single numbers in an output's stores.")
    for output in stores {
      guard let entries = output.entries else { continue }
      for (kind, count) in [("blocking", entries.blocking), ("identification", entries.identification)] {
        page.line(
          "cdpipe_output_entries", [("path", output.path), ("kind", kind)], MetricsPage.number(Double(count)))
      }
    }
  }

  // MARK: What stood there before

  /// What the file of metrics that will be replaced says; nothing if it can't be read or is none.
  static func former(_ path: String) -> [Former] {
    guard Directory.holdsFile(path), let text = try? read(path) else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let head = lastSuccess + "{"
      guard line.hasPrefix(head), let end = line.lastIndex(of: "}") else { return nil }
      let value = line[line.index(after: end)...].drop { $0 == " " }
      guard let time = Double(value) else { return nil }
      return Former(
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
struct MetricsPage {
  /// Labels of every metric.
  let labels: [(String, String)]
  private(set) var text = ""

  init(labels: [(String, String)]) {
    self.labels = labels
  }

  /// Says what a metric is, before its lines.
  mutating func begin(_ name: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
  }

  /// One line of a metric.
  mutating func line(_ name: String, _ more: [(String, String)], _ value: String) {
    let all = (labels + more).map { Self.label($0.0, $0.1) }.joined(separator: ",")
    text += "\(name){\(all)} \(value)\n"
  }

  /// A metric of one line.
  mutating func add(_ name: String, _ help: String, _ value: Double) {
    begin(name, help)
    line(name, [], Self.number(value))
  }

  /// A label with its value, escaped as the format wants it.
  static func label(_ name: String, _ value: String) -> String {
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
  static func number(_ value: Double) -> String {
    value.rounded() == value && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
