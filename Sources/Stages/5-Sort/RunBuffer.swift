// The records of one run in memory, within the budget, and their traversal in order.
//
// Three columns, none larger than its records need:
// - every single number is one word: 50 bits of number, 14 bits of dictionary ID;
// - a single number with inline record fields has its word, too, and additionally an entry with the slice of its
//   fields. Both columns are sorted by number, and both sorts are stable, so the n-th word without an ID belongs to
//   the n-th entry;
// - ranges are separate. They sort before the single numbers with the same first number, because they are wider.

import BasicContainers
import CIntrinsics
import Records

/// A single number and the dictionary ID of its record fields in one word.
struct CompactRecord: RadixWord {
  private let word: UInt64

  init(number: UInt64, fieldsID: UInt32) {
    word = number << UInt64(RecordFieldsDictionary.idBits) | UInt64(fieldsID)
  }

  var key: UInt64 { word & ~UInt64(RecordFieldsDictionary.absent) }
  var number: UInt64 { word >> UInt64(RecordFieldsDictionary.idBits) }
  var fieldsID: UInt32 { UInt32(truncatingIfNeeded: word) & RecordFieldsDictionary.absent }
}

/// The position of inline record fields in the buffer's text.
struct FieldsSlice: BitwiseCopyable {
  var offset: UInt32
  var count: UInt32
}

struct InlineRecord: RadixWord {
  var number: UInt64
  var slice: FieldsSlice
  var key: UInt64 { number }
}

/// A range; its record fields have an ID or a slice.
struct RangeRecord: BitwiseCopyable {
  var first: UInt64
  var last: UInt64
  var fieldsID: UInt32
  var ordinal: UInt32
  var slice: FieldsSlice

  static func comesBefore(_ one: RangeRecord, _ other: RangeRecord) -> Bool {
    if one.first != other.first { return one.first < other.first }
    if one.last != other.last { return one.last > other.last }
    return one.ordinal < other.ordinal
  }
}

/// A sink for a run's records in order. Record fields are a dictionary ID, or the bytes themselves.
protocol RunSink: ~Copyable {
  mutating func receive(first: UInt64, last: UInt64, fieldsID: UInt32) throws(Failure)
  mutating func receive(first: UInt64, last: UInt64, inline fields: Span<UInt8>) throws(Failure)
}

struct RunBuffer: ~Copyable {
  private static let packedBytesEach = 2 * MemoryLayout<CompactRecord>.stride
  private static let inlineBytesEach = 2 * MemoryLayout<InlineRecord>.stride
  private static let rangeBytesEach = MemoryLayout<RangeRecord>.stride

  /// The maximum memory that a run can use: slices have 32-bit offsets.
  static let bytesUsedMax = Int(UInt32.max)

  private let bytesMax: Int
  /// The run is long enough when its records take this many bytes.
  var targetBytes = Int.max
  private var packed: RigidArray<CompactRecord>
  private var packedScratch: RigidArray<CompactRecord>
  private var inlined: RigidArray<InlineRecord>
  private var inlineScratch: RigidArray<InlineRecord>
  private var ranges: RigidArray<RangeRecord>
  private var fieldsText: RigidArray<UInt8>

  private var isSorted = false
  /// The maximum size of each column since its memory was allocated: the pages that are in use, whatever they hold.
  private var touched = Columns()

  private struct Columns {
    var packed = 0
    var inlined = 0
    var ranges = 0
    var fieldsText = 0

    /// The memory in bytes, including the sort's scratch.
    var bytes: Int {
      packed * RunBuffer.packedBytesEach + inlined * RunBuffer.inlineBytesEach + ranges
        * RunBuffer.rangeBytesEach
        + fieldsText
    }

    func max(_ other: Columns) -> Columns {
      Columns(
        packed: Swift.max(packed, other.packed), inlined: Swift.max(inlined, other.inlined),
        ranges: Swift.max(ranges, other.ranges), fieldsText: Swift.max(fieldsText, other.fieldsText))
    }
  }

  // Per batch: the ID and, for inline fields, the slice of each of its record fields.
  private var ids = RigidArray<UInt32>(capacity: RecordBatch.recordsMax)
  private var slices = RigidArray<FieldsSlice>(
    repeating: FieldsSlice(offset: .max, count: 0), count: RecordBatch.recordsMax)

