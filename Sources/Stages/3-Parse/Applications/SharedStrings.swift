// The shared strings of a workbook: the texts that cells refer to by number.

import Records
import SystemIO
import SystemPackage

// The texts that the cells of a workbook share, in temporary files: a workbook may have more of them than fit in memory.
// One file has the texts one after another, the other one the offset after each text.

/// A temporary file that is written in large pieces.
private struct BufferedSpill: ~Copyable {
  private(set) var file: TemporaryFile
  private var buffer = ByteChunk(capacity: 64 * 1024)

  init(_ calls: any SystemCalls) throws(SystemError) {
    file = try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: calls)
  }

  mutating func append(_ bytes: Span<UInt8>) throws(SystemError) {
    if bytes.count > buffer.freeCapacity { try flush() }
    if bytes.count > buffer.freeCapacity { try file.append(bytes) } else { buffer.append(bytes) }
  }

  mutating func flush() throws(SystemError) {
    try file.append(buffer)
    buffer.removeAll()
  }
}

final class SharedStrings: XMLHandler {
  private let context: StageContext
  private var texts: BufferedSpill
  private var offsets: BufferedSpill
  /// The windows for reading, once all strings are written.
  private var textWindow: FileWindow?
  private var offsetWindow: FileWindow?
  /// The number of strings, and of bytes of their texts.
  private var count: UInt64 = 0
  private var bytes: UInt64 = 0
  private var current: RichText
  private var isInString = false

  /// How many bytes are read at a time: cells refer to neighbours, or to strings anywhere in a large file.
  private static let readAheadBytes = 4 * 1024
  private static let windowBytes = 64 * 1024
  private static let offsetBytes: UInt64 = 8
  /// What is written in place of a text with an unknown entity: no text of XML is like it.
  static let unknownEntity: ContiguousArray<UInt8> = [0xFF]

  /// Makes empty files. A text is cut after the first byte beyond `textBytesMax`; one with an unknown entity is replaced
  /// by ``unknownEntity``, so that the rows with it are rejected.
  init(textBytesMax: Int, _ context: StageContext) throws(Failure) {
    // Everything that can fail comes before the first property is set.
    let first = try SharedStrings.makeSpill(context)
    let second = try SharedStrings.makeSpill(context)
    self.context = context
    current = RichText(bytesMax: textBytesMax)
    texts = first
    offsets = second
  }

  private static func makeSpill(_ context: StageContext) throws(Failure) -> BufferedSpill {
    try asFailure(context.stage) { () throws(SystemError) in try BufferedSpill(context.calls) }
  }

  // MARK: Writing

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    let name = name.localName
    if name.equals("si") {
      isInString = true
      current.removeAll()
    } else if isInString {
      current.start(name, attributes)
    }
  }

  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter
  ) throws(Failure) {
    let name = name.localName
    guard isInString else { return }
    current.end(name)
    if name.equals("si") {
      isInString = false
      try endString()
    }
  }

  func text(_ bytes: Span<UInt8>) {
    if isInString { current.add(bytes) }
  }

  func unknownEntity() { current.noteUnknownEntity() }

  private func endString() throws(Failure) {
    let text: ContiguousArray<UInt8> = current.hasUnknownEntity ? Self.unknownEntity : current.unescaped
    bytes += UInt64(text.count)
    count += 1
    var end: ContiguousArray<UInt8> = []
    for shift in 0..<Self.offsetBytes { end.append(UInt8(truncatingIfNeeded: bytes >> (8 * shift))) }
    context.meter.bytesSpilled.add(text.count + end.count)
    try asFailure(context.stage) { () throws(SystemError) in
      try texts.append(text.span)
      try offsets.append(end.span)
    }
  }

  // MARK: Reading

  /// Ends writing.
  func finish() throws(Failure) {
    try asFailure(context.stage) { () throws(SystemError) in
      try texts.flush()
      try offsets.flush()
    }
    textWindow = Self.window(texts.file, context)
    offsetWindow = Self.window(offsets.file, context)
  }

  private static func window(_ file: borrowing TemporaryFile, _ context: StageContext) -> FileWindow {
    FileWindow(
      file.descriptor, size: UInt64(file.size), capacity: windowBytes, readAhead: readAheadBytes,
      calls: context.calls)
  }

  /// Appends the first `limit` bytes of the string with this index; returns false if there is none.
  func append(_ index: UInt64, to result: inout ContiguousArray<UInt8>, limit: Int) throws(Failure) -> Bool {
    guard index < count, var offsetWindow = offsetWindow.take(), var textWindow = textWindow.take() else {
      return false
    }
    do throws(Errno) {
      // The end of the string before it is its start.
      let first = index == 0 ? 0 : (index - 1) * Self.offsetBytes
      let isLoaded = try offsetWindow.load(first, Int((index + 1) * Self.offsetBytes - first))
      var start = index == 0 || !isLoaded ? 0 : offsetWindow.u64(first)
      let end = isLoaded ? min(offsetWindow.u64(index * Self.offsetBytes), start + UInt64(limit)) : 0
      while start < end {
        let piece = Int(min(end - start, UInt64(Self.windowBytes)))
        guard try textWindow.load(start, piece) else { break }
        result += textWindow.bytes(start, piece)
        start += UInt64(piece)
      }
    } catch {
      throw Failure(context.stage, SystemError(.readSpill, texts.file.directory, error))
    }
    self.offsetWindow = consume offsetWindow
    self.textWindow = consume textWindow
    return true
  }
}
