// Decodes ascending sequences. Everything ascending in a block has the same code: the numbers, the positions of ranges,
// the running sums of their widths, label identities, and the ends of labels.
//
// No input is trusted: for any bits, values ascend, loops end, and nothing outside the span is read. The caller checks
// whether the values are valid.

import CallStoreFormat

/// A strictly ascending sequence in groups of ``SequenceLayout/groupCount``. A directory entry holds a group's first
/// value and the start of its gaps. The gaps follow in a Rice code with a parameter per group.
struct SequenceReader {
  let count: Int
  private let base: UInt64
  private let firstWidth: Int
  private let starts: GroupStartReader
  private let shiftMin: Int
  private let shiftWidth: Int
  private let entryWidth: Int
  private let directoryBit: Int
  private let payloadBit: Int
  private let endBit: Int

  var groupCount: Int { (count &+ SequenceLayout.groupCount &- 1) / SequenceLayout.groupCount }

  /// Reads the head of a sequence of `count` values in `from..<to`, which lies inside `bytes`.
  init(_ bytes: RawSpan, from: Int, to: Int, count: Int, base: UInt64 = 0) throws(BlockError) {
    self.count = count
    self.base = base
    endBit = to * 8
    guard count > 0 else {
      guard from == to else { throw BlockError() }
      (firstWidth, shiftMin, shiftWidth, entryWidth) = (0, 0, 0, 0)
      (directoryBit, payloadBit) = (0, 0)
      starts = GroupStartReader(width: 0, mean: 0, bias: 0)
      return
    }
    guard to - from >= SequenceLayout.headBytes else { throw BlockError() }
    let head = bytes.extracting(from..<(from + SequenceLayout.headBytes))
    firstWidth = Int(head.byte(SequenceLayout.firstWidth))
    starts = GroupStartReader(
      width: Int(head.byte(SequenceLayout.startWidth)),
      mean: Int(head.u32(SequenceLayout.startMean)),
      bias: Int(head.u32(SequenceLayout.startBias)))
    shiftMin = Int(head.byte(SequenceLayout.shiftMin))
    shiftWidth = Int(head.byte(SequenceLayout.shiftWidth))
    guard firstWidth <= SequenceLayout.valueWidthMax, starts.width <= GroupStarts.widthMax,
      shiftMin <= SequenceLayout.shiftMax, shiftWidth <= SequenceLayout.shiftWidthMax
    else { throw BlockError() }
    entryWidth = firstWidth + starts.width + shiftWidth
    let groups = (count + SequenceLayout.groupCount - 1) / SequenceLayout.groupCount
    directoryBit = (from + SequenceLayout.headBytes) * 8
    payloadBit = directoryBit + (groups * entryWidth + 7) / 8 * 8
    guard payloadBit <= endBit else { throw BlockError() }
  }

  @inline(__always)
  func count(ofGroup group: Int) -> Int {
    min(SequenceLayout.groupCount, count &- group &* SequenceLayout.groupCount)
  }

  @inline(__always)
  private func entryBit(_ group: Int) -> Int { directoryBit &+ group &* entryWidth }

  @inline(__always)
  func first(_ bytes: RawSpan, ofGroup group: Int) -> UInt64 {
    base &+ Bits.read(bytes, entryBit(group), width: firstWidth)
  }

  /// The bit at which a group's gaps start, and their parameter.
  @inline(__always)
  private func start(_ bytes: RawSpan, ofGroup group: Int) throws(BlockError) -> (position: Int, shift: Int) {
    let entry = entryBit(group) &+ firstWidth
    let start = starts.start(bytes, field: entry, ofGroup: group)
    let shift = shiftMin &+ Int(Bits.read(bytes, entry &+ starts.width, width: shiftWidth))
    guard start >= 0, shift <= SequenceLayout.shiftMax else { throw BlockError() }
    return (payloadBit &+ start, shift)
  }

  private static let windowBits = 57

  /// The maximum number of bits of a gap that is not an escape.
  @inline(__always)
  private static func gapBitsMax(_ shift: Int) -> Int { SequenceLayout.escapeZeros &+ shift }

  /// Reads one gap: the distance from a value to the next.
  @inline(__always)
  private static func gap(_ bytes: RawSpan, _ position: inout Int, _ shift: Int) -> UInt64 {
    gap(bytes, Bits.peek(bytes, position), &position, shift)
  }

