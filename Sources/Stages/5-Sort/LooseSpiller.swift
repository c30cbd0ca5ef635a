// Any sorted records as bytes, one by one: the form of a spilled run with ranges; RunCursor reads it.
//
// A record is the gap to the number before it, as a varint with two flags in the lowest bits (a range; an
// record fields that travels with it), then for a range its width, then the record fields' number, or its length and
// bytes.
//
// Not for: single numbers, which stand in blocks (PackedBlock, PlacedBlock).

import BasicContainers
import CallRecord
import SystemIO

enum SpillFlag {
  static let range: UInt64 = 1
  static let inline: UInt64 = 2
  static let bits: UInt64 = 2
}

/// Writes a run of any records to a file of its own.
struct LooseSpiller: RunSink, ~Copyable {
  /// The most bytes in a record without its record fields': three varints of 64 bits, and one of 14.
  private static let headBytesMax = 32

  private var output: RunOutput
  private var previous: UInt64 = 0
  private var records = 0

  init(in directory: String, calls: any SystemCalls) throws(SortTrouble) {
    output = try RunOutput(in: directory, calls: calls)
  }

  mutating func take(first: UInt64, last: UInt64, recordFields: UInt32) throws(SortTrouble) {
    try output.makeRoom(for: Self.headBytesMax)
    appendNumbers(first, last, flags: 0)
    output.chunk.appendVarint(UInt64(recordFields))
  }

  mutating func take(first: UInt64, last: UInt64, inline recordFields: Span<UInt8>) throws(SortTrouble) {
    try output.makeRoom(for: Self.headBytesMax + recordFields.count)
    appendNumbers(first, last, flags: SpillFlag.inline)
    output.chunk.appendVarint(UInt64(recordFields.count))
    output.chunk.append(recordFields)
  }

  @inline(__always)
  private mutating func appendNumbers(_ first: UInt64, _ last: UInt64, flags: UInt64) {
    let gap = (first - previous) << SpillFlag.bits
    if first == last {
      output.chunk.appendVarint(gap | flags)
    } else {
      output.chunk.appendVarint(gap | flags | SpillFlag.range)
      output.chunk.appendVarint(last - first)
    }
    previous = first
    records += 1
  }

  consuming func finish(level: Int) throws(SortTrouble) -> SpilledRun {
    try output.finish(records: records, level: level, form: .loose)
  }
}

extension ByteChunk {
  /// Seven bits a byte, the lowest first; the highest bit says that more come.
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
