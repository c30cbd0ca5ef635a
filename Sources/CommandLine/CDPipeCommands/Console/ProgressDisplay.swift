// Progress on standard error while a pipeline runs: one line per active stage, redrawn periodically.

import PipeRunner
import PipeStage
import Synchronization
import SystemIO
import UserMessages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Draws progress lines from its own thread until it is stopped.
final class ProgressDisplay: Sendable {
  /// The seconds between redraws: short enough to look smooth, long enough to cost next to nothing.
  private static let interval = 0.1
  /// The seconds between progress lines if standard error is not a terminal and lines can't be redrawn.
  private static let intervalPlain = 2.0

  private let counters: [StageCounters]
  private let isTerminal: Bool
  private let start = MonotonicClock.seconds()
  private let isStopped = Atomic<Bool>(false)
  private let thread = Mutex<WorkerThread?>(nil)

  /// Starts the display if the options ask for it.
  static func start(
    _ choice: ProgressChoice, isQuiet: Bool, _ counters: [StageCounters], _ diagnostics: Diagnostics
  ) -> ProgressDisplay? {
    let isTerminal = RunningProcess.isErrorTerminal
    guard !isQuiet, choice == .always || (choice == .auto && isTerminal) else { return nil }
    let display = ProgressDisplay(counters, isTerminal: isTerminal)
    let thread = try? WorkerThread(name: "progress") { display.loop() }
    display.thread.withLock { $0 = thread }
    return display
  }

  private init(_ counters: [StageCounters], isTerminal: Bool) {
    self.counters = counters
    self.isTerminal = isTerminal
  }

  /// Erases the lines and ends the thread.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    thread.withLock { $0.take() }?.join()
  }

  private func loop() {
    var drawn = 0
    var lastReport = start
    while !isStopped.load(ordering: .relaxed) {
      usleep(UInt32(Self.interval / 4 * 1e6))
      let now = MonotonicClock.seconds()
      guard now - lastReport >= (isTerminal ? Self.interval : Self.intervalPlain) else { continue }
      lastReport = now
      let lines = counters.filter { !$0.meter.isFinished && $0.meter.hasBegun }.map {
        ProgressLine.text($0, seconds: now - start)
      }
      var text = ""
      if isTerminal {
        text += Self.clearing(drawn)
        drawn = lines.count
      }
      for line in lines { text += line + "\n" }
      if !text.isEmpty { Diagnostics.write(text) }
    }
    if isTerminal, drawn > 0 { Diagnostics.write(Self.clearing(drawn)) }
  }

  /// The control sequence that erases the drawn lines.
  private static func clearing(_ lines: Int) -> String {
    lines == 0 ? "" : "\u{1B}[\(lines)A\u{1B}[J"
  }
}

extension StageMeter {
  /// Whether the stage has received input.
  fileprivate var hasBegun: Bool { bytesIn.value > 0 || rowsIn.value > 0 }
}

/// The progress line of one stage.
enum ProgressLine {
  /// `parse      214 MiB of 334 MiB   6,120,000 rows   2.1 M rows/s   0:00:01 left`
  static func text(_ stage: StageCounters, seconds: Double) -> String {
    let meter = stage.meter
    var parts: [String] = []
    let bytes = meter.bytesIn.value
    let expected = meter.bytesExpected.value
    if bytes > 0 {
      parts.append(Figures.bytes(bytes) + (expected > bytes ? " of \(Figures.bytes(expected))" : ""))
    }
    let rows = meter.rowsIn.value
    if rows > 0 {
      parts.append("\(Figures.grouped(rows)) rows")
      if seconds > 0.5 { parts.append("\(Figures.rate(Double(rows) / seconds)) rows/s") }
    } else if bytes > 0, seconds > 0.5 {
      parts.append("\(Figures.bytes(UInt64(Double(bytes) / seconds)))/s")
    }
    let spilled = meter.bytesSpilled.value
    if spilled > 0 { parts.append("\(Figures.bytes(spilled)) spilled") }
    if expected > bytes, bytes > 0, seconds > 1 {
      parts.append("\(Figures.clock(seconds * Double(expected - bytes) / Double(bytes))) left")
    }
    let source = stage.sourceName
    let name = source.isEmpty ? meter.stage.rawValue : "\(source): \(meter.stage.rawValue)"
    return name.padding(to: 12) + parts.joined(separator: "   ")
  }
}
