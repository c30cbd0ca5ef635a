// Which process draws on the terminal of standard error: the filters of a shell pipe share it.
//
// Not for: files (FileLock).

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process's claim on the terminal of standard error, held until the object is released: one process may draw on it,
/// or any number may keep it free of drawings.
///
/// The kernel keeps the claim (`flock` on the terminal's device), so a killed process holds nothing. The device is opened
/// by its name: standard error itself is one open file, which the filters of a pipe share, so that a lock on it would be
/// shared, too.
package final class TerminalLock: Sendable {
  /// What a process does with the terminal.
  package enum Use {
    /// It draws, and no other process does.
    case drawing
    /// It keeps the terminal free, because the user types or reads there.
    case plain
  }

  /// The answer to a request.
  package enum Answer {
    case granted(TerminalLock)
    /// Another process uses the terminal in a way that excludes this use.
    case refused
    /// The terminal can't be opened, for example because it belongs to another user.
    case unavailable
  }

  /// The maximum length of a device's name in bytes; Linux's are shorter than 20.
  private static let nameBytesMax = 256

  private let device: FileDescriptor

  private init(_ device: FileDescriptor) {
    self.device = device
  }

  deinit {
    // A child process that was just started holds the device open, too.
    try? KernelCalls().unlock(device)
    try? KernelCalls().close(device)
  }

  /// Requests the terminal of standard error. Does not wait.
  package static func request(_ use: Use) -> Answer {
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

  /// Whether another process draws.
  package static var isDrawnOn: Bool {
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
