// A socket for complete messages.

#if os(Linux)

  import Glibc

  /// The result of receiving a message.
  enum FrameReceipt {
    case frame(FrameKind, FrameReader)
    /// No message arrived in time.
    case nothingYet
    /// The other side has closed the socket.
    case closed
    /// The message is invalid.
    case nonsense
  }

  /// One end of a socket. The creator closes it.
  struct FrameSocket: Sendable {
    let file: Int32

    /// Sends a message; returns false if the other side has closed the socket.
    func send(_ frame: consuming FrameWriter) -> Bool {
      let bytes = frame.finished()
      var sent = 0
      while sent < bytes.count {
        let count = unsafe bytes.withUnsafeBytes {
          unsafe Glibc.send(file, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count < 0 {
          if errno == EINTR { continue }
          return false
        }
        sent += count
      }
      return true
    }

    /// Waits for the start of the next message, at most the given milliseconds; -1 waits forever.
    func receive(milliseconds: Int32) -> FrameReceipt {
      var waited = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&waited, 1, milliseconds)
      if ready == 0 || ready < 0 && errno == EINTR { return .nothingYet }
      guard ready > 0 else { return .closed }
      guard let head = read(FrameWriter.headBytes) else { return .closed }
      guard let kind = FrameKind(rawValue: head[0]) else { return .nonsense }
      var length = 0
      for place in 0..<4 { length |= Int(head[1 + place]) << (8 * place) }
      guard length <= FrameLimits.bytesMax else { return .nonsense }
      guard let body = read(length) else { return .closed }
      return .frame(kind, FrameReader(body))
    }

    private func read(_ count: Int) -> ContiguousArray<UInt8>? {
      var bytes = ContiguousArray<UInt8>(repeating: 0, count: count)
      var received = 0
      while received < count {
        let got = unsafe bytes.withUnsafeMutableBytes {
          unsafe recv(file, $0.baseAddress! + received, count - received, 0)
        }
        if got < 0, errno == EINTR { continue }
        if got <= 0 { return nil }
        received += got
      }
      return bytes
    }
  }

#endif
