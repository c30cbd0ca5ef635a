// A section of the page: a bar chart, and a table with the same figures next to it.

import RunReport

/// A chart and its table.
struct PageSection {
  /// A column header or a cell.
  struct Cell {
    var text: String
    /// Whether the cell is a figure, which is right-aligned.
    var isFigure: Bool
  }

  struct TableRow {
    var cells: [Cell]
  }

  let id: String
  let title: String
  let about: String
  let chart: BarChart
  let columns: [Cell]
  let rows: [TableRow]
  /// Whether the table is long and therefore collapsed.
  let isLong: Bool

  /// The maximum number of rows of an expanded table: on a phone, a longer one would hide the rest of the page.
  private static let openRowsMax = 20
  /// The maximum number of bars in a chart: what a reader grasps at a glance. The table contains all rows.
  private static let barsMax = 12

  init(
    id: String, title: String, about: String, bars: [BarChart.Bar], names: [String], figures: [String],
    rows: [(names: [String], figures: [String])]
  ) {
    self.id = id
    self.title = title
    self.about = about
    chart = BarChart(bars)
    columns =
      names.map { Cell(text: $0, isFigure: false) } + figures.map { Cell(text: $0, isFigure: true) }
    self.rows = rows.map { row in
      TableRow(
        cells: row.names.map { Cell(text: $0, isFigure: false) }
          + row.figures.map { Cell(text: $0, isFigure: true) })
    }
    isLong = rows.count > Self.openRowsMax
  }

  /// The rows by outcome.
  static func outcomes(_ report: RunReport) -> PageSection {
    let rows = report.rows
    let all: [(name: String, count: UInt64, colour: String)] = [
      ("written", rows.written, "good"), ("duplicates", rows.duplicates, "twin"),
      ("rejects", rows.rejects, "bad"), ("left out", rows.leftOut, "out"), ("removed", rows.removed, "out"),
      ("joined", rows.joined, "twin"),
    ]
    let shown = all.filter { $0.count > 0 || $0.name == "written" || $0.name == "rejects" }
    var table = [(names: ["read"], figures: [Figures.grouped(rows.read)])]
    if rows.splits > 0 { table.append((["added by splitting ranges"], [Figures.grouped(rows.splits)])) }
    table += shown.map { ([$0.name], [Figures.grouped($0.count)]) }
    return PageSection(
      id: "rows", title: "Where the rows went",
      about: rows.isBalanced
        ? "Each row read is counted once." : "The run ended early: not every row was counted.",
      bars: shown.map { BarChart.Bar(name: $0.name, part: $0.count, rest: 0, colour: $0.colour) },
      names: ["rows"], figures: ["count"], rows: table)
  }

  /// The rows and bytes by stage.
  static func stages(_ report: RunReport) -> PageSection {
    var bars: [BarChart.Bar] = []
    var rows: [(names: [String], figures: [String])] = []
    func add(_ source: String, _ stage: RunReport.Stage) {
      let name = source.isEmpty ? stage.stage : "\(source): \(stage.stage)"
      // Download and unzip count bytes, not rows.
      if stage.rowsIn > 0 || stage.rowsOut > 0 {
        let lost = stage.rowsIn > stage.rowsOut ? stage.rowsIn - stage.rowsOut : 0
        bars.append(BarChart.Bar(name: name, part: stage.rowsOut, rest: lost, colour: "good"))
      }
      func figure(_ count: UInt64?) -> String { count.map { Figures.grouped($0) } ?? "" }
      rows.append(
        (
          [name],
          [
            stage.bytesIn.map { Figures.bytes($0) } ?? "", Figures.grouped(stage.rowsIn),
            Figures.grouped(stage.rowsOut), figure(stage.rejects), figure(stage.duplicates),
            figure(
              (stage.leftOut ?? 0) &+ (stage.removed ?? 0) == 0
                ? nil : (stage.leftOut ?? 0) &+ (stage.removed ?? 0)),
          ]
        ))
    }
    for source in report.sources {
      for stage in source.stages { add(report.sources.count > 1 ? source.name : "", stage) }
    }
    for stage in report.stages { add("", stage) }
    return PageSection(
      id: "stages", title: "Rows by stage",
      about: "A bar shows the rows that a stage wrote; its orange part, those that it did not write.",
      bars: bars,
      names: ["stage"], figures: ["bytes in", "rows in", "rows out", "rejects", "duplicates", "left out"],
      rows: rows)
  }

  /// The distribution of labels, calling codes or prefixes.
  static func tally(_ tally: RunReport.Tally, _ id: String, _ title: String, _ column: String) -> PageSection
  {
    func name(_ item: RunReport.Tally.Item) -> String {
      guard id == "countries" else { return item.name.isEmpty ? "(no label)" : item.name }
      if item.name.isEmpty { return "nobody's" }
      let regions = item.regions ?? []
      let more = regions.count > 3 ? " and \(regions.count - 3) more" : ""
      return "+\(item.name) \(regions.prefix(3).joined(separator: ", "))\(more)"
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
      let words = others.count.map { "\(Figures.grouped(UInt64(clamping: $0))) others" } ?? "all others"
      rows.append(
        (names: [words], figures: [Figures.grouped(others.entries), Figures.grouped(others.records)]))
    }
    return PageSection(
      id: id, title: title, about: "Single numbers that were written, most frequent first.", bars: bars,
      names: [column], figures: ["numbers", "records"], rows: rows)
  }

  /// Rejects by reason.
  static func rejects(_ report: RunReport) -> PageSection {
    var bars = report.rejects.prefix(barsMax).map { use in
      BarChart.Bar(name: use.reason, part: use.count, rest: 0, colour: "bad")
    }
    let unseen = report.rejects.dropFirst(barsMax).reduce(UInt64(0)) { $0 &+ $1.count }
    if unseen > 0 { bars.append(BarChart.Bar(name: "all others", part: unseen, rest: 0, colour: "twin")) }
    return PageSection(
      id: "rejects", title: "Rejects by reason", about: "Rows that could not be used.", bars: bars,
      names: ["reason", "stage", "meaning"], figures: ["rows"],
      rows: report.rejects.map { ([$0.reason, $0.stage, $0.words], [Figures.grouped($0.count)]) })
  }
}
