// This process and others on the machine: identifiers, environment, terminals.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Facts about this process, and whether others still run.
package enum RunningProcess {
  /// This process's identifier.
  package static var identifier: Int32 { getpid() }

  /// Whether the process with an identifier has ended, as far as that can be determined on this machine.
  package static func hasEnded(_ identifier: Int32) -> Bool {
    // Signal 0 is not sent; the call only checks whether the process exists.
    kill(identifier, 0) != 0 && errno == ESRCH
  }

  /// The number of processors that are online; at least 1.
  package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// An environment variable; nil when it is not set.
  package static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Whether standard input is a terminal.
  package static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  /// Whether standard output is a terminal.
  package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  /// Whether the file at a path is a terminal.
  package static func isTerminal(_ path: String) -> Bool {
    let calls = KernelCalls()
    // Opening a pipe would have effects.
    guard (try? calls.status(FilePath(path), followsLinks: true))?.type == .device,
      let file = unsafe try? FileDescriptor.open(path, .writeOnly, options: [.nonBlocking])
    else { return false }
    defer { try? file.close() }
    return isatty(file.rawValue) == 1
  }

  /// Whether standard output is a pipe.
  package static var isOutputPipe: Bool {
    var status = stat()
    return unsafe fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }
  /// Whether standard error is a terminal.
  package static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// The width of the terminal on standard output in columns, or $COLUMNS if it is set; nil if there is neither.
  package static var outputColumns: Int? {
    if let columns = environment("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The name of this machine; nil if the system has none.
  package static var hostName: String? {
    // HOST_NAME_MAX is 64 on Linux, 255 elsewhere.
    var bytes = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
