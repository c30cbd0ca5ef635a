// An open store file: its totals, its labels, access to its blocks, lookups, a check of everything except the
// content hash, and records and labels as plain values.

// Apps need the types that both modules have: one import is enough.
@_exported public import CallStoreFormat
import Hashing

/// A reference to a label of a store. Equal references of one store are the same label, so a caller can cache what it
/// derived from a label.
public struct StoreLabel: Hashable, Sendable {
  /// 48 bits offset in the file, 16 bits length.
  package let offsetAndCount: UInt64

  @inline(__always)
  init(offset: Int, count: Int) {
    offsetAndCount = UInt64(truncatingIfNeeded: offset) << 16 | UInt64(truncatingIfNeeded: count)
  }
}

/// A store file, mapped into memory. Opening it checks the trailer, the label table, the label codes and the block
/// index. A block is checked when it is first decoded. Nothing in a damaged or hostile file is trusted.
///
/// It uses 8 bytes of memory for each block, and 25 KiB for each of at most 8 label codes.
///
///     let store = try CallStore(url: url)
///     let label = try store.label(of: 86196852102)
///
///     for record in try CallStore(url: url).records() { show(record.first, record.label) }
///
/// Several threads may use a store at a time.
public struct CallStore: ~Copyable, Sendable {
  let mapping: FileMapping
  let marks: BlockMarks
  let trailer: StoreTrailer
  /// The codes that blocks share, ready to decode.
  let codes: ContiguousArray<PrefixCode>
  /// The first number of each block, close together, so that a search reads few cache lines.
  private let blockFirsts: ContiguousArray<UInt64>

  /// Opens the file at a path.
  ///
  /// - Complexity: O(blocks + bytes of the label table and the codes).
  public init(path: String) throws(CallStoreError) {
    try self.init(FileMapping(path: path))
  }

  /// Opens a store by an open file's descriptor. The caller keeps the descriptor and may close it.
  public init(descriptor: Int32) throws(CallStoreError) {
    try self.init(FileMapping(descriptor: descriptor))
  }

  /// Opens a store that is part of another file, such as a delta.
  ///
  /// - Parameters:
  ///   - descriptor: the open file's descriptor. The caller keeps it and may close it.
  ///   - part: the range of the store's bytes in the file.
  public init(descriptor: Int32, part: Range<Int>) throws(CallStoreError) {
    try self.init(FileMapping(descriptor: descriptor, part: part))
  }

  private init(_ mapping: consuming FileMapping) throws(CallStoreError) {
    let trailer = try StoreTrailer(mapping.bytes)
    let codes = try trailer.codes(mapping.bytes)
    self.trailer = trailer
    self.codes = codes
    blockFirsts = trailer.blockFirsts(mapping.bytes)
    marks = BlockMarks(count: trailer.blockCount)
    self.mapping = mapping
  }

  /// Releases the memory of the pages that were read so far. They are pages of the file, so nothing is lost, but they
  /// count as the process's memory: call it now and then when reading through a large store once.
  public func releasePages() {
    mapping.releasePages()
  }

  /// The number of records of a kind; a range is one record.
  public func recordCount(of kind: StoreKind) -> UInt64 {
    kind == .blocking ? trailer.blockingRecords : trailer.identificationRecords
  }

  /// The number of entries of a kind: single numbers, as iOS counts them.
  public func entryCount(of kind: StoreKind) -> UInt64 {
    kind == .blocking ? trailer.blockingEntries : trailer.identificationEntries
  }

  /// The number of records of each kind; a range is one record.
  public var recordCounts: KindCounts {
    KindCounts(blocking: trailer.blockingRecords, identification: trailer.identificationRecords)
  }

  /// The number of entries of each kind: single numbers, as iOS counts them.
  public var entryCounts: KindCounts {
    KindCounts(blocking: trailer.blockingEntries, identification: trailer.identificationEntries)
  }

  /// The smallest number; nil when the store is empty.
  public var firstNumber: UInt64? { trailer.blockCount == 0 ? nil : trailer.firstNumber }

