// Decodes the one code that everything ascending in a block is written in: the numbers, the places of ranges,
// their widths as running sums, label identities, and the ends of labels.
//
// It trusts nothing: whatever the bits are, values come out ascending, loops end, and nothing outside the span
// is read. Whether the values make sense is the caller's to check.

import CallStoreFormat

/// A strictly ascending sequence in groups of ``SequenceLayout/groupCount``. A directory entry holds a group's first
/// value and where its gaps start; the gaps follow in a Rice code whose parameter is the group's own.
struct SequenceReader {
  let count: Int
  private let base: UInt64
  private let firstWidth: Int
  private let offsetWidth: Int
  private let directoryBit: Int
  private let payloadBit: Int
  private let endBit: Int

  var groupCount: Int { (count &+ SequenceLayout.groupCount &- 1) / SequenceLayout.groupCount }

  /// Reads the head of a sequence of `count` values in `from..<to`, which lies inside `bytes`.
  init(_ bytes: RawSpan, from: Int, to: Int, count: Int, base: UInt64 = 0) throws(BlockDamage) {
    self.count = count
    self.base = base
    endBit = to * 8
    guard count > 0 else {
      guard from == to else { throw BlockDamage() }
      (firstWidth, offsetWidth, directoryBit, payloadBit) = (0, 0, 0, 0)
      return
    }
    guard to - from >= SequenceLayout.headBytes else { throw BlockDamage() }
    firstWidth = Int(bytes.byte(from))
    offsetWidth = Int(bytes.byte(from + 1))
    guard firstWidth <= SequenceLayout.valueWidthMax, offsetWidth <= SequenceLayout.offsetWidthMax else {
      throw BlockDamage()
    }
    let groups = (count + SequenceLayout.groupCount - 1) / SequenceLayout.groupCount
    directoryBit = (from + SequenceLayout.headBytes) * 8
    let directoryBits = groups * (firstWidth + offsetWidth + SequenceLayout.shiftWidth)
    payloadBit = directoryBit + (directoryBits + 7) / 8 * 8
    guard payloadBit <= endBit else { throw BlockDamage() }
  }

  /// How many values a group has.
  @inline(__always)
  func count(ofGroup group: Int) -> Int {
    min(SequenceLayout.groupCount, count &- group &* SequenceLayout.groupCount)
  }

  @inline(__always)
  private func entryBit(_ group: Int) -> Int {
    directoryBit &+ group &* (firstWidth &+ offsetWidth &+ SequenceLayout.shiftWidth)
  }

  /// The first value of a group.
  @inline(__always)
  func first(_ bytes: RawSpan, ofGroup group: Int) -> UInt64 {
    base &+ Bits.read(bytes, entryBit(group), width: firstWidth)
  }

  @inline(__always)
  private func start(_ bytes: RawSpan, ofGroup group: Int) -> (position: Int, shift: Int) {
    let entry = entryBit(group)
    let offset = Int(Bits.read(bytes, entry &+ firstWidth, width: offsetWidth))
    let shift = Bits.read(bytes, entry &+ firstWidth &+ offsetWidth, width: SequenceLayout.shiftWidth)
    return (payloadBit &+ offset, Int(shift))
  }

  /// Reads one gap: how far the next value lies from the one before.
  @inline(__always)
  private static func gap(_ bytes: RawSpan, _ position: inout Int, _ shift: Int) -> UInt64 {
    let window = Bits.peek(bytes, position)
    let zeros = window.leadingZeroBitCount
    if zeros >= SequenceLayout.escapeZeros {
      let value = Bits.read(
        bytes, position &+ SequenceLayout.escapeZeros, width: SequenceLayout.valueWidthMax)
      position &+= SequenceLayout.escapeZeros &+ SequenceLayout.valueWidthMax
      return value &+ 1
    }
    let low: UInt64
    if shift <= 32 {
      // At most 23 zeros, the one, and 32 bits: they are all in the window.
      low = Bits.top(window &<< UInt64(truncatingIfNeeded: zeros &+ 1), shift)
    } else {
      low = Bits.read(bytes, position &+ zeros &+ 1, width: shift)
    }
    position &+= zeros &+ 1 &+ shift
    return (UInt64(truncatingIfNeeded: zeros) &<< UInt64(truncatingIfNeeded: shift) | low) &+ 1
  }

  /// Decodes a group to the start of `values`, and returns how many there are. `values` holds a group.
  @inline(__always)
  func decode(_ bytes: RawSpan, group: Int, into values: inout MutableSpan<UInt64>) throws(BlockDamage) -> Int
  {
    let count = count(ofGroup: group)
    var (position, shift) = start(bytes, ofGroup: group)
    guard shift <= SequenceLayout.shiftMax, count <= values.count else { throw BlockDamage() }
    var value = first(bytes, ofGroup: group)
    values[0] = value
    var index = 1
    while index < count {
      value &+= Self.gap(bytes, &position, shift)
      values[index] = value
      index &+= 1
    }
    guard position <= endBit else { throw BlockDamage() }
    return count
  }

  /// The last value that is at most `target`, and its place; nil when all are greater.
  ///
  /// - Complexity: O(log groups), and half a group decoded on average.
  func floor(_ bytes: RawSpan, of target: UInt64) throws(BlockDamage) -> (index: Int, value: UInt64)? {
    guard count > 0, first(bytes, ofGroup: 0) <= target else { return nil }
    var low = 0
    var high = groupCount
    while high &- low > 1 {
      let middle = (low &+ high) / 2
      if first(bytes, ofGroup: middle) <= target { low = middle } else { high = middle }
    }
    var value = first(bytes, ofGroup: low)
    var (position, shift) = start(bytes, ofGroup: low)
    guard shift <= SequenceLayout.shiftMax else { throw BlockDamage() }
    let count = count(ofGroup: low)
    var index = 0
    while index &+ 1 < count {
      let next = value &+ Self.gap(bytes, &position, shift)
      if next > target { break }
      value = next
      index &+= 1
    }
    guard position <= endBit else { throw BlockDamage() }
    return (low &* SequenceLayout.groupCount &+ index, value)
  }

  /// The value at a place, which is below ``count``.
  func value(_ bytes: RawSpan, at index: Int) throws(BlockDamage) -> UInt64 {
    let group = index / SequenceLayout.groupCount
    var (position, shift) = start(bytes, ofGroup: group)
    guard index < count, shift <= SequenceLayout.shiftMax else { throw BlockDamage() }
    var value = first(bytes, ofGroup: group)
    for _ in 0..<(index % SequenceLayout.groupCount) { value &+= Self.gap(bytes, &position, shift) }
    guard position <= endBit else { throw BlockDamage() }
    return value
  }
}

/// Walks a sequence from its start, a value at a time. It checks that groups ascend too.
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
  ) throws(BlockDamage) -> Int {
    var room = values.mutableSpan
    return try reader.decode(bytes, group: group, into: &room)
  }

  /// The next value, or nil behind the last.
  mutating func next(_ bytes: RawSpan) throws(BlockDamage) -> UInt64? {
    if at == loaded {
      guard group < reader.groupCount else { return nil }
      loaded = try Self.decode(reader, bytes, group, &values)
      if let previous, values[0] <= previous { throw BlockDamage() }
      previous = values[loaded - 1]
      group += 1
      at = 0
    }
    at += 1
    return values[at - 1]
  }
}
