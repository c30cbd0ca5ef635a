// The child's side of the socket: sends the calls of its request to the phone.

#if os(Linux)

  import Glibc
  import SystemIO
  import Synchronization

  extension ChildExtension {
    /// Returns the extension that this process was started as; nil if it was not. Call it once.
    public static func current() -> ChildExtension? {
      guard let identifier = unsafe getenv(identifierVariable), let number = unsafe getenv(socketVariable),
        let socket = unsafe Int32(String(cString: number))
      else { return nil }
      let name = unsafe String(cString: identifier)
      return ChildExtension(
        identifier: name, request: ExtensionRequest(SocketChannel(FrameSocket(file: socket))))
    }
  }

  /// The connection to a phone in another process.
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
      // After a rejection, the request ends once the extension has been notified.
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

    /// Sends a message and waits for its answer; nil if the request has ended.
    private func ask(_ frame: consuming FrameWriter) -> FrameKind? {
      if isDead { return nil }
      guard socket.send(frame) else { return over() }
      while true {
        switch socket.receive(milliseconds: -1) {
        case .nothingYet: continue
        case .closed, .nonsense: return over()
        case .frame(.refused, var body):
          isDead = true
          notify(body.failure() ?? .directory(.unknown))
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

    /// Notifies the extension on a separate thread, then the phone.
    private func notify(_ failure: LoadError) {
      let (socket, life) = (socket, life)
      do throws(SystemError) {
        try WorkerThread(name: "request-failed") {
          // The phone enforces its own time limit and then ends this process.
          life.notify(failure, waiting: .seconds(3_600))
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
