// Walks a store in ascending order, one kind or both merged, a batch at a time.

public import CallStoreFormat

/// A position in a store's records.
///
///     var cursor = StoreCursor(store)
///     var batch = StoreBatch()
///     while try cursor.nextRecords(of: store, into: &batch) {
///       for index in 0..<batch.count { show(batch.firsts[index], batch.lasts[index]) }
///     }
///
/// A cursor uses about 60 KiB for each kind in the store, and 80 KiB more for blocks whose records have distinct
/// labels.
public struct StoreCursor: ~Copyable {
  private var blocking: KindCursor
  private var identification: KindCursor
  /// The number of the current range's numbers that ``nextEntries(of:into:)`` has already returned.
  private var given: UInt64 = 0

  /// Starts at the first record of a kind, or of both kinds for nil.
  public init(_ store: borrowing CallStore, kind: StoreKind? = nil) {
    blocking = KindCursor(store, .blocking, isEmpty: kind == .identification)
    identification = KindCursor(store, .identification, isEmpty: kind == .blocking)
  }

  /// Starts at the blocks that may contain a number, so that of each kind less than a block's records end before it.
  package init(_ store: borrowing CallStore, near number: UInt64) {
    blocking = KindCursor(store, .blocking, isEmpty: false, near: number)
    identification = KindCursor(store, .identification, isEmpty: false, near: number)
  }

  /// Fills the batch with the next records, ranges as ranges. Returns false and an empty batch after the last record.
  ///
  /// - Parameters:
  ///   - store: the store that the cursor was made for.
  ///   - batch: the batch to fill. What it contained is replaced.
  public mutating func nextRecords(
    of store: borrowing CallStore, into batch: inout StoreBatch
  ) throws(CallStoreError) -> Bool {
    try fill(store, &batch, expanding: false)
  }

  /// Fills the batch with the next single numbers; ranges are expanded. Returns false and an empty batch after the last
  /// number.
  ///
  /// - Parameters:
  ///   - store: the store that the cursor was made for.
  ///   - batch: the batch to fill. What it contained is replaced.
  public mutating func nextEntries(
    of store: borrowing CallStore, into batch: inout StoreBatch
  ) throws(CallStoreError) -> Bool {
    try fill(store, &batch, expanding: true)
  }

  private mutating func fill(
    _ store: borrowing CallStore, _ batch: inout StoreBatch, expanding: Bool
  ) throws(CallStoreError) -> Bool {
    batch.count = 0
    while batch.count < batch.capacity {
      let blockingFront = try blocking.front(store)
      let identificationFront = try identification.front(store)
      if blockingFront == UInt64.max, identificationFront == UInt64.max { break }
      let before = batch.count
      let isPlain = !expanding || !blocking.hasRanges && !identification.hasRanges
      if isPlain, blockingFront != UInt64.max, identificationFront != UInt64.max {
        do throws(BlockError) {
          try KindMerge.merge(&blocking, &identification, into: &batch)
        } catch {
          throw .damaged(.index)
        }
      } else if blockingFront <= identificationFront {
        blocking.copy(to: &batch, below: identificationFront, expanding, &given)
      } else {
        identification.copy(to: &batch, below: blockingFront, expanding, &given)
      }
      // Both kinds have a record that starts at the same number: the store is damaged.
      guard batch.count > before else { throw .damaged(.index) }
    }
    return batch.count > 0
  }
}

extension KindCursor {
  /// The first number of the current record; `UInt64.max` after the last record.
  @inline(__always)
  mutating func front(_ store: borrowing CallStore) throws(CallStoreError) -> UInt64 {
    try prepare(store) ? firsts[at] : .max
  }

  /// Copies the decoded records or numbers that start below `limit`, up to the batch's capacity.
  @inline(__always)
  mutating func copy(
    to batch: inout StoreBatch, below limit: UInt64, _ expanding: Bool, _ given: inout UInt64
  ) {
    if expanding, hasRanges {
      copyEntries(to: &batch, below: limit, &given)
    } else {
      copyRecords(to: &batch, below: limit)
    }
  }

