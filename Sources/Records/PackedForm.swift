// The packed form: batches of columns instead of lines, for pipes between cdpipe's own filters. docs/formats/packed-form.md
// specifies it.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers
import Hashing

/// The form in which records and raw rows are written.
public enum StreamForm: Sendable {
  /// Lines of text.
  case text
  /// Batches of columns.
  case packed
}

extension Failure {
  private static func packedForm(_ stage: StageName?, _ code: String, _ text: String, hint: String) -> Failure
  {
    // The rows so far are valid.
    Failure(stage, .badData, code, text, hint: hint, endsInput: true)
  }

  /// The start of a stream is damaged, or something else.
  static func notPacked(_ stage: StageName?) -> Failure {
    packedForm(
      stage, "not-packed", "the input begins like the packed form, but its header is damaged",
      hint: "write it again with the same version of cdpipe")
  }

  static func unknownPackedVersion(_ stage: StageName?, _ version: UInt8) -> Failure {
    packedForm(
      stage, "packed-version",
      "the input is in version \(version) of the packed form, which this version of cdpipe does not read",
      hint: "use the same version of cdpipe on both sides of the pipe")
  }

  /// The stream has raw rows where records are needed, or the reverse.
  static func otherPackedRows(_ stage: StageName?, _ rows: PackedForm.Rows) -> Failure {
    switch rows {
    case .rawRows:
      packedForm(
        stage, "packed-raw-rows", "the packed input has raw rows",
        hint: "add 'cdpipe normalize' before this stage")
    case .records where stage?.rawValue == "normalize":
      packedForm(
        stage, "packed-records", "the packed input has records", hint: "leave out 'cdpipe normalize'")
    case .records:
      packedForm(
        stage, "packed-records", "the packed input has records, which this command reads only as text",
        hint: "leave out '--packed' and unset CDPIPE_PACKED")
    case .bytes:
      packedForm(
        stage, "packed-bytes", "the packed input has bytes, which this command reads only as they are",
        hint: "leave out '--packed' and unset CDPIPE_PACKED")
    }
  }

  /// The stream ends before its end mark, after this many rows or bytes: the program that wrote it failed, or bytes are
  /// missing.
  static func truncatedPacked(_ stage: StageName?, rows: UInt64, unit: String) -> Failure {
    packedForm(
      stage, "packed-truncated",
      "the packed input ends after \(Figures.counted(rows, unit)), before its end mark",
      hint: "look for an error of the command that wrote it")
  }

  static func packedAfterText(_ stage: StageName?) -> Failure {
    packedForm(
      stage, "packed-after-text",
      "the input starts as text and continues in the packed form, which must come first",
      hint: "write all parts as text: leave out '--packed' and unset CDPIPE_PACKED")
  }

  /// The bytes after this many rows were changed, or some are missing.
  static func damagedPacked(_ stage: StageName?, rows: UInt64, unit: String) -> Failure {
    packedForm(
      stage, "packed-damaged", "the packed input is damaged after \(Figures.counted(rows, unit))",
      hint: "write it again")
  }
}

public enum PackedForm {
  /// The first bytes of a stream. The first one does not occur at the start of text.
  public static let signature: [UInt8] = [0x8E, 0x43, 0x44, 0x50, 0x4B, 0x0D, 0x0A, 0x1A]

  private static let signatureLineBytes = 5

  /// Whether a line of text that is not valid is the start of a stream.
  static func begins(with line: Span<UInt8>) -> Bool {
    line.count >= signatureLineBytes && (0..<signatureLineBytes).allSatisfy { line[$0] == signature[$0] }
  }

  /// Whether an input is in the packed form, by its first bytes.
  public static func begins(stream bytes: Span<UInt8>) -> Bool {
    !bytes.isEmpty && bytes[0] == signature[0]
  }

  static let version: UInt8 = 1

  static let streamHeaderBytes = 16
  static let blockHeaderBytes = 32
  /// The largest size of a block in bytes: a full batch of raw rows, which has more bytes than one of records.
  static let blockBytesMax =
    blockHeaderBytes + RawRowBatch.rowsMax * (2 + 2 + 2) + RawRowBatch.textsBytesMax
    + RecordFieldsTable.bytesMax

  /// The rows of a stream, as its header states them.
  enum Rows: UInt8 {
    case records = 1
    case rawRows = 2
    /// Not rows: the bytes of a filter that writes bytes. A block has some of them, and no other columns.
    case bytes = 3
  }

