// The progress of a run as lines that fit a window: one line per running stage.
//
// Not for: drawing them.

import Records
package import SystemIO

/// Lays out progress lines.
package enum ProgressLayout {
  /// The width of names: in a wide window at least this, and in any other at most this or a third of the window.
  private static let nameColumnsMin = 12
  /// The width below which figures are written in their short forms.
  private static let narrowColumns = 60

  /// The lines of a snapshot, each narrower than the window, and fewer than the window has.
  ///
  ///     cn: parse     64 %   214 of 334 MiB   6,120,000 rows   2.1 M rows/s   0:00:01 left
  ///     sort                                  6,120,000 rows   2.1 M rows/s
  ///     … 583 more sources
  package static func lines(_ snapshot: RunSnapshot, in window: TerminalSize) -> [String] {
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
    let widest = stages.map { name($0, columns: Int.max).displayWidth }.max() ?? 0
    let nameColumns = min(
      max(columns < narrowColumns ? 1 : nameColumnsMin, widest), max(nameColumnsMin, columns / 3))
    let hasShares = stages.contains { $0.share != nil }
    var lines = stages.map { stage in
      line(stage, nameColumns: nameColumns, columns: columns, hasShares: hasShares)
    }
    if sources > 0, !lines.isEmpty, lines.count < rows {
      lines.append("… \(Figures.counted(UInt64(sources), "more source"))".cut(toWidth: columns))
    }
    return lines
  }

  /// The lines for a stream that is not a terminal: whole, whatever their width.
  package static func plainLines(_ snapshot: RunSnapshot) -> [String] {
    snapshot.stages.map { stage in
      line(
        stage, nameColumns: max(nameColumnsMin, name(stage, columns: Int.max).displayWidth), columns: Int.max,
        hasShares: stage.share != nil)
    }
  }

  /// What runs: `source: stage`, with its phase. If that is too long, the source's name is cut.
  private static func name(_ stage: StageProgress, columns: Int) -> String {
    var name = PrintableText.line(stage.stage.rawValue)
    switch stage.phase {
    case .reading: break
    case .merging: name += ", merging"
    case .completing: name += ", completing"
    }
    if !stage.source.isEmpty {
      let source = PrintableText.line(stage.source)
      name = "\(source.cut(toWidth: max(columns - name.displayWidth - 2, 2))): \(name)"
    }
    return name.cut(toWidth: columns)
  }

  /// A figure of a line. Those of the highest rank stay longest when the line is too wide.
  private struct Figure {
    var rank: Int
    var text: String
    /// A shorter text; nil if there is none.
    var short: String?
  }

  private static func line(_ stage: StageProgress, nameColumns: Int, columns: Int, hasShares: Bool) -> String
  {
    let isNarrow = columns < narrowColumns
    var figures = figures(stage, isNarrow: isNarrow)
    let gap = isNarrow ? "  " : "   "
    var start = name(stage, columns: nameColumns).padding(to: nameColumns + 1)
    if hasShares {
      let share = stage.share.map { "\(Int($0 * 100)) %" } ?? ""
      start += String(repeating: " ", count: max(0, "100 %".count - share.count)) + share + gap
    }
    func text() -> String { start + figures.map(\.text).joined(separator: gap) }
    while text().displayWidth > columns,
      let lowest = figures.indices.min(by: { figures[$0].rank < figures[$1].rank })
    {
      if let short = figures[lowest].short {
        figures[lowest] = Figure(rank: figures[lowest].rank, text: short)
      } else {
        figures.remove(at: lowest)
      }
    }
    return trimmed(text()).cut(toWidth: columns)
  }

  private static func figures(_ stage: StageProgress, isNarrow: Bool) -> [Figure] {
    var figures: [Figure] = []
    if stage.bytes > 0, stage.phase == .reading {
      let bytes = Figures.bytes(stage.bytes)
      figures.append(
        stage.bytesExpected > 0
          ? Figure(rank: 1, text: "\(bytes) of \(Figures.bytes(stage.bytesExpected))", short: bytes)
          : Figure(rank: 1, text: bytes))
    }
    if stage.rows > 0 || stage.rowsExpected > 0 {
      let rows = Figures.counted(stage.rows, "row")
      figures.append(
        stage.phase == .merging
          ? Figure(
            rank: 2, text: "\(Figures.grouped(stage.rows)) of \(Figures.counted(stage.rowsExpected, "row"))",
            short: rows)
          : Figure(rank: 2, text: rows))
    }
    if stage.phase != .completing {
      if let rate = stage.rowsPerSecond {
        let figure = Figures.rate(rate)
        figures.append(
          Figure(rank: 3, text: isNarrow ? "\(figure)/s" : "\(figure) rows/s", short: "\(figure)/s"))
      } else if let rate = stage.bytesPerSecond {
        figures.append(Figure(rank: 3, text: "\(Figures.bytes(UInt64(max(0, rate))))/s"))
      }
    }
    if stage.bytesSpilled > 0 {
      figures.append(Figure(rank: 0, text: "\(Figures.bytes(stage.bytesSpilled)) spilled"))
    }
    if let seconds = stage.secondsLeft {
      let clock = Figures.clock(seconds)
      // Without hours and leading zeros, if there are none: `0:07`.
      let short =
        !isNarrow || !clock.hasPrefix("0:") ? clock : String(clock.dropFirst(clock.hasPrefix("0:0") ? 3 : 2))
      figures.append(Figure(rank: 4, text: "\(short) left"))
    }
    return figures
  }

  private static func trimmed(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
