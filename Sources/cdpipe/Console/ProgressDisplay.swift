// Progress on standard error while a pipeline runs: one line per running stage, redrawn periodically.
//
// Not for: the lines themselves (ProgressLayout), or drawing them (ErrorStream).

import Runner
import Records
import Synchronization
import SystemIO

/// Draws progress lines from its own thread until it is stopped.
///
/// The filters of a shell pipe share one terminal, on which one of them draws at a time, and only while it has something
/// to show: the first that knows how much is left, such as the one that reads a file or a sort that merges; otherwise the
/// last filter of the pipe; otherwise any. When it ends, another one continues.
final class ProgressDisplay: Sendable {
  /// The time between redraws: short enough to look smooth, long enough to cost next to nothing.
  private static let interval = Duration.milliseconds(100)
  /// The time between progress lines if standard error is not a terminal and lines can't be redrawn.
  private static let intervalPlain = Duration.seconds(2)
  /// The seconds after which a filter that does not know how much is left draws: the last one of a pipe, and others.
  private static let patienceOfLast = 0.5
  private static let patience = 1.0

  private let counters: [StageCounters]
  private let isTerminal: Bool
  private let isStopped = Atomic<Bool>(false)
  private let stopping = ConditionLock()
  private let thread = Mutex<WorkerThread?>(nil)

  /// Starts the display if the options ask for it.
  ///
  /// - Parameter sharesTerminal: whether the input is typed on the terminal, or the output is shown there. Then nothing
  ///   is drawn on it, unless the user wants it always, and no other filter of the pipe draws either.
  static func start(
    _ choice: ProgressChoice, isQuiet: Bool, sharesTerminal: Bool, _ counters: [StageCounters]
  ) -> ProgressDisplay? {
    let isTerminal = RunningProcess.isErrorTerminal
    guard !isQuiet, choice == .always || (choice == .auto && isTerminal && !Terminal.isDumb) else {
      return nil
    }
    let display = ProgressDisplay(counters, isTerminal: isTerminal)
    if isTerminal { Interruption.observe { ErrorStream.handle($0) } }
    if isTerminal, sharesTerminal, choice != .always {
      ErrorStream.keepFree()
      return display
    }
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
    stopping.lock()
    isStopped.store(true, ordering: .relaxed)
    stopping.signal()
    stopping.unlock()
    thread.withLock { $0.take() }?.join()
    if isTerminal { ErrorStream.release() }
  }

  private func loop() {
    var progress = RunProgress(counters)
    // When there was something to show first.
    var begin: Double?
    while waits() {
      let now = MonotonicClock.seconds()
      let snapshot = progress.snapshot(at: now)
      guard isTerminal else {
        let lines = ProgressLayout.plainLines(snapshot)
        if !lines.isEmpty { ErrorStream.write(lines.map { $0 + "\n" }.joined()) }
        continue
      }
      guard Terminal.isFreeToDraw else {
        ErrorStream.release(erases: false)
        continue
      }
      let lines = ProgressLayout.lines(snapshot, in: Terminal.size)
      if lines.isEmpty {
        ErrorStream.release()
        begin = nil
        continue
      }
      let seconds = now - (begin ?? now)
      begin = begin ?? now
      guard ErrorStream.mayDraw || (seconds >= patience(snapshot) && ErrorStream.claim()) else { continue }
      ErrorStream.draw(lines)
    }
  }

  /// Waits until it is time to redraw. Returns false once the display is stopped.
  private func waits() -> Bool {
    let deadline = ConditionLock.Deadline(after: isTerminal ? Self.interval : Self.intervalPlain)
    stopping.lock()
    defer { stopping.unlock() }
    while !isStopped.load(ordering: .relaxed) {
      if !stopping.wait(until: deadline) { break }
    }
    return !isStopped.load(ordering: .relaxed)
  }

  private func patience(_ snapshot: RunSnapshot) -> Double {
    if snapshot.stages.contains(where: { $0.share != nil }) { return 0 }
    return ErrorStream.isOutputPipe ? Self.patience : Self.patienceOfLast
  }
}
