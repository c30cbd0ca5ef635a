// The messages between a phone and an extension in its own process: little-endian, each preceded by its length.
//
//     child to phone   ask · batch · remove all · complete · cancel · notified · misuse
//     phone to child   yes · no · done · expired · refused
//
// Not for the socket (FrameSocket) or processing messages (ChildLoad, SocketChannel).

#if os(Linux)

  /// The kind of a message.
  enum FrameKind: UInt8 {
    /// Asks whether the request is incremental.
    case ask = 1
    /// A batch of changes: kind, change, numbers, labels.
    case batch = 2
    /// Removes all entries of a kind.
    case removeAll = 3
    /// Completes the request; contains the number of dropped entries.
    case complete = 4
    /// Cancels the request: code, domain, text.
    case cancel = 5
    /// Reports that `requestFailed` has returned.
    case notified = 6
    /// Reports that the process is about to end because of an invalid call.
    case misuse = 7

    /// Answers.
    case yes = 128
    case no = 129
    case done = 130
    /// The request had already ended.
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

  /// Writes a message.
  struct FrameWriter {
    /// The size of the header: 1 byte for the kind and 4 for the length.
    static let headBytes = 5
    private(set) var bytes: ContiguousArray<UInt8>

    init(_ kind: FrameKind) {
      bytes = [kind.rawValue, 0, 0, 0, 0]
    }

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

    /// Sets the length and returns the message.
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

    init(_ bytes: ContiguousArray<UInt8>) {
      self.bytes = bytes
    }

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

#endif
