// A block of packed records as bytes: the format of a spilled run in which every record is a single number whose record
// fields have a dictionary ID.
//
// All entries of a block have the same width, as many whole bytes as its widest gap and its highest ID need together.
// So the loops of both encoder and decoder have no branches, and a typical list takes 2 to 3 bytes per record.
//
//     8 bytes: records, bytes per entry << 16, bits of an ID << 32 · 8 bytes: the first number
//     the entries: the gap to the previous number, with the ID in the lowest bits · 8 bytes of padding
//
// Not for: inline record fields (InlineBlock), or ranges (VarintRunWriter).

import BasicContainers
import Records
import SystemIO

enum PackedBlock {
  static let headerBytes = 16
  /// Every entry is loaded and stored as eight bytes, including the last.
  static let paddingBytes = 8
  static let bytesMax = headerBytes + 8 * RunFormat.blockRecordsMax + paddingBytes

  /// Appends a block of 1 to ``RunFormat/blockRecordsMax`` sorted records. The chunk must have capacity for
  /// ``bytesMax`` bytes.
  static func append(_ records: Span<PackedRecord>, to chunk: inout ByteChunk) {
    let count = records.count
    precondition(count > 0 && count <= RunFormat.blockRecordsMax && chunk.freeCapacity >= bytesMax)
    let base = records[0].number
    var gaps: UInt64 = 0
    var ids: UInt64 = 0
    var before = base
    for index in 0..<count {
      let record = records[index]
      gaps |= record.number &- before
      ids |= UInt64(record.fieldsID)
      before = record.number
    }
    let idBits = 64 - ids.leadingZeroBitCount
    let bits = 64 - gaps.leadingZeroBitCount + idBits
    // At most 50 bits of gap and 14 of ID.
    let width = max(1, (bits + 7) / 8)
    _ = unsafe chunk.fill { target in
      let head = UInt64(count) | UInt64(width) << 16 | UInt64(idBits) << 32
      unsafe target.storeBytes(of: head.littleEndian, toByteOffset: 0, as: UInt64.self)
      unsafe target.storeBytes(of: base.littleEndian, toByteOffset: 8, as: UInt64.self)
      var at = headerBytes
      var before = base
      for index in 0..<count {
        let record = records[index]
        let entry =
          (record.number &- before) &<< UInt64(truncatingIfNeeded: idBits) | UInt64(record.fieldsID)
        // `at` stays within `bytesMax`: `blockRecordsMax` entries of eight bytes and the padding.
        unsafe target.storeBytes(of: entry.littleEndian, toByteOffset: at, as: UInt64.self)
        before = record.number
        at &+= width
      }
      unsafe target.storeBytes(of: 0 as UInt64, toByteOffset: at, as: UInt64.self)
      return at + paddingBytes
    }
  }

  /// Decodes the block at `start` of `buffer` into `records`, which is empty and has capacity for
  /// ``RunFormat/blockRecordsMax``, and returns the block's length; nil if the block is truncated or invalid.
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, into records: inout RigidArray<PackedRecord>
  ) -> Int? {
    let bytes = buffer.extracting(start..<buffer.count)
    let raw = unsafe bytes.bytes
    guard bytes.count >= headerBytes else { return nil }
    let head = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(as: UInt64.self))
    var number = unsafe UInt64(
      littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let count = Int(head & 0xFFFF)
    let width = Int((head >> 16) & 0xFF)
    let idBits = Int((head >> 32) & 0xFF)
    guard count >= 1, count <= RunFormat.blockRecordsMax, width >= 1, width <= 8,
      idBits <= RecordFieldsDictionary.idBits
    else { return nil }
    let length = headerBytes + count * width + paddingBytes
    guard length <= bytes.count else { return nil }
    let mask = ~UInt64(0) &>> UInt64(64 - 8 * width)
    let idMask = (1 as UInt64) << UInt64(idBits) - 1
    records.append(addingCount: count) { output in
      var at = headerBytes
      for _ in 0..<count {
        // The padding allows the last entry to be loaded as a whole word.
        let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self)
        let entry = UInt64(littleEndian: word) & mask
        number &+= entry &>> UInt64(truncatingIfNeeded: idBits)
        output.append(
          PackedRecord(number: number, fieldsID: UInt32(truncatingIfNeeded: entry & idMask)))
        at &+= width
      }
    }
    return length
  }
}

extension PackedRecord: BlockRecord {
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as format: RunFormat, run: Int,
    into records: inout RigidArray<PackedRecord>
  ) -> Int? {
    PackedBlock.decode(buffer, start, into: &records)
  }
}

/// A sink for packed records in order, many at a time.
protocol PackedRecordSink: ~Copyable {
  mutating func receive(packed records: Span<PackedRecord>) throws(Failure)
}

/// Writes packed records to a file.
struct PackedRunWriter: PackedRecordSink, ~Copyable {
  private var output: RunFileWriter
  private var records = 0

  init(in directory: String, calls: any SystemCalls) throws(Failure) {
    output = try RunFileWriter(in: directory, calls: calls)
  }

  mutating func receive(packed records: Span<PackedRecord>) throws(Failure) {
    var start = 0
    while start < records.count {
      let end = min(start + RunFormat.blockRecordsMax, records.count)
      try output.reserveSpace(for: PackedBlock.bytesMax)
      PackedBlock.append(records.extracting(start..<end), to: &output.chunk)
      start = end
    }
    self.records += records.count
  }

  consuming func finish(level: Int) throws(Failure) -> SpilledRun {
    try output.finish(records: records, level: level, format: .packed)
  }
}
