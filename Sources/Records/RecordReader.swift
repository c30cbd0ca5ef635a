// Reads records and raw rows from the text form or the packed form: the input of filters.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers
public import SystemIO

/// Reads records from their text form or packed form. A line that is not a record is rejected with its number; reading
/// continues.
public final class RecordReader: ByteSink {
  private var sink: RecordLineSink
  private var stream: StreamReader

  /// Makes a reader that passes records to `downstream` and rejects to the log of the context.
  public init(context: StageContext, downstream: any RecordSink) {
    sink = RecordLineSink(context: context, downstream: downstream)
    stream = StreamReader(lineBytesMax: RecordLine.bytesMax, stage: context.stage)
  }

  public func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try stream.cut(chunk.span, for: &sink)
    chunk.removeAll()
  }

  /// Ends an input; the next one may have the other form.
  public func nextInput(name: String) throws(Failure) {
    try stream.endInput(for: &sink)
  }

  /// Passes on the last line and ends the stream.
  public func finish() throws(Failure) {
    try stream.endInput(for: &sink)
    try sink.finish()
  }
}

extension RecordBatch {
  /// Adds the record of a line without its line feed; returns false when it does not fit.
  ///
  /// - Complexity: O(bytes).
  @inline(__always)
  public mutating func append(line: Span<UInt8>) throws(TextFormReject) -> Bool {
    if isFull { return false }
    let head: RecordLine.Head
    do throws(RecordLineError) {
      head = try RecordLine.head(line)
    } catch {
      throw error == .notANumber ? .notANumber : .notARange
    }
    let recordFields = line.extracting(head.fieldsStart..<line.count)
    if let known = fieldsTable.index(of: recordFields) {
      append(first: head.first, last: head.last, fieldsIndex: known)
      return true
    }
    let checked: Int
    do throws(RecordFieldsError) {
      checked = try RecordFields.check(recordFields)
    } catch {
      throw .badFields(error)
    }
    return append(first: head.first, last: head.last, recordFields: recordFields.extracting(0..<checked))
  }
}

private struct RecordLineSink: LineSink, PackedBlockSink, ~Copyable {
  let context: StageContext
  let downstream: any RecordSink
  var batch = RecordBatch()
  var labels = LabelCache()
  var row: UInt64 = 0

  mutating func receive(line: Span<UInt8>) throws(Failure) {
    row += 1
    do throws(TextFormReject) {
      if try batch.append(line: line) { return }
    } catch {
      return try reject(error, line)
    }
    try flush()
    // The line is valid, as checked above, and any record fits into an empty batch.
    _ = try? batch.append(line: line)
  }

  mutating func receivePlain(lines: Span<UInt8>, from start: Int) throws(Failure) -> Int {
    var at = start
    while true {
      let count = batch.count
      at = batch.append(lines: lines, from: at, &labels)
      row += UInt64(batch.count - count)
      guard batch.isFull else { return at }
      try flush()
    }
  }

  mutating func receiveOverlong(line: Span<UInt8>) throws(Failure) {
    row += 1
    try reject(.lineTooLong, line)
  }

  var packedRows: PackedForm.Rows { .records }

  mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) throws(Failure) -> Bool {
    if !batch.isEmpty { try flush() }
    guard block.read(columns, into: &batch) else {
      batch.removeAll()
      return false
    }
    row += UInt64(block.rows)
    try flush()
    return true
  }

  private func reject(_ reason: TextFormReject, _ line: Span<UInt8>) throws(Failure) {
    context.meter.rowsIn.add(1)
    try context.reject(.row(row), reason, text: line)
  }

  mutating func flush() throws(Failure) {
    labels.removeAll(rows: batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
  }

  mutating func finish() throws(Failure) {
    if !batch.isEmpty { try flush() }
    try downstream.finish()
  }
}

/// Reads raw rows from their text form or packed form. A line that is not a raw row is rejected with its number; reading
/// continues.
public final class RawRowReader: ByteSink {
  /// The largest size of a line in bytes: every byte of the number's text may be escaped.
  static let lineBytesMax = 2 * RawRowBatch.textBytesMax + 8 + RecordFields.bytesMax

  private var sink: RawRowLineSink
  private var stream: StreamReader

  /// Makes a reader that passes rows to `downstream` and rejects to the log of the context.
  public init(context: StageContext, downstream: any RawRowSink) {
    sink = RawRowLineSink(context: context, downstream: downstream)
    stream = StreamReader(lineBytesMax: Self.lineBytesMax, stage: context.stage)
  }

