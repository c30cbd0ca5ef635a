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

  /// The number of values in a group.
  @inline(__always)
  func count(ofGroup group: Int) -> Int {
    min(SequenceLayout.groupCount, count &- group &* SequenceLayout.groupCount)
  }

  @inline(__always)
  private func entryBit(_ group: Int) -> Int { directoryBit &+ group &* entryWidth }

  /// The first value of a group.
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

  /// The minimum number of bits in a window.
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
