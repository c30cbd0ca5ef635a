// The page's section on publishing: the published version or why there is none, and the sources that could not be used.

import RunReport

/// The outcome of publishing.
struct PublishedContext {
  /// The outcome as a sentence.
  let outcome: String
  /// The CSS class that sets the section's colour.
  let colour: String
  let facts: [PageContext.Fact]

  init(_ published: RunReport.Published, _ report: RunReport) {
    (outcome, colour) = Self.words(published)
    var facts = [PageContext.Fact(name: "folder", value: published.directory)]
    func add(_ name: String, _ value: String?) {
      if let value { facts.append(PageContext.Fact(name: name, value: value)) }
    }
    switch published.outcome {
    case .published:
      add("version", published.version)
      add("replaces", published.before)
    case .repaired, .unchanged: add("version", published.version)
    case .withdrawn:
      add("result", published.version)
      add("current", published.before)
    case .nothing:
      add("current", published.before)
      add("why", report.failure?.message)
    }
    if published.outcome == .published {
      // Use the change of the shards; other outputs of the version have the same records.
      let shards = report.outputs.first { $0.shards != nil }
      add("changes", shards.flatMap { output in output.change.map { OutputContext.words($0, output) } })
    }
    self.facts = facts
  }

  private static func words(_ published: RunReport.Published) -> (String, String) {
    switch published.outcome {
    case .published:
      (published.before == nil ? "The first version is current." : "A new version is current.", "good")
    case .repaired: ("The current version was damaged and has been repaired.", "good")
    case .unchanged: ("Nothing was published: the result equals the current version.", "still")
    case .withdrawn:
      (
        "Nothing was published: the result equals a version that was rolled back. "
          + "Another version stays current.", "still"
      )
    case .nothing:
      (
        published.before == nil
          ? "Nothing was published: the run failed, and there is no version yet."
          : "Nothing was published: the run failed. The current version is unchanged.", "bad"
      )
    }
  }
}

/// A source that could not be used.
struct SourceErrorContext {
  let source: String
  /// How the run continued without the source.
  let remedy: String
  let message: String

  init(_ source: String, _ trouble: RunReport.SourceError) {
    self.source = source
    message = trouble.message
    remedy =
      switch trouble.remedy {
      case .leftOut: "left out"
      case .failed: "required: the run failed"
      case .lastGood:
        "the last good copy was used"
          + (trouble.ageSeconds.map { ", \(RunReport.SourceError.age($0)) old" } ?? "")
          + (trouble.good.map { " (\(PageContext.time($0)))" } ?? "")
      }
  }
}
