// The messages between a phone and an extension in its own process: little-endian, each preceded by its length.
//
//     child to phone   ask · batch · remove all · complete · cancel · notified · misuse
//     phone to child   yes · no · done · expired · refused

#if os(Linux)

  import Glibc
  import Synchronization
  import SystemIO

  enum FrameKind: UInt8 {
    /// Asks whether the request is incremental.
    case ask = 1
    /// A batch of changes: kind, change, numbers, labels.
    case batch = 2
    case removeAll = 3
    /// Completes the request; contains the number of dropped entries.
    case complete = 4
    /// Cancels the request: code, domain, text.
    case cancel = 5
    /// Reports that `requestFailed` has returned.
    case notified = 6
    /// Reports that the process is about to end because of an invalid call.
    case misuse = 7

    case yes = 128
    case no = 129
    case done = 130
    case expired = 131
    /// The request was rejected: type of error, code, domain.
    case refused = 132
  }

  enum FrameLimits {
    /// The maximum size of a message in bytes: a full batch with its numbers and label indices, labels of
    /// `labelBytesMax` plus one more, and a length for each.
    static let bytesMax = ChangeBatch.labelBytesMax + 65_536 + ChangeBatch.entriesMax * 14 + 64
    /// The maximum size of an error's domain or text in bytes; longer ones are truncated.
    static let textBytesMax = 4_096
  }

  struct FrameWriter {
    /// The size of the header: 1 byte for the kind and 4 for the length.
    static let headBytes = 5
    private(set) var bytes: ContiguousArray<UInt8>

    init(_ kind: FrameKind) { bytes = [kind.rawValue, 0, 0, 0, 0] }

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
      unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a text of at most 65,535 bytes with its length.
    mutating func put(_ text: String) {
      put(UInt16(truncatingIfNeeded: text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    }

    mutating func put(cut text: String) {
      let cut = ContiguousArray(text.utf8.prefix(FrameLimits.textBytesMax))
      put(UInt16(truncatingIfNeeded: cut.count))
      bytes.append(contentsOf: cut)
    }

    mutating func put<Number: FixedWidthInteger>(_ numbers: ContiguousArray<Number>) {
      // All supported platforms are little-endian, like the message.
      unsafe numbers.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func put(_ batch: ChangeBatch) {
      put(batch.kind.rawValue)
      put(batch.change.rawValue)
      put(UInt32(truncatingIfNeeded: batch.numbers.count))
      put(UInt32(truncatingIfNeeded: batch.labels.count))
      put(batch.numbers)
      put(batch.labelPlaces)
      for label in batch.labels { put(label) }
    }

    consuming func finished() -> ContiguousArray<UInt8> {
      let length = UInt32(truncatingIfNeeded: bytes.count - Self.headBytes)
      for place in 0..<4 { bytes[1 + place] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(place))) }
      return bytes
    }
  }

  /// Parses a message. The content is untrusted: missing or extra bytes result in nil.
  struct FrameReader {
    private let bytes: ContiguousArray<UInt8>
    private var place = 0

    init(_ bytes: ContiguousArray<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
      let size = MemoryLayout<Number>.size
      guard bytes.count - place >= size else { return nil }
      let value = unsafe bytes.withUnsafeBytes {
        unsafe $0.loadUnaligned(fromByteOffset: place, as: Number.self)
      }
      place += size
      return Number(littleEndian: value)
    }

    mutating func numbers<Number: FixedWidthInteger>(_: Number.Type, _ count: Int) -> ContiguousArray<Number>?
    {
      let size = MemoryLayout<Number>.size
      guard count <= ChangeBatch.entriesMax, bytes.count - place >= size * count else { return nil }
      var result = ContiguousArray<Number>(repeating: 0, count: count)
      unsafe bytes.withUnsafeBytes { source in
        unsafe result.withUnsafeMutableBytes { target in
          unsafe target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: source[place..<place + size * count]))
        }
      }
      place += size * count
      return result
    }

    mutating func text() -> String? {
      guard let length = number(UInt16.self), bytes.count - place >= Int(length) else { return nil }
      defer { place += Int(length) }
      return String(decoding: bytes[place..<place + Int(length)], as: UTF8.self)
    }

    mutating func batch() -> ChangeBatch? {
      guard let kind = number(UInt8.self).flatMap(EntryKind.init(rawValue:)),
        let change = number(UInt8.self).flatMap(EntryChange.init(rawValue:)),
        let count = number(UInt32.self), let labelCount = number(UInt32.self),
        let numbers = numbers(Int64.self, Int(count)), labelCount <= count
      else { return nil }
      var batch = ChangeBatch(kind, change)
      batch.numbers = numbers
      if kind == .identification, change == .add {
        guard let places = self.numbers(UInt32.self, Int(count)) else { return nil }
        for _ in 0..<labelCount {
          guard let label = text() else { return nil }
          batch.labels.append(label)
        }
        guard places.allSatisfy({ $0 < labelCount }) else { return nil }
        batch.labelPlaces = places
      }
      return isAtEnd ? batch : nil
    }
  }

  extension FrameWriter {
    mutating func put(_ failure: LoadError) {
      let sort: UInt8 =
        switch failure {
        case .directory: 0
        case .database: 1
        case .cancelled: 2
        }
      put(sort)
      put(Int64(failure.code))
      put(cut: failure.domain)
    }
  }

  extension FrameReader {
    mutating func failure() -> LoadError? {
      guard let sort = number(UInt8.self), let code = number(Int64.self), let domain = text() else {
        return nil
      }
      switch sort {
      case 0: return .directory(CallDirectoryErrorCode(rawValue: Int(code)) ?? .unknown)
      case 1: return .database(Int32(clamping: code))
      default: return .cancelled(Cancellation(domain: domain, code: Int(code)))
      }
    }
  }

  enum FrameReceipt {
    case frame(FrameKind, FrameReader)
    /// No message arrived in time.
    case nothingYet
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

  final class SocketChannel: LoadChannel {
    private let socket: FrameSocket
    let life = RequestLife()
    private var isDead = false

    init(_ socket: FrameSocket) { self.socket = socket }

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
