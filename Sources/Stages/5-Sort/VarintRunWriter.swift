// The format of a spilled run with ranges, which RunCursor reads: any sorted records, one by one.
//
// A record is the gap to the previous first number, as a varint with two flags in the lowest bits (it is a range; its
// record fields are inline), then for a range its width, then the dictionary ID, or the length and bytes of the fields.
//
// Not for: single numbers, which are stored in blocks (PackedBlock, InlineBlock).

import BasicContainers
import Records
import SystemIO

enum VarintRecordFlag {
  static let range: UInt64 = 1
  static let inline: UInt64 = 2
  static let bits: UInt64 = 2
}

/// Writes a run of any records to a file.
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
