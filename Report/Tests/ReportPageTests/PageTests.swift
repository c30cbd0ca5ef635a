// The page of a report: everything escaped, nothing of the report missing.

import RunReport
import Testing

@testable import ReportPage

@Suite("Page")
struct PageTests {
  /// A text that would be a script, an attribute, a tag, and a mustache tag, if anybody let it.
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
    var failure = RunReport.Failure()
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

  @Test("whatever the report says, the page's tags are the template's")
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