  /// Makes an empty buffer. Memory is reserved, but not touched until records use it.
  init(bytesMax: Int) {
    self.bytesMax = min(bytesMax, Self.bytesUsedMax)
    let packedMax = self.bytesMax / Self.packedBytesEach
    packed = RigidArray(capacity: packedMax)
    packedScratch = RigidArray(capacity: packedMax)
    inlined = RigidArray(capacity: 0)
    inlineScratch = RigidArray(capacity: 0)
    ranges = RigidArray(capacity: 0)
    fieldsText = RigidArray(capacity: 0)
  }

  var count: Int { packed.count + ranges.count }

  /// The memory that the records take, in bytes, including the sort's scratch.
  var bytesUsed: Int { used.bytes }

  /// The most compact format that can hold all the records.
  var format: RunFormat { !ranges.isEmpty ? .varint : inlined.isEmpty ? .packed : .inline }

  private var used: Columns {
    Columns(packed: packed.count, inlined: inlined.count, ranges: ranges.count, fieldsText: fieldsText.count)
  }

  /// Whether the run should continue, and any batch of this size fits.
  func hasCapacity(for batch: borrowing RecordBatch) -> Bool {
    if bytesUsed >= targetBytes { return false }
    var upperBound = used
    upperBound.packed += batch.count
    upperBound.inlined += batch.count
    upperBound.ranges += batch.count
    upperBound.fieldsText += RecordFieldsTable.bytesMax
    return upperBound.max(touched).bytes <= bytesMax
  }

  /// Whether all single numbers have inline record fields.
  private var isAllInline: Bool { packed.count == inlined.count }