  /// Copies the decoded records that start below `limit`, up to the batch's capacity.
  mutating func copyRecords(to batch: inout StoreBatch, below limit: UInt64) {
    let end = endOfRecords(below: limit, atMost: batch.capacity - batch.count)
    copy(at..<end, to: &batch)
    at = end
  }

  private func endOfRecords(below limit: UInt64, atMost capacity: Int) -> Int {
    let from = firsts.span
    let stop = min(count, at + capacity)
    if stop > at, from[stop - 1] < limit { return stop }
    var end = at
    while end < stop, from[end] < limit { end += 1 }
    return end
  }

  private func endOfSingleNumbers(below limit: UInt64, atMost capacity: Int) -> Int {
    let from = firsts.span
    let to = lasts.span
    let stop = min(count, at + capacity)
    var end = at
    while end < stop, from[end] == to[end], from[end] < limit { end += 1 }
    return end
  }

  /// Copies decoded records for which the batch has capacity.
  @inline(__always)
  private func copy(_ records: Range<Int>, to batch: inout StoreBatch) {
    let filled = batch.count
    let count = records.count
    if count == 1 {
      // Where kinds alternate, single records are frequent: four plain stores cost less than the setup of four loops.
      batch.firstColumn[filled] = firsts[records.lowerBound]
      batch.lastColumn[filled] = lasts[records.lowerBound]
      batch.labelColumn[filled] = labels[Int(identities[start + records.lowerBound])]
      batch.kindColumn[filled] = kind
      batch.count += 1
      return
    }
    var first = batch.firstColumn.mutableSpan
    let from = firsts.span
    for index in 0..<count { first[filled + index] = from[records.lowerBound + index] }
    var last = batch.lastColumn.mutableSpan
    let to = lasts.span
    for index in 0..<count { last[filled + index] = to[records.lowerBound + index] }
    var label = batch.labelColumn.mutableSpan
    let known = labels.span
    let names = identities.span
    for index in 0..<count {
      label[filled + index] = known[Int(names[start + records.lowerBound + index])]
    }
    var kinds = batch.kindColumn.mutableSpan
    for index in 0..<count { kinds[filled + index] = kind }
    batch.count += count
  }

  /// Copies the decoded single numbers below `limit`, up to the batch's capacity. `given` numbers of the current record
  /// were already returned.
  mutating func copyEntries(to batch: inout StoreBatch, below limit: UInt64, _ given: inout UInt64) {
    while at < count, batch.count < batch.capacity, firsts[at] < limit {
      // Single numbers up to the next range are copied like records.
      let end = endOfSingleNumbers(below: limit, atMost: batch.capacity - batch.count)
      if end > at {
        copy(at..<end, to: &batch)
        at = end
        continue
      }
      let number = firsts[at] + given
      let left = lasts[at] - number + 1
      let some = Int(min(left, UInt64(batch.capacity - batch.count)))
      let label = labels[Int(identities[start + at])]
      for index in batch.count..<(batch.count + some) {
        batch.firstColumn[index] = number + UInt64(index - batch.count)
        batch.lastColumn[index] = number + UInt64(index - batch.count)
        batch.labelColumn[index] = label
        batch.kindColumn[index] = kind
      }
      batch.count += some
      given += UInt64(some)
      if UInt64(some) == left {
        given = 0
        at += 1
      }
    }
  }
}

/// Records of a store in columns. A cursor fills the batch again and again; it never grows.
public struct StoreBatch: ~Copyable {
  /// The maximum number of records in a batch: the size of CallKit's batches.
  public static let recordsMax = StoreLimits.blockRecordsMax

  var firstColumn: ContiguousArray<UInt64>
  var lastColumn: ContiguousArray<UInt64>
  var labelColumn: ContiguousArray<StoreLabel>
  var kindColumn: ContiguousArray<StoreKind>

