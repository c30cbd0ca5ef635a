// This process and others: programs that are started, signals, memory, the path of the program, libraries.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CIntrinsics
import Synchronization
public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A started program. Call ``wait()`` exactly once.
public struct ChildProgram: Sendable {
  public struct Termination: Equatable, Sendable {
    /// Its exit status; 128 and the signal if a signal ended it.
    public var status: Int32
    public var cpuSeconds: Double
    /// Its peak memory in bytes. On Linux it is at least what this process had when it started the program;
    /// ``ProcessMemory/peakBytes(ofProcess:)`` is exact while the program runs.
    public var peakBytes: UInt64
  }

  public let identifier: Int32

  /// Starts a program with its standard input, output and error; nil means those of this process.
  ///
  /// The program starts with no signal blocked and with the default action for SIGPIPE, whatever this process has set.
  public init(
    _ path: String, _ arguments: [String], input: FileDescriptor? = nil, output: FileDescriptor? = nil,
    errors: FileDescriptor? = nil
  ) throws(Errno) {
    let streams = [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)]
    identifier = try ProcessSpawn.start(
      path, arguments, descriptors: streams.compactMap { file, number in file.map { ($0, number) } },
      resetsSignals: true)
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

public struct ProgramPipe: Sendable {
  public let reading: FileDescriptor
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

public enum ProcessSpawn {
  /// Starts a program with arguments after its name, which is `path`, and returns its process identifier. The environment
  /// has entries of the form `NAME=value`; nil for that of this process. Descriptors get the given numbers in the program.
  /// With `resetsSignals`, it starts with no signal blocked and with the default action for SIGPIPE.
  public static func start(
    _ path: String, _ arguments: [String], environment: [String]? = nil,
    descriptors: [(FileDescriptor, Int32)], resetsSignals: Bool
  ) throws(Errno) -> Int32 {
    #if canImport(Glibc)
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (file, number) in descriptors {
      unsafe posix_spawn_file_actions_adddup2(&actions, file.rawValue, number)
    }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    if resetsSignals {
      var none = sigset_t()
      unsafe sigemptyset(&none)
      var defaults = sigset_t()
      unsafe sigemptyset(&defaults)
      unsafe sigaddset(&defaults, SIGPIPE)
      unsafe posix_spawnattr_setsigmask(&attributes, &none)
      unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
      unsafe posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    }
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var variables = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
    defer { unsafe variables.forEach { unsafe free($0) } }
    var started: pid_t = 0
    let code =
      environment == nil
      ? unsafe posix_spawn(&started, path, &actions, &attributes, &words, environ)
      : unsafe posix_spawn(&started, path, &actions, &attributes, &words, &variables)
    if code != 0 { throw Errno(rawValue: code) }
    return started
  }
}

/// Facts about this process, and whether others still run.
public enum RunningProcess {
  public static var identifier: Int32 { getpid() }

  /// Whether the process with an identifier has ended, as far as that can be determined on this machine.
  public static func hasEnded(_ identifier: Int32) -> Bool {
    // Signal 0 is not sent; the call only checks whether the process exists.
    kill(identifier, 0) != 0 && errno == ESRCH
  }

  /// The number of processors that are online; at least 1.
  public static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  public static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  public static var isInputTerminal: Bool { isatty(STDIN_FILENO) == 1 }
  public static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  public static func isTerminal(_ path: String) -> Bool {
    let calls = KernelCalls()
    // Opening a pipe would have effects.
    guard (try? calls.status(FilePath(path), followsLinks: true))?.type == .device,
      let file = unsafe try? FileDescriptor.open(path, .writeOnly, options: [.nonBlocking])
    else { return false }
    defer { try? file.close() }
    return isatty(file.rawValue) == 1
  }

