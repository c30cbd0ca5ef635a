// A run's report as metrics in the text format of Prometheus, for the node exporter's textfile collector.
//
// Every series is in every file, so that an alert does not wait for its first event. What a run does not find out, such
// as the last success after a failed run, is copied from the previous file.

import SystemIO

package enum RunMetrics {
  private static let lastSuccess = "cdpipe_run_last_success_timestamp_seconds"
  private static let sourceRead = "cdpipe_source_read_timestamp_seconds"
  private static let numbers = "cdpipe_list_numbers"
  private static let versionName = "cdpipe_published_version"

  package static func text(_ report: RunReport, startTime: Double, before: PreviousMetrics) -> [UInt8] {
    var page = MetricsPage(labels: [("pipeline", report.pipeline)])
    let isDone = report.status != .failed
    let end = (startTime + report.run.seconds).rounded()
    page.add("cdpipe_run_success", "1 if the last run succeeded.", isDone ? 1 : 0)
    page.add(
      "cdpipe_run_exit_status", "Exit status of the last run.", Double(report.failure?.exitStatus ?? 0))
    page.add("cdpipe_run_timestamp_seconds", "Unix time at which the last run ended.", end)
    page.add(
      lastSuccess, "Unix time at which the last successful run ended; 0 for never.",
      isDone ? end : before.value(lastSuccess, page) ?? 0)
    page.add("cdpipe_run_duration_seconds", "Duration of the last run in seconds.", report.run.seconds)
    page.add("cdpipe_run_cpu_seconds", "CPU seconds used.", report.run.cpuSeconds)
    page.add(
      "cdpipe_run_peak_memory_bytes", "Peak memory in bytes.", Double(report.run.peakMemoryBytes))
    addRows(report, &page)
    addStages(report, &page)
    addSources(report, end: end, before, &page)
    addRejects(report, &page)
    addLeftOut(report, &page)
    addOutputs(report, &page)
    addList(report, before, &page)
    return Array(page.text.utf8)
  }

  private static func addRows(_ report: RunReport, _ page: inout MetricsPage) {
    page.begin("cdpipe_run_rows", "Row counts of the last run.")
    let rows = report.rows
    for (fate, count) in [
      ("read", rows.read), ("splits", rows.splits), ("written", rows.written),
      ("duplicates", rows.duplicates), ("rejects", rows.rejects), ("left_out", rows.leftOut),
      ("removed", rows.removed), ("joined", rows.joined), ("inferred", rows.inferred ?? 0),
    ] {
      page.line("cdpipe_run_rows", [("fate", fate)], Double(count))
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
          Double(stage[keyPath: count]))
      }
    }
  }

  /// Adds when each source was last read, and whether it could be used. A source that only an earlier run has reached is
  /// copied from the previous file.
  private static func addSources(
    _ report: RunReport, end: Double, _ before: PreviousMetrics, _ page: inout MetricsPage
  ) {
    let former = before.samples(sourceRead, page)
    var names = report.sources.map(\.name)
    names += former.compactMap { MetricsPage.value(of: "source", in: $0.labels) }.filter {
      !names.contains($0)
    }
    guard !names.isEmpty else { return }
    let errors = Dictionary(report.sources.map { ($0.name, $0.trouble) }) { first, _ in first }
    page.begin(
      sourceRead,
      "Unix time at which what a run uses of a source was read or known to be current; 0 for never.")
    for name in names {
      let label = MetricsPage.label("source", name)
      let last = former.first { $0.labels == label }?.value ?? 0
      let time: Double =
        switch errors[name] {
        case .some(let error?): error.ageSeconds.map { end - Double($0) } ?? last
        // A failed run may have ended before it had read the source.
        case .some(nil), nil: report.status == .failed ? last : end
        }
      page.line(sourceRead, [("source", name)], time)
    }
    page.begin(
      "cdpipe_source_trouble", "1 if a source could not be used; remedy: last-good, left-out or failed.")
    for name in names {
      for remedy in RunReport.SourceError.Remedy.allCases {
        page.line(
          "cdpipe_source_trouble", [("source", name), ("remedy", remedy.rawValue)],
          errors[name]??.remedy == remedy ? 1 : 0)
      }
    }
  }

  private static func addRejects(_ report: RunReport, _ page: inout MetricsPage) {
    guard !report.rejects.isEmpty else { return }
    page.begin("cdpipe_run_rejects", "Rejected rows by stage and reason.")
    for use in report.rejects {
      page.line(
        "cdpipe_run_rejects", [("stage", use.stage), ("reason", use.reason)],
        Double(use.count))
    }
  }

  private static func addLeftOut(_ report: RunReport, _ page: inout MetricsPage) {
    guard let uses = report.leftOut else { return }
    page.begin("cdpipe_run_left_out", "Records that were left out, by stage and reason.")
    for use in uses {
      page.line("cdpipe_run_left_out", [("stage", use.stage), ("reason", use.reason)], Double(use.count))
    }
  }

  private static func addOutputs(_ report: RunReport, _ page: inout MetricsPage) {
    guard !report.outputs.isEmpty else { return }
    page.begin("cdpipe_output_bytes", "Size of an output in bytes.")
    for output in report.outputs {
      page.line("cdpipe_output_bytes", [("path", output.path)], Double(output.bytes))
    }
    let stores = report.outputs.filter { $0.entries != nil }
    guard !stores.isEmpty else { return }
    page.begin("cdpipe_output_entries", "Numbers in the stores of an output, by kind.")
    for output in stores {
      guard let entries = output.entries else { continue }
      for (kind, count) in [("blocking", entries.blocking), ("identification", entries.identification)] {
        page.line(
          "cdpipe_output_entries", [("path", output.path), ("kind", kind)], Double(count))
      }
    }
  }

  private static func addList(_ report: RunReport, _ before: PreviousMetrics, _ page: inout MetricsPage) {
    let isWritten = report.status == .done
    let counted = report.callingCodes.map { codes in
      codes.items.reduce(codes.others?.entries ?? 0) { $0 &+ $1.entries }
    }
    page.add(
      numbers, "Single numbers in the list that the last successful run wrote.",
      isWritten ? Double(counted ?? 0) : before.value(numbers, page) ?? 0)
    let change = report.outputs.lazy.compactMap(\.change?.numbers).first
    page.begin(
      "cdpipe_changed_numbers", "Single numbers that the last run has changed, against its baseline.")
    for (kind, count) in [
      ("added", change?.added), ("removed", change?.removed), ("relabelled", change?.relabelled),
    ] {
      page.line("cdpipe_changed_numbers", [("change", kind)], Double(count ?? 0))
    }
    let version: String? =
      switch report.published?.outcome {
      case .published, .repaired, .unchanged: report.published?.version
      case .withdrawn, .nothing: report.published?.before
      case nil:
        before.samples(versionName, page).first.flatMap { MetricsPage.value(of: "version", in: $0.labels) }
      }
    page.begin(versionName, "1; the label is the ID of the current version, empty for none.")
    page.line(versionName, [("version", version ?? "")], 1)
  }
}

