// A section of the page: a bar chart, and a table with the same figures next to it.

import RunReport

/// A chart and its table.
struct PageSection {
  let id: String
  let title: String
  let about: String
  let chart: BarChart
  let table: PageTable

  /// The maximum number of bars in a chart: what a reader grasps at a glance. The table contains all rows.
  private static let barsMax = 12

  /// The rows by outcome; nil if there were none.
  static func outcomes(_ report: RunReport) -> PageSection? {
    let rows = report.rows
    guard rows.read > 0 || rows.written > 0 else { return nil }
    let all: [(name: String, count: UInt64, colour: String)] = [
      ("written", rows.written, "good"), ("duplicates", rows.duplicates, "twin"),
      ("rejects", rows.rejects, "bad"), ("left out", rows.leftOut, "out"), ("removed", rows.removed, "out"),
      ("joined", rows.joined, "twin"),
    ]
    let shown = all.filter { $0.count > 0 || $0.name == "written" || $0.name == "rejects" }
    var table = [(names: ["read"], figures: [Figures.grouped(rows.read)])]
    if rows.splits > 0 { table.append((["added by splitting ranges"], [Figures.grouped(rows.splits)])) }
    if let inferred = rows.inferred { table.append((["inferred"], [Figures.grouped(inferred)])) }
    for outcome in shown {
      table.append(([outcome.name], [Figures.grouped(outcome.count)]))
      guard outcome.name == "left out" else { continue }
      for use in report.leftOut ?? [] {
        table.append((["left out: \(LeftOutReasons.words(use.reason))"], [Figures.grouped(use.count)]))
      }
    }
    return PageSection(
      id: "rows", title: "Where the rows went",
      about: rows.isBalanced
        ? "Each row read is counted once." : "The run ended early: not every row was counted.",
      chart: BarChart(
        shown.map { BarChart.Bar(name: $0.name, part: $0.count, rest: 0, colour: $0.colour) }),
      table: PageTable(id: "rows", names: ["rows"], figures: ["count"], rows: table))
  }

  /// The distribution of labels, calling codes or prefixes.
  static func tally(_ tally: RunReport.Tally, _ id: String, _ title: String, _ column: String) -> PageSection
  {
    func name(_ item: RunReport.Tally.Item) -> String {
      switch id {
      case "countries": CountryName.text(item)
      case "labels" where item.name.isEmpty: CountryName.noLabel
      default: item.name
      }
    }
    var bars = tally.items.prefix(barsMax).map { item in
      BarChart.Bar(name: name(item), part: item.entries, rest: 0, colour: "good")
    }
    let unseen = tally.items.dropFirst(barsMax).reduce(tally.others?.entries ?? 0) { $0 &+ $1.entries }
    if unseen > 0 { bars.append(BarChart.Bar(name: "all others", part: unseen, rest: 0, colour: "twin")) }
    var rows = tally.items.map { item in
      (names: [name(item)], figures: [Figures.grouped(item.entries), Figures.grouped(item.records)])
    }
    if let others = tally.others {
      let words = others.count.map { Figures.counted(UInt64(clamping: $0), "other") } ?? "all others"
      rows.append(
        (names: [words], figures: [Figures.grouped(others.entries), Figures.grouped(others.records)]))
    }
    return PageSection(
      id: id, title: title, about: "Single numbers that were written, most frequent first.",
      chart: BarChart(bars),
      table: PageTable(id: id, names: [column], figures: ["numbers", "records"], rows: rows))
  }

  /// Rejects by reason.
  static func rejects(_ report: RunReport) -> PageSection {
    var bars = report.rejects.prefix(barsMax).map { use in
      BarChart.Bar(name: use.reason, part: use.count, rest: 0, colour: "bad")
    }
    let unseen = report.rejects.dropFirst(barsMax).reduce(UInt64(0)) { $0 &+ $1.count }
    if unseen > 0 { bars.append(BarChart.Bar(name: "all others", part: unseen, rest: 0, colour: "twin")) }
    return PageSection(
      id: "rejects", title: "Rejects by reason", about: "Rows that could not be used.",
      chart: BarChart(bars),
      table: PageTable(
        id: "rejects", names: ["reason", "stage", "meaning"], figures: ["rows"],
        rows: report.rejects.map { ([$0.reason, $0.stage, $0.words], [Figures.grouped($0.count)]) },
        style: "stack"))
  }
}

/// The names of countries and labels.
enum CountryName {
  static let noLabel = "(no label)"

  /// A calling code with its country: `China +86`; without a name, `CN, HK +86`.
  static func text(_ item: RunReport.Tally.Item) -> String {
    text(item.name, country: item.country, regions: item.regions ?? [])
  }

  /// The same of changes.
  static func text(_ item: RunReport.Changes.Item) -> String {
    text(item.name, country: item.country, regions: item.region.map { [$0] } ?? [])
  }

  private static func text(_ code: String, country: String?, regions: [String]) -> String {
    if code.isEmpty { return "no calling code" }
    let shown = regions.prefix(3).filter { $0 != "001" }.joined(separator: ", ")
    let more = regions.count > 3 ? " and \(regions.count - 3) more" : ""
    let name = country ?? shown + more
    return name.isEmpty ? "+\(code)" : "\(name) +\(code)"
  }
}
