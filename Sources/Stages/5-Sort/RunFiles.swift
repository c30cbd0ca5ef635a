// Sorted runs on disk: their formats, and how their files are written and read.

import BasicContainers
import Records
import SystemIO
import SystemPackage

enum RunFormat {
  /// Single numbers whose record fields all have dictionary IDs: CompactBlock.
  case packed
  /// Single numbers, with inline record fields or IDs: InlineBlock.
  case inline
  /// Any records, one by one: VarintRunWriter.
  case varint

  /// The maximum number of records in a block. A merge holds one decoded block of each run, and sorts that many at a
  /// time: enough to make a digit's counters cheap, and few enough for the L1 cache.
  static let blockRecordsMax = 1024

  /// The maximum bytes of a block, for a format that has blocks.
  var blockBytesMax: Int { self == .packed ? CompactBlock.bytesMax : InlineBlock.bytesMax }
}

struct SpilledRun: ~Copyable {
  let file: TemporaryFile
  let records: Int
  /// The number of merges that produced it.
  let level: Int
  let format: RunFormat

  consuming func takeFile() -> TemporaryFile { file }
}

struct RunFileWriter: ~Copyable {
  private var file: TemporaryFile
  /// Bytes to be written. Call `reserveSpace(for:)` before adding to it.
  var chunk: ByteChunk

  init(in directory: String, calls: any SystemCalls) throws(Failure) {
    // Everything that can fail comes before the first property is set; OutputFile explains why.
    let made: TemporaryFile
    do throws(SystemError) {
      made = try TemporaryFile(in: directory, calls: calls)
    } catch {
      throw Failure(.sort, error)
    }
    file = made
    chunk = ByteChunk()
  }

  /// Makes sure that the chunk has capacity for `bytes` more bytes.
  @inline(__always)
  mutating func reserveSpace(for bytes: Int) throws(Failure) { if chunk.freeCapacity < bytes { try flush() } }

  private mutating func flush() throws(Failure) {
    do throws(SystemError) { try file.append(chunk) } catch { throw Failure(.sort, error) }
    chunk.removeAll()
  }

  consuming func finish(records: Int, level: Int, format: RunFormat) throws(Failure) -> SpilledRun {
    try flush()
    return SpilledRun(file: file, records: records, level: level, format: format)
  }
}

// The format of a spilled run with ranges, which RunCursor reads: any sorted records, one by one.
//
// A record is the gap to the previous first number, as a varint with two flags in the lowest bits (it is a range; its
// record fields are inline), then for a range its width, then the dictionary ID, or the length and bytes of the fields.

enum VarintRecordFlag {
  static let range: UInt64 = 1
  static let inline: UInt64 = 2
  static let bits: UInt64 = 2
}

struct VarintRunWriter: RunSink, ~Copyable {
  /// The maximum bytes of a record without inline fields: three varints of 64 bits, and one of 14.
  private static let headerBytesMax = 32

  private var output: RunFileWriter
  private var previous: UInt64 = 0
  private var records = 0

  init(in directory: String, calls: any SystemCalls) throws(Failure) {
    output = try RunFileWriter(in: directory, calls: calls)
  }

  mutating func receive(first: UInt64, last: UInt64, fieldsID: UInt32) throws(Failure) {
    try output.reserveSpace(for: Self.headerBytesMax)
    appendNumbers(first, last, flags: 0)
    output.chunk.appendVarint(UInt64(fieldsID))
  }

  mutating func receive(first: UInt64, last: UInt64, inline fields: Span<UInt8>) throws(Failure) {
    try output.reserveSpace(for: Self.headerBytesMax + fields.count)
    appendNumbers(first, last, flags: VarintRecordFlag.inline)
    output.chunk.appendVarint(UInt64(fields.count))
    output.chunk.append(fields)
  }

  @inline(__always)
  private mutating func appendNumbers(_ first: UInt64, _ last: UInt64, flags: UInt64) {
    let gap = (first - previous) << VarintRecordFlag.bits
    if first == last {
      output.chunk.appendVarint(gap | flags)
    } else {
      output.chunk.appendVarint(gap | flags | VarintRecordFlag.range)
      output.chunk.appendVarint(last - first)
    }
    previous = first
    records += 1
  }

  consuming func finish(level: Int) throws(Failure) -> SpilledRun {
    try output.finish(records: records, level: level, format: .varint)
  }
}

extension ByteChunk {
  /// Appends a varint: seven bits per byte, the lowest first; the highest bit is set if more follow.
  @inline(__always)
  fileprivate mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

struct RunReader: ~Copyable {
  private let file: TemporaryFile
  private(set) var buffer: ByteChunk
  private var spare: ByteChunk
  private var offset: Int64 = 0
  var at = 0

  init(_ file: consuming TemporaryFile, bufferBytes: Int) {
    self.file = file
    // One half reads ahead while the other still holds the record that crosses the boundary.
    buffer = ByteChunk(capacity: bufferBytes / 2)
    spare = ByteChunk(capacity: bufferBytes / 2)
  }

  /// The number of bytes that can be read without another system call.
  var available: Int { buffer.count - at }

