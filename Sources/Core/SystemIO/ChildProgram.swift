// Another program: started with its standard streams connected to files, and waited for.
//
// Not for: exchanging messages with it while it runs.

public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A started program. Call ``wait()`` exactly once.
public struct ChildProgram: Sendable {
  /// How a program ended, and what it used.
  public struct Termination: Equatable, Sendable {
    /// Its exit status; 128 and the signal if a signal ended it.
    public var status: Int32
    /// The CPU time that it used, in seconds.
    public var cpuSeconds: Double
    /// Its peak memory in bytes. On Linux it is at least what this process had when it started the program;
    /// ``ProcessMemory/peakBytes(ofProcess:)`` is exact while the program runs.
    public var peakBytes: UInt64
  }

  /// The process identifier.
  public let identifier: Int32

  /// Starts a program with its standard input, output and error; nil means those of this process.
  ///
  /// The program starts with no signal blocked and with the default action for SIGPIPE, whatever this process has set.
  public init(
    _ path: String, _ arguments: [String], input: FileDescriptor? = nil, output: FileDescriptor? = nil,
    errors: FileDescriptor? = nil
  ) throws(Errno) {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (file, stream) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      if let file { unsafe posix_spawn_file_actions_adddup2(&actions, file.rawValue, stream) }
    }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var started: pid_t = 0
    let code = unsafe posix_spawn(&started, path, &actions, &attributes, &words, environ)
    if code != 0 { throw Errno(rawValue: code) }
    identifier = started
  }

  /// Waits until the program ends. Call it once.
  public func wait() -> Termination {
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(identifier, &status, 0, &usage) < 0 {
      if errno != EINTR { return Termination(status: 127, cpuSeconds: 0, peakBytes: 0) }
    }
    let signal = status & 0x7F
    #if os(Linux)
      let unit: UInt64 = 1024
    #else
      let unit: UInt64 = 1
    #endif
    return Termination(
      status: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
      cpuSeconds: Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime),
      peakBytes: UInt64(clamping: usage.ru_maxrss) * unit)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}

/// The two ends of a pipe between programs.
public struct ProgramPipe: Sendable {
  /// The end to read from.
  public let reading: FileDescriptor
  /// The end to write to.
  public let writing: FileDescriptor

  /// Makes a pipe whose ends are inherited only by programs that are started with them. The caller closes both ends.
  public init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends)
    guard made == 0 else { throw Errno(rawValue: errno) }
    // A program that another thread starts right now would inherit both ends; no other thread starts programs.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = FileDescriptor(rawValue: ends[0])
    writing = FileDescriptor(rawValue: ends[1])
  }

  /// Closes both ends in this process; programs that inherited them keep theirs.
  public func close() {
    try? reading.close()
    try? writing.close()
  }
}
