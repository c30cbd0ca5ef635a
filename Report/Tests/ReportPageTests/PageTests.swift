// The page of a report: everything escaped, nothing of the report missing.

import RunReport
import Testing

@testable import ReportPage

@Suite("Page")
struct PageTests {
  /// A text that would be a script, an attribute, a tag and a Mustache tag without escaping.
  private static let hostile =
    #"</title></table><script>alert("x")</script>'" onload="alert(1)" {{title}} {{{title}}} &amp; "#
    // A scalar that joins what follows it to one character, and texts that turn the direction of writing.
    + "\u{600}<script>alert(2)</script> \u{600}\u{22}x <\u{301}b> \u{202E}txt\u{0}"

  private static func report() -> RunReport {
    var report = RunReport()
    report.cdpipe = hostile
    report.pipeline = hostile
    report.file = hostile + "2"
    report.status = .failed
    report.run.started = hostile
    var failure = RunReport.RunError()
    failure.message = hostile
    failure.hint = hostile
    failure.exitStatus = 65
    report.failure = failure
    var stage = RunReport.Stage()
    stage.stage = hostile
    stage.rowsIn = 12_345
    stage.rowsOut = 12_000
    var source = RunReport.Source()
    source.name = hostile
    source.stages = [stage]
    report.sources = [source, source]
    report.sources[1].trouble = RunReport.SourceError(message: hostile, good: hostile, ageSeconds: 7205)
    report.published = RunReport.Published(
      directory: hostile, outcome: .published, version: hostile, before: hostile)
    report.stages = [stage]
    var tally = RunReport.Tally()
    for index in 0..<20 {
      var item = RunReport.Tally.Item()
      item.name = index == 0 ? hostile : "item \(index)"
      item.regions = [hostile]
      item.records = UInt64(index)
      item.entries = 1_000_000 &- UInt64(index)
      tally.items.append(item)
    }
    tally.others = RunReport.Tally.Others()
    report.labels = tally
    report.callingCodes = tally
    report.prefixes = tally
    var example = RunReport.RejectUse.Example()
    example.place = hostile
    example.text = hostile
    var use = RunReport.RejectUse()
    use.stage = hostile
    use.reason = hostile
    use.words = hostile
    use.count = 7
    use.examples = [example]
    report.rejects = [use]
    var shard = RunReport.Output.Shard()
    shard.name = hostile
    var change = RunReport.Output.Change()
    change.from = hostile
    var output = RunReport.Output()
    output.path = hostile
    output.format = hostile
    output.contentID = hostile
    output.shards = [shard]
    output.change = change
    report.outputs = [output]
    return report
  }

  @Test("whatever is in the report, the page's tags are the template's")
  func escaped() throws {
    let html = try ReportPage.html(Self.report())
    // By bytes: characters hide what a browser sees.
    let bytes = Array(html.utf8)
    let tag = Array("<script".utf8)
    #expect(!bytes.indices.contains { bytes[$0...].starts(with: tag) })
    #expect(!html.utf8.contains(0))
    #expect(!html.contains("onload=\"alert"))
    #expect(!html.contains("</title></table>"))
    // Tags of the same report with harmless texts: not one more, not one less.
    var harmless = Self.report()
    harmless.pipeline = "harmless"
    let other = try ReportPage.html(harmless)
    #expect(bytes.count { $0 == UInt8(ascii: "<") } == other.utf8.count { $0 == UInt8(ascii: "<") })
    #expect(bytes.count { $0 == UInt8(ascii: "\"") } == other.utf8.count { $0 == UInt8(ascii: "\"") })
    #expect(html.contains("&lt;script&gt;"))
    // A tag of the template language in a text is a text.
    #expect(html.contains("{{title}} {{{title}}}"))
  }

  @Test("the figures are there, in chart and table")
  func figures() throws {
    let html = try ReportPage.html(Self.report())
    #expect(html.contains("<bdi>12,345</bdi>"))
    #expect(html.contains("<bdi>999,981</bdi>"))
    #expect(html.contains("class=\"status bad\">failed</span>"))
    #expect(html.contains("Exit status 65"))
    // Twelve bars and the others.
    #expect(html.contains("all others"))
  }

