// Walks the records of one kind, a few groups at a time, and checks each block against its own header.

import CallStoreFormat

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

  /// Starts at the first record of a kind; with `isEmpty`, after the last.
  init(_ store: borrowing CallStore, _ kind: StoreKind, isEmpty: Bool) {
    self.kind = kind
    let blocks = store.blocks(of: kind)
    labels = isEmpty || blocks.isEmpty ? [] : LabelTable.ofTable(store)
    next = isEmpty ? blocks.upperBound : blocks.lowerBound
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

  /// Widens the records that are ranges.
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
