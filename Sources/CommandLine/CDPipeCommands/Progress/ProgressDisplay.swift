// Progress on standard error while a pipeline runs: one line a stage that is at work, drawn again and again.

import PipeRunner
import PipeStage
import Synchronization
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Draws the lines from a thread of its own, until it is stopped.
final class ProgressDisplay: Sendable {
  /// How often the lines are drawn: often enough to look alive, seldom enough to cost nothing.
  private static let interval = 0.1
  /// Without a terminal, lines can't be drawn over: one report in so many seconds.
  private static let intervalPlain = 2.0

  private let counters: [StageCounters]
  private let isTerminal: Bool
  private let start = MonotonicClock.seconds()
  private let isStopped = Atomic<Bool>(false)
  private let thread = Mutex<WorkerThread?>(nil)

  /// Starts the display if it is wanted.
  static func start(
    _ choice: ProgressChoice, isQuiet: Bool, _ counters: [StageCounters], _ voice: Diagnostics
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

  /// Takes the lines away and ends the thread.
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

  /// Goes up over the drawn lines and erases them.
  private static func clearing(_ lines: Int) -> String {
    lines == 0 ? "" : "\u{1B}[\(lines)A\u{1B}[J"
  }
}

extension StageMeter {
  /// Whether anything came in.
  fileprivate var hasBegun: Bool { bytesIn.value > 0 || rowsIn.value > 0 }
}

/// One stage's line.
enum ProgressLine {
  /// `parse      214 MiB of 334 MiB   6,120,000 rows   2.1 M rows/s   0:00:01 left`
  static func text(_ stage: StageCounters, seconds: Double) -> String {
    let meter = stage.meter
    var parts: [String] = []
    let bytes = meter.bytesIn.value
    let expected = meter.bytesExpected.value
    if bytes > 0 {
      parts.append(ByteSize.text(bytes) + (expected > bytes ? " of \(ByteSize.text(expected))" : ""))
    }
    let rows = meter.rowsIn.value
    if rows > 0 {
      parts.append("\(Figures.grouped(rows)) rows")
      if seconds > 0.5 { parts.append("\(Figures.rate(Double(rows) / seconds)) rows/s") }
    } else if bytes > 0, seconds > 0.5 {
      parts.append("\(ByteSize.text(UInt64(Double(bytes) / seconds)))/s")
    }
    let spilled = meter.bytesSpilled.value
    if spilled > 0 { parts.append("\(ByteSize.text(spilled)) spilled") }
    if expected > bytes, bytes > 0, seconds > 1 {
      parts.append("\(Figures.clock(seconds * Double(expected - bytes) / Double(bytes))) left")
    }
    let source = stage.sourceName
    let name = source.isEmpty ? meter.stage.rawValue : "\(source): \(meter.stage.rawValue)"
    return name.padding(to: 12) + parts.joined(separator: "   ")
  }
}

/// Figures for people.
enum Figures {
  /// `10,000,000`
  static func grouped(_ value: UInt64) -> String {
    var text = ""
    for (index, digit) in String(value).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// `2.1 M`
  static func rate(_ value: Double) -> String {
    if value >= 1e6 { return ByteSize.tenths(value / 1e6) + " M" }
    if value >= 1e3 { return ByteSize.tenths(value / 1e3) + " k" }
    return String(Int(value))
  }

  /// `0:01:07`
  static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds.rounded(), 359_999))
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
    return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
  }
}

extension String {
  /// The text with spaces behind it, and at least one.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, width - count))
  }
}
