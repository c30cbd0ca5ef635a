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

  /// How many values a group has.
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

  /// Where a group's gaps start, and their parameter.
  @inline(__always)
  private func start(_ bytes: RawSpan, ofGroup group: Int) throws(BlockError) -> (position: Int, shift: Int) {
    let entry = entryBit(group) &+ firstWidth
    let start = starts.start(bytes, field: entry, ofGroup: group)
    let shift = shiftMin &+ Int(Bits.read(bytes, entry &+ starts.width, width: shiftWidth))
    guard start >= 0, shift <= SequenceLayout.shiftMax else { throw BlockError() }
    return (payloadBit &+ start, shift)
  }

  /// The bits that a window has at the least.
  private static let windowBits = 57

  /// The most bits of a gap that is no escape.
  @inline(__always)
  private static func gapBitsMax(_ shift: Int) -> Int { SequenceLayout.escapeZeros &+ shift }

  /// Reads one gap: how far the next value lies from the one before.
  @inline(__always)
  private static func gap(_ bytes: RawSpan, _ position: inout Int, _ shift: Int) -> UInt64 {
    gap(bytes, Bits.peek(bytes, position), &position, shift)
  }

  /// Reads the gap that a window of the bits at `position` starts with.
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
      // At most 23 zeros, the one, and 32 bits: they are all in the window.
      low = Bits.top(window &<< UInt64(truncatingIfNeeded: zeros &+ 1), shift)
    } else {
      low = Bits.read(bytes, position &+ zeros &+ 1, width: shift)
    }
    position &+= zeros &+ 1 &+ shift
    return (UInt64(truncatingIfNeeded: zeros) &<< UInt64(truncatingIfNeeded: shift) | low) &+ 1
  }

  /// Decodes a group to `values` from `at` on, where there is room for it, and returns how many there are.
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

  /// Up to this parameter a gap that is no escape is in one window: at most 23 zeros, the one, and the low bits.
  private static let shortShiftMax = 32
  /// So many bytes hold a group's gaps, all of them escapes, and the eight that the last window is loaded from.
  private static let groupBytesMax =
    (SequenceLayout.groupCount * (SequenceLayout.escapeZeros + SequenceLayout.valueWidthMax) + 7) / 8 + 8

  /// Decodes gaps of a group from `position` on, behind which ``groupBytesMax`` bytes are inside the span, to a range
  /// that is inside `values`.
  @inline(__always)
  private static func decodeShort(
    _ bytes: RawSpan, _ position: inout Int, _ shift: Int, after first: UInt64,
    into values: inout MutableSpan<UInt64>, _ range: Range<Int>
  ) {
    var place = position
    var value = first
    var index = range.lowerBound
    while index < range.upperBound {
      // A group has at most 31 gaps of 74 bits: that all their bytes are there was checked for all at once.
      let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place &>> 3, as: UInt64.self)
      // The lowest bit is never one of a gap's, which has at most 56.
      var window = UInt64(bigEndian: word) &<< UInt64(truncatingIfNeeded: place & 7) | 1
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
      // Most often the next one is in the window as well. To load it anew would be to wait for the memory again.
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

  /// The gap that a window starts with, which has fewer zeros than an escape and is all in the window.
  @inline(__always)
  private static func shortGap(_ window: UInt64, _ zeros: Int, _ shift: Int) -> UInt64 {
    let shiftBits = UInt64(truncatingIfNeeded: shift)
    // The one that ends the zeros, and the low bits behind it.
    let low = (window &<< UInt64(truncatingIfNeeded: zeros)) &>> (63 &- shiftBits)
    return (UInt64(truncatingIfNeeded: zeros) &<< shiftBits) &+ low &- (1 &<< shiftBits) &+ 1
  }

  /// Where a look-up goes on: a group, and its first bits, which are on their way from memory before they are needed.
  struct Place {
    let group: Int
    let first: UInt64
    fileprivate let position: Int
    fileprivate let shift: Int
    fileprivate let window: UInt64
  }

  /// Where a target would be if the values were spread evenly, and what stands there.
  struct Guess {
    fileprivate let group: Int
    fileprivate let first: UInt64
  }

  /// The group to look at first for a target; nil when it is below all values.
  func guess(_ bytes: RawSpan, of target: UInt64) -> Guess? {
    guard count > 0 else { return nil }
    let least = first(bytes, ofGroup: 0)
    let last = groupCount &- 1
    let most = first(bytes, ofGroup: last)
    guard least <= target else { return nil }
    if target >= most { return Guess(group: last, first: most) }
    // Widths of 50 bits and fewer than 2 ** 9 groups stay below 2 ** 60; `most` is above `target`.
    let group = Int(truncatingIfNeeded: (target &- least) &* UInt64(last) / (most &- least))
    return Guess(group: group, first: first(bytes, ofGroup: group))
  }

  /// The last group whose first value is at most `target`, which lies around the guess.
  ///
  /// - Complexity: O(log groups), and two or three looks where values are spread evenly.
  func place(_ bytes: RawSpan, of target: UInt64, around guess: Guess) throws(BlockError) -> Place {
    let group = group(bytes, of: target, around: guess)
    let (position, shift) = try start(bytes, ofGroup: group)
    return Place(
      group: group, first: first(bytes, ofGroup: group), position: position, shift: shift,
      window: Bits.peek(bytes, position))
  }

  /// The last group whose first value is at most `target`; nil when there is none.
  ///
  /// - Complexity: as `place(_:of:around:)`.
  func place(_ bytes: RawSpan, of target: UInt64) throws(BlockError) -> Place? {
    guard let guess = guess(bytes, of: target) else { return nil }
    return try place(bytes, of: target, around: guess)
  }

  /// Looks around the guess, further and further.
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

  /// The last value of a group that is at most `target`, and its place in the sequence.
  ///
  /// - Complexity: half a group decoded on average.
  func floor(
    _ bytes: RawSpan, of target: UInt64, at place: Place
  ) throws(BlockError) -> (index: Int, value: UInt64) {
    var value = place.first
    var position = place.position
    var window = place.window
    let shift = place.shift
    let count = count(ofGroup: place.group)
    var index = 0
    // Bits of the window that were not used yet: a window has several gaps, and to load one for each takes longer.
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
      // An escape, or a wide parameter, goes beyond the window.
      left = used < left ? left &- used : 0
      window = window &<< UInt64(truncatingIfNeeded: used)
    }
    guard position <= endBit else { throw BlockError() }
    return (place.group &* SequenceLayout.groupCount &+ index, value)
  }

  /// The value at a place, which is below ``count``.
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
