// One way to read a list of records: a source fills batch after batch. Here are the sources that are text or the packed
// form; stores and directories, and a list of any kind, are in StoreWriting (ListRecords).
//
// RecordReader is pushed bytes; a merge of several lists has to pull batches.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers
import SystemIO
public import SystemPackage

/// A list that is read batch by batch.
public protocol RecordSource: ~Copyable {
  /// Fills an empty batch; false if there are no more records. When it throws, the batch holds the records before the
  /// damage.
  mutating func next(_ batch: inout RecordBatch) throws(Failure) -> Bool

  /// The file that the records of the last batch come from: the list, or one of its shards.
  var part: String { get }
  /// The line or row of the last batch's first record in that file.
  var firstRow: UInt64 { get }
  /// Whether each record of the last batch blocks its number; empty if the source does not tell.
  var areBlocked: [Bool] { get }
}

extension RecordSource where Self: ~Copyable {
  public var areBlocked: [Bool] { [] }
}

/// A list in the text form or the packed form: a file, standard input, or records that a merge has spooled.
public struct TextRecords: RecordSource, ~Copyable {
  /// How to handle lines that are not records.
  public enum BadLines: Sendable {
    case rejected
    /// Throw at the first invalid line.
    case fatal
    /// Throw a disk error: this process wrote the lines itself.
    case corrupt
  }

  /// The size of the read buffer: several lines of maximum length, and large enough that system calls cost next to
  /// nothing per line.
  public static let bufferBytes = 128 * 1024

  /// The list's name as the user typed it.
  public let part: String
  /// The descriptor, to reopen a file that turns out to be a store; nil if the list is spooled. This value owns it.
  public let descriptor: FileDescriptor?
  private let context: StageContext
  private let badLines: BadLines
  /// The file; nil if the list is spooled.
  private var file: InputFile?
  private let spool: SpooledText?
  private var buffer: ByteChunk
  /// The first byte that was not consumed, with its line number and offset in the file.
  private var start = 0
  private var line: UInt64 = 1
  private var offset: UInt64 = 0
  private var isAtEnd = false
  private var isPacked = false
  /// The state of reading the packed form.
  private var packed: PackedFormStream
  private var block = OneBatch()
  /// The line of the first record in the batch that was filled last. The others are in the lines that follow.
  public private(set) var firstRow: UInt64 = 1
  private var rejects: UInt64 = 0
  private var hasRecords = false

  /// Opens a file, or standard input for `-`. With `expectsSize`, the bytes of a regular file are added to those that the
  /// stage expects to read.
  public init(
    _ name: String, _ context: StageContext, _ badLines: BadLines, expectsSize: Bool = true
  ) throws(Failure) {
    let opened = try asFailure(context.stage) { () throws(SystemError) in
      try InputFile(name, calls: context.calls)
    }
    if expectsSize, let size = opened.size { context.meter.bytesExpected.add(Int(clamping: size)) }
    descriptor = opened.descriptor
    file = consume opened
    spool = nil
    buffer = ByteChunk(capacity: Self.bufferBytes)
    part = name
    self.context = context
    packed = PackedFormStream(stage: context.stage)
    self.badLines = badLines
  }

  /// Reads the records that a merge has spooled.
  public init(_ spool: SpooledText, _ context: StageContext) {
    descriptor = nil
    file = nil
    self.spool = spool
    buffer = ByteChunk(capacity: Self.bufferBytes)
    part = spool.directory
    self.context = context
    packed = PackedFormStream(stage: context.stage)
    badLines = .corrupt
  }

  /// Whether the file begins with `bytes`. Call it before the first `fill`.
  public mutating func begins(with bytes: [UInt8]) throws(Failure) -> Bool {
    while buffer.count < bytes.count, !isAtEnd { try read() }
    guard buffer.count >= bytes.count else { return false }
    for index in bytes.indices where buffer.span[index] != bytes[index] { return false }
    return true
  }

  /// Recognises the form of the list; throws if it has neither. Call it before the first `fill`.
  public mutating func checkContent() throws(Failure) {
    while buffer.count < BinaryContent.bytesMax, !isAtEnd { try read() }
    isPacked = PackedForm.begins(stream: buffer.span)
    if !isPacked, let content = BinaryContent(buffer.span) {
      throw .binaryInput(context.stage, part, content)
    }
  }

  public mutating func next(_ batch: inout RecordBatch) throws(Failure) -> Bool {
    if try fill(&batch) {
      hasRecords = true
      return true
    }
    // A list without a single valid line is an error, not an empty list.
    if !hasRecords, rejects > 0 { throw .nothingUsable(context.stage, rejects: rejects, source: part) }
    return false
  }

  /// Fills an empty batch with the records of consecutive lines; false if there are no more.
  private mutating func fill(_ batch: inout RecordBatch) throws(Failure) -> Bool {
    if isPacked { return try fillPacked(&batch) }
    while true {
      let end: Int
      var reason: TextFormReject?
      switch try nextLine() {
      case .end: return !batch.isEmpty
      case .overlong:
        end = buffer.count
        reason = .lineTooLong
      case .upTo(let lineEnd):
        end = lineEnd
        let text = buffer.span.extracting(start..<end)
        do throws(TextFormReject) {
          if text.count > RecordLine.bytesMax { throw .lineTooLong }
          guard try batch.append(line: text) else { return true }
        } catch {
          reason = error
        }
      }
      if let reason {
        // A batch has no gap between its lines, so each record's line number is known.
        if !batch.isEmpty { return true }
        try reject(reason, buffer.span.extracting(start..<end))
        rejects += 1
        if end - start > RecordLine.bytesMax { try skipLine() } else { step(after: end) }
      } else {
        if batch.count == 1 { firstRow = line }
        step(after: end)
      }
    }
  }