  /// The largest number; nil when the store is empty.
  public var lastNumber: UInt64? { trailer.blockCount == 0 ? nil : trailer.lastNumber }

  /// The number of labels in the store's table. Labels in blocks are not counted.
  public var labelCount: Int { trailer.labelCount }

  /// The number of blocks.
  public var blockCount: Int { trailer.blockCount }

  /// The size of the file in bytes.
  public var byteCount: Int { mapping.count }

  /// The store's identity: the SHA-256 of every byte before it, 32 bytes. It is read from the file, not computed.
  public var contentHash: [UInt8] {
    let bytes = mapping.bytes
    let start = bytes.byteCount - TrailerLayout.bytes + TrailerLayout.contentHash
    return (0..<TrailerLayout.contentHashBytes).map { bytes.byte(start + $0) }
  }

  /// The label of the table at `index`, in the order of first use.
  ///
  /// - Precondition: `index` is below ``labelCount``.
  public func label(at index: Int) -> StoreLabel {
    precondition(index >= 0 && index < labelCount, "no such label")
    return tableLabel(index)
  }

  /// The bytes of a label: UTF-8 if the writer's input was UTF-8. For a label of another store, the bytes are arbitrary
  /// or none.
  @_lifetime(borrow self)
  public func bytes(of label: StoreLabel) -> RawSpan {
    let bytes = mapping.bytes
    let offset = Int(label.offsetAndCount >> 16)
    let count = Int(label.offsetAndCount & 0xFFFF)
    guard offset <= bytes.byteCount, count <= bytes.byteCount - offset else { return bytes.extracting(0..<0) }
    return bytes.extracting(offset..<(offset + count))
  }

