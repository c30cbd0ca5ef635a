// The progress of a run as data: what each running stage does, how much of it is done, and how fast.

package import Records
package import SystemIO

package struct StageProgress: Equatable, Sendable {
  package enum Phase: Equatable, Sendable {
    /// It reads its input, and may write at the same time.
    case reading
    /// It has read everything, and writes what it collected.
    case merging
    /// All its input has arrived, and it completes its output.
    case completing
  }

  /// The source's name; empty for a shared stage.
  package var source = ""
  package var stage: StageName
  package var phase = Phase.reading
  /// The bytes read, in stages that read bytes.
  package var bytes: UInt64 = 0
  /// The number of bytes to read; 0 if it is unknown.
  package var bytesExpected: UInt64 = 0
  /// The rows or records read; while merging, those written.
  package var rows: UInt64 = 0
  /// The total of ``rows``; 0 if it is unknown.
  package var rowsExpected: UInt64 = 0
  /// The bytes that were written to temporary files.
  package var bytesSpilled: UInt64 = 0
  /// The current bytes per second; nil while it is unknown.
  package var bytesPerSecond: Double?
  /// The current rows per second; nil while it is unknown.
  package var rowsPerSecond: Double?
  /// The part that is done, 0 to 1; nil if the total is unknown.
  package var share: Double?
  /// The estimated time until the phase ends; nil if it is unknown.
  package var secondsLeft: Double?

  package init(_ stage: StageName) { self.stage = stage }
}

package struct RunSnapshot: Equatable, Sendable {
  /// The stages that have begun and not finished, in the order of the data.
  package var stages: [StageProgress]
  /// The number of sources that are not open yet.
  package var sourcesWaiting: Int
}