  public static var isOutputPipe: Bool {
    var status = stat()
    return unsafe fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }
  public static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// The width of the terminal on standard output in columns, or $COLUMNS if it is set; nil if there is neither.
  public static var outputColumns: Int? {
    if let columns = environment("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  public static var hostName: String? {
    // HOST_NAME_MAX is 64 on Linux, 255 elsewhere.
    var bytes = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}

public enum ProgramPath {
  /// The path of the running program without links; nil if the system does not report it.
  ///
  /// If the program was started with an explicit loader (`ld.so --argv0 PATH PROGRAM`), as in a bundle
  /// (docs/operations/bundle.md), it is `PATH`: the kernel knows only the loader, which could not start the program
  /// again without its options.
  public static var own: String? {
    #if canImport(Darwin)
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      guard unsafe cdp_program_path(&path, UInt32(path.count)) == 0 else { return nil }
      return resolved(String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    #else
      guard let executed = resolved("/proc/self/exe") else { return nil }
      guard isLoader(executed) else { return executed }
      return CommandLine.arguments.first.flatMap { resolved($0) }
    #endif
  }

  /// Whether a path is, by its name, that of the system's loader: `ld-linux-x86-64.so.2`, `ld-2.31.so`.
  public static func isLoader(_ path: String) -> Bool {
    guard let name = FilePath(path).lastComponent?.string else { return false }
    return name.hasPrefix("ld-") && name.contains(".so")
  }

  private static func resolved(_ path: String) -> String? {
    (try? KernelCalls().resolve(FilePath(path)))?.string
  }

  /// Finds a program by its name: in the directory of the running program, or else in a directory of `PATH`.
  public static func find(_ name: String) -> String? {
    if let own, let path = program(name, in: FilePath(own).removingLastComponent().string) { return path }
    guard let directories = RunningProcess.environment("PATH") else { return nil }
    for directory in directories.split(separator: ":", omittingEmptySubsequences: false) {
      if let path = program(name, in: directory.isEmpty ? "." : String(directory)) { return path }
    }
    return nil
  }

  /// Whether a path leads to a program that this process may execute.
  public static func isProgram(_ path: String) -> Bool {
    unsafe access(path, X_OK) == 0 && Directory.holdsFile(path)
  }

  private static func program(_ name: String, in directory: String) -> String? {
    let path = FilePath(directory).appending(name).string
    return isProgram(path) ? path : nil
  }
}

public enum ProcessMemory {
  /// Makes the allocator return large blocks to the system when they are freed. Call this before any is allocated.
  public static func returnLargeBlocks() { cdp_return_large_blocks() }

  /// The peak resident memory in bytes; 0 if the system does not report it.
  ///
  /// On Linux this is `VmHWM`: `getrusage` also counts the memory that the process had before it executed this program.
  public static func peakBytes() -> UInt64 {
    #if os(Linux)
      return peakBytes(of: "self") ?? 0
    #else
      var usage = rusage()
      return unsafe getrusage(RUSAGE_SELF, &usage) == 0 ? UInt64(clamping: usage.ru_maxrss) : 0
    #endif
  }

  #if os(Linux)
    /// The peak resident memory of another process so far, in bytes; nil if it has ended.
    public static func peakBytes(ofProcess identifier: Int32) -> UInt64? {
      peakBytes(of: String(identifier))
    }

    private static func peakBytes(of process: String) -> UInt64? {
      guard let file = unsafe fopen("/proc/\(process)/status", "r") else { return nil }
      defer { unsafe fclose(file) }
      // The file has about 60 lines.
      var page = [UInt8](repeating: 0, count: 8192)
      let count = unsafe page.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
      for line in String(decoding: page[..<count], as: UTF8.self).split(separator: "\n") {
        guard line.hasPrefix("VmHWM:") else { continue }
        return UInt64(line.filter { $0.isASCII && $0.isNumber }).map { $0 * 1024 }
      }
      return nil
    }
  #endif

  /// The main memory of the machine in bytes; `Int.max` if the system does not report it.
  public static var physicalBytes: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let page = sysconf(Int32(_SC_PAGESIZE))
    let (bytes, overflow) = pages.multipliedReportingOverflow(by: page)
    return pages > 0 && page > 0 && !overflow ? bytes : Int.max
  }

  /// The limit of the memory that the process may reserve, in bytes (`ulimit -v`, `ulimit -d`); nil if there is none.
  public static var limitBytes: Int? {
    #if os(Linux)
      let kinds = [RLIMIT_AS, RLIMIT_DATA].map { CInt($0.rawValue) }
    #else
      let kinds = [RLIMIT_DATA]
    #endif
    var lowest: Int?
    for kind in kinds {
      var limit = rlimit()
      guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < UInt64(Int.max) else { continue }
      lowest = min(lowest ?? Int.max, Int(limit.rlim_cur))
    }
    return lowest
  }

  /// The CPU time of all threads of the process, in seconds.
  public static func cpuSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}

public enum Interruption {
  public enum Event: Sendable {
    /// It is about to end. Unfinished files are removed after this.
    case ending
    /// Unfinished files are removed, and it ends now.
    case ended
    /// It is about to stop (Ctrl-Z).
    case stopping
    case resumed
  }

  private static let observer = Mutex<(@Sendable (Event) -> Void)?>(nil)

  /// Sets what is called for each event. It must not wait for long, because the user waits for the process.
  public static func observe(_ newObserver: @escaping @Sendable (Event) -> Void) {
    observer.withLock { $0 = newObserver }
  }

  /// Makes these signals remove unfinished files before they end the process; SIGTSTP stops it, as without this.
  ///
  /// The process dies of the signal: a shell ends a loop when a command in it dies of SIGINT, and continues when the
  /// command exits, whatever its status.
  ///
  /// The signals are blocked in this thread and in every thread started later, and one thread waits for them: unlike a
  /// signal handler, it may take locks. Call this before any other thread starts. Only the first call has an effect.
  public static func cleanUp() { once }

  private static let once: Void = begin()

  private static func begin() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP] {
      // A signal that the parent process ignores (nohup) stays ignored.
      var now = sigaction()
      unsafe sigaction(number, nil, &now)
      #if canImport(Glibc)
        let ignored = unsafe unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self) == 1
      #else
        let ignored = unsafe unsafeBitCast(now.__sigaction_u.__sa_handler, to: Int.self) == 1
      #endif
      if !ignored { unsafe sigaddset(&signals, number) }
    }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let blocked = signals
    do throws(SystemError) {
      _ = try WorkerThread(name: "signals") { wait(for: blocked) }
    } catch {
      // Without the thread, signals end the process as usual.
      unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
  }