  /// Adds a batch.
  ///
  /// - Precondition: `hasCapacity(for: batch)`.
  mutating func append(_ batch: borrowing RecordBatch, _ dictionary: inout RecordFieldsDictionary) {
    ids.removeAll()
    isSorted = false
    var internedCount = 0
    for index in 0..<batch.fieldsTable.count {
      let id = dictionary.id(of: batch.fieldsTable[index])
      if id == RecordFieldsDictionary.absent {
        slices[index] = FieldsSlice(offset: .max, count: 0)
      } else {
        internedCount += 1
      }
      ids.append(id)
    }
    if internedCount == ids.count, batch.isSingles { return Self.append(batch, ids: ids, to: &packed) }
    reserveRareColumns()
    if internedCount == 0, batch.isSingles {
      return Self.append(inlining: batch, &fieldsText, &packed, &inlined)
    }
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      let fieldsIndex = Int(batch.fieldsIndices[index])
      let id = ids[fieldsIndex]
      let slice =
        id == RecordFieldsDictionary.absent
        ? slice(of: fieldsIndex, in: batch) : FieldsSlice(offset: 0, count: 0)
      if first != last {
        ranges.append(
          RangeRecord(first: first, last: last, fieldsID: id, ordinal: UInt32(ranges.count), slice: slice)
        )
      } else {
        packed.append(CompactRecord(number: first, fieldsID: id))
        if id == RecordFieldsDictionary.absent { inlined.append(InlineRecord(number: first, slice: slice)) }
      }
    }
  }

  /// The common case: single numbers whose record fields all have IDs.
  private static func append(
    _ batch: borrowing RecordBatch, ids: borrowing RigidArray<UInt32>,
    to packed: inout RigidArray<CompactRecord>
  ) {
    let count = batch.count
    let firsts = batch.firsts.span
    let fieldsIndices = batch.fieldsIndices.span
    let ids = ids.span
    packed.append(addingCount: count) { output in
      for index in 0..<count {
        output.append(CompactRecord(number: firsts[index], fieldsID: ids[Int(fieldsIndices[index])]))
      }
    }
  }

  /// The case of a distinct label per row: single numbers whose record fields all are inline.
  private static func append(
    inlining batch: borrowing RecordBatch, _ text: inout RigidArray<UInt8>,
    _ packed: inout RigidArray<CompactRecord>, _ inlined: inout RigidArray<InlineRecord>
  ) {
    let start = UInt32(text.count)
    text.append(copying: batch.fieldsTable.text)
    let count = batch.count
    let firsts = batch.firsts.span
    let fieldsIndices = batch.fieldsIndices.span
    let ends = batch.fieldsTable.textEnds
    packed.append(addingCount: count) { output in
      for index in 0..<count {
        output.append(CompactRecord(number: firsts[index], fieldsID: RecordFieldsDictionary.absent))
      }
    }
    inlined.append(addingCount: count) { output in
      for index in 0..<count {
        let fieldsIndex = Int(fieldsIndices[index])
        let before = fieldsIndex == 0 ? 0 : ends[fieldsIndex &- 1]
        let slice = FieldsSlice(offset: start &+ before, count: ends[fieldsIndex] &- before)
        output.append(InlineRecord(number: firsts[index], slice: slice))
      }
    }
  }

  private mutating func slice(of fieldsIndex: Int, in batch: borrowing RecordBatch) -> FieldsSlice {
    if slices[fieldsIndex].offset == .max {
      let bytes = batch.fieldsTable[fieldsIndex]
      slices[fieldsIndex] = FieldsSlice(offset: UInt32(fieldsText.count), count: UInt32(bytes.count))
      fieldsText.append(copying: bytes)
    }
    return slices[fieldsIndex]
  }

  /// Reserves the columns that most runs never need.
  private mutating func reserveRareColumns() {
    guard fieldsText.capacity == 0 else { return }
    inlined = RigidArray(capacity: bytesMax / Self.inlineBytesEach)
    inlineScratch = RigidArray(capacity: bytesMax / Self.inlineBytesEach)
    ranges = RigidArray(capacity: bytesMax / Self.rangeBytesEach)
    fieldsText = RigidArray(capacity: bytesMax)
  }

  /// Sorts the records, unless they are sorted, with the threads of a team if there is one.
  mutating func sort(_ team: WorkerTeam? = nil) {
    if isSorted { return }
    isSorted = true
    // If all record fields are inline, the entries alone hold all numbers.
    if !isAllInline { RadixSort.sort(&packed, scratch: &packedScratch, team) }
    RadixSort.sort(&inlined, scratch: &inlineScratch, team)
    if ranges.count > 1 {
      var span = ranges.mutableSpan
      unsafe span.withUnsafeMutableBufferPointer { ranges in
        var ranges = unsafe ranges
        unsafe ranges.sort(by: RangeRecord.comesBefore)
      }
    }
  }

  /// How many records ahead inline record fields are prefetched. After the sort they are anywhere in the buffer, and a
  /// memory access takes about as long as writing a dozen records.
  private static let prefetchDistance = 16

  @inline(__always)
  private borrowing func prefetch(_ index: Int) {
    guard index < inlined.count else { return }
    let offset = Int(inlined[index].slice.offset)
    unsafe fieldsText.span.withUnsafeBufferPointer { bytes in
      // Only a hint: nothing is read, and an address after the end would be harmless.
      if let base = bytes.baseAddress { unsafe cdp_prefetch(base + min(offset, bytes.count)) }
    }
  }

  /// Sends the records in order to `sink`.
  ///
  /// - Precondition: `sort()` was called, and nothing was added since.
  borrowing func walk(_ sink: inout some RunSink & ~Copyable) throws(Failure) {
    let singles = packed.span
    let isAllInline = isAllInline
    var nextInline = 0
    var nextRange = 0
    var rangeFirst = ranges.isEmpty ? UInt64.max : ranges[0].first
    for index in 0..<singles.count {
      let record =
        isAllInline
        ? CompactRecord(number: inlined[index].number, fieldsID: RecordFieldsDictionary.absent)
        : singles[index]
      let number = record.number
      while rangeFirst <= number {
        try walkRange(nextRange, &sink)
        nextRange += 1
        rangeFirst = nextRange < ranges.count ? ranges[nextRange].first : UInt64.max
      }
      if record.fieldsID != RecordFieldsDictionary.absent {
        try sink.receive(first: number, last: number, fieldsID: record.fieldsID)
      } else {
        prefetch(nextInline + Self.prefetchDistance)
        try sink.receive(first: number, last: number, inline: bytes(at: inlined[nextInline].slice))
        nextInline += 1
      }
    }
    while nextRange < ranges.count {
      try walkRange(nextRange, &sink)
      nextRange += 1
    }
  }

  /// Sends the records in order to `sink`.
  ///
  /// - Precondition: `sort()` was called, and ``format`` is `.packed`.
  borrowing func walkPacked(_ sink: inout some CompactRecordSink & ~Copyable) throws(Failure) {
    try sink.receive(packed: packed.span)
  }

  private borrowing func walkRange(_ index: Int, _ sink: inout some RunSink & ~Copyable) throws(Failure) {
    let range = ranges[index]
    if range.fieldsID != RecordFieldsDictionary.absent {
      try sink.receive(first: range.first, last: range.last, fieldsID: range.fieldsID)
    } else {
      try sink.receive(first: range.first, last: range.last, inline: bytes(at: range.slice))
    }
  }

  @_lifetime(borrow self)
  private borrowing func bytes(at slice: FieldsSlice) -> Span<UInt8> {
    fieldsText.span.extracting(Int(slice.offset)..<Int(slice.offset) + Int(slice.count))
  }

  /// Empties the buffer.
  ///
  /// The memory is kept, because the next run usually has the same kind of records: releasing and reallocating it took
  /// a sixth of the time for a distinct label per row. If memory that earlier runs touched made this run short, all of
  /// it is released.
  mutating func removeAll() {
    if fieldsText.capacity > 0, bytesUsed < min(targetBytes, bytesMax / 4 * 3) {
      self = RunBuffer(bytesMax: bytesMax)
      return
    }
    touched = touched.max(used)
    packed.removeAll()
    inlined.removeAll()
    ranges.removeAll()
    fieldsText.removeAll()
  }
}

