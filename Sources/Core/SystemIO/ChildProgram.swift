// Another program, started with the files it is to read and write, and waited for.
//
// Not for: talking with it while it runs.

public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that was started. It must be waited for.
public struct ChildProgram: Sendable {
  /// How a program ended.
  public struct Ending: Equatable, Sendable {
    /// Its exit status; 128 and the signal if a signal ended it.
    public var status: Int32
    /// The processors' time that it took, in seconds.
    public var cpuSeconds: Double
    /// The most memory that it had, in bytes. On Linux also what this process had when it started the program, if that
    /// was more (``ProcessMemory/peakBytes(ofProcess:)`` knows better while it runs).
    public var peakBytes: UInt64
  }

  /// The process.
  public let identifier: Int32

  /// Starts a program with its standard input, output and error; nil stands for this process's own.
  ///
  /// Signals that this process holds back are not held back in the program, and it ends by SIGPIPE as usual.
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
    for (file, place) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      if let file { unsafe posix_spawn_file_actions_adddup2(&actions, file.rawValue, place) }
    }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    unsafe sigaddset(&usual, SIGPIPE)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var started: pid_t = 0
    let code = unsafe posix_spawn(&started, path, &actions, &attributes, &words, environ)
    if code != 0 { throw Errno(rawValue: code) }
    identifier = started
  }

  /// Waits until the program ends. Only once.
  public func wait() -> Ending {
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(identifier, &status, 0, &usage) < 0 {
      if errno != EINTR { return Ending(status: 127, cpuSeconds: 0, peakBytes: 0) }
    }
    let signal = status & 0x7F
    #if os(Linux)
      let unit: UInt64 = 1024
    #else
      let unit: UInt64 = 1
    #endif
    return Ending(
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
  /// Where it is read.
  public let reading: FileDescriptor
  /// Where it is written.
  public let writing: FileDescriptor

  /// Makes a pipe whose ends only go to programs that they are given to. Whoever makes it closes both ends.
  public init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends)
    guard made == 0 else { throw Errno(rawValue: errno) }
    // No other thread starts programs meanwhile, which alone could let an end slip through.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = FileDescriptor(rawValue: ends[0])
    writing = FileDescriptor(rawValue: ends[1])
  }

  /// Closes both ends here; the programs that have them keep them.
  public func close() {
    try? reading.close()
    try? writing.close()
  }
}