  public func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try stream.cut(chunk.span, for: &sink)
    chunk.removeAll()
  }

  /// Ends an input; the next one may have the other form.
  public func nextInput(name: String) throws(Failure) {
    try stream.endInput(for: &sink)
  }

  /// Passes on the rows of the lines received so far, without waiting for a full batch.
  public func passRows() throws(Failure) {
    if !sink.batch.isEmpty { try sink.flush() }
  }

  /// Passes on the last line and ends the stream.
  public func finish() throws(Failure) {
    try stream.endInput(for: &sink)
    try sink.finish()
  }
}

private struct RawRowLineSink: LineSink, PackedBlockSink, ~Copyable {
  let context: StageContext
  let downstream: any RawRowSink
  var batch = RawRowBatch()
  var labels = LabelCache()
  var row: UInt64 = 0

  mutating func receive(line: Span<UInt8>) throws(Failure) {
    row += 1
    var end = 0
    var isEscaped = false
    while end < line.count, line[end] != Byte.tab {
      if line[end] == Byte.backslash { isEscaped = true }
      end += 1
    }
    let recordFields = line.extracting(min(end + 1, line.count)..<line.count)
    guard end <= 2 * RawRowBatch.textBytesMax else { return try reject(.lineTooLong, line) }
    guard isEscaped else { return try append(line.extracting(0..<end), recordFields, line) }
    guard let unescaped = Self.unescape(line.extracting(0..<end)) else { return try reject(.badEscape, line) }
    try append(unescaped.span, recordFields, line)
  }

  mutating func receivePlain(lines: Span<UInt8>, from start: Int) throws(Failure) -> Int {
    var at = start
    while true {
      let count = batch.count
      at = batch.append(lines: lines, from: at, &labels)
      row += UInt64(batch.count - count)
      // Otherwise the next line is not plain, or its record fields don't fit.
      guard !batch.isEmpty, !batch.hasCapacity(forText: RawRowCapacity.textBytesMax) else { return at }
      try flush()
    }
  }

  mutating func receiveOverlong(line: Span<UInt8>) throws(Failure) {
    row += 1
    try reject(.lineTooLong, line)
  }

  var packedRows: PackedForm.Rows { .rawRows }

  mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) throws(Failure) -> Bool {
    if !batch.isEmpty { try flush() }
    guard block.read(columns, into: &batch) else {
      batch.removeAll()
      return false
    }
    row += UInt64(block.rows)
    try flush()
    return true
  }

  private mutating func append(
    _ text: Span<UInt8>, _ recordFields: Span<UInt8>, _ line: Span<UInt8>
  ) throws(Failure) {
    guard text.count <= RawRowBatch.textBytesMax else { return try reject(.lineTooLong, line) }
    if !batch.hasCapacity(forText: text.count) { try flush() }
    if let known = batch.fieldsTable.index(of: recordFields) {
      return batch.append(text: text, fieldsIndex: known)
    }
    let checked: Int
    do throws(RecordFieldsError) {
      checked = try RecordFields.check(recordFields)
    } catch {
      return try reject(.badFields(error), line)
    }
    let canonical = recordFields.extracting(0..<checked)
    if !batch.append(text: text, recordFields: canonical) {
      try flush()
      _ = batch.append(text: text, recordFields: canonical)
    }
  }

  /// A rejected line counts as a row, so the batch ends before it.
  private mutating func reject(_ reason: TextFormReject, _ line: Span<UInt8>) throws(Failure) {
    let rejected = row
    if !batch.isEmpty { try flush() }
    batch.firstOrdinal = rejected + 1
    context.meter.rowsIn.add(1)
    try context.reject(.row(rejected), reason, text: line)
  }

  mutating func flush() throws(Failure) {
    // The sink may swap the batch for one with another ordinal.
    let next = batch.firstOrdinal + UInt64(batch.count)
    labels.removeAll(rows: batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
    batch.firstOrdinal = next
  }

  mutating func finish() throws(Failure) {
    if !batch.isEmpty { try flush() }
    try downstream.finish()
  }

  private static func unescape(_ text: Span<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      var byte = text[index]
      if byte == Byte.backslash {
        index += 1
        guard index < text.count, Byte.isEscaped(text[index]) else { return nil }
        byte = Byte.unescaped(text[index])
      }
      result.append(byte)
      index += 1
    }
    return result
  }
}

/// Splits the bytes of inputs into lines or blocks for a sink.
struct StreamReader: ~Copyable {
  private let stage: StageName?
  private var cutter: LineCutter
  private var packed: PackedFormStream
  private var isPacked = false
  /// Whether the next byte is the first one of an input, or follows the end mark of a stream in the packed form.
  private var isAtStart = true

  init(lineBytesMax: Int, stage: StageName?) {
    cutter = LineCutter(lineBytesMax: lineBytesMax, stage: stage)
    packed = PackedFormStream(stage: stage)
    self.stage = stage
  }