  /// The number of records in the batch.
  public internal(set) var count = 0

  /// Makes an empty batch.
  ///
  /// - Parameter capacity: the number of records that fit, 1 to ``recordsMax``; 25 bytes each.
  public init(capacity: Int = 4096) {
    precondition((1...Self.recordsMax).contains(capacity), "a batch holds 1 to 10,000 records")
    firstColumn = ContiguousArray(repeating: 0, count: capacity)
    lastColumn = ContiguousArray(repeating: 0, count: capacity)
    labelColumn = ContiguousArray(repeating: StoreLabel(offset: 0, count: 0), count: capacity)
    kindColumn = ContiguousArray(repeating: .blocking, count: capacity)
  }

  /// The number of records that fit.
  public var capacity: Int { firstColumn.count }

  /// The first number of each record.
  public var firsts: Span<UInt64> {
    @_lifetime(borrow self)
    borrowing get { firstColumn.span.extracting(0..<count) }
  }

  /// The last number of each record; equal to the first when it is a single number.
  public var lasts: Span<UInt64> {
    @_lifetime(borrow self)
    borrowing get { lastColumn.span.extracting(0..<count) }
  }

  /// The label of each record.
  public var labels: Span<StoreLabel> {
    @_lifetime(borrow self)
    borrowing get { labelColumn.span.extracting(0..<count) }
  }

  /// The kind of each record.
  public var kinds: Span<StoreKind> {
    @_lifetime(borrow self)
    borrowing get { kindColumn.span.extracting(0..<count) }
  }
}

/// A position in the records of one kind. The decoded records are `firsts` and `lasts` from `at` to `count`; their
/// labels are `labels[identities[start + at]]`.
struct KindCursor: ~Copyable {
  /// The number of groups decoded at a time: enough to make the fixed cost per record small, and they fit in the cache.
  private static let groupsLoaded = 8
  private static let recordsLoaded = groupsLoaded * SequenceLayout.groupCount

  let kind: StoreKind
  var firsts = ContiguousArray<UInt64>(repeating: 0, count: recordsLoaded)
  var lasts = ContiguousArray<UInt64>(repeating: 0, count: recordsLoaded)
  var at = 0
  var count = 0
  /// The index in the block of the first record in `firsts`.
  var start = 0
  /// Whether one of the decoded records is a range.
  var hasRanges = false
  var identities: ContiguousArray<UInt16> = []
  var labels: ContiguousArray<StoreLabel>

  private var next: Int
  private let end: Int
  private var block = 0
  private var group = 0
  private var groupCount = 0
  private var numbers: SequenceReader?
  /// The block's own label code, if it has one.
  private var ownCode = PrefixCode()
  private var rangePositions: SequenceWalker?
  private var rangeWidths: SequenceWalker?
  /// The index of the next range in the block; `Int.max` when there is none.
  private var nextRange = Int.max
  private var widthSum: UInt64 = 0
  private var previousLast: UInt64 = 0
  private var entries: UInt64 = 0

  /// Starts at the first record of the block of a kind that may contain a number; with `isEmpty`, after the last.
  init(_ store: borrowing CallStore, _ kind: StoreKind, isEmpty: Bool, near number: UInt64 = 0) {
    self.kind = kind
    let blocks = store.blocks(of: kind)
    labels = isEmpty || blocks.isEmpty ? [] : LabelTable.ofTable(store)
    next = isEmpty ? blocks.upperBound : store.block(of: number, kind) ?? blocks.lowerBound
    end = blocks.upperBound
  }

  /// Decodes the next groups unless there are decoded records; false after the last record.
  @inline(__always)
  mutating func prepare(_ store: borrowing CallStore) throws(CallStoreError) -> Bool {
    at < count ? true : try load(store)
  }