  /// Reads the gap at the start of a window, which holds the bits at `position`.
  @inline(__always)
  private static func gap(
    _ bytes: RawSpan, _ window: UInt64, _ position: inout Int, _ shift: Int
  ) -> UInt64 {
    let zeros = window.leadingZeroBitCount
    if zeros >= SequenceLayout.escapeZeros {
      let value = Bits.read(
        bytes, position &+ SequenceLayout.escapeZeros, width: SequenceLayout.valueWidthMax)
      position &+= SequenceLayout.escapeZeros &+ SequenceLayout.valueWidthMax
      return value &+ 1
    }
    let low: UInt64
    if shift <= 32 {
      // At most 23 zeros, a one, and 32 bits: all of them are in the window.
      low = Bits.top(window &<< UInt64(truncatingIfNeeded: zeros &+ 1), shift)
    } else {
      low = Bits.read(bytes, position &+ zeros &+ 1, width: shift)
    }
    position &+= zeros &+ 1 &+ shift
    return (UInt64(truncatingIfNeeded: zeros) &<< UInt64(truncatingIfNeeded: shift) | low) &+ 1
  }

  /// Decodes a group into `values` from `at` on, and returns the number of its values.
  @inline(__always)
  func decode(
    _ bytes: RawSpan, group: Int, into values: inout MutableSpan<UInt64>, at: Int = 0
  ) throws(BlockError) -> Int {
    let count = count(ofGroup: group)
    var (position, shift) = try start(bytes, ofGroup: group)
    guard at <= values.count, count <= values.count - at else { throw BlockError() }
    var value = first(bytes, ofGroup: group)
    values[at] = value
    let rest = (at &+ 1)..<(at &+ count)
    if shift <= Self.shortShiftMax, position &>> 3 <= bytes.byteCount &- Self.groupBytesMax {
      Self.decodeShort(bytes, &position, shift, after: value, into: &values, rest)
    } else {
      for index in rest {
        value &+= Self.gap(bytes, &position, shift)
        values[index] = value
      }
    }
    guard position <= endBit else { throw BlockError() }
    return count
  }

  /// Up to this parameter, a gap that is not an escape fits into a window: at most 23 zeros, a one, and the low bits.
  private static let shortShiftMax = 32
  /// The size in bytes of a group's gaps if all are escapes, and of the last window.
  private static let groupBytesMax =
    (SequenceLayout.groupCount * (SequenceLayout.escapeZeros + SequenceLayout.valueWidthMax) + 7) / 8 + 8

  /// Decodes gaps of a group into a range of `values`.
  ///
  /// - Precondition: ``groupBytesMax`` bytes from `position` on are inside the span, and the range is inside `values`.
  @inline(__always)
  private static func decodeShort(
    _ bytes: RawSpan, _ position: inout Int, _ shift: Int, after first: UInt64,
    into values: inout MutableSpan<UInt64>, _ range: Range<Int>
  ) {
    var place = position
    var value = first
    var index = range.lowerBound
    while index < range.upperBound {
      // A group has at most 31 gaps of 74 bits. The caller has checked that all their bytes are inside the span.
      let word = unsafe bytes.u64(unchecked: place &>> 3).byteSwapped
      // A gap has at most 56 bits, so the lowest bit never belongs to it.
      var window = word &<< UInt64(truncatingIfNeeded: place & 7) | 1
      var zeros = window.leadingZeroBitCount
      if zeros >= SequenceLayout.escapeZeros {
        value &+= gap(bytes, window, &place, shift)
        unsafe values[unchecked: index] = value
        index &+= 1
        continue
      }
      value &+= shortGap(window, zeros, shift)
      unsafe values[unchecked: index] = value
      index &+= 1
      let width = zeros &+ 1 &+ shift
      place &+= width
      // The next gap is usually in the same window. Loading a new window would wait for memory again.
      if width > windowBits &- gapBitsMax(shift) || index == range.upperBound { continue }
      window = window &<< UInt64(truncatingIfNeeded: width) | 1
      zeros = window.leadingZeroBitCount
      if zeros >= SequenceLayout.escapeZeros { continue }
      value &+= shortGap(window, zeros, shift)
      unsafe values[unchecked: index] = value
      index &+= 1
      place &+= zeros &+ 1 &+ shift
    }
    position = place
  }

  /// The gap at the start of a window. It has fewer zeros than an escape and is completely in the window.
  @inline(__always)
  private static func shortGap(_ window: UInt64, _ zeros: Int, _ shift: Int) -> UInt64 {
    let shiftBits = UInt64(truncatingIfNeeded: shift)
    // The one that ends the zeros, and the low bits after it.
    let low = (window &<< UInt64(truncatingIfNeeded: zeros)) &>> (63 &- shiftBits)
    return (UInt64(truncatingIfNeeded: zeros) &<< shiftBits) &+ low &- (1 &<< shiftBits) &+ 1
  }