  mutating func cut(
    _ bytes: Span<UInt8>, for sink: inout some LineSink & PackedBlockSink & ~Copyable
  ) throws(Failure) {
    var at = 0
    while at < bytes.count {
      if isAtStart {
        isAtStart = false
        isPacked = bytes[at] == PackedForm.signature[0]
      }
      guard isPacked else { return try cutter.cut(bytes.extracting(at...), for: &sink) }
      at = try packed.cut(bytes, from: at, for: &sink)
      if packed.isAtEnd {
        packed = PackedFormStream(stage: stage)
        isPacked = false
        isAtStart = true
      }
    }
  }

  /// Ends an input. A last line may lack its line feed.
  mutating func endInput(for sink: inout some LineSink & ~Copyable) throws(Failure) {
    if isPacked { try packed.finish() }
    try cutter.finish(for: &sink)
    isAtStart = true
  }
}

protocol LineSink: ~Copyable {
  /// Receives one line without its line feed.
  mutating func receive(line: Span<UInt8>) throws(Failure)
  mutating func receiveOverlong(line: Span<UInt8>) throws(Failure)
  /// Receives plain lines from `start` on, and returns the start of the first line that `receive` must read, or that
  /// may not end within the bytes.
  mutating func receivePlain(lines: Span<UInt8>, from start: Int) throws(Failure) -> Int
}

/// Splits bytes into lines for a sink.
struct LineCutter: ~Copyable {
  /// The start of a line that began in an earlier chunk, or of one that is too long.
  private var carried: RigidArray<UInt8>
  private var isOverlong = false
  /// The number of bytes of the current line that were left out.
  private var skipped: UInt64 = 0
  private let stage: StageName?

  init(lineBytesMax: Int, stage: StageName?) {
    carried = RigidArray(capacity: lineBytesMax)
    self.stage = stage
  }

  mutating func cut(_ bytes: Span<UInt8>, for sink: inout some LineSink & ~Copyable) throws(Failure) {
    var start = 0
    if !carried.isEmpty || isOverlong {
      let end = LineScan.lineFeed(in: bytes, from: 0)
      try carry(bytes.extracting(0..<end))
      guard end < bytes.count else { return }
      try passCarried(to: &sink)
      start = end + 1
    }
    while start < bytes.count {
      start = try sink.receivePlain(lines: bytes, from: start)
      let end = LineScan.lineFeed(in: bytes, from: start)
      guard end < bytes.count else { break }
      if end - start > carried.capacity {
        try sink.receiveOverlong(line: bytes.extracting(start..<start + carried.capacity))
      } else {
        try sink.receive(line: bytes.extracting(start..<end))
      }
      start = end + 1
    }
    try carry(bytes.extracting(start..<bytes.count))
  }

  /// Passes on a last line that has no line feed.
  mutating func finish(for sink: inout some LineSink & ~Copyable) throws(Failure) {
    if !carried.isEmpty || isOverlong { try passCarried(to: &sink) }
  }

  private mutating func carry(_ bytes: Span<UInt8>) throws(Failure) {
    let count = min(bytes.count, carried.freeCapacity)
    carried.append(copying: bytes.extracting(0..<count))
    guard count < bytes.count else { return }
    isOverlong = true
    skipped += UInt64(bytes.count - count)
    if skipped > RecordLine.endlessBytes { throw .endlessLine(stage) }
  }

  private mutating func passCarried(to sink: inout some LineSink & ~Copyable) throws(Failure) {
    if isOverlong {
      try sink.receiveOverlong(line: carried.span)
    } else {
      try sink.receive(line: carried.span)
    }
    carried.removeAll()
    isOverlong = false
    skipped = 0
  }
}

/// Why a line of the text form was rejected.
public enum TextFormReject: Error, Equatable, RejectReason {
  /// The first field is not a number.
  case notANumber
  /// The text after `..` is not a number, or is below the first number.
  case notARange
  case lineTooLong
  /// The first field of a raw row has a backslash that starts none of the four escapes.
  case badEscape
  /// The fields after the number are invalid.
  case badFields(RecordFieldsError)

  /// A stable word for scripts, such as `not-a-number`.
  public var code: String {
    switch self {
    case .notANumber: "not-a-number"
    case .notARange: "not-a-range"
    case .lineTooLong: "line-too-long"
    case .badEscape: "bad-escape"
    case .badFields(let error):
      switch error {
      case .tooLong: "label-too-long"
      case .notUTF8, .sourceNotUTF8: "invalid-utf8"
      case .badEscape: "bad-escape"
      case .tooManyFields: "too-many-fields"
      case .badScore: "bad-score"
      case .badDay: "bad-day"
      case .strayCarriageReturn: "stray-carriage-return"
      }
    }
  }
}