  private mutating func load(_ store: borrowing CallStore) throws(CallStoreError) -> Bool {
    if group == groupCount {
      at = 0
      count = 0
      guard next < end else { return false }
      block = next
      next += 1
    }
    let entry = store.entry(block)
    let bytes = try store.blockBytes(block, entry)
    do throws(BlockError) {
      if group == groupCount { try open(store, bytes, entry) }
      try decode(bytes, entry)
    } catch {
      // A cursor that has found damage returns no more records.
      next = end
      group = groupCount
      (at, count) = (0, 0)
      throw .damaged(.block(block))
    }
    return true
  }

  private mutating func open(
    _ store: borrowing CallStore, _ bytes: RawSpan, _ entry: IndexEntry
  ) throws(BlockError) {
    let header = try BlockHeader(bytes, entry, minor: store.trailer.minorVersion)
    let numbers = try header.numbers(bytes, entry)
    try openLabels(store, bytes, entry, header)
    var positions = SequenceWalker(try header.rangePositions(bytes))
    rangeWidths = SequenceWalker(try header.rangeWidths(bytes))
    nextRange = try positions.next(bytes).map { Int(truncatingIfNeeded: $0) } ?? Int.max
    rangePositions = positions
    groupCount = numbers.groupCount
    self.numbers = numbers
    group = 0
    start = 0
    count = 0
    widthSum = 0
    previousLast = 0
    entries = 0
  }

  private mutating func openLabels(
    _ store: borrowing CallStore, _ bytes: RawSpan, _ entry: IndexEntry, _ header: BlockHeader
  ) throws(BlockError) {
    if header.labelMode == LabelLayout.modeRuns {
      let (labels, own) = (store.labelCount, header.ownLabels)
      guard LabelCode.isLabel(header.dominant, labelCount: labels, ownLabels: own) else {
        throw BlockError()
      }
    }
    try LabelTable.setOwn(&labels, bytes, header, at: Int(entry.offset))
    let code = try LabelCode(header, labelCount: store.labelCount)
    let keys = try header.symbolKeys(bytes)
    if header.hasSharedCode {
      guard header.code < store.codes.count else { throw BlockError() }
      try code.identities(bytes, store.codes[header.code], into: &identities)
    } else {
      try code.setOwnCode(&ownCode, bytes, keys)
      try code.identities(bytes, ownCode, into: &identities)
    }
  }

  private mutating func decode(_ bytes: RawSpan, _ entry: IndexEntry) throws(BlockError) {
    guard let numbers else { throw BlockError() }
    start = group * SequenceLayout.groupCount
    let groups = group..<min(group + Self.groupsLoaded, groupCount)
    let count = try Self.decode(numbers, bytes, groups, &firsts, &lasts)
    guard firsts[0] > previousLast, group > 0 || firsts[0] == entry.first else { throw BlockError() }
    entries += UInt64(count)
    hasRanges = nextRange < start + count
    if hasRanges { try decodeRanges(bytes, count) }
    previousLast = lasts[count - 1]
    guard previousLast <= entry.last else { throw BlockError() }
    group = groups.upperBound
    if group == groupCount {
      guard previousLast == entry.last, entries == entry.entries, nextRange == Int.max else {
        throw BlockError()
      }
    }
    at = 0
    self.count = count
  }

  /// Decodes groups as single numbers.
  private static func decode(
    _ numbers: SequenceReader, _ bytes: RawSpan, _ groups: Range<Int>,
    _ firsts: inout ContiguousArray<UInt64>,
    _ lasts: inout ContiguousArray<UInt64>
  ) throws(BlockError) -> Int {
    var values = firsts.mutableSpan
    var count = 0
    for group in groups {
      let start = count
      count += try numbers.decode(bytes, group: group, into: &values, at: start)
      guard start == 0 || values[start] > values[start - 1] else { throw BlockError() }
    }
    var ends = lasts.mutableSpan
    precondition(ends.count == values.count, "the columns have the same capacity")
    for index in 0..<count { unsafe ends[unchecked: index] = values[unchecked: index] }
    return count
  }