  /// Where a lookup continues: a group and its first bits. They are loaded early, so that memory has time to respond.
  struct GroupPosition {
    let group: Int
    let first: UInt64
    fileprivate let position: Int
    fileprivate let shift: Int
    fileprivate let window: UInt64
  }

  /// The group that a target would be in if the values were spread evenly, and the group's first value.
  struct Guess {
    fileprivate let group: Int
    fileprivate let first: UInt64
  }

  /// The group in which to start the search for a target; nil when the target is below all values.
  func guess(_ bytes: RawSpan, of target: UInt64) -> Guess? {
    guard count > 0 else { return nil }
    let lowest = first(bytes, ofGroup: 0)
    let last = groupCount &- 1
    let highest = first(bytes, ofGroup: last)
    guard lowest <= target else { return nil }
    if target >= highest { return Guess(group: last, first: highest) }
    // Widths of 50 bits times fewer than 2 ** 9 groups stay below 2 ** 60; `highest` is above `target`.
    let group = Int(truncatingIfNeeded: (target &- lowest) &* UInt64(last) / (highest &- lowest))
    return Guess(group: group, first: first(bytes, ofGroup: group))
  }

  /// The last group whose first value is at most `target`, searched from the guess on.
  ///
  /// - Complexity: O(log groups); two or three comparisons where values are spread evenly.
  func position(
    _ bytes: RawSpan, of target: UInt64, around guess: Guess
  ) throws(BlockError) -> GroupPosition {
    let group = group(bytes, of: target, around: guess)
    let (position, shift) = try start(bytes, ofGroup: group)
    return GroupPosition(
      group: group, first: first(bytes, ofGroup: group), position: position, shift: shift,
      window: Bits.peek(bytes, position))
  }

  /// The last group whose first value is at most `target`; nil when there is none.
  ///
  /// - Complexity: like `position(_:of:around:)`.
  func position(_ bytes: RawSpan, of target: UInt64) throws(BlockError) -> GroupPosition? {
    guard let guess = guess(bytes, of: target) else { return nil }
    return try position(bytes, of: target, around: guess)
  }

  /// Searches from the guess in steps that double, then halves the interval.
  private func group(_ bytes: RawSpan, of target: UInt64, around guess: Guess) -> Int {
    var low = 0
    var high = groupCount &- 1
    var step = 1
    if guess.first <= target {
      low = guess.group
      while low &+ step < high, first(bytes, ofGroup: low &+ step) <= target {
        low &+= step
        step &*= 2
      }
      high = min(high, low &+ step)
    } else {
      high = guess.group
      while high &- step > low, first(bytes, ofGroup: high &- step) > target {
        high &-= step
        step &*= 2
      }
      low = max(low, high &- step)
    }
    while high &- low > 1 {
      let middle = (low &+ high) / 2
      if first(bytes, ofGroup: middle) <= target { low = middle } else { high = middle }
    }
    return low
  }

  /// The last value of a group that is at most `target`, and its index in the sequence.
  ///
  /// - Complexity: half a group decoded on average.
  func floor(
    _ bytes: RawSpan, of target: UInt64, at start: GroupPosition
  ) throws(BlockError) -> (index: Int, value: UInt64) {
    var value = start.first
    var position = start.position
    var window = start.window
    let shift = start.shift
    let count = count(ofGroup: start.group)
    var index = 0
    // The unused bits of the window. A window holds several gaps; loading a new one for each gap takes longer.
    var left = Self.windowBits
    while index &+ 1 < count {
      if left < Self.gapBitsMax(shift) {
        window = Bits.peek(bytes, position)
        left = Self.windowBits
      }
      let before = position
      let next = value &+ Self.gap(bytes, window, &position, shift)
      if next > target { break }
      value = next
      index &+= 1
      let used = position &- before
      // An escape or a wide gap exceeds the window.
      left = used < left ? left &- used : 0
      window = window &<< UInt64(truncatingIfNeeded: used)
    }
    guard position <= endBit else { throw BlockError() }
    return (start.group &* SequenceLayout.groupCount &+ index, value)
  }

