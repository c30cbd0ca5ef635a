// The publishing part of the page: the version that the run published, or the reason for none, and the sources that could not be used.

import RunReport

/// What became of a version.
struct PublishedContext {
  /// In a sentence.
  let outcome: String
  /// A colour of the page's style.
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
      add("before it", published.before)
    case .repaired, .unchanged: add("version", published.version)
    case .withdrawn:
      add("result", published.version)
      add("current", published.before)
    case .nothing:
      add("current", published.before)
      add("why", report.failure?.message)
    }
    if published.outcome == .published {
      // The shards' own change; other outputs of the version have the same records.
      let shards = report.outputs.first { $0.shards != nil }
      add("what changed", shards.flatMap { output in output.change.map { OutputContext.words($0, output) } })
    }
    self.facts = facts
  }

  private static func words(_ published: RunReport.Published) -> (String, String) {
    switch published.outcome {
    case .published:
      (published.before == nil ? "The first version." : "A new version, which is current now.", "good")
    case .repaired: ("The current version was damaged, and is replaced by a whole one.", "good")
    case .unchanged: ("Nothing: the result is the version that is current.", "still")
    case .withdrawn:
      ("Nothing: the result is a version that was rolled back. Another one stays current.", "still")
    case .nothing:
      (
        published.before == nil
          ? "Nothing: the run failed, and there is no version yet."
          : "Nothing: the run failed. What was current is still.", "bad"
      )
    }
  }
}

/// A source that could not be used.
struct TroubleContext {
  let source: String
  /// What the run did without it.
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