  /// The maximum number of bytes in a block of bytes.
  static let bytesPerBlockMax = 65_536

  /// The number of bytes of a header up to the kind of its rows.
  static let kindEnd = 10

  /// Whether the start of a stream, of ``kindEnd`` bytes, is that of bytes.
  static func hasBytes(_ start: [UInt8]) -> Bool {
    start.count == kindEnd && start.starts(with: signature) && start[kindEnd - 1] == Rows.bytes.rawValue
  }

  /// The header of the stream of a filter whose last stage outputs this; nil if it writes its own files.
  public static func streamHeader(of output: DataKind) -> [UInt8]? {
    switch output {
    case .bytes: streamHeader(.bytes)
    case .rawRows: streamHeader(.rawRows)
    case .records: streamHeader(.records)
    case .nothing: nil
    }
  }

  static func streamHeader(_ rows: Rows) -> [UInt8] {
    var bytes = signature + [version, rows.rawValue, 0, 0]
    let checksum = CRC32C.checksum(bytes.span)
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: checksum >> UInt32(shift))) }
    return bytes
  }

  /// Checks the header of a stream, whose size is ``streamHeaderBytes``.
  static func check(
    streamHeader bytes: Span<UInt8>, expecting rows: Rows, _ stage: StageName?
  ) throws(Failure) {
    let raw = unsafe bytes.bytes
    for index in signature.indices where bytes[index] != signature[index] { throw .notPacked(stage) }
    guard raw.word32(12) == CRC32C.checksum(raw.extracting(0..<12)) else { throw .notPacked(stage) }
    guard bytes[8] == version else { throw .unknownPackedVersion(stage, bytes[8]) }
    guard let found = Rows(rawValue: bytes[9]), bytes[10] == 0, bytes[11] == 0 else {
      throw .notPacked(stage)
    }
    guard found == rows else { throw .otherPackedRows(stage, found) }
  }
}

struct PackedFormBlock: Equatable {
  /// The number of rows; 0 for the end of the stream.
  var rows = 0
  /// The number of different record fields, and their total size in bytes.
  var fields = 0
  var fieldsBytes = 0
  /// The total size of the texts of raw rows in bytes; 0 for records.
  var textBytes = 0
  var rowsBefore: UInt64 = 0
  var hasRanges = false
  var checksum: UInt32 = 0

  init() {}

  /// The size of a row's index of record fields in bytes.
  var indexBytes: Int { fields <= 256 ? 1 : 2 }

  func columnBytes(_ kind: PackedForm.Rows) -> Int {
    if kind == .bytes { return rows }
    let number = kind == .records ? (hasRanges ? 16 : 8) : 2
    return rows * (number + indexBytes) + fields * 2 + textBytes + fieldsBytes
  }

  /// Reads the header of a block; nil if it has impossible values.
  ///
  /// - Precondition: There are at least ``PackedForm/blockHeaderBytes`` bytes.
  init?(_ bytes: RawSpan, _ kind: PackedForm.Rows) {
    rows = Int(bytes.word32(0))
    fields = Int(bytes.word32(4))
    fieldsBytes = Int(bytes.word32(8))
    textBytes = Int(bytes.word32(12))
    rowsBefore = UInt64(bytes.word32(16)) | UInt64(bytes.word32(20)) << 32
    let flags = bytes.word32(24)
    hasRanges = flags == 1
    checksum = bytes.word32(28)
    let textsMax = kind == .rawRows ? RawRowBatch.textsBytesMax : 0
    let rowsMax = kind == .bytes ? PackedForm.bytesPerBlockMax : RecordBatch.recordsMax
    let fieldsMax = kind == .bytes ? 0 : RecordBatch.recordsMax
    guard flags <= (kind == .records ? 1 : 0), rows <= rowsMax, fields <= fieldsMax,
      fieldsBytes <= min(fields, 1) * RecordFieldsTable.bytesMax, textBytes <= textsMax,
      rows > 0 || (fields == 0 && fieldsBytes == 0 && textBytes == 0 && flags == 0)
    else { return nil }
  }
}

extension RawSpan {
  /// The little-endian integer of four bytes at an offset. Traps unless they are in the span.
  func word32(_ offset: Int) -> UInt32 {
    // Any four bytes are a UInt32.
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}

protocol PackedBlockSink: ~Copyable {
  var packedRows: PackedForm.Rows { get }
  /// Whether the sink accepts another block at once.
  var acceptsBlock: Bool { get }
  /// Receives the columns of a block; returns false if they are invalid.
  mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) throws(Failure) -> Bool
}

