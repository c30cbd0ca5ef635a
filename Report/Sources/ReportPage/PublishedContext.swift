// The page's section on publishing, and the sources that could not be used.

import RunReport

/// The published version, or the one that stays current.
struct PublishedContext {
  let facts: [PageContext.Fact]

  /// Nil for a failed run: the section on the failure names the current version.
  init?(_ report: RunReport) {
    guard let published = report.published, published.outcome != .nothing else { return nil }
    var facts = [PageContext.Fact(name: "folder", value: published.directory)]
    func add(_ name: String, id: String?) {
      if let id { facts.append(PageContext.Fact(name: name, id: id)) }
    }
    switch published.outcome {
    case .published:
      add("version", id: published.version)
      add("replaces", id: published.before)
    case .withdrawn:
      add("result", id: published.version)
      add("current", id: published.before)
    case .repaired, .unchanged, .nothing: add("version", id: published.version)
    }
    self.facts = facts
  }

  /// What is current after a failed run.
  static func current(after report: RunReport) -> [Headline.Text]? {
    guard let published = report.published else { return nil }
    guard let current = published.outcome == .nothing ? published.before : published.version else {
      return [Headline.Text(text: "Nothing was published, and there is no version yet.")]
    }
    return published.outcome == .nothing
      ? [
        Headline.Text(text: "Nothing was published. The current version is still "),
        Headline.Text(text: "", id: current), Headline.Text(text: "."),
      ]
      : [
        Headline.Text(text: "Version "), Headline.Text(text: "", id: current),
        Headline.Text(text: " is current, but may be lost if the machine stops now."),
      ]
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
          + (trouble.good.map { " (\(Figures.time($0)))" } ?? "")
      }
  }
}
