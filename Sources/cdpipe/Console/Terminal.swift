// Standard error: messages, and on a terminal a block of progress lines after them.
//
// The block is drawn in place: the cursor stays at the start of its first line. So anything that is printed next, also by
// another program, starts there, and nothing depends on how many lines the terminal made of it. A message erases the
// block, which is drawn again after it.

import ArgumentParser
import Records
import Runner
import Synchronization
import SystemIO
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ErrorStream {
  private struct TerminalState {
    /// The lines on the screen after the messages.
    var block: [String] = []
    /// The claim on the terminal; nil if this process has none, or can't have one.
    var lock: TerminalLock?
    var mayDraw = false
    var isPaused = false
    /// The message when a signal ends the process; nil for none.
    var interruptedMessage: String?
  }

  private static let state = Mutex(TerminalState())
  private static let isTerminal = RunningProcess.isErrorTerminal
  /// Moves to the start of the line and erases from there to the end of the screen.
  private static let erase = "\r\u{1B}[J"
  /// How often a signal tries to erase the block, and the microseconds between two attempts: 100 ms in total.
  private static let eraseAttempts = 50
  private static let eraseInterval: UInt32 = 2000

  /// Writes messages. Errors are ignored, because there is nowhere to report them.
  static func write(_ text: String) {
    state.withLock { state in
      if !state.block.isEmpty {
        put(erase + text + drawing(state.block))
      } else if isTerminal, !state.mayDraw, TerminalLock.isDrawnOn {
        // Another process has drawn a block here.
        put(erase + text)
      } else {
        put(text)
      }
    }
  }

  // MARK: The block

  static var mayDraw: Bool { state.withLock { $0.mayDraw } }

  /// Requests the right to draw; returns false while another process has it. Does not wait.
  static func claim() -> Bool {
    state.withLock { state in
      if state.mayDraw || state.isPaused { return state.mayDraw }
      switch TerminalLock.request(.drawing) {
      case .granted(let lock):
        state.lock = lock
        state.mayDraw = true
      case .refused: break
      // Without a lock, the last filter of a pipe draws.
      case .unavailable: state.mayDraw = !isOutputPipe
      }
      return state.mayDraw
    }
  }

  /// Keeps other processes from drawing, unless one does already.
  static func keepFree() {
    state.withLock { state in
      if case .granted(let lock) = TerminalLock.request(.plain) { state.lock = lock }
    }
  }

  /// Replaces the block. Call it only with the right to draw.
  static func draw(_ lines: [String]) {
    state.withLock { state in
      guard state.mayDraw else { return }
      state.block = lines
      put(drawing(lines))
    }
  }

  /// Erases the block, and gives up the claim on the terminal. `erases` is false if what is on the screen must stay,
  /// because the cursor is elsewhere.
  static func release(erases: Bool = true) {
    state.withLock { release(&$0, erases: erases) }
  }

  private static func release(_ state: inout TerminalState, erases: Bool) {
    if erases, !state.block.isEmpty { put(erase) }
    state.block = []
    state.mayDraw = false
    state.lock = nil
  }

  /// Prints a message on a terminal when a signal ends the process, after unfinished files are removed.
  static func announceInterruption(_ message: String) {
    guard isTerminal else { return }
    state.withLock { $0.interruptedMessage = message }
    Interruption.observe { handle($0) }
  }

  /// Handles a signal: before it ends or stops the process, the block is erased and no other is drawn. Waits at most a
  /// moment: the terminal may have stopped while the block was being drawn.
  static func handle(_ event: Interruption.Event) {
    for _ in 0..<eraseAttempts {
      let isDone = state.withLockIfAvailable { state in
        if event == .ended {
          // The terminal has echoed ^C.
          let start = Terminal.isDumb ? "\n" : erase
          if let message = state.interruptedMessage, Terminal.acceptsOutput { put("\(start)\(message)\n") }
          return true
        }
        state.isPaused = event != .resumed
        if state.isPaused { release(&state, erases: Terminal.acceptsOutput) }
        return true
      }
      if isDone == true { return }
      usleep(eraseInterval)
    }
  }

  /// Whether standard output leads to another program, so that this is not the last filter of a pipe.
  static var isOutputPipe: Bool {
    (try? KernelCalls().status(.standardOutput))?.type == .other
  }

  /// The block as text that ends at the start of its first line. Each line erases the rest of what was there.
  private static func drawing(_ lines: [String]) -> String {
    let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
    return "\r" + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[J" + up + "\r"
  }

  /// Writes a text with one call, so that the terminal keeps it together.
  private static func put(_ text: String) {
    var text = text
    _ = try? text.withUTF8 { unsafe try FileDescriptor.standardError.writeAll($0) }
  }
}

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
    _ choice: WhenShown, isQuiet: Bool, sharesTerminal: Bool, _ counters: [StageCounters]
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

/// Writes text to an output, which gets its final name in ``finish()``.
final class TextWriter {
  private let sink: FileSink
  private var pending: [UInt8] = []

  /// Makes the file, or uses standard output for `-`. `escapesControls`: see ``FileSink``.
  init(_ path: String, _ stage: StageName, escapesControls: Bool = true) throws(Failure) {
    sink = try FileSink(path, stage: stage, escapesControls: escapesControls, calls: KernelCalls())
  }

  func write(_ text: String) throws(Failure) { try write(text.utf8) }

  func write(_ bytes: some Sequence<UInt8>) throws(Failure) {
    pending.append(contentsOf: bytes)
    if pending.count >= ByteChunk.defaultBytes { try flush() }
  }

  /// Passes on what was written so far.
  func flush() throws(Failure) {
    guard !pending.isEmpty else { return }
    var chunk = ByteChunk(capacity: pending.count)
    chunk.append(pending.span)
    pending.removeAll(keepingCapacity: true)
    try sink.receive(&chunk)
  }

  /// Renames the file to its final name.
  func finish() throws(Failure) {
    try flush()
    try sink.finish()
  }
}

/// Prints text, which may contain labels and names of strangers.
enum StandardOutput {
  private static let isTerminal = RunningProcess.isOutputTerminal

  static func print(_ text: String = "", terminator: String = "\n") {
    let shown = isTerminal ? TerminalText.escaped(text) : text
    // In pieces: the C library passes a long text on at once, and then forgets that it could not be written.
    var rest = shown.utf8[...]
    while let end = rest.dropFirst(pieceBytesMin).firstIndex(of: UInt8(ascii: "\n")) {
      Swift.print(Substring(rest[...end]), terminator: "")
      rest = rest[rest.index(after: end)...]
    }
    Swift.print(Substring(rest), terminator: terminator)
  }

  /// Prints a text with its colours if standard output shows them. On a terminal, control characters are escaped.
  static func print(_ text: StyledText) {
    Swift.print(Self.text(text))
  }

  static func print(_ lines: [StyledText]) { for line in lines { print(line) } }
  static func print(_ lines: [String]) { for line in lines { print(line) } }

  /// The text as it is written to standard output: with its colours if it shows them, and on a terminal with escaped
  /// control characters.
  static func text(_ text: StyledText) -> String {
    text.text(isColoured: Colour.isOnOutput) { isTerminal ? TerminalText.escaped($0) : $0 }
  }

  private static let pieceBytesMin = 512

  /// Whether an output of text shows colours: only standard output may, never a file.
  static func isColoured(_ output: String) -> Bool {
    output == OutputFile.standardOutput && Colour.isOnOutput
  }
}

enum TerminalInput {
  static func isRead(_ inputs: [String]) -> Bool {
    inputs.contains(InputFile.standardInput) && RunningProcess.isInputTerminal
  }

  /// Prints that a command reads from the terminal, if it does and the user can see it.
  static func announce(_ inputs: [String], isQuiet: Bool = false) {
    guard !isQuiet, isRead(inputs), RunningProcess.isErrorTerminal else { return }
    Diagnostics.typed.log(InputText.readsTerminal)
  }
}

extension Pipeline {
  var inputs: [String] { sources.flatMap(\.input.paths) + files(.input) }

  /// Whether input is typed on the terminal, or records are shown there.
  var sharesTerminal: Bool {
    TerminalInput.isRead(inputs + sources.compactMap(\.input.displayName))
      || (outputs.contains(OutputFile.standardOutput) && RunningProcess.isOutputTerminal)
  }
}

/// When something is shown that depends on the terminal.
enum WhenShown: String, ExpressibleByArgument, CaseIterable, Sendable {
  case auto, always, never

  // Explicit, because the parser's default looks up the names of all cases at run time, at each start of a filter.
  static var allValueStrings: [String] { allCases.map(\.rawValue) }
  static var allValueDescriptions: [String: String] { [:] }
  var defaultValueDescription: String { rawValue }
}

/// Decides about colours, for each of the two streams separately.
enum Colour {
  private static let choice = Mutex(WhenShown.auto)

  /// Sets the user's choice.
  static func choose(_ new: WhenShown) { choice.withLock { $0 = new } }

  static var isOnOutput: Bool { isOn(RunningProcess.isOutputTerminal) }

  /// Whether standard error shows colours.
  static var isOnError: Bool { isOn(RunningProcess.isErrorTerminal) }

  /// The option decides; without it the environment (no-color.org, bixense.com/clicolors); else the stream.
  private static func isOn(_ isTerminal: Bool) -> Bool {
    switch choice.withLock({ $0 }) {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let value = RunningProcess.environment("NO_COLOR"), !value.isEmpty { return false }
    if let value = RunningProcess.environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    if RunningProcess.environment("CLICOLOR") == "0" { return false }
    return isTerminal && !Terminal.isDumb
  }
}