  private mutating func decodeRanges(_ bytes: RawSpan, _ count: Int) throws(BlockError) {
    while nextRange < start + count {
      guard nextRange >= start, let sum = try rangeWidths?.next(bytes), sum > widthSum else {
        throw BlockError()
      }
      let width = sum - widthSum
      widthSum = sum
      // No overflow: a decoded value is below 2^61.
      lasts[nextRange - start] = firsts[nextRange - start] &+ width
      entries &+= width
      let position = try rangePositions?.next(bytes)
      nextRange = position.map { Int(truncatingIfNeeded: $0) } ?? Int.max
    }
    for index in 1..<max(count, 1) {
      guard firsts[index] > lasts[index - 1] else { throw BlockError() }
    }
  }
}

/// Merges the decoded records of both kinds into a batch.
///
/// Where the kinds alternate at random, a branch would be mispredicted for every other record, so nothing here branches
/// on which of the two comes first.
enum KindMerge {
  /// Copies records in ascending order until one of the cursors has no more decoded records or the batch is full.
  /// Ranges are not expanded. Throws if records of both kinds start at the same number: then the store is damaged.
  static func merge(
    _ one: inout KindCursor, _ other: inout KindCursor, into batch: inout StoreBatch
  ) throws(BlockError) {
    let filled = batch.count
    let (oneAt, otherAt, isClash) = merge(
      one, other, from: filled, &batch.firstColumn, &batch.lastColumn, &batch.labelColumn, &batch.kindColumn)
    guard !isClash else { throw BlockError() }
    batch.count = filled + (oneAt - one.at) + (otherAt - other.at)
    one.at = oneAt
    other.at = otherAt
  }

  private static func merge(
    _ one: borrowing KindCursor, _ other: borrowing KindCursor, from filled: Int,
    _ firstColumn: inout ContiguousArray<UInt64>, _ lastColumn: inout ContiguousArray<UInt64>,
    _ labelColumn: inout ContiguousArray<StoreLabel>, _ kindColumn: inout ContiguousArray<StoreKind>
  ) -> (Int, Int, isClash: Bool) {
    let oneKind = one.kind
    let otherKind = other.kind
    let oneFirsts = one.firsts.span.extracting(0..<one.count)
    let otherFirsts = other.firsts.span.extracting(0..<other.count)
    let oneLasts = one.lasts.span.extracting(0..<one.count)
    let otherLasts = other.lasts.span.extracting(0..<other.count)
    let oneNames = one.identities.span.extracting(one.start..<(one.start + one.count))
    let otherNames = other.identities.span.extracting(other.start..<(other.start + other.count))
    let oneLabels = one.labels.span
    let otherLabels = other.labels.span
    var oneAt = one.at
    var otherAt = other.at
    var at = filled
    var firsts = firstColumn.mutableSpan
    var lasts = lastColumn.mutableSpan
    var labels = labelColumn.mutableSpan
    var kinds = kindColumn.mutableSpan
    let end = firsts.count
    var isClash = false
    while at < end, oneAt < oneFirsts.count, otherAt < otherFirsts.count {
      let oneFirst = oneFirsts[oneAt]
      let otherFirst = otherFirsts[otherAt]
      let oneLast = oneLasts[oneAt]
      let otherLast = otherLasts[otherAt]
      let oneLabel = oneLabels[Int(oneNames[oneAt])]
      let otherLabel = otherLabels[Int(otherNames[otherAt])]
      isClash = isClash || oneFirst == otherFirst
      let isOne = oneFirst <= otherFirst
      firsts[at] = isOne ? oneFirst : otherFirst
      lasts[at] = isOne ? oneLast : otherLast
      labels[at] = isOne ? oneLabel : otherLabel
      kinds[at] = isOne ? oneKind : otherKind
      let step = isOne ? 1 : 0
      oneAt &+= step
      otherAt &+= 1 &- step
      at &+= 1
    }
    return (oneAt, otherAt, isClash)
  }
}
