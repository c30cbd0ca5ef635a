// The terminal: its size, what is escaped on it, and which process draws on it.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

public struct TerminalSize: Equatable, Sendable {
  public var columns: Int
  public var rows: Int
}

public enum Terminal {
  /// The size if the terminal does not know its own, as for one without a window.
  private static let unknownSize = TerminalSize(columns: 80, rows: 24)

  /// The size of the terminal now. It is asked each time, so that it follows the window.
  public static var size: TerminalSize {
    var window = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
    else { return unknownSize }
    return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Whether the terminal only prints text: it can't move the cursor and has no colours.
  public static var isDumb: Bool {
    let kind = RunningProcess.environment("TERM") ?? ""
    return kind.isEmpty || kind == "dumb"
  }

  /// Whether lines may be drawn now: not by a job in the background, and not while another program, such as a pager or an
  /// editor, reads single keys, because it draws the whole screen itself.
  public static var isFreeToDraw: Bool {
    let group = tcgetpgrp(STDERR_FILENO)
    // Without a controlling terminal there are no jobs.
    if group >= 0, group != getpgrp() { return false }
    var modes = termios()
    guard unsafe tcgetattr(STDERR_FILENO, &modes) == 0 else { return true }
    return modes.c_lflag & tcflag_t(ICANON) != 0
  }

  /// Whether a write to standard error would not wait, as it does while the user has stopped the output (Ctrl-S).
  public static var acceptsOutput: Bool {
    var question = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&question, 1, 0) == 1 && question.revents & Int16(POLLOUT) != 0
  }
}

/// Output for a terminal: characters that move the cursor, change colours or reverse the direction of writing are shown
/// as escapes, because labels come from strangers.
///
/// Escapes the control characters of UTF-8 text that arrives in pieces.
public struct TerminalText {
  /// The start of a character, or a carriage return, whose rest is in the next piece.
  private var pending: [UInt8] = []

  public init() {}

  public static func escaped(_ text: String) -> String {
    var terminal = TerminalText()
    let bytes = Array(text.utf8)
    return String(decoding: terminal.escape(bytes.span) + terminal.finish(), as: UTF8.self)
  }

  /// Returns the printable form of the next bytes. Line feeds and tabs stay, and carriage returns before line feeds.
  public mutating func escape(_ bytes: Span<UInt8>) -> [UInt8] {
    var text = pending
    pending = []
    for index in bytes.indices { text.append(bytes[index]) }
    var shown: [UInt8] = []
    shown.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == 0x0A || byte == 0x09 || (byte >= 0x20 && byte < 0x7F) {
        shown.append(byte)
        index += 1
        continue
      }
      let length = Self.length(byte)
      // A carriage return needs the byte after it, too.
      if text.count - index < (byte == 0x0D ? 2 : length) {
        pending = Array(text[index...])
        break
      }
      if byte == 0x0D, text[index + 1] == 0x0A {
        shown.append(byte)
        index += 1
        continue
      }
      let character = text[index..<index + length]
      let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first
      if let scalar, !Self.isControl(scalar) {
        shown += character
        index += length
      } else {
        shown += Self.escape(scalar?.value ?? UInt32(byte))
        index += scalar == nil ? 1 : length
      }
    }
    return shown
  }

  /// Returns the printable form of an incomplete character at the end.
  public mutating func finish() -> [UInt8] {
    defer { pending = [] }
    return pending.flatMap { Self.escape(UInt32($0)) }
  }

  /// The number of bytes of a character that begins with a byte.
  private static func length(_ byte: UInt8) -> Int {
    byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 1
  }

  /// The escape of JSON, so that JSON stays valid. All controls have at most four hexadecimal digits.
  private static func escape(_ value: UInt32) -> [UInt8] {
    let digits = String(value, radix: 16)
    return Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
  }

  /// Whether a character is a control, a line separator, or a mark that changes the direction of writing.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

/// A process's claim on the terminal of standard error, held until the object is released: one process may draw on it,
/// or any number may keep it free of drawings.
///
/// The kernel keeps the claim (`flock` on the terminal's device), so a killed process holds nothing. The device is opened
/// by its name: standard error itself is one open file, which the filters of a pipe share, so that a lock on it would be
/// shared, too.
public final class TerminalLock: Sendable {
  public enum Use {
    /// It draws, and no other process does.
    case drawing
    /// It keeps the terminal free, because the user types or reads there.
    case plain
  }

  public enum Answer {
    case granted(TerminalLock)
    /// Another process uses the terminal in a way that excludes this use.
    case refused
    /// The terminal can't be opened, for example because it belongs to another user.
    case unavailable
  }

  /// The maximum length of a device's name in bytes; Linux's are shorter than 20.
  private static let nameBytesMax = 256

  private let device: FileDescriptor

  private init(_ device: FileDescriptor) { self.device = device }
  deinit {
    // A child process that was just started holds the device open, too.
    try? KernelCalls().unlock(device)
    try? KernelCalls().close(device)
  }

  /// Requests the terminal of standard error. Does not wait.
  public static func request(_ use: Use) -> Answer {
    guard let name = deviceName else { return .unavailable }
    // The terminal must not become the one that controls this process, and opening must not wait for a modem.
    let options: FileDescriptor.OpenOptions = [.nonBlocking, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)]
    guard let device = try? KernelCalls().open(FilePath(name), .readOnly, options, []) else {
      return .unavailable
    }
    let lock = TerminalLock(device)
    if flock(device.rawValue, (use == .drawing ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 { return .granted(lock) }
    return errno == EWOULDBLOCK ? .refused : .unavailable
  }

  public static var isDrawnOn: Bool {
    if case .refused = request(.plain) { return true }
    return false
  }

  /// The name of the device on standard error; nil if it is not a terminal or has no name here.
  private static var deviceName: String? {
    var bytes = [CChar](repeating: 0, count: nameBytesMax)
    guard unsafe ttyname_r(STDERR_FILENO, &bytes, bytes.count) == 0 else { return nil }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
