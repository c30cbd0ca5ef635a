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
  }

  /// Why the run failed.
  struct FailureText {
    var message: String
    var hint: String?
    var exitStatus: String
  }

  let title: String
  let file: String?
  let status: String
  let statusClass: String
  let started: String
  let version: String
  let failure: FailureText?
  let published: PublishedContext?
  let sourceErrors: [SourceErrorContext]
  let hasSourceErrors: Bool
  let facts: [Fact]
  let sections: [PageSection]
  let outputs: [OutputContext]
  let hasOutputs: Bool
  let rejects: [RejectContext]
  let hasRejects: Bool

  init(_ report: RunReport) {
    title = report.pipeline.isEmpty ? "a pipe" : report.pipeline
    file = report.file == report.pipeline ? nil : report.file
    (status, statusClass) =
      switch report.status {
      case .done: ("done", "good")
      case .failed: ("failed", "bad")
      case .unchanged: ("nothing new", "still")
      }
    started = Self.time(report.run.started)
    version = report.cdpipe
    failure = report.failure.map { failure in
      FailureText(
        message: failure.message, hint: failure.hint,
        exitStatus: String(failure.exitStatus))
    }
    published = report.published.map { PublishedContext($0, report) }
    sourceErrors = report.sources.compactMap { source in
      source.trouble.map { SourceErrorContext(source.name, $0) }
    }
    hasSourceErrors = !sourceErrors.isEmpty
    facts = [
      Fact(name: "rows read", value: Figures.grouped(report.rows.read)),
      Fact(name: "records written", value: Figures.grouped(report.rows.written)),
      Fact(name: "rejects", value: Figures.grouped(report.rows.rejects)),
      Fact(name: "duration", value: Figures.seconds(report.run.seconds)),
      Fact(name: "CPU time", value: Figures.seconds(report.run.cpuSeconds)),
      Fact(name: "peak memory", value: Figures.bytes(report.run.peakMemoryBytes)),
    ]
    sections =
      [PageSection.outcomes(report), PageSection.stages(report)]
      + [
        report.labels.map { PageSection.tally($0, "labels", "Labels", "label") },
        report.callingCodes.map { PageSection.tally($0, "countries", "Countries", "calling code") },
        report.prefixes.map { PageSection.tally($0, "prefixes", "Prefixes", "first digits") },
        report.rejects.isEmpty ? nil : PageSection.rejects(report),
      ].compactMap { $0 }
    outputs = report.outputs.map(OutputContext.init)
    hasOutputs = !report.outputs.isEmpty
    rejects = report.rejects.map(RejectContext.init)
    hasRejects = !report.rejects.isEmpty
  }

  /// Formats a time of the report, such as `2026-03-31T04:05:06Z`, for readers.
  static func time(_ text: String) -> String {
    text.replacing("T", with: " ").replacing("Z", with: " UTC")
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

/// An output of the run.
struct OutputContext {
  /// A row of the table of shards.
  struct Shard {
    var id: String
    var name: String
    var entries: String
    var bytes: String
  }

  let path: String
  let format: String
  let facts: [PageContext.Fact]
  let change: String?
  let shards: [Shard]
  let hasShards: Bool

  init(_ output: RunReport.Output) {
    path = output.path
    format = output.format
    var facts = [PageContext.Fact(name: "size", value: Figures.bytes(output.bytes))]
    if let entries = output.entries {
      facts.append(
        PageContext.Fact(
          name: "entries",
          value:
            "\(Figures.grouped(entries.sum)) (\(Figures.grouped(entries.identification)) to identify, "
            + "\(Figures.grouped(entries.blocking)) to block)"))
    }
    if let records = output.records {
      facts.append(PageContext.Fact(name: "records", value: Figures.grouped(records.sum)))
    }
    if let shards = output.shards {
      facts.append(PageContext.Fact(name: "shards", value: Figures.grouped(UInt64(shards.count))))
    }
    if let contentID = output.contentID {
      facts.append(PageContext.Fact(name: "content id", value: contentID))
    }
    self.facts = facts
    change = output.change.map { Self.words($0, output) }
    shards = (output.shards ?? []).map { shard in
      Shard(
        id: String(shard.id), name: shard.name, entries: Figures.grouped(shard.entries.sum),
        bytes: Figures.bytes(shard.bytes))
    }
    hasShards = !(output.shards ?? []).isEmpty
  }

  /// Describes the change from the previous output.
  static func words(_ change: RunReport.Output.Change, _ output: RunReport.Output) -> String {
    if change.isUnchanged { return "Unchanged." }
    var parts: [String] = []
    if let entries = output.entries {
      parts.append(
        "\(Figures.grouped(change.entries.sum)) entries before, \(Figures.grouped(entries.sum)) now")
    }
    if let numbers = change.numbers {
      parts.append(
        "+\(Figures.grouped(numbers.added)), −\(Figures.grouped(numbers.removed)), "
          + "\(Figures.grouped(numbers.relabelled)) relabelled numbers")
    } else if let removals = change.removals, let additions = change.additions {
      parts.append("+\(Figures.grouped(additions)), −\(Figures.grouped(removals)) numbers")
    }
    if let kept = change.shardsKept, let shards = output.shards {
      parts.append(
        kept == 0
          ? "no shard unchanged (of \(shards.count))" : "\(kept) of \(shards.count) shards unchanged")
    }
    return parts.joined(separator: "; ") + "."
  }
}
