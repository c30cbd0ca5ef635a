// A load whose extension runs in its own process: its messages, its memory, its end.

#if os(Linux)

  import Glibc
  import SystemIO
  import SystemPackage

  /// A load by an extension in its own process.
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

    /// Runs a program until the end of its request.
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

    /// Waits until the extension's `requestFailed` has returned.
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
