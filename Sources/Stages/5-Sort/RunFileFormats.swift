// The two formats of blocks of single numbers, of which spilled runs consist.

import BasicContainers
import Records
import SystemIO

// A block of packed records as bytes: the format of a spilled run in which every record is a single number whose record
// fields have a dictionary ID.
//
// All entries of a block have the same width, as many whole bytes as its widest gap and its highest ID need together.
// So the loops of both encoder and decoder have no branches, and a typical list takes 2 to 3 bytes per record.
//
//     8 bytes: records, bytes per entry << 16, bits of an ID << 32 · 8 bytes: the first number
//     the entries: the gap to the previous number, with the ID in the lowest bits · 8 bytes of padding

enum CompactBlock {
  static let headerBytes = 16
  /// Every entry is loaded and stored as eight bytes, including the last.
  static let paddingBytes = 8
  static let bytesMax = headerBytes + 8 * RunFormat.blockRecordsMax + paddingBytes

  /// Appends a block of 1 to ``RunFormat/blockRecordsMax`` sorted records. The chunk must have capacity for
  /// ``bytesMax`` bytes.
  static func append(_ records: Span<CompactRecord>, to chunk: inout ByteChunk) {
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
        let entry = (record.number &- before) &<< UInt64(truncatingIfNeeded: idBits) | UInt64(record.fieldsID)
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
    _ buffer: Span<UInt8>, _ start: Int, into records: inout RigidArray<CompactRecord>
  ) -> Int? {
    let bytes = buffer.extracting(start..<buffer.count)
    let raw = unsafe bytes.bytes
    guard bytes.count >= headerBytes else { return nil }
    let head = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(as: UInt64.self))
    var number = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
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
        output.append(CompactRecord(number: number, fieldsID: UInt32(truncatingIfNeeded: entry & idMask)))
        at &+= width
      }
    }
    return length
  }
}

extension CompactRecord: BlockRecord {
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as format: RunFormat, run: Int,
    into records: inout RigidArray<CompactRecord>
  ) -> Int? {
    CompactBlock.decode(buffer, start, into: &records)
  }
}

protocol CompactRecordSink: ~Copyable {
  mutating func receive(packed records: Span<CompactRecord>) throws(Failure)
}

struct CompactRunWriter: CompactRecordSink, ~Copyable {
  private var output: RunFileWriter
  private var records = 0

  init(in directory: String, calls: any SystemCalls) throws(Failure) {
    output = try RunFileWriter(in: directory, calls: calls)
  }

  mutating func receive(packed records: Span<CompactRecord>) throws(Failure) {
    var start = 0
    while start < records.count {
      let end = min(start + RunFormat.blockRecordsMax, records.count)
      try output.reserveSpace(for: CompactBlock.bytesMax)
      CompactBlock.append(records.extracting(start..<end), to: &output.chunk)
      start = end
    }
    self.records += records.count
  }

  consuming func finish(level: Int) throws(Failure) -> SpilledRun {
    try output.finish(records: records, level: level, format: .packed)
  }
}

// A block of single numbers with inline record fields, as bytes: the format of a spilled run in which some record
// fields have no dictionary ID and no record is a range.
//
// Gaps and record fields are two columns of fixed-width entries, as many whole bytes as the widest entry needs; the
// text of the inline record fields follows. So the loops of both encoder and decoder have no branches.
//
//     8 bytes: records, bytes per gap << 16, bytes per fields entry << 24, bytes of text << 32
//     8 bytes: the first number · the gap to the previous number, per record · the fields entries · 8 bytes of padding
//     the text
//
// A fields entry is the length of the text times two, or the dictionary ID times two plus one.

/// A single number in a merge of blocks, and the location of its record fields.
struct MergeRecord: BlockRecord {
  let number: UInt64
  /// The offset in the run's buffer, or the dictionary ID: 32 bits; the length: 16 bits; the run's index: 15 bits; the
  /// highest bit is set for an ID.
  private let fields: UInt64

  private static let isIDBit: UInt64 = 1 << 63
  private static let lengthShift: UInt64 = 32
  private static let runShift: UInt64 = 48

  init(number: UInt64, fieldsID id: UInt32) {
    self.number = number
    fields = Self.isIDBit | UInt64(id)
  }

