// The records of one run in memory, within the budget, and their walk in order.
//
// Three columns, each no larger than its records need:
// - every single number is one word: 50 bits of number, 14 bits that name its record fields;
// - a single number whose record fields has no name has its word too, and beside it an entry with the record fields'
//   place. Both columns are sorted by number and stable, so the n-th nameless word belongs to the n-th entry;
// - ranges stand apart. They come before the single numbers with the same first number, since they are wider.

import BasicContainers
import CPrefetch
import CallRecord

/// A single number and the name of its record fields in one word.
struct PackedRecord: RadixWord {
  private let word: UInt64

  init(number: UInt64, recordFields: UInt32) {
    word = number << UInt64(RecordFieldsDictionary.idBits) | UInt64(recordFields)
  }

  var key: UInt64 { word & ~UInt64(RecordFieldsDictionary.absent) }
  var number: UInt64 { word >> UInt64(RecordFieldsDictionary.idBits) }
  var recordFields: UInt32 { UInt32(truncatingIfNeeded: word) & RecordFieldsDictionary.absent }
}

/// The place of a record\'s fields without a name.
struct PlacedRecordFields: BitwiseCopyable {
  var offset: UInt32
  var count: UInt32
}

/// A single number's record fields without a name.
struct PlacedRecord: RadixWord {
  var number: UInt64
  var place: PlacedRecordFields
  var key: UInt64 { number }
}

/// A range; its record fields has a name or a place.
struct RangeRecord: BitwiseCopyable {
  var first: UInt64
  var last: UInt64
  var recordFields: UInt32
  var ordinal: UInt32
  var place: PlacedRecordFields

  static func comesBefore(_ one: RangeRecord, _ other: RangeRecord) -> Bool {
    if one.first != other.first { return one.first < other.first }
    if one.last != other.last { return one.last > other.last }
    return one.ordinal < other.ordinal
  }
}

/// What takes a run's records in order. The record fields is a number in the dictionary, or the bytes themselves.
protocol RunSink: ~Copyable {
  mutating func take(first: UInt64, last: UInt64, recordFields: UInt32) throws(SortTrouble)
  mutating func take(first: UInt64, last: UInt64, inline recordFields: Span<UInt8>) throws(SortTrouble)
}

/// The records of one run in memory.
struct RunBuffer: ~Copyable {
  private static let packedCost = 2 * MemoryLayout<PackedRecord>.stride
  private static let placedCost = 2 * MemoryLayout<PlacedRecord>.stride
  private static let rangeCost = MemoryLayout<RangeRecord>.stride

  /// The most memory that one run can use: places in it are 32 bits.
  static let bytesUsedMax = Int(UInt32.max)

  private let bytesMax: Int
  /// With so many bytes of records the run is long enough.
  var bytesWanted = Int.max
  private var packed: RigidArray<PackedRecord>
  private var packedScratch: RigidArray<PackedRecord>
  private var placed: RigidArray<PlacedRecord>
  private var placedScratch: RigidArray<PlacedRecord>
  private var ranges: RigidArray<RangeRecord>
  private var fieldsTable: RigidArray<UInt8>

  private var isSorted = false
  /// The most that each column held since its memory was asked for: so much of it is in use, whatever is in there.
  private var touched = Columns()

  /// How much of each column.
  private struct Columns {
    var packed = 0
    var placed = 0
    var ranges = 0
    var fieldsTable = 0

    /// The memory that they take, in bytes, the sort's scratch included.
    var bytes: Int {
      packed * RunBuffer.packedCost + placed * RunBuffer.placedCost + ranges * RunBuffer.rangeCost
        + fieldsTable
    }

    func max(_ other: Columns) -> Columns {
      Columns(
        packed: Swift.max(packed, other.packed), placed: Swift.max(placed, other.placed),
        ranges: Swift.max(ranges, other.ranges), fieldsTable: Swift.max(fieldsTable, other.fieldsTable))
    }
  }

  // Per batch: what each of its record fields is called here.
  private var ids = RigidArray<UInt32>(capacity: RecordBatch.recordsMax)
  private var places = RigidArray<PlacedRecordFields>(
    repeating: PlacedRecordFields(offset: .max, count: 0), count: RecordBatch.recordsMax)

  /// Makes an empty buffer. Memory that no record uses is reserved, not touched.
  init(bytesMax: Int) {
    self.bytesMax = min(bytesMax, Self.bytesUsedMax)
    let packedMax = self.bytesMax / Self.packedCost
    packed = RigidArray(capacity: packedMax)
    packedScratch = RigidArray(capacity: packedMax)
    placed = RigidArray(capacity: 0)
    placedScratch = RigidArray(capacity: 0)
    ranges = RigidArray(capacity: 0)
    fieldsTable = RigidArray(capacity: 0)
  }

