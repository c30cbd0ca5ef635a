// Bytes in the packed form: the output of filters that write bytes. A reader of plain bytes can't tell an end from a
// failure of the command that wrote them.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import SystemIO

/// Writes bytes as a stream in the packed form.
public final class PackedBytesWriter: ByteSink {
  private let downstream: any ByteSink
  private let checkEnd: () throws(Failure) -> Void
  private var output: PackedOutput
  private var chunk = ByteChunk()

  /// Creates a writer that passes the stream to `downstream`. `checkEnd` is called before it ends: if it throws, there is
  /// no end mark.
  public init(
    downstream: any ByteSink, hasHeader: Bool = false, checkEnd: @escaping () throws(Failure) -> Void = {}
  ) {
    self.downstream = downstream
    self.checkEnd = checkEnd
    output = PackedOutput(.bytes, hasHeader: hasHeader)
  }

  /// Writes the header, so that a reader notices a failure before the first byte, too.
  public func begin() throws(Failure) {
    output.begin(&chunk)
    try pass()
  }

  public func receive(_ bytes: inout ByteChunk) throws(Failure) {
    var at = 0
    while at < bytes.count {
      let end = min(bytes.count, at + PackedForm.bytesPerBlockMax)
      output.begin(&chunk)
      PackedForm.write(bytes: bytes.span.extracting(at..<end), before: output.rows, into: &chunk)
      output.rows += UInt64(end - at)
      try pass()
      at = end
    }
    bytes.removeAll()
  }

  public func flush() throws(Failure) { try downstream.flush() }

  public func finish() throws(Failure) {
    try checkEnd()
    output.end(&chunk)
    try pass()
    try downstream.finish()
  }

  private func pass() throws(Failure) {
    guard !chunk.isEmpty else { return }
    try downstream.receive(&chunk)
    chunk.removeAll()
  }
}

/// Reads bytes, plain or in the packed form, and passes the plain bytes on. Streams of records and raw rows are passed on
/// as they are.
public final class PackedBytesReader: ByteSink {
  private enum Content { case unknown, plain, packed }

  private let stage: StageName?
  private var sink: UnpackedBytes
  private var stream: PackedFormStream
  private var content = Content.unknown
  /// The first bytes of an input or of what follows a stream, until it is known what they are.
  private var start: [UInt8] = []

  public init(stage: StageName?, downstream: any ByteSink) {
    self.stage = stage
    sink = UnpackedBytes(downstream: downstream)
    stream = PackedFormStream(stage: stage, unit: "byte")
  }

  public var fileReader: (any FileReader)? { sink.downstream.fileReader }

  public func receive(_ chunk: inout ByteChunk) throws(Failure) {
    if content == .unknown, start.isEmpty, !chunk.isEmpty, !PackedForm.begins(stream: chunk.span) {
      content = .plain
    }
    if content == .plain { return try sink.downstream.receive(&chunk) }
    var at = 0
    while at < chunk.count {
      switch content {
      case .plain:
        try sink.pass(chunk.span.extracting(at...))
        at = chunk.count
      case .unknown:
        let end = min(chunk.count, at + PackedForm.kindEnd - start.count)
        start.append(copying: chunk.span.extracting(at..<end))
        at = end
        try recognise(isEnd: false)
      case .packed:
        at = try stream.cut(chunk.span, from: at, for: &sink)
        if stream.isAtEnd {
          stream = PackedFormStream(stage: stage, unit: "byte")
          content = .unknown
        }
      }
    }
    chunk.removeAll()
  }

  /// Decides by the first bytes, as soon as they suffice, and passes them on.
  private func recognise(isEnd: Bool) throws(Failure) {
    guard !start.isEmpty else { return }
    let mayBePacked = PackedForm.begins(stream: start.span)
    if mayBePacked, start.count < PackedForm.kindEnd, !isEnd { return }
    let first = start
    start = []
    if mayBePacked, PackedForm.hasBytes(first) {
      content = .packed
      _ = try stream.cut(first.span, from: 0, for: &sink)
    } else {
      content = .plain
      try sink.pass(first.span)
    }
  }

  private func endInput() throws(Failure) {
    try recognise(isEnd: true)
    if content == .packed { try stream.finish() }
    content = .unknown
  }

  public func nextInput(name: String) throws(Failure) {
    try endInput()
    try sink.downstream.nextInput(name: name)
  }

  public func flush() throws(Failure) { try sink.downstream.flush() }

  public func finish() throws(Failure) {
    try endInput()
    try sink.downstream.finish()
  }
}

/// Passes the bytes of blocks on.
private struct UnpackedBytes: PackedBlockSink, ~Copyable {
  let downstream: any ByteSink
  private var chunk = ByteChunk()

  init(downstream: any ByteSink) { self.downstream = downstream }

  var packedRows: PackedForm.Rows { .bytes }

  mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) throws(Failure) -> Bool {
    try pass(columns)
    return true
  }

  mutating func pass(_ bytes: Span<UInt8>) throws(Failure) {
    var at = 0
    while at < bytes.count {
      if chunk.freeCapacity == 0 { chunk = ByteChunk() }
      let end = min(bytes.count, at + chunk.freeCapacity)
      chunk.append(bytes.extracting(at..<end))
      try downstream.receive(&chunk)
      chunk.removeAll()
      at = end
    }
  }
}