  /// The bytes of a label as text. Invalid UTF-8 becomes U+FFFD.
  public func text(of label: StoreLabel) -> String {
    let bytes = bytes(of: label)
    return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// All bytes of the store, to compute the content hash.
  package var fileBytes: RawSpan {
    @_lifetime(borrow self)
    get { mapping.bytes }
  }

  /// The end of the bytes that the content hash covers.
  package var hashedByteCount: Int { mapping.count - TrailerLayout.bytes + TrailerLayout.contentHash }

  /// The label of the table at `index`, which is below ``labelCount``.
  @inline(__always)
  func tableLabel(_ index: Int) -> StoreLabel {
    let bytes = mapping.bytes
    let table = trailer.labelsOffset
    let start = index == 0 ? 0 : Int(bytes.u32(table + 4 * (index - 1)))
    let end = Int(bytes.u32(table + 4 * index))
    return StoreLabel(offset: table + 4 * trailer.labelCount + start, count: end - start)
  }

  /// The indices of the blocks of a kind; they ascend.
  func blocks(of kind: StoreKind) -> Range<Int> {
    kind == .blocking ? 0..<trailer.blockingBlocks : trailer.blockingBlocks..<trailer.blockCount
  }

  /// The index entry of a block. `StoreTrailer` has checked it.
  @inline(__always)
  func entry(_ block: Int) -> IndexEntry {
    IndexEntry(mapping.bytes, at: trailer.indexOffset + block * IndexLayout.bytes)
  }

  /// The last block of a kind whose first number is at most `number`.
  ///
  /// - Complexity: O(log blocks). No branch depends on the numbers: it would be mispredicted half of the time.
  @inline(__always)
  func block(of number: UInt64, _ kind: StoreKind) -> Int? {
    let blocks = blocks(of: kind)
    let firsts = blockFirsts.span
    guard number <= StoreLimits.numberMax, !blocks.isEmpty, firsts[blocks.lowerBound] <= number else {
      return nil
    }
    var block = blocks.lowerBound
    var count = blocks.count
    while count > 1 {
      let half = count / 2
      // Both are below 2 ** 50, so the sign of the difference is all ones if the block starts after the number.
      let sign = Int(truncatingIfNeeded: number &- firsts[block &+ half]) &>> (Int.bitWidth - 1)
      block &+= half & ~sign
      count &-= half
    }
    return block
  }

  /// The bytes of a block. Its checksum is verified the first time.
  @_lifetime(borrow self)
  func blockBytes(_ block: Int, _ entry: IndexEntry) throws(CallStoreError) -> RawSpan {
    let offset = Int(entry.offset)
    let bytes = mapping.bytes.extracting(offset..<(offset + entry.length))
    if !marks.contains(block) {
      guard CRC32C.checksum(bytes) == entry.crc else { throw .damaged(.block(block)) }
      marks.insert(block)
    }
    return bytes
  }
}

/// A part of a store file.
public enum StoreSection: Equatable, Sendable {
  /// The first 16 bytes.
  case head
  /// The fixed-size trailer at the end.
  case trailer
  /// The label table.
  case labels
  /// The label codes that blocks share.
  case codes
  /// The block index.
  case index
  /// The section for additions of newer minor versions.
  case extensions
  /// A block, by its index.
  case block(Int)
}

/// Why a store can't be read.
public enum CallStoreError: Error, Equatable, Sendable {
  /// The file can't be opened or mapped; the value is the `errno`. Pipes and directories can't be mapped.
  case cannotOpen(Int32)
  /// The file does not start like a store.
  case notAStore
  /// The file has a version of the format that this reader does not support.
  case unsupportedVersion(Int)
  /// The file starts like a store, but its end is missing.
  case truncated
  /// A checksum is wrong, or the section's fields contradict each other.
  case damaged(StoreSection)
}

/// A block or a label code is damaged. The caller adds which one.
struct BlockError: Error {}

/// A record of a store.
public struct StoreRecord: Equatable, Sendable {
  /// What a phone does with the numbers.
  public var kind: StoreKind
  /// The first number.
  public var first: UInt64
  /// The last number; equal to the first when it is a single number.
  public var last: UInt64
  /// The label. `CallStore.bytes(of:)` returns its bytes.
  public var label: StoreLabel
}

extension CallStore {
  /// The record that contains `number`, or nil.
  ///
  /// - Complexity: O(log blocks). One group of numbers and one group of label codes are decoded. The first lookup in a
  ///   block also computes the block's checksum.
  public func record(of number: UInt64) throws(CallStoreError) -> StoreRecord? {
    // Both kinds are searched together, so that their memory accesses overlap.
    let blockingStart = try start(of: number, .blocking)
    let identificationStart = try start(of: number, .identification)
    let blocking = try position(of: number, from: blockingStart)
    guard let identification = try position(of: number, from: identificationStart) else {
      guard let blocking else { return nil }
      return try record(of: number, .blocking, blocking)
    }
    if let blocking {
      // At most one of the two contains the number, so only the numbers are read first: no block header, no labels.
      let floor = try floor(of: number, blocking)
      if floor.value == number || floor.hasRanges,
        let found = try record(of: number, .blocking, blocking, floor)
      {
        return found
      }
    }
    return try record(of: number, .identification, identification)
  }

  /// The block and the group that contain a number if the store does. The value is small: the block's header is read
  /// again.
  private struct NumberPosition {
    let block: Int
    let group: SequenceReader.GroupPosition
  }

  /// The block that contains a number if the store does, and the group in which to start the search.
  private struct SearchStart {
    let block: Int
    let numbers: SequenceReader
    let guess: SequenceReader.Guess
  }

  @inline(__always)
  private func start(of number: UInt64, _ kind: StoreKind) throws(CallStoreError) -> SearchStart? {
    guard let block = block(of: number, kind) else { return nil }
    let entry = entry(block)
    guard number <= entry.last else { return nil }
    let bytes = try blockBytes(block, entry)
    do throws(BlockError) {
      let numbers = try numbers(bytes, entry)
      guard let guess = numbers.guess(bytes, of: number) else { return nil }
      return SearchStart(block: block, numbers: numbers, guess: guess)
    } catch {
      throw .damaged(.block(block))
    }
  }

  @inline(__always)
  private func position(
    of number: UInt64, from start: SearchStart?
  ) throws(CallStoreError) -> NumberPosition? {
    guard let start else { return nil }
    do throws(BlockError) {
      return NumberPosition(
        block: start.block,
        group: try start.numbers.position(bytes(ofBlock: start.block), of: number, around: start.guess))
    } catch {
      throw .damaged(.block(start.block))
    }
  }