  /// The value at an index. Throws if the index is not below ``count``.
  func value(_ bytes: RawSpan, at index: Int) throws(BlockError) -> UInt64 {
    guard index < count else { throw BlockError() }
    let group = index / SequenceLayout.groupCount
    var (position, shift) = try start(bytes, ofGroup: group)
    var value = first(bytes, ofGroup: group)
    for _ in 0..<(index % SequenceLayout.groupCount) { value &+= Self.gap(bytes, &position, shift) }
    guard position <= endBit else { throw BlockError() }
    return value
  }
}

/// Walks a sequence from its start, one value at a time. It also checks that the groups ascend.
struct SequenceWalker {
  private let reader: SequenceReader
  private var values: ContiguousArray<UInt64>
  private var group = 0
  private var at = 0
  private var loaded = 0
  private var previous: UInt64?

  init(_ reader: SequenceReader) {
    self.reader = reader
    values = ContiguousArray(repeating: 0, count: min(reader.count, SequenceLayout.groupCount))
  }

  private static func decode(
    _ reader: SequenceReader, _ bytes: RawSpan, _ group: Int, _ values: inout ContiguousArray<UInt64>
  ) throws(BlockError) -> Int {
    var target = values.mutableSpan
    return try reader.decode(bytes, group: group, into: &target)
  }

  /// The next value; nil after the last.
  mutating func next(_ bytes: RawSpan) throws(BlockError) -> UInt64? {
    if at == loaded {
      guard group < reader.groupCount else { return nil }
      loaded = try Self.decode(reader, bytes, group, &values)
      if let previous, values[0] <= previous { throw BlockError() }
      previous = values[loaded - 1]
      group += 1
      at = 0
    }
    at += 1
    return values[at - 1]
  }
}

/// The parameters of the starts of a piece's groups.
struct GroupStartReader {
  /// The width of a field in bits. The creator of the value checks that it is at most ``GroupStarts/widthMax``.
  let width: Int
  /// The mean length of a group in 256ths of a bit.
  let mean: Int
  /// Is subtracted from the fields: the writer added it, so that no field is negative.
  let bias: Int

  /// The bit at which a group starts, counted from the first group. Negative or beyond the piece if the block is
  /// damaged. `field` is the bit at which the group's field starts.
  @inline(__always)
  func start(_ bytes: RawSpan, field: Int, ofGroup group: Int) -> Int {
    let offset = Int(truncatingIfNeeded: Bits.read(bytes, field, width: width))
    return GroupStarts.expected(group, mean: mean) &+ offset &- bias
  }
}

enum Bits {
  /// The bits from `position` on, at the top of a word: at least 57 of them. Zero where eight bytes from there are not
  /// inside the span; a decoder notices that by its position.
  @inline(__always)
  static func peek(_ bytes: RawSpan, _ position: Int) -> UInt64 {
    let byte = position &>> 3
    guard byte >= 0, byte <= bytes.byteCount &- 8 else { return 0 }
    // The line above has checked the bounds.
    return unsafe bytes.u64(unchecked: byte).byteSwapped &<< UInt64(position & 7)
  }

  /// The field of `width` bits at `position`; `width` is 0 to 57.
  @inline(__always)
  static func read(_ bytes: RawSpan, _ position: Int, width: Int) -> UInt64 {
    top(peek(bytes, position), width)
  }

  /// The `width` uppermost bits of a word; `width` is 0 to 63.
  @inline(__always)
  static func top(_ word: UInt64, _ width: Int) -> UInt64 {
    (word &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- width)
  }
}

struct IndexEntry {
  let offset: UInt64
  let first: UInt64
  let last: UInt64
  let entries: UInt64
  let length: Int
  let records: Int
  let crc: UInt32
  let kind: UInt32

  /// Reads the entry at an offset.
  @inline(__always)
  init(_ bytes: RawSpan, at: Int) {
    // One check of the bounds for all the fields.
    let fields = bytes.extracting(at..<(at &+ IndexLayout.bytes))
    offset = fields.u64(IndexLayout.offset)
    first = fields.u64(IndexLayout.first)
    last = fields.u64(IndexLayout.last)
    entries = fields.u64(IndexLayout.entries)
    length = Int(fields.u32(IndexLayout.length))
    records = Int(fields.u32(IndexLayout.records))
    crc = fields.u32(IndexLayout.crc)
    kind = fields.u32(IndexLayout.kind)
  }
}

