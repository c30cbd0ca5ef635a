// Standard error: messages, and on a terminal a block of progress lines after them.
//
// The block is drawn in place: the cursor stays at the start of its first line. So anything that is printed next, also by
// another program, starts there, and nothing depends on how many lines the terminal made of it. A message erases the
// block, which is drawn again after it.

import Synchronization
import SystemIO
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes to standard error.
enum ErrorStream {
  private struct TerminalState {
    /// The lines on the screen after the messages.
    var block: [String] = []
    /// The claim on the terminal; nil if this process has none, or can't have one.
    var lock: TerminalLock?
    /// Whether this process may draw the block.
    var mayDraw = false
    /// Whether a signal is about to end or to stop the process.
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

  /// Whether this process may draw a block.
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
