// A block of single numbers whose record fields travel with them, as bytes: the form of a spilled run in which some
// record fields have no name and no record is a range.
//
// Gaps and record fields are columns of entries of one width in whole bytes, the fewest that hold the widest; the text of
// the record fields stands behind them. So neither side has a branch in its loop.
//
//     8 bytes: records, bytes of a gap << 16, bytes of a record\'s fields's entry << 24, bytes of text << 32
//     8 bytes: the first number · the gaps to the number before · the record fields' entries · 8 bytes of padding · the text
//
// A record\'s fields's entry is twice its length, or twice its name and one.
//
// Not for: runs in which every record fields has a name (PackedBlock), and ranges (LooseSpiller).

import BasicContainers
import CallRecord
import SystemIO

/// A single number in a merge of blocks, and where its record fields is.
struct PlacedWord: BlockWord {
  let number: UInt64
  /// Offset in the run's buffer, or the name: 32 bits; length: 16 bits; the run's place: 15 bits; the highest bit says
  /// that it is a name.
  private let recordFields: UInt64

  private static let isNamedBit: UInt64 = 1 << 63
  private static let lengthShift: UInt64 = 32
  private static let placeShift: UInt64 = 48

  init(number: UInt64, named name: UInt32) {
    self.number = number
    recordFields = Self.isNamedBit | UInt64(name)
  }

  /// `entry` is as in the block: a length, or a name.
  @inline(__always)
  fileprivate init(number: UInt64, entry: UInt64, offset: Int, place: Int) {
    self.number = number
    let isNamed = entry & 1
    let value = entry &>> 1
    let inline =
      UInt64(truncatingIfNeeded: offset) | value &<< Self.lengthShift
      | UInt64(truncatingIfNeeded: place) &<< Self.placeShift
    recordFields = isNamed != 0 ? Self.isNamedBit | value : inline
  }

  var key: UInt64 { number }
  /// The record fields' name, if it has one.
  var name: UInt32? { recordFields & Self.isNamedBit != 0 ? UInt32(truncatingIfNeeded: recordFields) : nil }
  /// The place of the run that the record fields' bytes are in.
  var place: Int { Int(truncatingIfNeeded: recordFields &>> Self.placeShift) & 0x7FFF }
  /// Where in its buffer they are.
  var range: Range<Int> {
    let offset = Int(truncatingIfNeeded: recordFields & 0xFFFF_FFFF)
    return offset..<offset + (Int(truncatingIfNeeded: recordFields &>> Self.lengthShift) & 0xFFFF)
  }

  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, as form: RunForm, place: Int,
    into records: inout RigidArray<PlacedWord>
  ) -> Int? {
    guard form == .packed else { return PlacedBlock.decode(buffer, start, place: place, into: &records) }
    var packed = RigidArray<PackedRecord>(capacity: RunForm.blockRecordsMax)
    guard let length = PackedBlock.decode(buffer, start, into: &packed) else { return nil }
    for index in 0..<packed.count {
      records.append(PlacedWord(number: packed[index].number, named: packed[index].recordFields))
    }
    return length
  }
}

enum PlacedBlock {
  /// The most bytes of record fields in a block: one always fits.
  static let textBytesMax = RecordFields.bytesMax
  private static let headBytes = 16
  /// An entry is loaded and stored as eight bytes, wherever it ends.
  private static let paddingBytes = 8
  /// A number has 50 bits, and a record\'s fields's entry 17 at most.
  static let bytesMax = headBytes + RunForm.blockRecordsMax * (7 + 3) + paddingBytes + textBytesMax

