// The page of a report: everything escaped, nothing of the report missing.

import Testing

@testable import ReportPage
@testable import RunReport

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
    report.changes = changes
    report.history = history(3)
    return report
  }

  private static var changes: RunReport.Changes {
    var changes = RunReport.Changes(from: hostile)
    changes.numbers = RunReport.Output.Numbers(added: 1_234_567, removed: 7, relabelled: 40)
    var item = RunReport.Changes.Item()
    (item.name, item.region, item.country, item.added) = (hostile, hostile, hostile, 1_234_000)
    changes.labels.items = [item]
    changes.labels.others = RunReport.Changes.Others()
    changes.countries.items = [item]
    let example = RunReport.Changes.Example(first: 86, last: 87, label: hostile, before: hostile)
    (changes.examples.added, changes.examples.relabelled) = ([example], [example])
    return changes
  }

  /// A version per day.
  private static func history(_ count: Int) -> [RunReport.Event] {
    (0..<count).map { day in
      var event = RunReport.Event()
      event.time = "2026-0\(3 + day / 28)-\(day % 28 < 9 ? "0" : "")\(day % 28 + 1)T04:05:06Z"
      event.version = hostile + "\(day)"
      event.entries = 5000 + UInt64(day * 10)
      event.changes =
        day == 0
        ? nil : RunReport.Output.Numbers(added: UInt64(day * 20), removed: UInt64(day * 10), relabelled: 3)
      event.isCurrent = day == count - 1
      event.isRolledBack = day == 1
      return event
    }
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
    var index = VersionIndex()
    (index.cdpipe, index.directory, index.written) = (Self.hostile, Self.hostile, Self.hostile)
    (index.failure, index.events) = (Self.report().failure, Self.history(40))
    index.events[3].replaced = Self.hostile
    index.events[3].event = .rolledBack
    let page = try ReportPage.html(index)
    #expect(!page.utf8.contains(0) && !page.contains("onload=\"alert") && page.contains("&lt;script&gt;"))
    let pageBytes = Array(page.utf8)
    #expect(!pageBytes.indices.contains { pageBytes[$0...].starts(with: tag) })
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
    "the outcome of publishing is the headline",
    arguments: [
      (RunReport.Published.Outcome.published, "A new version", "In version "),
      (.repaired, "Repaired", "The current version "),
      (.unchanged, "No change", "The result equals the current version "),
      (.withdrawn, "Not published", "The result equals version "),
    ])
  func published(outcome: RunReport.Published.Outcome, words: String, about: String) throws {
    var report = RunReport()
    let (new, old) = (String(repeating: "12", count: 32), String(repeating: "ab", count: 32))
    report.published = RunReport.Published(
      directory: "public", outcome: outcome, version: new, before: old)
    let html = try ReportPage.html(report)
    #expect(html.contains("<span class=\"plain\">\(words)"))
    #expect(html.contains(about + "<code title=\"\(new)\">121212121212</code>"))
    #expect(
      html.contains("<code title=\"\(old)\">abababababab</code>")
        == [.published, .withdrawn].contains(outcome))
    #expect(html.contains("<dt>folder</dt><dd><bdi>public</bdi></dd>"))
    report.published?.before = nil
    if outcome == .published {
      #expect(try ReportPage.html(report).contains("The first version, <code title=\"\(new)\">"))
    }
  }

  @Test("the changes of a new version come first, in figures and in words")
  func change() throws {
    var report = RunReport()
    report.published = RunReport.Published(
      directory: "public", outcome: .published, version: "new", before: "old")
    var change = RunReport.Output.Change()
    (change.removals, change.additions, change.shardsKept) = (7, 1234, 0)
    var output = RunReport.Output()
    (output.shards, output.change) = ([RunReport.Output.Shard()], change)
    report.outputs = [RunReport.Output(), output]
    // Without deltas and without a comparison, nothing is known.
    #expect(try !ReportPage.html(report).contains("class=\"plus\">+"))
    report.outputs[1].change?.numbers = RunReport.Output.Numbers(added: 1230, removed: 3, relabelled: 4)
    var html = try ReportPage.html(report)
    #expect(html.contains("<span class=\"plus\">+1,230</span> <span class=\"minus\">−3</span>"))
    #expect(html.contains("<p class=\"unseen\">1,230 numbers added, 3 removed, 4 relabelled.</p>"))
    report.changes = Self.changes
    report.changes?.numbers = RunReport.Output.Numbers(added: 0, removed: 0, relabelled: 0)
    html = try ReportPage.html(report)
    #expect(
      html.contains("No number <small>changed</small>") && !html.contains("data-table=\"changed-labels\""))
    // The headline is the first section, and the sections on changes follow.
    report.changes = Self.changes
    html = try ReportPage.html(report)
    let figures = try #require(html.firstRange(of: "+1,234,567"))
    let sections = try #require(html.firstRange(of: "<section"))
    #expect(sections.lowerBound < figures.lowerBound)
    #expect(!html[sections.upperBound..<figures.lowerBound].contains("<section"))
    #expect(html.contains("<td class=\"figure plus\">+1,234,000</td>"))
    #expect(html.contains("<code>86..87</code>"))
  }

  @Test("a failed run shows the reason once, and no empty charts or tables")
  func failed() throws {
    var report = RunReport()
    report.status = .failed
    report.failure = RunReport.RunError()
    report.failure?.message = "source 'mine': no list came"
    report.failure?.exitStatus = 66
    report.published = RunReport.Published(
      directory: "public", outcome: .nothing, version: nil, before: String(repeating: "ab", count: 32))
    var source = RunReport.Source()
    (source.name, source.trouble) = ("mine", RunReport.SourceError(failing: "source 'mine': no list came"))
    report.sources = [source]
    var html = try ReportPage.html(report)
    #expect(html.ranges(of: "no list came").count == 1)
    #expect(!html.contains("<table") && !html.contains("<svg") && !html.contains("rows read"))
    #expect(
      html.contains(
        "The current version is still <code title=\"\(String(repeating: "ab", count: 32))\">abababababab</code>"
      ))
    report.published?.before = nil
    html = try ReportPage.html(report)
    #expect(html.contains("there is no version yet."))
    // A result that was refused is described.
    report.changes = Self.changes
    html = try ReportPage.html(report)
    #expect(html.contains("would have changed the current version by:") && html.contains("+1,234,567"))
  }

  @Test("a run without one of its sources is amber and names it, with the age of the last good copy")
  func troubles() throws {
    var report = RunReport()
    report.sources = [RunReport.Source()]
    #expect(try ReportPage.html(report).contains("class=\"status good\">done</span>"))
    let troubles = [
      RunReport.SourceError(message: "gone"),
      RunReport.SourceError(message: "HTML", good: "2026-03-31T04:05:06Z", ageSeconds: 172_800),
    ]
    for (index, trouble) in troubles.enumerated() {
      var source = RunReport.Source()
      (source.name, source.trouble) = ("list \(index)", trouble)
      report.sources.append(source)
    }
    var html = try ReportPage.html(report)
    #expect(html.contains("class=\"status warn\">done, 2 sources unavailable</span>"))
    for (index, words) in [
      "left out</dd><dd><bdi>gone",
      "the last good copy was used, 2 days old (2026-03-31 04:05 UTC)</dd><dd><bdi>HTML",
    ].enumerated() {
      #expect(
        html.contains("<dt><bdi>list \(index)</bdi></dt><dd class=\"remedy\">\(words)</bdi></dd></div>"))
    }
    report.status = .unchanged
    report.sources.removeLast()
    html = try ReportPage.html(report)
    #expect(html.contains("class=\"status warn\">nothing new, 1 source unavailable</span>"))
    #expect(try !ReportPage.html(RunReport()).contains("could not be used"))
  }

  @Test("each source in per cent of its own rows, and no empty columns")
  func funnel() throws {
    var report = RunReport()
    func stage(_ name: String, _ rowsIn: UInt64, _ rowsOut: UInt64) -> RunReport.Stage {
      var stage = RunReport.Stage()
      (stage.stage, stage.rowsIn, stage.rowsOut) = (name, rowsIn, rowsOut)
      return stage
    }
    var large = RunReport.Source()
    (large.name, large.stages) = ("large", [stage("unzip", 0, 0), stage("parse", 1_000_000, 999_999)])
    large.stages[0].bytesIn = 2048
    var small = RunReport.Source()
    (small.name, small.stages) = ("small", [stage("parse", 8, 8), stage("normalize", 8, 2)])
    report.sources = [large, small]
    report.stages = [stage("sort", 1_000_001, 1_000_001), stage("dedupe", 1_000_001, 999_000)]
    report.leftOut = [
      RunReport.LeftOutUse(stage: "parse", reason: "too-old", count: 5),
      RunReport.LeftOutUse(stage: "dedupe", reason: "total", count: 1009),
    ]
    report.stages[1].leftOutReasons = ["total": 1009]
    report.stages[1].inferred = 8
    let html = try ReportPage.html(report)
    // A share is not rounded to all.
    for text in ["99.9% · 999,999", "100% · 8", "25% · 2", "100% · 1,000,001"] {
      #expect(html.contains("text-anchor=\"end\">\(text)</text>"))
    }
    let table = try #require(html.firstRange(of: "<table data-table=\"stages\""))
    let header = html[table.upperBound...].prefix { $0 != "\r\n" }.prefix(600)
    #expect(header.contains("bytes in") && header.contains("of its rows"))
    #expect(!header.contains("rejects") && !header.contains("duplicates"))
    #expect(header.contains("few votes") && header.contains("inferred") && !header.contains("too old"))
    #expect(Figures.share(0, of: 5) == "0%")
    #expect(Figures.share(1, of: 1_000_000) == "0.1%")
    #expect(Figures.share(12, of: 8) == "150%")
  }

  @Test("the trend of the last 30 versions")
  func trend() throws {
    let chart = try #require(TrendChart(Self.history(40), max: RunReport.Event.listedMax))
    #expect(chart.count == 30 && chart.points.count == 30 && chart.segments.count == 29)
    // The first is the tenth version, and the largest changes are those of the last one.
    #expect(chart.fewest == "5,100" && chart.most == "5,390 numbers")
    #expect(chart.mostAdded == "+780" && chart.mostRemoved == "−390")
    #expect(chart.points[0].y == "126" && chart.points[29].y == "26")
    #expect(chart.points[29].colour == "current")
    // Bars up and down share the height of 96 pixels in proportion.
    #expect(
      chart.zeroY == "236" && chart.points[29].addedHeight == "64" && chart.points[29].removedHeight == "32")
    #expect(chart.points[29].words.hasSuffix(": 5,390 numbers, +780, −390, 3 relabelled; current"))
    #expect(TrendChart(Self.history(1), max: 30) == nil)
    // Versions that are all the same size have no range, and unknown changes no bars.
    var same = Self.history(3)
    for index in same.indices { (same[index].entries, same[index].changes) = (7, nil) }
    let flat = try #require(TrendChart(same, max: 30))
    #expect(!flat.hasRange && !flat.hasChanges && !flat.isFull && flat.points[1].colour == "withdrawn")
    var report = RunReport()
    report.history = Self.history(40)
    #expect(try ReportPage.html(report).contains("<h2 id=\"history\">The last 30 versions</h2>"))
  }

  @Test("the index lists what happened by month, newest first")
  func index() throws {
    var index = VersionIndex()
    index.directory = "public"
    index.events = Self.history(40)
    var event = RunReport.Event()
    (event.event, event.time, event.lastTime) = (.unchanged, "2026-04-20T04:05:06Z", "2026-05-01T04:05:06Z")
    event.runs = 3
    index.events.append(event)
    let html = try ReportPage.html(index)
    #expect(html.contains("5,390 <small>numbers</small>"))
    let months = ["May 2026", "April 2026", "March 2026"].compactMap {
      html.firstRange(of: "<h3>\($0)</h3>")?.lowerBound
    }
    #expect(months.count == 3 && months == months.sorted())
    #expect(html.contains("<bdi>unchanged, 3 runs</bdi>") && html.contains("<bdi>rolled back</bdi>"))
    #expect(html.contains("<dt>runs</dt><dd><bdi>43</bdi>"))
    #expect(!html.contains("The last run failed"))
    index.failure = RunReport.RunError()
    index.failure?.message = "no list came"
    #expect(
      try ReportPage.html(index).contains(
        "<h2 id=\"failure\">The last run failed</h2>\n<p><bdi>no list came</bdi>"))
    #expect(try ReportPage.html(VersionIndex()).contains("Nothing is published."))
  }

  @Test("a report of nothing is a page, too")
  func nothing() throws {
    let html = try ReportPage.html(RunReport())
    #expect(html.contains("<h1><bdi>a pipe</bdi>"))
    #expect(!html.contains("<table") && !html.contains("<svg"))
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
    #expect(Figures.time("2026-03-31T04:05:06Z") == "2026-03-31 04:05 UTC")
    #expect(Figures.time("never") == "never")
    #expect(
      OutputContext.parts("public/versions/\(String(repeating: "ab", count: 32))/all.csv").joined()
        == "public/versions/abababababab/all.csv")
  }
}