  @Test(
    "the outcome of publishing, as a sentence",
    arguments: [
      (RunReport.Published.Outcome.published, "good", "A new version is current."),
      (.repaired, "good", "The current version was damaged and has been repaired."),
      (.unchanged, "still", "Nothing was published: the result equals the current version."),
      (.withdrawn, "still", "Nothing was published: the result equals a version that was rolled back."),
      (.nothing, "bad", "Nothing was published: the run failed. The current version is unchanged."),
    ])
  func published(outcome: RunReport.Published.Outcome, colour: String, words: String) throws {
    var report = RunReport()
    let hasResult = outcome != .nothing
    report.published = RunReport.Published(
      directory: "public", outcome: outcome, version: hasResult ? "0123new" : nil, before: "4567old")
    if !hasResult {
      report.failure = RunReport.RunError()
      report.failure?.message = "no list came"
    }
    let html = try ReportPage.html(report)
    #expect(html.contains("<section class=\"published \(colour)\""))
    #expect(html.contains("<p>\(words)"))
    #expect(html.contains("<dd><bdi>public</bdi></dd>"))
    #expect(html.contains("<bdi>0123new</bdi>") == hasResult)
    #expect(html.contains("<bdi>4567old</bdi>") == [.published, .withdrawn, .nothing].contains(outcome))
    #expect(html.contains("<dt>why</dt><dd><bdi>no list came</bdi>") == !hasResult)
    report.published?.before = nil
    if outcome == .published {
      #expect(try ReportPage.html(report).contains("<p>The first version is current.</p>"))
    }
    if !hasResult { #expect(try ReportPage.html(report).contains("there is no version yet.</p>")) }
  }

  @Test("a new version lists its changes")
  func change() throws {
    var report = RunReport()
    report.published = RunReport.Published(
      directory: "public", outcome: .published, version: "new", before: "old")
    var change = RunReport.Output.Change()
    (change.removals, change.additions, change.shardsKept) = (7, 1234, 0)
    var output = RunReport.Output()
    (output.shards, output.change) = ([RunReport.Output.Shard()], change)
    report.outputs = [RunReport.Output(), output]
    #expect(
      try ReportPage.html(report).contains(
        "<dt>changes</dt><dd><bdi>+1,234, −7 numbers; no shard unchanged (of 1).</bdi></dd>"))
    report.outputs[1].change?.numbers = RunReport.Output.Numbers(added: 1230, removed: 3, relabelled: 4)
    #expect(
      try ReportPage.html(report).contains(
        "<bdi>+1,230, −3, 4 relabelled numbers; no shard unchanged (of 1).</bdi>"))
  }

  @Test("sources that could not be used, with the action and the age of the last good copy")
  func troubles() throws {
    var report = RunReport()
    let troubles = [
      RunReport.SourceError(message: "gone"), RunReport.SourceError(failing: "cut"),
      RunReport.SourceError(message: "HTML", good: "2026-03-31T04:05:06Z", ageSeconds: 172_800),
    ]
    for (index, trouble) in troubles.enumerated() {
      var source = RunReport.Source()
      (source.name, source.trouble) = ("list \(index)", trouble)
      report.sources.append(source)
    }
    report.sources.append(RunReport.Source())
    let html = try ReportPage.html(report)
    for (index, words) in [
      "left out</td><td><bdi>gone", "required: the run failed</td><td><bdi>cut",
      "the last good copy was used, 2 days old (2026-03-31 04:05:06 UTC)</td><td><bdi>HTML",
    ].enumerated() {
      #expect(html.contains("<tr><td><bdi>list \(index)</bdi></td><td>\(words)</bdi></td></tr>"))
    }
    #expect(try !ReportPage.html(RunReport()).contains("could not be used"))
  }

  @Test("a report of nothing is a page, too")
  func nothing() throws {
    let html = try ReportPage.html(RunReport())
    #expect(html.contains("<h1><bdi>a pipe</bdi>"))
    #expect(html.hasSuffix("</html>\n"))
    #expect(!html.contains("{{"))
  }

  @Test("figures as they are read")
  func words() {
    #expect(Figures.grouped(0) == "0")
    #expect(Figures.grouped(1_234_567) == "1,234,567")
    #expect(Figures.bytes(1536) == "1.5 KiB")
    #expect(Figures.seconds(0.25) == "0.25 s")
    #expect(Figures.seconds(125) == "2 min 5 s")
    #expect(Figures.percent(100.0 / 3) == "33.33%")
  }
}