  @inline(__always) @_lifetime(borrow self)
  private func bytes(ofBlock block: Int) -> RawSpan {
    let entry = entry(block)
    let offset = Int(entry.offset)
    return mapping.bytes.extracting(offset..<(offset + entry.length))
  }

  /// The last record of a block whose first number is at most the number searched for.
  private struct Floor {
    let index: Int
    let value: UInt64
    /// Whether the block has ranges, so that the record may contain the number.
    let hasRanges: Bool
  }

  @inline(__always)
  private func floor(of number: UInt64, _ position: NumberPosition) throws(CallStoreError) -> Floor {
    let entry = entry(position.block)
    let bytes = bytes(ofBlock: position.block)
    do throws(BlockError) {
      let (index, value) = try numbers(bytes, entry).floor(bytes, of: number, at: position.group)
      return Floor(index: index, value: value, hasRanges: bytes.u16(BlockLayout.ranges) > 0)
    } catch {
      throw .damaged(.block(position.block))
    }
  }

  @inline(__always)
  private func numbers(_ bytes: RawSpan, _ entry: IndexEntry) throws(BlockError) -> SequenceReader {
    let positions = Int(bytes.u32(BlockLayout.positions))
    guard positions >= BlockLayout.bytes, positions <= bytes.byteCount else { throw BlockError() }
    return try SequenceReader(
      bytes, from: BlockLayout.bytes, to: positions, count: entry.records, base: entry.first)
  }

  private func record(
    of number: UInt64, _ kind: StoreKind, _ position: NumberPosition, _ floor: Floor? = nil
  ) throws(CallStoreError) -> StoreRecord? {
    let entry = entry(position.block)
    let bytes = bytes(ofBlock: position.block)
    do throws(BlockError) {
      return try record(of: number, kind, position.group, floor, bytes, entry)
    } catch {
      throw .damaged(.block(position.block))
    }
  }

  private func record(
    of number: UInt64, _ kind: StoreKind, _ group: SequenceReader.GroupPosition, _ floor: Floor?,
    _ bytes: RawSpan, _ entry: IndexEntry
  ) throws(BlockError) -> StoreRecord? {
    let header = try BlockHeader(bytes, entry, minor: trailer.minorVersion)
    let code = try LabelCode(header, labelCount: labelCount)
    // A group of labels covers several groups of numbers, so its start is known before the record is.
    let labels = try code.position(bytes, ofRecord: group.group * SequenceLayout.groupCount)
    let (index, first) =
      if let floor { (floor.index, floor.value) } else {
        try header.numbers(bytes, entry).floor(bytes, of: number, at: group)
      }
    var last = first
    if header.ranges > 0, let width = try rangeWidth(of: index, bytes, header) {
      guard width <= entry.last, first <= entry.last - width else { throw BlockError() }
      last = first + width
    }
    guard number <= last else { return nil }
    let identity: Int
    if header.hasSharedCode {
      guard header.code < codes.count else { throw BlockError() }
      identity = try code.identity(bytes, ofRecord: index, at: labels, codes[header.code])
    } else {
      identity = try code.identity(bytes, ofRecord: index, at: labels, header.symbolKeys(bytes))
    }
    let label = try LabelTable.label(self, bytes, header, identity, at: Int(entry.offset))
    return StoreRecord(kind: kind, first: first, last: last, label: label)
  }

  /// The distance from a record's first number to its last; nil for a single number.
  private func rangeWidth(
    of index: Int, _ bytes: RawSpan, _ header: BlockHeader
  ) throws(BlockError) -> UInt64? {
    let positions = try header.rangePositions(bytes)
    guard let group = try positions.position(bytes, of: UInt64(index)) else { return nil }
    let (range, position) = try positions.floor(bytes, of: UInt64(index), at: group)
    guard position == UInt64(index) else { return nil }
    let widths = try header.rangeWidths(bytes)
    let sum = try widths.value(bytes, at: range)
    let before = range == 0 ? 0 : try widths.value(bytes, at: range - 1)
    guard sum > before else { throw BlockError() }
    return sum - before
  }
}

extension CallStore {
  /// The number of records in about 1 MiB of the file. Pages are released after this number.
  var recordsResident: Int {
    let records = trailer.blockingRecords + trailer.identificationRecords
    return max(1, Int(clamping: records / UInt64(byteCount / (1 << 20) + 1)))
  }

