// A block of packed records as bytes: the form of a spilled run in which every record is a single number with a
// named record fields.
//
// A block's entries are all of one width in whole bytes, the fewest that hold its widest gap and its largest name.
// So neither side has a branch in its loop, and a usual list takes 2 to 3 bytes a record.
//
//     8 bytes: records, bytes of an entry << 16, bits of a name << 32 · 8 bytes: the first number
//     the entries, each: the gap to the number before, then the name in the lowest bits · 8 bytes of padding
//
// Not for: record fields that travel with their records (PlacedBlock), and ranges (LooseSpiller).

import BasicContainers
import CallRecord
import SystemIO

enum PackedBlock {
  static let headBytes = 16
  /// An entry is loaded and stored as eight bytes, wherever it ends.
  static let paddingBytes = 8
  static let bytesMax = headBytes + 8 * RunForm.blockRecordsMax + paddingBytes

  /// Appends a block of sorted records, at least one and at most ``RunForm/blockRecordsMax``, for which there is room.
  static func append(_ records: Span<PackedRecord>, to chunk: inout ByteChunk) {
    let count = records.count
    precondition(count > 0 && count <= RunForm.blockRecordsMax && chunk.freeCapacity >= bytesMax)
    let base = records[0].number
    var gaps: UInt64 = 0
    var names: UInt64 = 0
    var before = base
    for index in 0..<count {
      let record = records[index]
      gaps |= record.number &- before
      names |= UInt64(record.recordFields)
      before = record.number
    }
    let nameBits = 64 - names.leadingZeroBitCount
    let bits = 64 - gaps.leadingZeroBitCount + nameBits
    // 50 bits of gap and 14 of name at most.
    let width = max(1, (bits + 7) / 8)
    _ = unsafe chunk.fill { room in
      let head = UInt64(count) | UInt64(width) << 16 | UInt64(nameBits) << 32
      unsafe room.storeBytes(of: head.littleEndian, toByteOffset: 0, as: UInt64.self)
      unsafe room.storeBytes(of: base.littleEndian, toByteOffset: 8, as: UInt64.self)
      var at = headBytes
      var before = base
      for index in 0..<count {
        let record = records[index]
        let entry =
          (record.number &- before) &<< UInt64(truncatingIfNeeded: nameBits) | UInt64(record.recordFields)
        // `at` stays below the room that was asked for: `blockRecordsMax` entries of eight bytes and the padding.
        unsafe room.storeBytes(of: entry.littleEndian, toByteOffset: at, as: UInt64.self)
        before = record.number
        at &+= width
      }
      unsafe room.storeBytes(of: 0 as UInt64, toByteOffset: at, as: UInt64.self)
      return at + paddingBytes
    }
  }

  /// Decodes the block at `start` of `buffer` to `records`, which is empty and holds ``RunForm/blockRecordsMax``, and returns the
  /// block's length; nil when there is no whole block.
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, into records: inout RigidArray<PackedRecord>
  ) -> Int? {
    let bytes = buffer.extracting(start..<buffer.count)
    let raw = unsafe bytes.bytes
    guard bytes.count >= headBytes else { return nil }
    let head = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(as: UInt64.self))
    var number = unsafe UInt64(
      littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let count = Int(head & 0xFFFF)
    let width = Int((head >> 16) & 0xFF)
    let nameBits = Int((head >> 32) & 0xFF)
    guard count >= 1, count <= RunForm.blockRecordsMax, width >= 1, width <= 8,
      nameBits <= RecordFieldsDictionary.idBits
    else { return nil }
    let length = headBytes + count * width + paddingBytes
    guard length <= bytes.count else { return nil }
    let mask = ~UInt64(0) &>> UInt64(64 - 8 * width)
    let nameMask = (1 as UInt64) << UInt64(nameBits) - 1
    records.append(addingCount: count) { output in
      var at = headBytes
      for _ in 0..<count {
        // The padding lets the last entry be loaded whole.
        let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self)
        let entry = UInt64(littleEndian: word) & mask
        number &+= entry &>> UInt64(truncatingIfNeeded: nameBits)
        output.append(
          PackedRecord(number: number, recordFields: UInt32(truncatingIfNeeded: entry & nameMask)))
        at &+= width
      }
    }
    return length
  }
}

extension PackedRecord: BlockWord {
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as form: RunForm, place: Int,
    into records: inout RigidArray<PackedRecord>
  ) -> Int? {
    PackedBlock.decode(buffer, start, into: &records)
  }
}

/// What takes packed records in order, many at once.
protocol PackedRecordSink: ~Copyable {
  mutating func take(packed records: Span<PackedRecord>) throws(SortTrouble)
}

/// Writes packed records to a file of their own.
struct PackedSpiller: PackedRecordSink, ~Copyable {
  private var output: RunOutput
  private var records = 0

  init(in directory: String, calls: any SystemCalls) throws(SortTrouble) {
    output = try RunOutput(in: directory, calls: calls)
  }

  mutating func take(packed records: Span<PackedRecord>) throws(SortTrouble) {
    var start = 0
    while start < records.count {
      let end = min(start + RunForm.blockRecordsMax, records.count)
      try output.makeRoom(for: PackedBlock.bytesMax)
      PackedBlock.append(records.extracting(start..<end), to: &output.chunk)
      start = end
    }
    self.records += records.count
  }

  consuming func finish(level: Int) throws(SortTrouble) -> SpilledRun {
    try output.finish(records: records, level: level, form: .packed)
  }
}