  /// Appends a block of sorted numbers, for which there is room. There is at least one.
  static func append(
    _ numbers: Span<UInt64>, _ fieldsTable: Span<UInt32>, text: Span<UInt8>, to chunk: inout ByteChunk
  ) {
    let count = numbers.count
    precondition(count > 0 && count <= RunForm.blockRecordsMax && fieldsTable.count == count)
    precondition(text.count <= textBytesMax && chunk.freeCapacity >= bytesMax)
    var gaps: UInt64 = 0
    var entries: UInt64 = 0
    var before = numbers[0]
    for index in 0..<count {
      gaps |= numbers[index] &- before
      entries |= UInt64(fieldsTable[index])
      before = numbers[index]
    }
    let gapWidth = max(1, (71 - gaps.leadingZeroBitCount) / 8)
    let entryWidth = max(1, (71 - entries.leadingZeroBitCount) / 8)
    // What bytesMax counts on.
    precondition(gapWidth <= 7 && entryWidth <= 3)
    _ = unsafe chunk.fill { room in
      let head =
        UInt64(count) | UInt64(gapWidth) << 16 | UInt64(entryWidth) << 24 | UInt64(text.count) << 32
      unsafe room.storeBytes(of: head.littleEndian, toByteOffset: 0, as: UInt64.self)
      unsafe room.storeBytes(of: numbers[0].littleEndian, toByteOffset: 8, as: UInt64.self)
      var at = headBytes
      var before = numbers[0]
      // `at` stays below the room that was asked for, and what an entry writes behind itself is written over.
      for index in 0..<count {
        let gap = numbers[index] &- before
        unsafe room.storeBytes(of: gap.littleEndian, toByteOffset: at, as: UInt64.self)
        before = numbers[index]
        at &+= gapWidth
      }
      for index in 0..<count {
        let entry = UInt64(fieldsTable[index])
        unsafe room.storeBytes(of: entry.littleEndian, toByteOffset: at, as: UInt64.self)
        at &+= entryWidth
      }
      unsafe room.storeBytes(of: 0 as UInt64, toByteOffset: at, as: UInt64.self)
      at &+= paddingBytes
      unsafe text.withUnsafeBytes { text in
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[at...]).copyMemory(from: text)
      }
      return at + text.count
    }
  }

  /// Decodes the block at `start` of `buffer` to `records`, which is empty and holds ``RunForm/blockRecordsMax``, and
  /// returns the block's length; nil when there is no whole block. `place` is where the run stands in the merge.
  static func decode(
    _ buffer: Span<UInt8>, _ start: Int, place: Int, into records: inout RigidArray<PlacedWord>
  ) -> Int? {
    let bytes = buffer.extracting(start..<buffer.count)
    let raw = unsafe bytes.bytes
    guard bytes.count >= headBytes else { return nil }
    let head = unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(as: UInt64.self))
    var number = unsafe UInt64(
      littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
    let count = Int(head & 0xFFFF)
    let gapWidth = Int((head >> 16) & 0xFF)
    let entryWidth = Int((head >> 24) & 0xFF)
    let textCount = Int(head >> 32)
    guard count >= 1, count <= RunForm.blockRecordsMax, 1...7 ~= gapWidth, 1...3 ~= entryWidth,
      textCount <= textBytesMax
    else { return nil }
    let textStart = headBytes + count * (gapWidth + entryWidth) + paddingBytes
    let length = textStart + textCount
    guard length <= bytes.count else { return nil }
    let gapMask = ~UInt64(0) &>> UInt64(64 - 8 * gapWidth)
    let entryMask = ~UInt64(0) &>> UInt64(64 - 8 * entryWidth)
    var offset = start + textStart
    records.append(addingCount: count) { output in
      var gapAt = headBytes
      var entryAt = headBytes + count * gapWidth
      for _ in 0..<count {
        // The padding lets the last entry be loaded whole.
        let gap = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: gapAt, as: UInt64.self)
        let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: entryAt, as: UInt64.self)
        let entry = UInt64(littleEndian: word) & entryMask
        number &+= UInt64(littleEndian: gap) & gapMask
        output.append(PlacedWord(number: number, entry: entry, offset: offset, place: place))
        offset &+= Int(truncatingIfNeeded: entry & 1 != 0 ? 0 : entry &>> 1)
        gapAt &+= gapWidth
        entryAt &+= entryWidth
      }
    }
    // The lengths are those of the text, or it is not what was written.
    return offset == start + length ? length : nil
  }
}

/// Writes single numbers with any record fields to a file of their own.
struct PlacedSpiller: RunSink, ~Copyable {
  private var output: RunOutput
  private var records = 0
  /// The block that is being filled.
  private var numbers: RigidArray<UInt64>
  private var fieldsTable: RigidArray<UInt32>
  private var text: RigidArray<UInt8>

  init(in directory: String, calls: any SystemCalls) throws(SortTrouble) {
    output = try RunOutput(in: directory, calls: calls)
    numbers = RigidArray(capacity: RunForm.blockRecordsMax)
    fieldsTable = RigidArray(capacity: RunForm.blockRecordsMax)
    text = RigidArray(capacity: PlacedBlock.textBytesMax)
  }

  mutating func take(first: UInt64, last: UInt64, recordFields: UInt32) throws(SortTrouble) {
    if numbers.count == RunForm.blockRecordsMax { try endBlock() }
    numbers.append(first)
    fieldsTable.append(recordFields << 1 | 1)
  }

  mutating func take(first: UInt64, last: UInt64, inline recordFields: Span<UInt8>) throws(SortTrouble) {
    if numbers.count == RunForm.blockRecordsMax || recordFields.count > text.freeCapacity { try endBlock() }
    numbers.append(first)
    fieldsTable.append(UInt32(truncatingIfNeeded: recordFields.count) << 1)
    text.append(copying: recordFields)
  }

  private mutating func endBlock() throws(SortTrouble) {
    guard !numbers.isEmpty else { return }
    try output.makeRoom(for: PlacedBlock.bytesMax)
    Self.append(numbers, fieldsTable, text, to: &output.chunk)
    records += numbers.count
    numbers.removeAll()
    fieldsTable.removeAll()
    text.removeAll()
  }

  private static func append(
    _ numbers: borrowing RigidArray<UInt64>, _ fieldsTable: borrowing RigidArray<UInt32>,
    _ text: borrowing RigidArray<UInt8>, to chunk: inout ByteChunk
  ) {
    PlacedBlock.append(numbers.span, fieldsTable.span, text: text.span, to: &chunk)
  }

  consuming func finish(level: Int) throws(SortTrouble) -> SpilledRun {
    try endBlock()
    return try output.finish(records: records, level: level, form: .placed)
  }
}