  /// Verifies every checksum, decodes every record, and checks that the records ascend, are disjoint, and match the
  /// counts in the trailer.
  ///
  /// - Complexity: O(records); ranges are not expanded.
  public func verify() throws(CallStoreError) {
    var blocking = KindCursor(self, .blocking, isEmpty: false)
    var identification = KindCursor(self, .identification, isEmpty: false)
    var order = RecordOrder()
    var records = (blocking: 0, identification: 0)
    var resident = 0
    while true {
      let blockingFront = try blocking.front(self)
      let identificationFront = try identification.front(self)
      if blockingFront == UInt64.max, identificationFront == UInt64.max { break }
      let before = (blocking.at, identification.at)
      if blocking.isBefore(identificationFront) {
        order.check(&blocking)
      } else if identification.isBefore(blockingFront) {
        order.check(&identification)
      } else {
        order.checkMerged(&blocking, &identification)
      }
      guard order.isAscending else { throw .damaged(.index) }
      let checked = (blocking.at - before.0, identification.at - before.1)
      records.blocking += checked.0
      records.identification += checked.1
      resident += checked.0 + checked.1
      if resident >= recordsResident {
        releasePages()
        resident = 0
      }
    }
    guard UInt64(records.blocking) == trailer.blockingRecords,
      UInt64(records.identification) == trailer.identificationRecords, order.last == trailer.lastNumber
    else {
      throw .damaged(.trailer)
    }
  }
}

extension KindCursor {
  /// Whether there are decoded records and all of them start before a number.
  @inline(__always)
  fileprivate borrowing func isBefore(_ number: UInt64) -> Bool { at < count && firsts[count - 1] < number }
}

/// Checks that the records of both kinds together ascend and are disjoint. A cursor checks those of one kind.
private struct RecordOrder {
  private(set) var last: UInt64 = 0
  /// Whether each record so far starts after the end of the one before it.
  private(set) var isAscending = true

  /// Checks the decoded records of one kind, all of which come before the next of the other kind.
  mutating func check(_ records: inout KindCursor) {
    isAscending = isAscending && records.firsts[records.at] > last
    last = records.lasts[records.count - 1]
    records.at = records.count
  }

  /// Checks the decoded records of both kinds until one kind has no more. The kinds may alternate at random, so nothing
  /// branches on which of the two comes first.
  mutating func checkMerged(_ one: inout KindCursor, _ other: inout KindCursor) {
    (one.at, other.at) = endOfMerged(one, other)
  }

  private mutating func endOfMerged(
    _ one: borrowing KindCursor, _ other: borrowing KindCursor
  ) -> (Int, Int) {
    let oneFirsts = one.firsts.span.extracting(0..<one.count)
    let otherFirsts = other.firsts.span.extracting(0..<other.count)
    let oneLasts = one.lasts.span.extracting(0..<one.count)
    let otherLasts = other.lasts.span.extracting(0..<other.count)
    var oneAt = one.at
    var otherAt = other.at
    while oneAt < oneFirsts.count, otherAt < otherFirsts.count {
      let oneFirst = oneFirsts[oneAt]
      let otherFirst = otherFirsts[otherAt]
      let oneLast = oneLasts[oneAt]
      let otherLast = otherLasts[otherAt]
      let isOne = oneFirst <= otherFirst
      let isAfterLast = (isOne ? oneFirst : otherFirst) > last
      isAscending = isAscending && isAfterLast
      last = isOne ? oneLast : otherLast
      let step = isOne ? 1 : 0
      oneAt &+= step
      otherAt &+= 1 &- step
    }
    return (oneAt, otherAt)
  }
}

/// A record of a store with the text of its label.
public struct LabeledRecord: Hashable, Sendable {
  /// What a phone does with the numbers.
  public var kind: StoreKind
  /// The first number.
  public var first: UInt64
  /// The last number; equal to the first when it is a single number.
  public var last: UInt64
  /// The label; empty if there is none. Invalid UTF-8 in the store became U+FFFD.
  public var label: String