  /// `entry` is a fields entry of the block: a length or an ID.
  @inline(__always)
  fileprivate init(number: UInt64, entry: UInt64, offset: Int, run: Int) {
    self.number = number
    let isID = entry & 1
    let value = entry &>> 1
    let inline =
      UInt64(truncatingIfNeeded: offset) | value &<< Self.lengthShift
      | UInt64(truncatingIfNeeded: run) &<< Self.runShift
    fields = isID != 0 ? Self.isIDBit | value : inline
  }

  var key: UInt64 { number }
  var fieldsID: UInt32? { fields & Self.isIDBit != 0 ? UInt32(truncatingIfNeeded: fields) : nil }
  /// The index of the run whose buffer holds the inline record fields.
  var run: Int { Int(truncatingIfNeeded: fields &>> Self.runShift) & 0x7FFF }
  /// Their range in that buffer.
  var range: Range<Int> {
    let offset = Int(truncatingIfNeeded: fields & 0xFFFF_FFFF)
    return offset..<offset + (Int(truncatingIfNeeded: fields &>> Self.lengthShift) & 0xFFFF)
  }

  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as format: RunFormat, run: Int,
    into records: inout RigidArray<MergeRecord>
  ) -> Int? {
    guard format == .packed else { return InlineBlock.decode(buffer, start, run: run, into: &records) }
    var packed = RigidArray<CompactRecord>(capacity: RunFormat.blockRecordsMax)
    guard let length = CompactBlock.decode(buffer, start, into: &packed) else { return nil }
    for index in 0..<packed.count {
      records.append(MergeRecord(number: packed[index].number, fieldsID: packed[index].fieldsID))
    }
    return length
  }
}

enum InlineBlock {
  /// The maximum bytes of inline record fields in a block: the longest record fields always fit.
  static let textBytesMax = RecordFields.bytesMax
  private static let headerBytes = 16
  /// Every entry is loaded and stored as eight bytes, including the last.
  private static let paddingBytes = 8
  /// A gap has at most 50 bits, and a fields entry at most 17.
  static let bytesMax = headerBytes + RunFormat.blockRecordsMax * (7 + 3) + paddingBytes + textBytesMax

  /// Appends a block of sorted numbers, at least one. The chunk must have capacity for ``bytesMax`` bytes.
  static func append(
    _ numbers: Span<UInt64>, _ entries: Span<UInt32>, text: Span<UInt8>, to chunk: inout ByteChunk
  ) {
    let count = numbers.count
    precondition(count > 0 && count <= RunFormat.blockRecordsMax && entries.count == count)
    precondition(text.count <= textBytesMax && chunk.freeCapacity >= bytesMax)
    var gaps: UInt64 = 0
    var entryBits: UInt64 = 0
    var before = numbers[0]
    for index in 0..<count {
      gaps |= numbers[index] &- before
      entryBits |= UInt64(entries[index])
      before = numbers[index]
    }
    let gapWidth = max(1, (71 - gaps.leadingZeroBitCount) / 8)
    let entryWidth = max(1, (71 - entryBits.leadingZeroBitCount) / 8)
    // `bytesMax` assumes this.
    precondition(gapWidth <= 7 && entryWidth <= 3)
    _ = unsafe chunk.fill { target in
      let head = UInt64(count) | UInt64(gapWidth) << 16 | UInt64(entryWidth) << 24 | UInt64(text.count) << 32
      unsafe target.storeBytes(of: head.littleEndian, toByteOffset: 0, as: UInt64.self)
      unsafe target.storeBytes(of: numbers[0].littleEndian, toByteOffset: 8, as: UInt64.self)
      var at = headerBytes
      var before = numbers[0]
      // `at` stays within `bytesMax`, and the next entry overwrites the excess bytes of the previous one.
      for index in 0..<count {
        let gap = numbers[index] &- before
        unsafe target.storeBytes(of: gap.littleEndian, toByteOffset: at, as: UInt64.self)
        before = numbers[index]
        at &+= gapWidth
      }
      for index in 0..<count {
        let entry = UInt64(entries[index])
        unsafe target.storeBytes(of: entry.littleEndian, toByteOffset: at, as: UInt64.self)
        at &+= entryWidth
      }
      unsafe target.storeBytes(of: 0 as UInt64, toByteOffset: at, as: UInt64.self)
      at &+= paddingBytes
      unsafe text.withUnsafeBytes { text in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[at...]).copyMemory(from: text)
      }
      return at + text.count
    }
  }

  /// Decodes the block at `start` of `buffer` into `records`, which is empty and has capacity for
  /// ``RunFormat/blockRecordsMax``, and returns the block's length; nil if the block is truncated or invalid. `run` is
  /// the run's index in the merge.
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, run: Int, into records: inout RigidArray<MergeRecord>
  ) -> Int? {
    let bytes = buffer.extracting(start..<buffer.count)
    let raw = unsafe bytes.bytes
    guard bytes.count >= headerBytes else { return nil }
    let head = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(as: UInt64.self))
    var number = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let count = Int(head & 0xFFFF)
    let gapWidth = Int((head >> 16) & 0xFF)
    let entryWidth = Int((head >> 24) & 0xFF)
    let textCount = Int(head >> 32)
    guard count >= 1, count <= RunFormat.blockRecordsMax, 1...7 ~= gapWidth, 1...3 ~= entryWidth,
      textCount <= textBytesMax
    else { return nil }
    let textStart = headerBytes + count * (gapWidth + entryWidth) + paddingBytes
    let length = textStart + textCount
    guard length <= bytes.count else { return nil }
    let gapMask = ~UInt64(0) &>> UInt64(64 - 8 * gapWidth)
    let entryMask = ~UInt64(0) &>> UInt64(64 - 8 * entryWidth)
    var offset = start + textStart
    records.append(addingCount: count) { output in
      var gapAt = headerBytes
      var entryAt = headerBytes + count * gapWidth
      for _ in 0..<count {
        // The padding allows the last entry to be loaded as a whole word.
        let gap = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: gapAt, as: UInt64.self)
        let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: entryAt, as: UInt64.self)
        let entry = UInt64(littleEndian: word) & entryMask
        number &+= UInt64(littleEndian: gap) & gapMask
        output.append(MergeRecord(number: number, entry: entry, offset: offset, run: run))
        offset &+= Int(truncatingIfNeeded: entry & 1 != 0 ? 0 : entry &>> 1)
        gapAt &+= gapWidth
        entryAt &+= entryWidth
      }
    }
    // The lengths must add up to the length of the text, or the data is corrupt.
    return offset == start + length ? length : nil
  }
}

