// The rows of each source by stage, in per cent of the source's own rows: a small source is as readable as a large one.

import RunReport

/// The stages of each source, and of all sources together.
struct FunnelContext {
  /// A source, or all of them, with a bar for each stage.
  struct Group {
    var name: String
    /// The rows that are 100%.
    var about: String
    var chart: BarChart
  }

  let groups: [Group]
  let hasGroups: Bool
  /// Which sources are shown, if not all of them; else nil.
  let note: String?
  let table: PageTable

  /// The maximum number of sources that are drawn; the table has all of them.
  private static let drawnMax = 12
  private static let columns = [
    "bytes in", "rows in", "rows out", "of its rows", "rejects", "duplicates", "left out",
  ]

  /// Nil if no stage has seen a row.
  init?(_ report: RunReport) {
    let isOne = report.sources.count == 1
    var drawn = report.sources.filter { Self.base($0.stages) > 0 }.map { source in
      (kept: Self.kept(source.stages), group: Self.group(isOne ? "the source" : source.name, source.stages))
    }
    let isCut = drawn.count > Self.drawnMax
    if isCut { drawn = Array(drawn.sorted { $0.kept < $1.kept }.prefix(Self.drawnMax)) }
    var groups = drawn.map(\.group)
    if Self.base(report.stages) > 0 {
      groups.append(Self.group(report.sources.count > 1 ? "all sources together" : "then", report.stages))
    }
    if groups.isEmpty { return nil }
    self.groups = groups
    hasGroups = true
    note =
      isCut ? "The \(Self.drawnMax) sources that kept the smallest part of their rows." : nil
    let reasons = LeftOutReasons(report)
    var rows: [(names: [String], figures: [String])] = []
    func add(_ name: String, _ stage: RunReport.Stage, _ base: UInt64) {
      let leftOut = reasons.codes.map { Self.figure(stage.leftOutReasons?[$0]) }
      rows.append(([name], Self.figures(stage, base) + leftOut + [Self.figure(stage.inferred)]))
    }
    for source in report.sources {
      let base = Self.base(source.stages)
      for stage in source.stages { add(isOne ? stage.stage : "\(source.name): \(stage.stage)", stage, base) }
    }
    let base = Self.base(report.stages)
    for stage in report.stages { add(stage.stage, stage, base) }
    table = PageTable(
      id: "stages", names: ["stage"],
      figures: Self.columns + reasons.codes.map(LeftOutReasons.words) + ["inferred"], rows: rows)
  }

  /// The rows that entered the first stage that has rows: download and unzip count bytes.
  private static func base(_ stages: [RunReport.Stage]) -> UInt64 {
    stages.first { $0.rowsIn > 0 || $0.rowsOut > 0 }.map { max($0.rowsIn, $0.rowsIn == 0 ? $0.rowsOut : 0) }
      ?? 0
  }

  private static func kept(_ stages: [RunReport.Stage]) -> Double {
    Double(stages.last?.rowsOut ?? 0) / Double(max(1, base(stages)))
  }

  private static func group(_ name: String, _ stages: [RunReport.Stage]) -> Group {
    let base = base(stages)
    var before = base
    let bars = stages.filter { $0.rowsIn > 0 || $0.rowsOut > 0 }.map { stage in
      let bar = BarChart.Bar(
        name: stage.stage, part: stage.rowsOut, rest: before > stage.rowsOut ? before - stage.rowsOut : 0,
        colour: "good",
        figure: "\(Figures.share(stage.rowsOut, of: base)) · \(Figures.grouped(stage.rowsOut))")
      before = stage.rowsOut
      return bar
    }
    return Group(
      name: name, about: Figures.counted(base, "row"), chart: BarChart(bars, atLeast: base))
  }

  private static func figure(_ count: UInt64?) -> String { count.map { Figures.grouped($0) } ?? "" }

  /// The figures of ``columns``.
  private static func figures(_ stage: RunReport.Stage, _ base: UInt64) -> [String] {
    let leftOut = (stage.leftOut ?? 0) &+ (stage.removed ?? 0)
    let hasRows = stage.rowsIn > 0 || stage.rowsOut > 0
    return [
      stage.bytesIn.map { Figures.bytes($0) } ?? "", figure(hasRows ? stage.rowsIn : nil),
      figure(hasRows ? stage.rowsOut : nil), hasRows ? Figures.share(stage.rowsOut, of: base) : "",
      figure(stage.rejects), figure(stage.duplicates), figure(leftOut == 0 ? nil : leftOut),
    ]
  }
}

/// Why records were left out, in the order of the stages: a column each, if there are any.
struct LeftOutReasons {
  let codes: [String]

  init(_ report: RunReport) {
    var codes: [String] = []
    for use in report.leftOut ?? [] where !codes.contains(use.reason) { codes.append(use.reason) }
    self.codes = codes
  }

  private static let names = [
    "mapped": "dropped label", "score": "low score", "total": "few votes", "count": "few records",
    "sources": "few sources", "limit": "beyond the limit",
  ]

  /// A reason's words: `few votes`, `not selected`.
  static func words(_ code: String) -> String {
    names[code] ?? code.split(separator: "-").joined(separator: " ")
  }
}