extension TextFormReject {
  public var text: String {
    switch self {
    case .notANumber: "the line does not start with a number of 1 to 15 digits"
    case .notARange: "no number after '..', or a lower one"
    case .lineTooLong: "the line is too long"
    case .badEscape: "invalid escape: not one of \\\\ \\t \\n \\r"
    case .badFields(let reason):
      switch reason {
      case .tooLong: "the label is too long"
      case .notUTF8: "the label is not UTF-8"
      case .sourceNotUTF8: "the source is not UTF-8"
      case .badEscape: "invalid escape: not one of \\\\ \\t \\n \\r"
      case .tooManyFields(let count): "\(count) fields after the number; the maximum is four"
      case .badScore: "the score is not an integer"
      case .badDay: "the day is not a date such as 2026-11-29"
      case .strayCarriageReturn: "a carriage return: lines must end in a line feed alone"
      }
    }
  }
}

/// Recognises inputs that are not text although a stage reads text: compressed files, stores and the packed form, by their
/// first bytes.
///
/// The signatures are also those of the formats' own modules, which this one does not depend on; tests compare
/// them.
public enum BinaryContent: String, CaseIterable, Sendable {
  case store
  case zip, gzip, xz, bzip2, zstandard, lz4, rar
  case sevenZip = "7z"
  case tar
  case packedForm = "packed"

  /// The number of bytes that are needed to recognise any content but a tar archive, whose mark is not at its start.
  public static let bytesMax = 10
  /// The mark in the header of a tar archive's first member. Source: POSIX, pax, "ustar Interchange Format".
  private static let tarMark = Array("ustar".utf8)
  private static let tarMarkStart = 257

  /// The bytes that the content starts with; nil stands for any byte.
  public var signature: [UInt8?] {
    switch self {
    case .store: [0x89, 0x43, 0x44, 0x53, 0x54, 0x4F, 0x0D, 0x0A]
    case .zip: [0x50, 0x4B, 3, 4]
    case .gzip: [0x1F, 0x8B]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]
    case .bzip2: [0x42, 0x5A, 0x68, nil, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
    case .zstandard: [0x28, 0xB5, 0x2F, 0xFD]
    case .lz4: [0x04, 0x22, 0x4D, 0x18]
    case .rar: [0x52, 0x61, 0x72, 0x21, 0x1A, 7]
    case .sevenZip: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]
    case .tar: [UInt8?](repeating: nil, count: Self.tarMarkStart) + Self.tarMark
    case .packedForm: PackedForm.signature.map { $0 }
    }
  }

  /// Recognises the content by the first bytes of an input; nil if it may be text.
  public init?(_ start: Span<UInt8>) {
    for content in Self.allCases where Self.begins(start, with: content.signature) {
      self = content
      return
    }
    return nil
  }

  private static func begins(_ start: Span<UInt8>, with signature: [UInt8?]) -> Bool {
    guard start.count >= signature.count else { return false }
    for index in signature.indices {
      if let byte = signature[index], byte != start[index] { return false }
    }
    return true
  }
}

extension Failure {
  /// An input of a stage that reads text has another content. `name` is `-` for standard input.
  public static func binaryInput(_ stage: StageName?, _ name: String, _ content: BinaryContent) -> Failure {
    let isFile = name != "-"
    let file = ShellQuoting.quoted(name)
    let (text, hint) =
      switch content {
      case .store: ("is a store", "read its records with: cdpipe cat \(isFile ? file : "FILE") | …")
      case .packedForm:
        (
          "is in cdpipe's packed form, which only 'normalize' and the filters after it read",
          "write it as text: leave out \(option: "packed"), and unset CDPIPE_PACKED"
            + (isFile ? "; records in a file are read with: cdpipe emit \(file) | …" : "")
        )
      case .tar:
        (
          "is a tar archive, whose members are not read",
          isFile ? "unpack it with: tar -xOf \(file) | …" : "add 'tar -xO' before this stage"
        )
      default:
        (
          "is compressed (\(content.rawValue))",
          isFile ? "unpack it with: cdpipe unzip \(file) | …" : "add 'cdpipe unzip' before this stage"
        )
      }
    // The rows of the inputs before this one are valid.
    return Failure(
      stage, .badData, "binary-\(content.rawValue)", "\(InputName.quoted(name)) \(text)", hint: hint,
      endsInput: true)
  }

  /// A line that does not end: the input is not text, but a device such as /dev/zero, or a file of another kind. `list` is
  /// nil if only one input is read.
  public static func endlessLine(_ stage: StageName?, _ list: String? = nil) -> Failure {
    Failure(
      stage, .badData, "endless-line",
      "\(list.map(InputName.quoted) ?? "the input") is not text: "
        + "a line does not end within \(Figures.bytes(RecordLine.endlessBytes))")
  }
}