struct InlineRunWriter: RunSink, ~Copyable {
  private var output: RunFileWriter
  private var records = 0
  /// The block that is being filled.
  private var numbers: RigidArray<UInt64>
  private var entries: RigidArray<UInt32>
  private var text: RigidArray<UInt8>

  init(in directory: String, calls: any SystemCalls) throws(Failure) {
    output = try RunFileWriter(in: directory, calls: calls)
    numbers = RigidArray(capacity: RunFormat.blockRecordsMax)
    entries = RigidArray(capacity: RunFormat.blockRecordsMax)
    text = RigidArray(capacity: InlineBlock.textBytesMax)
  }

  mutating func receive(first: UInt64, last: UInt64, fieldsID: UInt32) throws(Failure) {
    if numbers.count == RunFormat.blockRecordsMax { try endBlock() }
    numbers.append(first)
    entries.append(fieldsID << 1 | 1)
  }

  mutating func receive(first: UInt64, last: UInt64, inline fields: Span<UInt8>) throws(Failure) {
    if numbers.count == RunFormat.blockRecordsMax || fields.count > text.freeCapacity { try endBlock() }
    numbers.append(first)
    entries.append(UInt32(truncatingIfNeeded: fields.count) << 1)
    text.append(copying: fields)
  }

  private mutating func endBlock() throws(Failure) {
    guard !numbers.isEmpty else { return }
    try output.reserveSpace(for: InlineBlock.bytesMax)
    Self.append(numbers, entries, text, to: &output.chunk)
    records += numbers.count
    numbers.removeAll()
    entries.removeAll()
    text.removeAll()
  }

  private static func append(
    _ numbers: borrowing RigidArray<UInt64>, _ entries: borrowing RigidArray<UInt32>,
    _ text: borrowing RigidArray<UInt8>, to chunk: inout ByteChunk
  ) {
    InlineBlock.append(numbers.span, entries.span, text: text.span, to: &chunk)
  }

  consuming func finish(level: Int) throws(Failure) -> SpilledRun {
    try endBlock()
    return try output.finish(records: records, level: level, format: .inline)
  }
}