  /// The error for a file that is shorter than what was written, or has different content.
  var corruptionError: SystemError { SystemError(.readSpill, file.directory, .ioError) }

  /// Moves the unread bytes to the front, and fills the rest of the buffer.
  mutating func refill() throws(SystemError) {
    Self.copy(from: buffer, at, to: &spare)
    buffer.removeAll()
    swap(&buffer, &spare)
    at = 0
    while buffer.freeCapacity > 0 {
      let count = try file.read(into: &buffer, at: offset)
      if count == 0 { return }
      offset += Int64(count)
    }
  }

  private static func copy(from buffer: borrowing ByteChunk, _ start: Int, to spare: inout ByteChunk) {
    spare.append(buffer.span.extracting(start..<buffer.count))
  }

  /// Decodes the next block into `records`, which is empty. `run` is the run's index in the merge.
  mutating func readBlock<Record: BlockRecord>(
    as format: RunFormat, run: Int, into records: inout RigidArray<Record>
  ) throws(SystemError) {
    if available < format.blockBytesMax { try refill() }
    guard let length = Record.decode(buffer.span, at, as: format, run: run, into: &records) else {
      throw corruptionError
    }
    at += length
  }
}

/// Reads a spilled run from front to back through a fixed-size buffer.
struct RunCursor: ~Copyable {
  private var bytes: RunReader
  private var recordsLeft: Int
  private let format: RunFormat
  /// The current block, for a format that has blocks, and the index of the next record in it.
  private var block: RigidArray<MergeRecord>
  private var nextInBlock = 0

  /// The record's first number; `UInt64.max` at the end of the run.
  private(set) var first: UInt64 = 0
  private(set) var last: UInt64 = 0
  /// The dictionary ID of the record fields, or ``RecordFieldsDictionary/absent`` if they are in the buffer.
  private var fieldsID: UInt32 = 0
  private var inlineStart = 0
  private var inlineCount = 0

  init(_ run: consuming SpilledRun, bufferBytes: Int) throws(SystemError) {
    recordsLeft = run.records
    format = run.format
    block = RigidArray(capacity: run.format == .varint ? 0 : RunFormat.blockRecordsMax)
    bytes = RunReader(run.takeFile(), bufferBytes: bufferBytes)
    try advance()
  }

  borrowing func send(to sink: inout some RunSink & ~Copyable) throws(Failure) {
    if fieldsID != RecordFieldsDictionary.absent {
      try sink.receive(first: first, last: last, fieldsID: fieldsID)
    } else {
      let inline = bytes.buffer.span.extracting(inlineStart..<inlineStart + inlineCount)
      try sink.receive(first: first, last: last, inline: inline)
    }
  }

  mutating func advance() throws(SystemError) {
    guard recordsLeft > 0 else {
      first = .max
      last = 0
      return
    }
    recordsLeft -= 1
    if format != .varint { return try advanceInBlock() }
    // Four varints of at most 10 bytes: enough for the numbers, and then for the record fields.
    if bytes.available < 40 { try bytes.refill() }
    let head = try varint()
    first += head >> VarintRecordFlag.bits
    last = first
    if head & VarintRecordFlag.range != 0 { last += try varint() }
    let tail = try varint()
    if head & VarintRecordFlag.inline == 0 {
      fieldsID = UInt32(truncatingIfNeeded: tail)
      return
    }
    fieldsID = RecordFieldsDictionary.absent
    inlineCount = Int(tail)
    if bytes.available < inlineCount { try bytes.refill() }
    guard inlineCount >= 0, inlineCount <= bytes.available else { throw bytes.corruptionError }
    inlineStart = bytes.at
    bytes.at += inlineCount
  }

  private mutating func advanceInBlock() throws(SystemError) {
    if nextInBlock == block.count {
      block.removeAll()
      try bytes.readBlock(as: format, run: 0, into: &block)
      nextInBlock = 0
    }
    let record = block[nextInBlock]
    nextInBlock += 1
    first = record.number
    last = first
    fieldsID = record.fieldsID ?? RecordFieldsDictionary.absent
    inlineStart = record.range.lowerBound
    inlineCount = record.range.count
  }

  @inline(__always)
  private mutating func varint() throws(SystemError) -> UInt64 {
    var at = bytes.at
    guard let value = Self.varint(bytes.buffer, &at) else { throw bytes.corruptionError }
    bytes.at = at
    return value
  }

  @inline(__always)
  private static func varint(_ buffer: borrowing ByteChunk, _ at: inout Int) -> UInt64? {
    let bytes = buffer.span
    if bytes.count - at >= 8 {
      // Decodes up to four bytes at once: the length varies from record to record, and no branch depends on it.
      let word = unsafe UInt64(
        littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
      let length = (~word & 0x8080_8080_8080_8080).trailingZeroBitCount &>> 3 &+ 1
      if length <= 4 {
        at &+= length
        let low = word & (1 &<< UInt64(8 &* length) &- 1)
        return low & 0x7F | (low &>> 1) & 0x3F80 | (low &>> 2) & 0x1F_C000 | (low &>> 3) & 0xFE0_0000
      }
    }
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count, shift < 64 {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }
}
