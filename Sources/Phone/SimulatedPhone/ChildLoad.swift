// An extension in its own process: its program, process, memory limit and end, and the messages that the phone answers.

#if os(Linux)

  import Glibc
  import SystemIO
  import SystemPackage

  /// A program that runs an extension. It gets its request from ``ChildExtension/current()``.
  public struct ChildProgram: Sendable, Equatable {
    /// The path of the program.
    public var path: String
    /// The arguments, without the program's name.
    public var arguments: [String]
    /// The environment; two variables are added to it.
    public var environment: [String: String]
    /// The maximum memory of the process in bytes that is not a file's, which is what iOS counts; nil for no limit. It
    /// is read from `/proc/PID/smaps_rollup` with every message and every few milliseconds; a process that exceeds the
    /// limit is killed. (A kernel limit would count reserved memory, and a Swift program reserves hundreds of MiB.)
    public var privateBytesMax: Int?
    /// Kills the process after it has sent this many entries, for tests of interrupted loads; nil for never.
    public var killAfterEntries: Int?

    /// Creates a program.
    public init(
      path: String, arguments: [String] = [], environment: [String: String] = [:],
      privateBytesMax: Int? = nil,
      killAfterEntries: Int? = nil
    ) {
      self.path = path
      self.arguments = arguments
      self.environment = environment
      self.privateBytesMax = privateBytesMax
      self.killAfterEntries = killAfterEntries
    }
  }

  /// The extension that this process runs as, and its request.
  public struct ChildExtension {
    /// The extension's identifier.
    public let identifier: String
    /// The extension's request.
    public let request: ExtensionRequest

    static let identifierVariable = "SIMULATED_PHONE_EXTENSION"
    static let socketVariable = "SIMULATED_PHONE_SOCKET"
    static let socketNumber: Int32 = 3
  }

  struct ChildProcess: ~Copyable {
    let identifier: pid_t
    let socket: FrameSocket

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

    /// The process's memory in bytes that is not a file's; nil if the process has ended. The private dirty memory would
    /// include the code of a program that was built just now, until the kernel has written it to the disk.
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
      for line in text.split(separator: "\n") where line.hasPrefix("Anonymous:") {
        let digits = line.filter { $0.isASCII && $0.isNumber }
        return Int(digits).map { $0 * 1_024 }
      }
      return nil
    }
  }

  struct ChildLoad {
    let phone: SimulatedPhone
    let load: LoadNumber
    let identifier: String
    /// Set to end the load early.
    let ending: OneAnswer<LoadEnding>

    /// The interval for checking the process's memory and `ending` while no message arrives.
    private static let watchMilliseconds: Int32 = 5
    /// The time that a process may run after its request, for its completion handlers.
    private static let exitSeconds = 10.0

    func run(_ program: ChildProgram) -> LoadEnding {
      let child: ChildProcess
      do throws(Errno) {
        child = try ChildProcess(program, extension: identifier)
      } catch {
        return .interrupted(.notStarted(error.rawValue))
      }
      let end = serve(child, program)
      if case .refused = end { waitUntilNotified(child) }
      switch end {
      case .interrupted(.exit):
        // The process closed the socket; wait for its exit status.
        return .interrupted(child.end(waitingSeconds: 1))
      case .completed:
        _ = child.end(waitingSeconds: Self.exitSeconds)
      case .interrupted(.exception):
        _ = child.end(waitingSeconds: 1)
      default:
        _ = child.end(waitingSeconds: 0)
      }
      return end
    }

    private func serve(_ child: borrowing ChildProcess, _ program: ChildProgram) -> LoadEnding {
      let (seconds, _) = phone.assumptions.requestTime.components
      let deadline = MonotonicClock.seconds() + Double(seconds)
      var entries = 0
      while true {
        let receipt = child.socket.receive(milliseconds: Self.watchMilliseconds)
        if let wanted = ending.present { return wanted }
        if let held = child.privateBytes() {
          phone.note(privateBytes: held, load)
          if let limit = program.privateBytesMax, held > limit {
            return .interrupted(.memory(held: held, limit: limit))
          }
        }
        switch receipt {
        case .nothingYet:
          if MonotonicClock.seconds() > deadline { return .interrupted(.timeLimit) }
        case .closed: return .interrupted(.exit(0))
        case .nonsense: return .interrupted(.nonsense)
        case .frame(let kind, var body):
          if let end = answer(kind, &body, child.socket, &entries) { return end }
          if let limit = program.killAfterEntries, entries >= limit { return .interrupted(.killed) }
        }
      }
    }

    /// Processes a message and answers it. Returns the result if the load ends.
    private func answer(
      _ kind: FrameKind, _ body: inout FrameReader, _ socket: FrameSocket, _ entries: inout Int
    ) -> LoadEnding? {
      switch kind {
      case .ask:
        return reply(FrameWriter(phone.askIncremental(load) ? .yes : .no), socket)
      case .batch:
        guard let batch = body.batch() else { return .interrupted(.nonsense) }
        entries += batch.numbers.count
        return reply(phone.apply(batch, load), socket)
      case .removeAll:
        guard let kind = body.number(UInt8.self).flatMap(EntryKind.init(rawValue:)) else {
          return .interrupted(.nonsense)
        }
        return reply(phone.removeAll(kind, load), socket)
      case .complete:
        guard let dropped = body.number(UInt64.self) else { return .interrupted(.nonsense) }
        switch phone.finish(load, dropped: Int(clamping: dropped)) {
        case .taken:
          // The load is complete even if the process can't receive the answer.
          guard ending.give(.completed) else {
            _ = socket.send(FrameWriter(.expired))
            return ending.wait()
          }
          _ = socket.send(FrameWriter(.done))
          return .completed
        case .refused(let failure): return reply(failure, socket)
        case .expired: return reply(FrameWriter(.expired), socket)
        }
      case .cancel:
        guard let code = body.number(Int64.self), let domain = body.text(), let text = body.text() else {
          return .interrupted(.nonsense)
        }
        return .cancelled(Cancellation(domain: domain, code: Int(code), text: text))
      case .misuse:
        guard let misuse = body.number(UInt8.self).flatMap(LoadRequestError.init(rawValue:)) else {
          return .interrupted(.nonsense)
        }
        return .interrupted(.exception(misuse))
      default:
        return .interrupted(.nonsense)
      }
    }

    private func reply(_ frame: consuming FrameWriter, _ socket: FrameSocket) -> LoadEnding? {
      socket.send(frame) ? nil : .interrupted(.exit(0))
    }

    private func reply(_ failure: LoadError?, _ socket: FrameSocket) -> LoadEnding? {
      guard let failure else { return reply(FrameWriter(.done), socket) }
      var frame = FrameWriter(.refused)
      frame.put(failure)
      // The process may have ended already; the error still applies.
      _ = socket.send(frame)
      return .refused(failure)
    }

    private func waitUntilNotified(_ child: borrowing ChildProcess) {
      let (seconds, attoseconds) = phone.assumptions.requestFailedWait.components
      let deadline = MonotonicClock.seconds() + Double(seconds) + Double(attoseconds) / 1e18
      while MonotonicClock.seconds() < deadline {
        switch child.socket.receive(milliseconds: Self.watchMilliseconds) {
        case .nothingYet: continue
        case .frame(.notified, _), .closed, .nonsense: return
        case .frame: continue
        }
      }
    }
  }

#endif
