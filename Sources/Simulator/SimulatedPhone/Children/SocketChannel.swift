// The child's side: its request goes over the socket it was started with.

#if os(Linux)

  import Glibc
  import SystemIO
  import Synchronization

  extension ChildExtension {
    /// The request of this process, if a phone started it as an extension. Ask once.
    public static func current() -> ChildExtension? {
      guard let identifier = unsafe getenv(identifierVariable), let number = unsafe getenv(socketVariable),
        let socket = unsafe Int32(String(cString: number))
      else { return nil }
      let name = unsafe String(cString: identifier)
      return ChildExtension(
        identifier: name, request: ExtensionRequest(SocketChannel(FrameSocket(file: socket))))
    }
  }

  /// The way to a phone in another process.
  final class SocketChannel: LoadChannel {
    private let socket: FrameSocket
    let life = RequestLife()
    private var isDead = false

    init(_ socket: FrameSocket) {
      self.socket = socket
    }

    func askIncremental() -> Bool {
      if case .yes = ask(FrameWriter(.ask)) { return true }
      return false
    }

    func send(_ batch: ChangeBatch) {
      if isDead { return }
      var frame = FrameWriter(.batch)
      frame.put(batch)
      _ = ask(frame)
    }

    func removeAll(_ kind: EntryKind) {
      var frame = FrameWriter(.removeAll)
      frame.put(kind.rawValue)
      _ = ask(frame)
    }

    func complete(dropped: Int) -> Bool {
      var frame = FrameWriter(.complete)
      frame.put(UInt64(dropped))
      let answer = ask(frame)
      // After a rejection it is over when the extension has been notified.
      if answer != nil { life.end() }
      return answer != .done
    }

    func cancel(_ reason: Cancellation) {
      if isDead { return }
      isDead = true
      var frame = FrameWriter(.cancel)
      frame.put(Int64(reason.code))
      frame.put(cut: reason.domain)
      frame.put(cut: reason.text)
      _ = socket.send(frame)
      life.end()
    }

    func crash(_ misuse: LoadRequestError) -> Never {
      var frame = FrameWriter(.misuse)
      frame.put(misuse.rawValue)
      _ = socket.send(frame)
      abort()
    }

    /// Sends a message and waits for its answer; nil when the request is over.
    private func ask(_ frame: consuming FrameWriter) -> FrameKind? {
      if isDead { return nil }
      guard socket.send(frame) else { return over() }
      while true {
        switch socket.receive(milliseconds: -1) {
        case .nothingYet: continue
        case .closed, .nonsense: return over()
        case .frame(.refused, var body):
          isDead = true
          tell(body.failure() ?? .directory(.unknown))
          return nil
        case .frame(let kind, _): return kind
        }
      }
    }

    private func over() -> FrameKind? {
      isDead = true
      life.end()
      return nil
    }

    /// Notifies the extension on a thread of its own, and the phone when that is done.
    private func tell(_ failure: LoadError) {
      let (socket, life) = (socket, life)
      do throws(SystemError) {
        try WorkerThread(name: "request-failed") {
          // The phone waits as long as it wants to, and then ends this process.
          life.tell(failure, waiting: .seconds(3_600))
          _ = socket.send(FrameWriter(.notified))
          life.end()
        }.detach()
      } catch {
        _ = socket.send(FrameWriter(.notified))
        life.end()
      }
    }
  }

#endif