extension PackedBlockSink where Self: ~Copyable {
  /// True: the sink passes blocks on.
  var acceptsBlock: Bool { true }
}

/// The state of reading one stream, which is split into blocks. Blocks within a chunk are not copied; blocks that
/// cross chunks are assembled.
struct PackedFormStream: ~Copyable {
  private let stage: StageName?
  /// What the rows are called in errors.
  private let unit: String
  /// The start of a header or block that continues in the next chunk.
  private var carried = RigidArray<UInt8>(capacity: 0)
  /// The number of rows in the blocks so far.
  private var rows: UInt64 = 0
  private var hasHeader = false
  private(set) var isAtEnd = false

  init(stage: StageName?, unit: String = "row") {
    self.stage = stage
    self.unit = unit
  }

  /// Passes on blocks from `start` on, up to the end mark or as long as the sink accepts them, and returns the index after
  /// the last byte that was used.
  mutating func cut(
    _ bytes: Span<UInt8>, from start: Int, for sink: inout some PackedBlockSink & ~Copyable
  ) throws(Failure) -> Int {
    var at = start
    while at < bytes.count, !isAtEnd, sink.acceptsBlock {
      let rest = bytes.extracting(at...)
      if carried.isEmpty, let size = try size(rest, sink.packedRows), size <= rest.count {
        try pass(rest.extracting(..<size), to: &sink)
        at += size
      } else {
        at += try carry(rest, for: &sink)
      }
    }
    return at
  }

  func finish() throws(Failure) {
    guard isAtEnd else { throw .truncatedPacked(stage, rows: rows, unit: unit) }
  }

  /// The size of the header or block that starts with these bytes; nil if there are too few to know it.
  private func size(_ bytes: Span<UInt8>, _ kind: PackedForm.Rows) throws(Failure) -> Int? {
    guard hasHeader else {
      return bytes.count >= PackedForm.streamHeaderBytes ? PackedForm.streamHeaderBytes : nil
    }
    guard bytes.count >= PackedForm.blockHeaderBytes else { return nil }
    guard let block = unsafe PackedFormBlock(bytes.bytes, kind) else {
      throw .damagedPacked(stage, rows: rows, unit: unit)
    }
    return PackedForm.blockHeaderBytes + block.columnBytes(kind)
  }

  /// Adds bytes to a header or block, passes it on when it is complete, and returns the number of bytes used.
  private mutating func carry(
    _ bytes: Span<UInt8>, for sink: inout some PackedBlockSink & ~Copyable
  ) throws(Failure) -> Int {
    if carried.capacity == 0 { carried = RigidArray(capacity: PackedForm.blockBytesMax) }
    let head = hasHeader ? PackedForm.blockHeaderBytes : PackedForm.streamHeaderBytes
    let needed = try size(carried.span, sink.packedRows) ?? head
    let count = min(needed - carried.count, bytes.count)
    carried.append(copying: bytes.extracting(..<count))
    if try size(carried.span, sink.packedRows) == carried.count {
      var whole = RigidArray<UInt8>(capacity: 0)
      swap(&whole, &carried)
      try pass(whole.span, to: &sink)
      swap(&whole, &carried)
      carried.removeAll()
    }
    return count
  }

  /// Passes on a whole header or block.
  private mutating func pass(
    _ bytes: Span<UInt8>, to sink: inout some PackedBlockSink & ~Copyable
  ) throws(Failure) {
    guard hasHeader else {
      try PackedForm.check(streamHeader: bytes, expecting: sink.packedRows, stage)
      hasHeader = true
      return
    }
    let raw = unsafe bytes.bytes
    let head = CRC32C.checksum(raw.extracting(..<(PackedForm.blockHeaderBytes - 4)))
    guard let block = PackedFormBlock(raw, sink.packedRows),
      CRC32C.checksum(raw.extracting(PackedForm.blockHeaderBytes...), after: head) == block.checksum,
      block.rowsBefore == rows
    else { throw .damagedPacked(stage, rows: rows, unit: unit) }
    guard block.rows > 0 else {
      isAtEnd = true
      return
    }
    guard try sink.receive(block: block, bytes.extracting(PackedForm.blockHeaderBytes...)) else {
      throw .damagedPacked(stage, rows: rows, unit: unit)
    }
    rows += UInt64(block.rows)
  }
}