// MARK: - The text format of Prometheus: written, and read back as far as this program writes it
//
// Source: the text-based exposition format, https://prometheus.io/docs/instrumenting/exposition_formats/.

package struct PreviousMetrics {
  package struct Sample: Equatable {
    /// The labels other than those of every metric.
    package var labels: String
    package var value: Double
  }

  /// The maximum number of bytes to read; a file has a few thousand.
  private static let bytesMax = 1 << 20
  private let lines: [Substring]

  /// Reads a file; there are no metrics if it can't be read.
  package init(_ path: String) {
    let isFile = Directory.holdsFile(path)
    let bytes = isFile ? (try? InputFile.bytes(of: path, limit: Self.bytesMax)) ?? [] : []
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  package func samples(_ name: String, _ page: MetricsPage) -> [Sample] {
    let head = "\(name){" + page.commonLabels
    return lines.compactMap { line in
      guard line.hasPrefix(head), let end = line.lastIndex(of: "}"),
        let value = Double(line[line.index(after: end)...].drop { $0 == " " })
      else { return nil }
      let rest = line[line.index(line.startIndex, offsetBy: head.count)..<end]
      guard rest.isEmpty || rest.first == "," else { return nil }
      return Sample(labels: String(rest.dropFirst()), value: value)
    }
  }

  /// The value of a metric that has one sample; nil if there is none.
  package func value(_ name: String, _ page: MetricsPage) -> Double? { samples(name, page).first?.value }
}

package struct MetricsPage {
  package let labels: [(String, String)]
  private(set) var text = ""

  package init(labels: [(String, String)]) { self.labels = labels }

  package var commonLabels: String { labels.map { Self.label($0.0, $0.1) }.joined(separator: ",") }

  package mutating func begin(_ name: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
  }

  package mutating func line(_ name: String, _ more: [(String, String)], _ value: Double) {
    let all = (labels + more).map { Self.label($0.0, $0.1) }.joined(separator: ",")
    text += "\(name){\(all)} \(Self.number(value))\n"
  }

  package mutating func add(_ name: String, _ help: String, _ value: Double) {
    begin(name, help)
    line(name, [], value)
  }

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

  /// The value of a label in labels as ``label(_:_:)`` writes them, separated by commas.
  package static func value(of name: String, in labels: String) -> String? {
    // The value of another label may contain the text that is looked for, but its quotes are escaped.
    let head = name + "=\""
    let start: String.Index? =
      labels.hasPrefix(head)
      ? labels.startIndex
      : labels.firstRange(of: "\"," + head).map { labels.index($0.lowerBound, offsetBy: 2) }
    guard let start else { return nil }
    var value = ""
    var isEscaped = false
    for character in labels[start...].dropFirst(head.count) {
      if isEscaped {
        value.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        return value
      } else {
        value.append(character)
      }
    }
    return nil
  }

  /// A number without a needless fraction.
  package static func number(_ value: Double) -> String {
    value.rounded() == value && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
