// Starts, monitors and ends a process.

#if os(Linux)

  import Glibc
  import SystemIO
  import SystemPackage

  /// A child process with the phone's end of its socket.
  struct ChildProcess: ~Copyable {
    let identifier: pid_t
    let socket: FrameSocket

    /// Starts a program with a socket.
    init(_ program: ChildProgram, extension name: String) throws(Errno) {
      var ends: [Int32] = [-1, -1]
      let made = unsafe socketpair(
        AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
      guard made == 0 else { throw Errno(rawValue: errno) }
      var environment = program.environment
      environment[ChildExtension.identifierVariable] = name
      environment[ChildExtension.socketVariable] = "\(ChildExtension.socketNumber)"
      let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
      let started: Int32
      do throws(Errno) {
        started = try ProcessSpawn.start(
          program.path, program.arguments, environment: variables,
          descriptors: [(FileDescriptor(rawValue: ends[1]), ChildExtension.socketNumber)],
          resetsSignals: false)
      } catch {
        for end in ends { _ = close(end) }
        throw error
      }
      _ = close(ends[1])
      identifier = started
      socket = FrameSocket(file: ends[0])
    }

    /// Ends the process if necessary, and reaps it. Returns the signal or the status. Call it once.
    consuming func end(waitingSeconds limit: Double) -> LoadInterruption {
      _ = close(socket.file)
      let deadline = MonotonicClock.seconds() + limit
      var status: Int32 = 0
      while unsafe waitpid(identifier, &status, WNOHANG) == 0 {
        if MonotonicClock.seconds() >= deadline {
          Glibc.kill(identifier, SIGKILL)
          while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
          return .killed
        }
        usleep(500)
      }
      let signal = status & 0x7F
      return signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
    }

    /// The process's private dirty memory in bytes; nil if the process has ended.
    borrowing func privateBytes() -> Int? {
      let calls = KernelCalls()
      guard
        let file = try? calls.open(
          FilePath("/proc/\(identifier)/smaps_rollup"), .readOnly, [], [])
      else { return nil }
      defer { try? calls.close(file) }
      // The file has about 20 lines, less than a page.
      var page = ContiguousArray<UInt8>(repeating: 0, count: 4_096)
      let count = unsafe page.withUnsafeMutableBytes { unsafe (try? calls.read(file, into: $0)) ?? 0 }
      let text = String(decoding: page[..<count], as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("Private_Dirty:") {
        let digits = line.filter { $0.isASCII && $0.isNumber }
        return Int(digits).map { $0 * 1_024 }
      }
      return nil
    }
  }

#endif