  private static func wait(for signals: sigset_t) {
    var waiting = signals
    var received: Int32 = 0
    while unsafe sigwait(&waiting, &received) == 0 {
      let observer = Interruption.observer.withLock { $0 }
      if received == SIGTSTP {
        observer?(.stopping)
        stop()
        observer?(.resumed)
      } else {
        observer?(.ending)
        UnpublishedFiles.shared.removeAll {
          observer?(.ended)
          end(by: received)
        }
      }
    }
  }

  /// Ends the process by a signal.
  private static func end(by number: Int32) -> Never {
    raiseUnblocked(number)
    // The kernel ignores the default action of signals in the first process of a container.
    _exit(128 + number)
  }

  private static func stop() {
    var signals = raiseUnblocked(SIGTSTP)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Sends this thread a signal whose action is the default one.
  @discardableResult
  private static func raiseUnblocked(_ number: Int32) -> sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    return signals
  }
}

/// A C library that is opened at run time, when the first command needs it.
public struct RuntimeLibrary: Sendable {
  public let name: String
  public let command: String
  /// Whether it can be opened and has the functions that the stage calls.
  public let isUsable: Bool
  public let isOptional: Bool

  public init(name: String, command: String, isUsable: Bool, isOptional: Bool = false) {
    self.name = name
    self.command = command
    self.isUsable = isUsable
    self.isOptional = isOptional
  }
}