package struct RunProgress: Sendable {
  private struct Rates {
    var phase: StageProgress.Phase
    var start: Double
    var bytes = SmoothedRate(seconds: RunProgress.displaySeconds)
    var rows = SmoothedRate(seconds: RunProgress.displaySeconds)
    /// The rate of what the total is known of, over a longer time, so that the estimated end does not jump.
    var left = SmoothedRate(seconds: RunProgress.estimateSeconds)
  }

  private static let displaySeconds = 1.0
  private static let estimateSeconds = 5.0
  /// The time after which a rate is meaningful.
  private static let rateSecondsMin = 0.5
  /// The time after which an estimate is meaningful.
  private static let estimateSecondsMin = 1.0

  /// The longest estimate: four days.
  fileprivate static let secondsLeftMax = 345_600.0

  private let counters: [StageCounters]
  private let sourceCount: Int
  /// By the stage's position.
  private var rates: [Int: Rates] = [:]

  package init(_ counters: [StageCounters]) {
    self.counters = counters
    sourceCount = Set(counters.compactMap(\.sourceIndex)).count
  }

  /// Reads the counters.
  ///
  /// - Parameter seconds: the time by a monotonic clock.
  /// - Complexity: O(number of stages of all sources).
  package mutating func snapshot(at seconds: Double) -> RunSnapshot {
    var snapshot = RunSnapshot(stages: [], sourcesWaiting: sourceCount)
    var begun: Int?
    /// The last stage before whose total is known in rows.
    var flow: StageProgress?
    for (index, stage) in counters.enumerated() where stage.meter.hasBegun {
      if let source = stage.sourceIndex, source != begun {
        begun = source
        snapshot.sourcesWaiting -= 1
      }
      if stage.meter.isFinished { continue }
      let running = progress(index, at: seconds, after: flow)
      if running.rowsExpected > 0 { flow = running }
      snapshot.stages.append(running)
    }
    if rates.count > snapshot.stages.count { rates = rates.filter { !counters[$0.key].meter.isFinished } }
    return snapshot
  }

  /// The progress of a running stage. `flow` is the last running stage before it whose total is known in rows, if any.
  private mutating func progress(
    _ index: Int, at seconds: Double, after flow: StageProgress?
  ) -> StageProgress {
    let meter = counters[index].meter
    var progress = StageProgress(meter.stage)
    progress.source = counters[index].sourceName
    progress.bytesSpilled = meter.bytesSpilled.value
    progress.bytes = meter.bytesIn.value
    let feeder = feeder(of: index)
    if meter.rowsExpected.value > 0 {
      progress.phase = .merging
      progress.rows = meter.rowsOut.value
      progress.rowsExpected = meter.rowsExpected.value
    } else {
      progress.phase = feeder?.isFinished ?? false ? .completing : .reading
      progress.rows = meter.rowsIn.value
      progress.rowsExpected = feeder?.rowsExpected.value ?? 0
      let expected = meter.bytesExpected.value
      // The file may have grown, or there are inputs of unknown size.
      progress.bytesExpected = expected >= progress.bytes ? expected : 0
    }
    let estimate = addRates(to: &progress, index, at: seconds)
    if progress.phase == .completing { return progress }
    if progress.rowsExpected > 0 {
      progress.estimate(progress.rows, of: progress.rowsExpected, estimate)
    } else if progress.bytesExpected > 0 {
      progress.estimate(progress.bytes, of: progress.bytesExpected, estimate)
    } else if let flow {
      // How many rows the stages before it drop is unknown, but not how far they are.
      progress.share = flow.share
      progress.secondsLeft = flow.secondsLeft
    }
    return progress
  }

  /// The counters of the only stage that a stage's input comes from; nil if it comes from sources.
  private func feeder(of index: Int) -> StageMeter? {
    guard index > 0, counters[index - 1].sourceIndex == counters[index].sourceIndex else { return nil }
    return counters[index - 1].meter
  }

  /// Updates a stage's rates. Returns the rate for an estimate; nil while it is unknown.
  private mutating func addRates(to progress: inout StageProgress, _ index: Int, at seconds: Double)
    -> Double?
  {
    var stage = rates[index] ?? Rates(phase: progress.phase, start: seconds)
    if stage.phase != progress.phase { stage = Rates(phase: progress.phase, start: seconds) }
    stage.bytes.add(progress.bytes, at: seconds)
    stage.rows.add(progress.rows, at: seconds)
    stage.left.add(progress.rowsExpected > 0 ? progress.rows : progress.bytes, at: seconds)
    rates[index] = stage
    let elapsed = seconds - stage.start
    if elapsed >= Self.rateSecondsMin {
      if progress.rows > 0 { progress.rowsPerSecond = stage.rows.perSecond }
      if progress.bytes > 0 { progress.bytesPerSecond = stage.bytes.perSecond }
    }
    return elapsed >= Self.estimateSecondsMin ? stage.left.perSecond : nil
  }
}

extension StageProgress {
  /// Sets the share, and the time left if the rate is known.
  fileprivate mutating func estimate(_ done: UInt64, of all: UInt64, _ rate: Double?) {
    share = min(1, Double(done) / Double(all))
    guard let rate, rate > 0, done <= all else { return }
    let seconds = Double(all - done) / rate
    // A stage that stands still has no end.
    if seconds < RunProgress.secondsLeftMax { secondsLeft = seconds }
  }
}

extension StageMeter {
  fileprivate var hasBegun: Bool { bytesIn.value > 0 || rowsIn.value > 0 || isFinished }
}

/// The current rate of a counter: an average in which older values count less and less.
struct SmoothedRate: Sendable {
  /// The time that the average covers, about.
  let seconds: Double
  private var last: (count: UInt64, time: Double)?
  private var rate = 0.0
  /// The weight of all values so far; less than 1, because there were none before the first.
  private var weight = 0.0

  init(seconds: Double) { self.seconds = seconds }

  mutating func add(_ count: UInt64, at time: Double) {
    defer { last = (count, time) }
    guard let last, time > last.time, count >= last.count else { return }
    let elapsed = time - last.time
    let share = elapsed / (seconds + elapsed)
    rate += (Double(count - last.count) / elapsed - rate) * share
    weight += (1 - weight) * share
  }

  /// The rate; nil before the second value.
  var perSecond: Double? { weight > 0 ? rate / weight : nil }
}

// MARK: - The progress of a run as lines that fit a window: one line per running stage

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
