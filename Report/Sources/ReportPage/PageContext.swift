// The page's texts and figures, formatted, in the order of the page.
//
// The property names are those of the template's tags.

import RunReport

/// The values that the template shows.
struct PageContext {
  /// A figure with its name.
  struct Fact {
    var name: String
    var value: String
    /// The whole id if the value is one that was cut; else nil.
    var whole: String?

    init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    init(name: String, id: String) {
      self.name = name
      value = Figures.short(id)
      whole = id
    }
  }

  /// Why the run failed.
  struct FailureText {
    var message: String
    var hint: String?
    var exitStatus: String
    /// The version that is current nevertheless.
    var current: [Headline.Text]
  }

  let title: String
  let file: String?
  let status: String
  let statusClass: String
  let started: String
  let version: String
  let failure: FailureText?
  let headline: Headline?
  let sourceErrors: [SourceErrorContext]
  let hasSourceErrors: Bool
  let changes: ChangesContext?
  let history: HistoryContext?
  let published: PublishedContext?
  let facts: [Fact]
  let funnel: FunnelContext?
  let sections: [PageSection]
  let outputs: [OutputContext]
  let hasOutputs: Bool
  let rejects: [RejectContext]
  let hasRejects: Bool

  init(_ report: RunReport) {
    title = report.pipeline.isEmpty ? "a pipe" : report.pipeline
    file = report.file == report.pipeline ? nil : report.file
    started = Figures.time(report.run.started)
    version = report.cdpipe
    failure = report.failure.map { failure in
      FailureText(
        message: failure.message, hint: failure.hint, exitStatus: String(failure.exitStatus),
        current: PublishedContext.current(after: report)
          ?? [Headline.Text(text: "No output was written.")])
    }
    headline = Headline(report)
    // The error that ended the run is shown once.
    let unused = report.sources.filter { source in
      source.trouble.map { $0.remedy != .failed || !(report.failure?.message.contains($0.message) ?? false) }
        ?? false
    }
    sourceErrors = unused.compactMap { source in
      source.trouble.map { SourceErrorContext(source.name, $0) }
    }
    hasSourceErrors = !sourceErrors.isEmpty
    (status, statusClass) = Self.status(report.status, unused: unused.count)
    changes = report.changes.flatMap(ChangesContext.init)
    history = report.history.flatMap(HistoryContext.init)
    published = PublishedContext(report)
    facts = Self.facts(report)
    funnel = FunnelContext(report)
    sections = [
      PageSection.outcomes(report),
      report.labels.flatMap { Self.section($0, "labels", "Labels", "label") },
      report.callingCodes.flatMap { Self.section($0, "countries", "Countries", "country") },
      report.prefixes.flatMap { Self.section($0, "prefixes", "Prefixes", "first digits") },
      report.rejects.isEmpty ? nil : PageSection.rejects(report),
    ].compactMap { $0 }
    outputs = report.outputs.map(OutputContext.init)
    hasOutputs = !report.outputs.isEmpty
    rejects = report.rejects.map(RejectContext.init)
    hasRejects = !report.rejects.isEmpty
  }

  /// The status in words, and the CSS class of its colour.
  private static func status(_ status: RunReport.Status, unused: Int) -> (String, String) {
    let without = unused == 0 ? "" : ", \(Figures.counted(UInt64(unused), "source")) unavailable"
    return switch status {
    case .done: ("done" + without, unused == 0 ? "good" : "warn")
    case .failed: ("failed", "bad")
    case .unchanged: ("nothing new" + without, unused == 0 ? "still" : "warn")
    }
  }

  /// The figures of the run; those of a failed run only if it came to them.
  private static func facts(_ report: RunReport) -> [Fact] {
    let rows = report.rows
    let hasRows = rows.read > 0 || rows.written > 0
    let counts = [
      Fact(name: "rows read", value: Figures.grouped(rows.read)),
      Fact(name: "records written", value: Figures.grouped(rows.written)),
      Fact(name: "rejects", value: Figures.grouped(rows.rejects)),
    ]
    return (hasRows ? counts : []) + [
      Fact(name: "duration", value: Figures.seconds(report.run.seconds)),
      Fact(name: "CPU time", value: Figures.seconds(report.run.cpuSeconds)),
      Fact(name: "peak memory", value: Figures.bytes(report.run.peakMemoryBytes)),
    ]
  }

  private static func section(
    _ tally: RunReport.Tally, _ id: String, _ title: String, _ column: String
  ) -> PageSection? {
    tally.items.isEmpty && tally.others == nil ? nil : PageSection.tally(tally, id, title, column)
  }
}

/// The latest versions, as a chart and a table.
struct HistoryContext {
  let chart: TrendChart
  let table: PageTable
  let title: String

  /// Nil if there are fewer than two versions.
  init?(_ events: [RunReport.Event]) {
    guard let chart = TrendChart(events, max: RunReport.Event.listedMax) else { return nil }
    self.chart = chart
    table = PageTable.events(events)
    title = "The last \(chart.count) versions"
  }
}

/// A reason of rejects with examples.
struct RejectContext {
  struct Example {
    var place: String
    var text: String
  }
  let reason: String
  let stage: String
  let words: String
  let examples: [Example]

  init(_ use: RunReport.RejectUse) {
    reason = use.reason
    stage = use.stage
    words = use.words
    examples = use.examples.map { Example(place: $0.place, text: $0.text) }
  }
}