  /// Fills an empty batch with the records of a block; false at the end of the list. After an end mark, another stream
  /// or text may follow.
  private mutating func fillPacked(_ batch: inout RecordBatch) throws(Failure) -> Bool {
    firstRow = line
    while batch.isEmpty {
      if start == buffer.count {
        if isAtEnd {
          try packed.finish()
          return false
        }
        buffer.removeAll()
        start = 0
        try read()
        continue
      }
      if packed.isAtEnd {
        isPacked = PackedForm.begins(stream: buffer.span.extracting(start...))
        if !isPacked { return try fill(&batch) }
        packed = PackedFormStream(stage: context.stage)
      }
      let next = try Self.fill(&batch, from: buffer, at: start, &packed, &block)
      offset += UInt64(next - start)
      start = next
    }
    line += UInt64(batch.count)
    return true
  }

  /// Fills an empty batch with the records of the next block, and returns the index after the last byte that was used. The
  /// batch stays empty if the block continues after the buffer, or at the end mark.
  private static func fill(
    _ batch: inout RecordBatch, from buffer: borrowing ByteChunk, at start: Int,
    _ packed: inout PackedFormStream, _ block: inout OneBatch
  ) throws(Failure) -> Int {
    swap(&block.batch, &batch)
    defer { swap(&block.batch, &batch) }
    return try packed.cut(buffer.span, from: start, for: &block)
  }

  private enum NextLine {
    case end
    case upTo(Int)
    case overlong
  }

  /// Advances to the line after the one that ends at `end`.
  private mutating func step(after end: Int) {
    // The last line may lack a line feed.
    let next = min(end + 1, buffer.count)
    offset += UInt64(next - start)
    line += 1
    start = next
  }

  private mutating func nextLine() throws(Failure) -> NextLine {
    var searched = start
    while true {
      let end = LineScan.lineFeed(in: buffer.span, from: searched)
      if end < buffer.count { return .upTo(end) }
      if isAtEnd { return start < buffer.count ? .upTo(buffer.count) : .end }
      if start > 0 {
        buffer.bytes.removeSubrange(0..<start)
        start = 0
      }
      if buffer.freeCapacity == 0 { return .overlong }
      searched = buffer.count
      try read()
    }
  }

  /// Skips to the start of the next line, however long this one is.
  private mutating func skipLine() throws(Failure) {
    let lineStart = offset
    while true {
      let end = LineScan.lineFeed(in: buffer.span, from: start)
      if end < buffer.count || isAtEnd { return step(after: end) }
      offset += UInt64(buffer.count - start)
      if offset - lineStart > RecordLine.endlessBytes {
        throw .endlessLine(context.stage, part)
      }
      buffer.removeAll()
      start = 0
      try read()
    }
  }

  private mutating func read() throws(Failure) {
    let count: Int
    if let spool {
      count = try spool.read(into: &buffer, at: Int64(offset) + Int64(buffer.count - start))
    } else {
      count = try asFailure(context.stage) { () throws(SystemError) in try file?.read(into: &buffer) ?? 0 }
      context.meter.bytesIn.add(count)
    }
    if count == 0 { isAtEnd = true }
  }

  private func reject(_ reason: TextFormReject, _ text: Span<UInt8>) throws(Failure) {
    switch badLines {
    case .rejected:
      context.meter.rowsIn.add(1)
      try context.reject(.line(line, byte: offset, input: part), reason, text: text)
    case .fatal:
      let reject = Reject(context.stage, .row(line), reason, text: text)
      throw .notARecord(context.stage, list: part, line: line, reason, text: reject.text)
    case .corrupt: throw Failure(context.stage, SystemError(.readSpill, part, .ioError))
    }
  }
}

/// Receives a block of the packed form, which is one batch.
private struct OneBatch: PackedBlockSink, ~Copyable {
  var batch = RecordBatch()
  var packedRows: PackedForm.Rows { .records }
  var acceptsBlock: Bool { batch.isEmpty }

  mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) -> Bool {
    block.read(columns, into: &batch)
  }
}

extension Failure {
  /// A line is not a record, in a list that selects numbers: the result would be wrong without it.
  fileprivate static func notARecord(
    _ stage: StageName?, list: String, line: UInt64, _ reason: TextFormReject, text: [UInt8]
  ) -> Failure {
    Failure(
      stage, .badData, "not-a-record",
      "\(InputName.plain(list)):\(line): \(reason.text): \(PrintableText.quoted(text))",
      hint: "convert the list first: cdpipe parse \(list == "-" ? "" : ShellQuoting.quoted(list) + " ")"
        + "| cdpipe normalize --region CC | cdpipe sort | cdpipe dedupe")
  }
}