// The record fields that a sort refers to by a 14-bit ID, so that number and ID fit into one word.
//
// IDs are assigned in order of appearance, within a fixed share of the memory. Record fields for which there is no
// capacity left are stored inline with their records.

struct RecordFieldsDictionary: ~Copyable {
  static let idBits = 14
  /// The ID of record fields that are stored inline.
  static let absent = UInt32((1 << idBits) - 1)
  /// The maximum number of IDs; ``absent`` is not one of them.
  static let countMax = Int(absent)
  /// The total bytes of all record fields; the tables come on top.
  static let bytesMax = SortBudget.dictionaryBytesMax - countMax * 8 - slotCount * 2

  private static let slotBits = 15
  private static let slotCount = 1 << slotBits

  private var bytes = RigidArray<UInt8>(capacity: bytesMax)
  private var ends = RigidArray<UInt32>(capacity: countMax)
  private var hashes = RigidArray<UInt32>(capacity: countMax)
  private let hash = SeededHash()
  private var slots = RigidArray<UInt16>(repeating: 0, count: slotCount)

  private var consecutiveMisses = 0
  /// After this many misses, only one lookup in ``probeInterval`` is made: nearly all labels are different. Record
  /// fields that have an ID may be stored inline then, too.
  private static let consecutiveMissesMax = 8192
  private static let probeInterval = 32

  init() {}

  var count: Int { ends.count }

  subscript(id: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let start = id == 0 ? 0 : Int(ends[id - 1])
      return bytes.span.extracting(start..<Int(ends[id]))
    }
  }

  /// The ID of record fields, added if there is capacity; ``absent`` if there is none, or if lookups are being skipped.
  mutating func id(of recordFields: Span<UInt8>) -> UInt32 {
    if consecutiveMisses >= Self.consecutiveMissesMax, consecutiveMisses % Self.probeInterval != 0 {
      consecutiveMisses += 1
      return Self.absent
    }
    let id = lookUp(recordFields)
    consecutiveMisses = id == Self.absent ? consecutiveMisses + 1 : 0
    return id
  }

  private mutating func lookUp(_ recordFields: Span<UInt8>) -> UInt32 {
    let hash = hash.of(recordFields)
    var slot = Int(hash >> UInt32(32 - Self.slotBits))
    while true {
      let held = Int(slots[slot])
      if held == 0 { break }
      if hashes[held - 1] == hash, isEqual(held - 1, recordFields) { return UInt32(held - 1) }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    guard ends.count < Self.countMax, recordFields.count <= bytes.freeCapacity else { return Self.absent }
    bytes.append(copying: recordFields)
    ends.append(UInt32(bytes.count))
    hashes.append(hash)
    slots[slot] = UInt16(ends.count)
    return UInt32(ends.count - 1)
  }

  /// The index of an ID's record fields in a batch's table, added if they are new; nil if the table is full.
  borrowing func intern(_ id: Int, in table: inout RecordFieldsTable) -> Int? { table.intern(self[id]) }

  private borrowing func isEqual(_ id: Int, _ recordFields: Span<UInt8>) -> Bool {
    let held = self[id]
    guard held.count == recordFields.count else { return false }
    for index in 0..<held.count where held[index] != recordFields[index] { return false }
    return true
  }
}
