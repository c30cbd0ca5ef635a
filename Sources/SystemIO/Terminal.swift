// The terminal on standard error: its size, and whether this process may draw on it now.
//
// Not for: which of several processes draws (TerminalLock).

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The size of a terminal in characters.
package struct TerminalSize: Equatable, Sendable {
  /// The number of columns.
  package var columns: Int
  /// The number of lines.
  package var rows: Int

  /// Makes a size.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// The terminal on standard error.
package enum Terminal {
  /// The size if the terminal does not know its own, as for one without a window.
  private static let unknownSize = TerminalSize(columns: 80, rows: 24)

  /// The size of the terminal now. It is asked each time, so that it follows the window.
  package static var size: TerminalSize {
    var window = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
    else { return unknownSize }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Whether the terminal only prints text: it can't move the cursor and has no colours.
  package static var isDumb: Bool {
    let kind = RunningProcess.environment("TERM") ?? ""
    return kind.isEmpty || kind == "dumb"
  }

  /// Whether lines may be drawn now: not by a job in the background, and not while another program, such as a pager or an
  /// editor, reads single keys, because it draws the whole screen itself.
  package static var isFreeToDraw: Bool {
    let group = tcgetpgrp(STDERR_FILENO)
    // Without a controlling terminal there are no jobs.
    if group >= 0, group != getpgrp() { return false }
    var modes = termios()
    guard unsafe tcgetattr(STDERR_FILENO, &modes) == 0 else { return true }
    return modes.c_lflag & tcflag_t(ICANON) != 0
  }

  /// Whether a write to standard error would not wait, as it does while the user has stopped the output (Ctrl-S).
  package static var acceptsOutput: Bool {
    var question = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&question, 1, 0) == 1 && question.revents & Int16(POLLOUT) != 0
  }
}