  var count: Int { packed.count + ranges.count }

  /// The memory that the records take, in bytes, the sort's scratch included.
  var bytesUsed: Int { used.bytes }

  /// The closest form that can hold all the records.
  var form: RunForm { !ranges.isEmpty ? .loose : placed.isEmpty ? .packed : .placed }

  /// What the columns hold.
  private var used: Columns {
    Columns(
      packed: packed.count, placed: placed.count, ranges: ranges.count, fieldsTable: fieldsTable.count)
  }

  /// Whether the run should go on, and a batch fits, whatever is in it.
  func hasCapacity(for batch: borrowing RecordBatch) -> Bool {
    if bytesUsed >= bytesWanted { return false }
    var worst = used
    worst.packed += batch.count
    worst.placed += batch.count
    worst.ranges += batch.count
    worst.fieldsTable += RecordFieldsTable.bytesMax
    return worst.max(touched).bytes <= bytesMax
  }

  /// Whether no single number has a named record fields.
  private var isNameless: Bool { packed.count == placed.count }

  /// Takes a batch in.
  ///
  /// - Precondition: `hasCapacity(for: batch)`.
  mutating func append(_ batch: borrowing RecordBatch, _ dictionary: inout RecordFieldsDictionary) {
    ids.removeAll()
    isSorted = false
    var named = 0
    for index in 0..<batch.fieldsTable.count {
      let id = dictionary.id(of: batch.fieldsTable[index])
      if id == RecordFieldsDictionary.absent {
        places[index] = PlacedRecordFields(offset: .max, count: 0)
      } else {
        named += 1
      }
      ids.append(id)
    }
    if named == ids.count, batch.isSingles { return Self.append(batch, named: ids, to: &packed) }
    reserveRare()
    if named == 0, batch.isSingles { return Self.append(nameless: batch, &fieldsTable, &packed, &placed) }
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      let recordFields = Int(batch.fieldsIndices[index])
      let id = ids[recordFields]
      let place =
        id == RecordFieldsDictionary.absent
        ? place(of: recordFields, in: batch) : PlacedRecordFields(offset: 0, count: 0)
      if first != last {
        ranges.append(
          RangeRecord(first: first, last: last, recordFields: id, ordinal: UInt32(ranges.count), place: place)
        )
      } else {
        packed.append(PackedRecord(number: first, recordFields: id))
        if id == RecordFieldsDictionary.absent { placed.append(PlacedRecord(number: first, place: place)) }
      }
    }
  }

  /// The common case: single numbers with named record fields.
  private static func append(
    _ batch: borrowing RecordBatch, named ids: borrowing RigidArray<UInt32>,
    to packed: inout RigidArray<PackedRecord>
  ) {
    let count = batch.count
    let firsts = batch.firsts.span
    let fieldsTable = batch.fieldsIndices.span
    let names = ids.span
    packed.append(addingCount: count) { output in
      for index in 0..<count {
        output.append(PackedRecord(number: firsts[index], recordFields: names[Int(fieldsTable[index])]))
      }
    }
  }

  /// Where each row has a label of its own: single numbers of which no record fields has a name.
  private static func append(
    nameless batch: borrowing RecordBatch, _ text: inout RigidArray<UInt8>,
    _ packed: inout RigidArray<PackedRecord>, _ placed: inout RigidArray<PlacedRecord>
  ) {
    let start = UInt32(text.count)
    text.append(copying: batch.fieldsTable.text)
    let count = batch.count
    let firsts = batch.firsts.span
    let fieldsTable = batch.fieldsIndices.span
    let ends = batch.fieldsTable.textEnds
    packed.append(addingCount: count) { output in
      for index in 0..<count {
        output.append(PackedRecord(number: firsts[index], recordFields: RecordFieldsDictionary.absent))
      }
    }
    placed.append(addingCount: count) { output in
      for index in 0..<count {
        let recordFields = Int(fieldsTable[index])
        let before = recordFields == 0 ? 0 : ends[recordFields &- 1]
        let place = PlacedRecordFields(offset: start &+ before, count: ends[recordFields] &- before)
        output.append(PlacedRecord(number: firsts[index], place: place))
      }
    }
  }

  private mutating func place(of recordFields: Int, in batch: borrowing RecordBatch) -> PlacedRecordFields {
    if places[recordFields].offset == .max {
      let bytes = batch.fieldsTable[recordFields]
      places[recordFields] = PlacedRecordFields(offset: UInt32(fieldsTable.count), count: UInt32(bytes.count))
      fieldsTable.append(copying: bytes)
    }
    return places[recordFields]
  }

  /// Reserves the columns that most runs never need.
  private mutating func reserveRare() {
    guard fieldsTable.capacity == 0 else { return }
    placed = RigidArray(capacity: bytesMax / Self.placedCost)
    placedScratch = RigidArray(capacity: bytesMax / Self.placedCost)
    ranges = RigidArray(capacity: bytesMax / Self.rangeCost)
    fieldsTable = RigidArray(capacity: bytesMax)
  }

  /// Brings the records into order, unless they are.
  mutating func sort() {
    if isSorted { return }
    isSorted = true
    // Where every record fields is nameless, the entries with the places say all that the words do.
    if !isNameless { RadixSort.sort(&packed, scratch: &packedScratch) }
    RadixSort.sort(&placed, scratch: &placedScratch)
    if ranges.count > 1 {
      var span = ranges.mutableSpan
      unsafe span.withUnsafeMutableBufferPointer { ranges in
        var ranges = unsafe ranges
        unsafe ranges.sort(by: RangeRecord.comesBefore)
      }
    }
  }

  /// So many records before its turn a record\'s fields is asked for. Sorted records have theirs anywhere in the buffer, and
  /// memory takes about as long to answer as a dozen records take to be written.
  private static let prefetchDistance = 16

  @inline(__always)
  private borrowing func prefetch(_ index: Int) {
    guard index < placed.count else { return }
    let offset = Int(placed[index].place.offset)
    unsafe fieldsTable.span.withUnsafeBufferPointer { bytes in
      // No more than a hint: nothing is read, and an address behind the end would do no harm.
      if let base = bytes.baseAddress { unsafe cdp_prefetch(base + min(offset, bytes.count)) }
    }
  }

  /// Hands over the records in order.
  ///
  /// - Precondition: `sort()` was called and nothing was added since.
  borrowing func walk(_ sink: inout some RunSink & ~Copyable) throws(SortTrouble) {
    let singles = packed.span
    let isNameless = isNameless
    var nextPlaced = 0
    var nextRange = 0
    var rangeFirst = ranges.isEmpty ? UInt64.max : ranges[0].first
    for index in 0..<singles.count {
      let record =
        isNameless
        ? PackedRecord(number: placed[index].number, recordFields: RecordFieldsDictionary.absent)
        : singles[index]
      let number = record.number
      while rangeFirst <= number {
        try walkRange(nextRange, &sink)
        nextRange += 1
        rangeFirst = nextRange < ranges.count ? ranges[nextRange].first : UInt64.max
      }
      if record.recordFields != RecordFieldsDictionary.absent {
        try sink.take(first: number, last: number, recordFields: record.recordFields)
      } else {
        prefetch(nextPlaced + Self.prefetchDistance)
        try sink.take(first: number, last: number, inline: bytes(at: placed[nextPlaced].place))
        nextPlaced += 1
      }
    }
    while nextRange < ranges.count {
      try walkRange(nextRange, &sink)
      nextRange += 1
    }
  }

  /// Hands over the records in order.
  ///
  /// - Precondition: `sort()` was called, and the buffer is packed.
  borrowing func walkPacked(_ sink: inout some PackedRecordSink & ~Copyable) throws(SortTrouble) {
    try sink.take(packed: packed.span)
  }

  private borrowing func walkRange(_ index: Int, _ sink: inout some RunSink & ~Copyable) throws(SortTrouble) {
    let range = ranges[index]
    if range.recordFields != RecordFieldsDictionary.absent {
      try sink.take(first: range.first, last: range.last, recordFields: range.recordFields)
    } else {
      try sink.take(first: range.first, last: range.last, inline: bytes(at: range.place))
    }
  }

  @_lifetime(borrow self)
  private borrowing func bytes(at place: PlacedRecordFields) -> Span<UInt8> {
    fieldsTable.span.extracting(Int(place.offset)..<Int(place.offset) + Int(place.count))
  }

  /// Empties the buffer.
  ///
  /// The next run most often is of the same kind and finds its memory there: to give it back and to ask for it anew took
  /// a sixth of the time of a run in which every row has a label of its own. When what earlier runs left in use
  /// made this one short, all goes back to the system.
  mutating func removeAll() {
    if fieldsTable.capacity > 0, bytesUsed < min(bytesWanted, bytesMax / 4 * 3) {
      self = RunBuffer(bytesMax: bytesMax)
      return
    }
    touched = touched.max(used)
    packed.removeAll()
    placed.removeAll()
    ranges.removeAll()
    fieldsTable.removeAll()
  }
}
