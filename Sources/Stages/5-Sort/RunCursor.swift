// A reader of a sorted run on disk, one record at a time.

import BasicContainers
import Records
import SystemIO

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
  /// The record's last number.
  private(set) var last: UInt64 = 0
  /// The dictionary ID of the record fields, or ``RecordFieldsDictionary/absent`` if they are in the buffer.
  private var fieldsID: UInt32 = 0
  private var inlineStart = 0
  private var inlineCount = 0

  /// Opens the run and reads its first record.
  init(_ run: consuming SpilledRun, bufferBytes: Int) throws(SystemError) {
    recordsLeft = run.records
    format = run.format
    block = RigidArray(capacity: run.format == .varint ? 0 : RunFormat.blockRecordsMax)
    bytes = RunReader(run.takeFile(), bufferBytes: bufferBytes)
    try advance()
  }

  /// Sends the current record to the sink.
  borrowing func send(to sink: inout some RunSink & ~Copyable) throws(Failure) {
    if fieldsID != RecordFieldsDictionary.absent {
      try sink.receive(first: first, last: last, fieldsID: fieldsID)
    } else {
      let inline = bytes.buffer.span.extracting(inlineStart..<inlineStart + inlineCount)
      try sink.receive(first: first, last: last, inline: inline)
    }
  }

  /// Advances to the next record.
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
