// Another program: started with its standard streams connected to files, and waited for.
//
// Not for: exchanging messages with it while it runs.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A started program. Call ``wait()`` exactly once.
package struct ChildProgram: Sendable {
  /// How a program ended, and what it used.
  package struct Termination: Equatable, Sendable {
    /// Its exit status; 128 and the signal if a signal ended it.
    package var status: Int32
    /// The CPU time that it used, in seconds.
    package var cpuSeconds: Double
    /// Its peak memory in bytes. On Linux it is at least what this process had when it started the program;
    /// ``ProcessMemory/peakBytes(ofProcess:)`` is exact while the program runs.
    package var peakBytes: UInt64
  }

  /// The process identifier.
  package let identifier: Int32

  /// Starts a program with its standard input, output and error; nil means those of this process.
  ///
  /// The program starts with no signal blocked and with the default action for SIGPIPE, whatever this process has set.
  package init(
    _ path: String, _ arguments: [String], input: FileDescriptor? = nil, output: FileDescriptor? = nil,
    errors: FileDescriptor? = nil
  ) throws(Errno) {
    let streams = [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)]
    identifier = try ProcessSpawn.start(
      path, arguments, descriptors: streams.compactMap { file, number in file.map { ($0, number) } },
      resetsSignals: true)
  }

  /// Waits until the program ends. Call it once.
  package func wait() -> Termination {
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
package struct ProgramPipe: Sendable {
  /// The end to read from.
  package let reading: FileDescriptor
  /// The end to write to.
  package let writing: FileDescriptor

  /// Makes a pipe whose ends are inherited only by programs that are started with them. The caller closes both ends.
  package init() throws(Errno) {
    var ends: [Int32] = [-1, -1]
    let made = unsafe pipe(&ends)
    guard made == 0 else { throw Errno(rawValue: errno) }
    // A program that another thread starts right now would inherit both ends; no other thread starts programs.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = FileDescriptor(rawValue: ends[0])
    writing = FileDescriptor(rawValue: ends[1])
  }

  /// Closes both ends in this process; programs that inherited them keep theirs.
  package func close() {
    try? reading.close()
    try? writing.close()
  }
}