/// A block's fixed part. In a header that was read, every piece lies inside the block.
struct BlockHeader {
  let records: Int
  let ranges: Int
  let ownLabels: Int
  let symbols: Int
  let dominant: Int
  let labelMode: UInt8
  let runShift: Int
  let groupShift: Int
  let longestCode: Int
  /// The number of the shared code that the block uses, or ``LabelLayout/ownCode``.
  let code: Int
  let starts: GroupStartReader
  let positions: Int
  let widths: Int
  let symbolKeys: Int
  let codes: Int
  let ownLabelEnds: Int
  let ownLabelText: Int
  let ownLabelBytes: Int

  /// Reads a block's fixed part. `minor` is the store's minor version: newer versions may use the fields that are
  /// reserved here.
  init(_ bytes: RawSpan, _ entry: IndexEntry, minor: Int) throws(BlockError) {
    guard bytes.byteCount >= BlockLayout.bytes + BlockLayout.padding else { throw BlockError() }
    // One check of the bounds for all the fields.
    let fields = bytes.extracting(0..<BlockLayout.bytes)
    records = fields.u16(BlockLayout.records)
    ranges = fields.u16(BlockLayout.ranges)
    ownLabels = fields.u16(BlockLayout.ownLabels)
    symbols = fields.u16(BlockLayout.symbols)
    dominant = fields.u16(BlockLayout.dominant)
    labelMode = fields.byte(BlockLayout.labelMode)
    runShift = Int(fields.byte(BlockLayout.runShift))
    groupShift = Int(fields.byte(BlockLayout.groupShift))
    longestCode = Int(fields.byte(BlockLayout.longestCode))
    code = Int(fields.byte(BlockLayout.code))
    starts = GroupStartReader(
      width: Int(fields.byte(BlockLayout.startWidth)), mean: Int(fields.u32(BlockLayout.startMean)),
      bias: Int(fields.u32(BlockLayout.startBias)))
    positions = Int(fields.u32(BlockLayout.positions))
    widths = Int(fields.u32(BlockLayout.widths))
    symbolKeys = Int(fields.u32(BlockLayout.symbolKeys))
    codes = Int(fields.u32(BlockLayout.codes))
    ownLabelEnds = Int(fields.u32(BlockLayout.ownLabelEnds))
    ownLabelText = Int(fields.u32(BlockLayout.ownLabelText))
    ownLabelBytes = Int(fields.u32(BlockLayout.ownLabelBytes))
    let reserved = fields.byte(BlockLayout.reserved)
    guard minor > HeadLayout.minorVersion || reserved == 0 && fields.u16(BlockLayout.reserved + 1) == 0 else {
      throw BlockError()
    }
    guard UInt32(fields.byte(BlockLayout.kind)) == entry.kind, records == entry.records, ranges <= records,
      ownLabels <= records, symbols <= records, ownLabelBytes <= StoreLimits.blockLabelBytesMax,
      BlockLayout.bytes <= positions, positions <= widths, widths <= symbolKeys, symbolKeys <= codes,
      codes <= ownLabelEnds, ownLabelEnds <= ownLabelText,
      ownLabelText + ownLabelBytes + BlockLayout.padding == bytes.byteCount
    else { throw BlockError() }
    switch labelMode {
    case LabelLayout.modeRuns:
      guard dominant != LabelLayout.noIdentity else { throw BlockError() }
    case LabelLayout.modeCodes:
      guard dominant == LabelLayout.noIdentity, symbols >= 2 || hasSharedCode else { throw BlockError() }
    case LabelLayout.modeEach:
      guard dominant == LabelLayout.noIdentity, symbols == 0, !hasSharedCode, ownLabels == records else {
        throw BlockError()
      }
    default: throw BlockError()
    }
    guard runShift <= LabelLayout.runShiftMax, starts.width <= GroupStarts.widthMax,
      !hasSharedCode || symbols == 0 && longestCode == 0,
      (LabelLayout.groupShiftMin...LabelLayout.groupShiftMax).contains(groupShift)
    else { throw BlockError() }
  }

  /// Whether the block's labels are in a shared code.
  var hasSharedCode: Bool { code != LabelLayout.ownCode }

  func numbers(_ bytes: RawSpan, _ entry: IndexEntry) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: BlockLayout.bytes, to: positions, count: records, base: entry.first)
  }

  func rangePositions(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: positions, to: widths, count: ranges)
  }

  func rangeWidths(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: widths, to: symbolKeys, count: ranges)
  }

  func symbolKeys(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: symbolKeys, to: codes, count: symbols)
  }

  func ownEnds(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: ownLabelEnds, to: ownLabelText, count: ownLabels)
  }
}