  /// Creates a record.
  public init(kind: StoreKind, first: UInt64, last: UInt64, label: String) {
    self.kind = kind
    self.first = first
    self.last = last
    self.label = label
  }
}

/// The records of a store in ascending order, which ``CallStore/records(of:)`` has checked. The store stays open as long
/// as the sequence or one of its iterators exists.
///
/// An iterator needs about 60 KiB for each kind in the store, 80 KiB more if records have distinct labels, 110 KiB for
/// decoded records, and at most 140 KiB for texts of labels, whatever the size of the store.
public struct LabeledRecords: Sequence, Sendable {
  fileprivate final class OpenedStore: Sendable {
    let store: CallStore

    init(_ store: consuming CallStore) { self.store = store }
  }

  private let opened: OpenedStore
  private let kind: StoreKind?

  fileprivate init(_ store: consuming CallStore, _ kind: StoreKind?) {
    opened = OpenedStore(store)
    self.kind = kind
  }

  /// Starts at the first record. Iterators are independent of each other.
  public func makeIterator() -> Iterator { Iterator(opened, kind) }

  /// A position in the records. Copies share their position.
  public struct Iterator: IteratorProtocol {
    private final class Position {
      let opened: OpenedStore
      var cursor: StoreCursor
      var batch = StoreBatch()
      var texts = LabelTextCache()
      var next = 0
      /// The number of records since the pages of the file were released.
      var resident = 0

      init(_ opened: OpenedStore, _ kind: StoreKind?) {
        self.opened = opened
        cursor = StoreCursor(opened.store, kind: kind)
      }

      /// Fills the batch. Returns false after the last record.
      func fill() throws(CallStoreError) -> Bool {
        resident += batch.count
        if resident >= opened.store.recordsResident {
          opened.store.releasePages()
          resident = 0
        }
        next = 0
        return try cursor.nextRecords(of: opened.store, into: &batch)
      }

      func pop() -> LabeledRecord {
        defer { next += 1 }
        return LabeledRecord(
          kind: batch.kindColumn[next], first: batch.firstColumn[next], last: batch.lastColumn[next],
          label: texts.text(of: batch.labelColumn[next], in: opened.store))
      }
    }

    private let position: Position

    fileprivate init(_ opened: OpenedStore, _ kind: StoreKind?) {
      position = Position(opened, kind)
    }

    /// Returns the next record; nil after the last one.
    public mutating func next() -> LabeledRecord? {
      if position.next == position.batch.count {
        do throws(CallStoreError) {
          guard try position.fill() else { return nil }
        } catch {
          // `records` has decoded every record of the same bytes.
          preconditionFailure("the store's file was changed while it was read: \(error)")
        }
      }
      return position.pop()
    }
  }
}

extension CallStore {
  /// The records in ascending order, as plain values:
  ///
  ///     for record in try CallStore(url: url).records() { show(record.first, record.label) }
  ///
  /// The whole store is checked first (``verify()``), so a damaged store throws here, and the loop can't fail halfway. The
  /// sequence owns the store. To look up numbers, too, open the store a second time: both share the pages in memory.
  ///
  /// Replace the file of a store by renaming another one. If its bytes are changed in place meanwhile, the process ends.
  ///
  /// - Parameter kind: the kind of records; both kinds, merged, if it is nil.
  /// - Complexity: O(records) before the first record, and O(1) for each record, apart from its label's text.
  public consuming func records(of kind: StoreKind? = nil) throws(CallStoreError) -> LabeledRecords {
    try verify()
    return LabeledRecords(self, kind)
  }

  /// The label of a number; nil if the store does not contain the number, and empty if it has no label.
  ///
  /// - Complexity: O(log blocks + bytes of the label); see ``record(of:)``.
  public func label(of number: UInt64) throws(CallStoreError) -> String? {
    guard let record = try record(of: number) else { return nil }
    return text(of: record.label)
  }
}
