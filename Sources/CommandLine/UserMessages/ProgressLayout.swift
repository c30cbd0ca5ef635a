// The progress of a run as lines that fit a window: one line per running stage.
//
// Not for: drawing them.

public import PipeRunner
import PipeStage
public import SystemIO

/// Lays out progress lines.
public enum ProgressLayout {
  /// The width of names: at least this, and at most a third of the window.
  private static let nameColumnsMin = 12
  /// The width below which figures are written in their short forms.
  private static let narrowColumns = 60

  /// The lines of a snapshot, each narrower than the window, and fewer than the window has.
  ///
  ///     cn: parse     64 %   214 of 334 MiB   6,120,000 rows   2.1 M rows/s   0:00:01 left
  ///     sort                                  6,120,000 rows   2.1 M rows/s
  ///     … 583 more sources
  public static func lines(_ snapshot: RunSnapshot, in window: TerminalSize) -> [String] {
    // A character in the last column would make some terminals wrap, and a full last line would make all of them scroll.
    let columns = max(1, window.columns - 1)
    let rows = max(1, window.rows - 1)
    var stages = snapshot.stages[...]
    var sources = snapshot.sourcesWaiting
    let needsSummary = sources > 0 && !stages.isEmpty
    if stages.count + (needsSummary ? 1 : 0) > rows {
      // The last stages, which belong to all sources, stay.
      let hidden = stages.prefix(stages.count - max(1, rows - 1))
      stages = stages.dropFirst(hidden.count)
      sources += Set(hidden.map(\.source)).subtracting(stages.map(\.source)).subtracting([""]).count
    }
    let names = stages.map { name($0) }
    let widest = names.map(\.displayWidth).max() ?? 0
    let nameColumns = min(max(nameColumnsMin, widest), max(nameColumnsMin, columns / 3))
    let hasShares = stages.contains { $0.share != nil }
    var lines = zip(names, stages).map { name, stage in
      line(name, stage, nameColumns: nameColumns, columns: columns, hasShares: hasShares)
    }
    if sources > 0, !lines.isEmpty, lines.count < rows {
      lines.append("… \(Figures.counted(UInt64(sources), "more source"))".cut(toWidth: columns))
    }
    return lines
  }

  /// The lines for a stream that is not a terminal: whole, whatever their width.
  public static func plainLines(_ snapshot: RunSnapshot) -> [String] {
    snapshot.stages.map { stage in
      line(
        name(stage), stage, nameColumns: nameColumnsMin, columns: Int.max,
        hasShares: stage.share != nil)
    }
  }

  private static func name(_ stage: StageProgress) -> String {
    let name = stage.source.isEmpty ? stage.stage.rawValue : "\(stage.source): \(stage.stage.rawValue)"
    switch stage.phase {
    case .reading: return PrintableText.line(name)
    case .merging: return PrintableText.line(name) + ", merging"
    case .completing: return PrintableText.line(name) + ", completing"
    }
  }

  /// A figure of a line. Those of the highest rank stay longest when the line is too wide.
  private struct Figure {
    var text: String
    var rank: Int
  }

  private static func line(
    _ name: String, _ stage: StageProgress, nameColumns: Int, columns: Int, hasShares: Bool
  ) -> String {
    let isNarrow = columns < narrowColumns
    var figures = figures(stage, isNarrow: isNarrow)
    let gap = isNarrow ? "  " : "   "
    var start = name.cut(toWidth: nameColumns).padding(to: nameColumns + 1)
    if hasShares {
      let share = stage.share.map { "\(Int($0 * 100)) %" } ?? ""
      start += String(repeating: " ", count: max(0, "100 %".count - share.count)) + share + gap
    }
    func text() -> String { start + figures.map(\.text).joined(separator: gap) }
    while text().displayWidth > columns,
      let lowest = figures.indices.min(by: { figures[$0].rank < figures[$1].rank })
    {
      figures.remove(at: lowest)
    }
    return trimmed(text()).cut(toWidth: columns)
  }

  private static func figures(_ stage: StageProgress, isNarrow: Bool) -> [Figure] {
    var figures: [Figure] = []
    if stage.bytes > 0, stage.phase == .reading {
      let expected = stage.bytesExpected > 0 ? " of \(Figures.bytes(stage.bytesExpected))" : ""
      figures.append(Figure(text: Figures.bytes(stage.bytes) + expected, rank: 1))
    }
    if stage.rows > 0 || stage.rowsExpected > 0 {
      let expected = stage.phase == .merging ? " of \(Figures.grouped(stage.rowsExpected))" : ""
      figures.append(Figure(text: "\(Figures.grouped(stage.rows))\(expected) rows", rank: 2))
    }
    if stage.phase != .completing {
      if let rate = stage.rowsPerSecond {
        figures.append(Figure(text: "\(Figures.rate(rate))\(isNarrow ? "" : " rows")/s", rank: 3))
      } else if let rate = stage.bytesPerSecond {
        figures.append(Figure(text: "\(Figures.bytes(UInt64(max(0, rate))))/s", rank: 3))
      }
    }
    if stage.bytesSpilled > 0 {
      figures.append(Figure(text: "\(Figures.bytes(stage.bytesSpilled)) spilled", rank: 0))
    }
    if let seconds = stage.secondsLeft {
      let clock = Figures.clock(seconds)
      // Without hours and leading zeros, if there are none: `0:07`.
      let short =
        !isNarrow || !clock.hasPrefix("0:") ? clock : String(clock.dropFirst(clock.hasPrefix("0:0") ? 3 : 2))
      figures.append(Figure(text: "\(short) left", rank: 4))
    }
    return figures
  }

  private static func trimmed(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
