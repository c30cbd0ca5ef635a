// Writes strictly ascending sequences; SequenceReader reads them.

import BasicContainers
import CallStoreFormat
import SystemIO

/// Writes sequences. It reuses its buffers from one sequence to the next.
struct SequenceWriter: ~Copyable {
  private var directory = BitWriter()
  private var payload = BitWriter()
  /// The bit at which each group's gaps start, and their parameter.
  private var starts: ContiguousArray<Int> = []
  private var shifts: ContiguousArray<Int> = []
  /// The gaps of one group; 0 after the last.
  private var gaps = ContiguousArray<UInt64>(repeating: 0, count: SequenceLayout.groupCount)
  private var parameter = RiceParameter()

  /// Appends the code of `values`, which ascend strictly and are at least `base`. Appends nothing if there are none.
  mutating func append(_ values: Span<UInt64>, base: UInt64 = 0, to bytes: inout ContiguousArray<UInt8>) {
    guard values.count > 0 else { return }
    directory.removeAll()
    payload.removeAll()
    starts.removeAll(keepingCapacity: true)
    shifts.removeAll(keepingCapacity: true)
    var start = 0
    while start < values.count {
      let group = values.extracting(start..<min(start + SequenceLayout.groupCount, values.count))
      starts.append(payload.bitCount)
      shifts.append(Self.append(group, &gaps, &parameter, to: &payload))
      start += SequenceLayout.groupCount
    }
    payload.align()
    let lastStart = (values.count - 1) / SequenceLayout.groupCount * SequenceLayout.groupCount
    let firstWidth = Self.width(values[lastStart] - base)
    let starts = GroupStartFields(starts.span)
    var (shiftMin, shiftMax) = (shifts[0], shifts[0])
    for shift in shifts { (shiftMin, shiftMax) = (min(shiftMin, shift), max(shiftMax, shift)) }
    let shiftWidth = Self.width(UInt64(shiftMax - shiftMin))
    for group in 0..<shifts.count {
      directory.append(values[group * SequenceLayout.groupCount] - base, width: firstWidth)
      directory.append(starts.field(group, start: self.starts[group]), width: starts.width)
      directory.append(UInt64(shifts[group] - shiftMin), width: shiftWidth)
    }
    directory.align()
    for byte in [firstWidth, starts.width, shiftMin, shiftWidth] { bytes.append(UInt8(byte)) }
    bytes.append(littleEndian: UInt32(starts.mean))
    bytes.append(littleEndian: UInt32(starts.bias))
    directory.write(to: &bytes)
    payload.write(to: &bytes)
  }

  private static func append(
    _ group: Span<UInt64>, _ gaps: inout ContiguousArray<UInt64>, _ parameter: inout RiceParameter,
    to payload: inout BitWriter
  ) -> Int {
    let count = group.count - 1
    let widest = setGaps(group, &gaps)
    let mean = count > 0 ? (group[count] &- group[0]) / UInt64(count) : 0
    let shift = parameter.cheapest(gaps.span, count: count, widest: widest, mean: mean)
    append(gaps.span.extracting(0..<count), widest, shift, to: &payload)
    return shift
  }

  /// Sets the gaps of a group, with 0 after the last, and returns the bitwise OR of all of them.
  private static func setGaps(_ group: Span<UInt64>, _ gaps: inout ContiguousArray<UInt64>) -> UInt64 {
    var gaps = gaps.mutableSpan
    precondition(gaps.count == SequenceLayout.groupCount && group.count <= SequenceLayout.groupCount)
    let count = group.count &- 1
    var bits: UInt64 = 0
    // The precondition has checked the bounds.
    for index in 0..<count {
      let gap = unsafe group[unchecked: index &+ 1] &- group[unchecked: index] &- 1
      unsafe gaps[unchecked: index] = gap
      bits |= gap
    }
    for index in count..<SequenceLayout.groupCount { gaps[index] = 0 }
    return bits
  }

  /// Appends the codes of gaps. No gap is greater than `widest`.
  private static func append(
    _ gaps: Span<UInt64>, _ widest: UInt64, _ shift: Int, to payload: inout BitWriter
  ) {
    // A local writer, so that its fields stay in registers for the whole group.
    var writer = BitWriter()
    swap(&writer, &payload)
    let zerosMax = widest &>> UInt64(shift)
    if zerosMax < UInt64(SequenceLayout.escapeZeros),
      2 &* (Int(zerosMax) &+ 1 &+ shift) <= BitWriter.widthMax
    {
      appendPairs(gaps, shift, to: &writer)
    } else {
      for index in 0..<gaps.count { append(gaps[index], shift, to: &writer) }
    }
    payload = writer
  }

  /// Appends gaps. The codes of any two fit into one field.
  @inline(__always)
  private static func appendPairs(_ gaps: Span<UInt64>, _ shift: Int, to payload: inout BitWriter) {
    var index = 0
    while index &+ 1 < gaps.count {
      let one = code(gaps[index], shift)
      let other = code(gaps[index &+ 1], shift)
      payload.append(
        one.bits &<< UInt64(truncatingIfNeeded: other.width) | other.bits, width: one.width &+ other.width)
      index &+= 2
    }
    if index < gaps.count {
      let last = code(gaps[index], shift)
      payload.append(last.bits, width: last.width)
    }
  }

  /// The code of a gap that fits into a field: zeros, a one and the low bits.
  @inline(__always)
  private static func code(_ gap: UInt64, _ shift: Int) -> (bits: UInt64, width: Int) {
    let one = (1 as UInt64) &<< UInt64(truncatingIfNeeded: shift)
    let zeros = gap &>> UInt64(truncatingIfNeeded: shift)
    return (gap & (one &- 1) | one, Int(truncatingIfNeeded: zeros) &+ 1 &+ shift)
  }

  @inline(__always)
  private static func append(_ gap: UInt64, _ shift: Int, to payload: inout BitWriter) {
    let quotient = gap &>> UInt64(shift)
    if quotient >= UInt64(SequenceLayout.escapeZeros) {
      payload.append(0, width: SequenceLayout.escapeZeros)
      payload.append(gap, width: SequenceLayout.valueWidthMax)
    } else if shift < 32 {
      // At most 24 + 31 bits.
      let code = code(gap, shift)
      payload.append(code.bits, width: code.width)
    } else {
      payload.append(1, width: Int(quotient) &+ 1)
      payload.append(gap & ((1 as UInt64) &<< UInt64(shift) &- 1), width: shift)
    }
  }

  static func width(_ value: UInt64) -> Int { 64 - value.leadingZeroBitCount }
}

// MARK: - Writes bit fields, most significant bit first
//
// Bits are collected in a word, and words in an array: the array's checks run once per 64 bits. One byte at a
// time took three times as long (docs/design/decisions/0018-labels-and-stores.md).

struct BitWriter: ~Copyable {
  static let widthMax = 63

  /// Full words, each in the order of its bytes in the file.
  private var words = UniqueArray<UInt64>()
  /// The bits of the incomplete last word, in the lowest places. The bits above them have no meaning.
  private var pending: UInt64 = 0
  /// The number of pending bits, below 64.
  private var pendingCount = 0

  var bitCount: Int { words.count * 64 + pendingCount }

  /// Appends the lower `width` bits of `value`. The other bits are 0. `width` is 0 to ``widthMax``.
  @inline(__always)
  mutating func append(_ value: UInt64, width: Int) {
    let free = 64 &- pendingCount
    if width < free {
      pending = pending &<< UInt64(truncatingIfNeeded: width) | value
      pendingCount &+= width
    } else {
      // `free` and `rest` are below 64 here: no shift is as wide as the word.
      let rest = width &- free
      let word =
        pending &<< UInt64(truncatingIfNeeded: free) | value &>> UInt64(truncatingIfNeeded: rest)
      words.append(word.bigEndian)
      pending = value
      pendingCount = rest
    }
  }

  mutating func appendZeros(_ count: Int) {
    var left = count
    while left > 0 {
      append(0, width: min(left, 56))
      left -= 56
    }
  }

  /// Fills the last byte with zero bits.
  mutating func align() {
    append(0, width: -pendingCount & 7)
  }

  /// Appends the written bits to `bytes`, filled up to a whole byte.
  func write(to bytes: inout ContiguousArray<UInt8>) {
    // The words are stored big-endian, so their bytes in memory are those of the file.
    unsafe words.span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    var left = pendingCount
    while left > 0 {
      let byte = left >= 8 ? pending &>> UInt64(left - 8) : pending &<< UInt64(8 - left)
      bytes.append(UInt8(truncatingIfNeeded: byte))
      left -= 8
    }
  }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    pending = 0
    pendingCount = 0
  }
}

// The parameter of a group's Rice code: the number of low bits of a gap that are stored unchanged.

/// Chooses parameters. It reuses its buffer from one group to the next.
package struct RiceParameter {
  /// A group's gaps without the bits that all candidate parameters cut off.
  private var quotients = ContiguousArray<Int16>(repeating: 0, count: SequenceLayout.groupCount)

  package init() {}

  /// The cheapest of the parameters around the logarithm of the mean gap; the smallest if several cost the same.
  ///
  /// - Parameters:
  ///   - gaps: the gaps of a group, as many as a full group has. Those from `count` on are 0.
  ///   - widest: at least as large as every gap.
  ///   - mean: the average of the gaps plus 1, rounded down.
  /// - Complexity: about 500 instructions.
  package mutating func cheapest(
    _ gaps: Span<UInt64>, count: Int, widest: UInt64, mean: UInt64
  ) -> Int {
    guard count > 0 else { return 0 }
    let guess = SequenceWriter.width(mean) - 1
    // An outlier raises the mean but not the cheapest parameter, so more parameters below the guess are tried than
    // above.
    let shiftMin = min(max(0, guess - 4), SequenceLayout.shiftMax)
    let shiftMax = max(shiftMin, min(guess + 1, SequenceLayout.shiftMax))
    Self.divide(gaps, by: shiftMin, widest, &quotients)
    var best = (bits: Int.max, shift: 0)
    for shift in shiftMin...shiftMax {
      let bits = Self.cost(quotients.span, shift - shiftMin, shift)
      // The unused places after the last gap were counted as gaps of 0.
      let own = bits &- (SequenceLayout.groupCount &- count) &* (shift &+ 1)
      if own < best.bits { best = (own, shift) }
    }
    return best.shift
  }

  /// A quotient of at least this is an escape with each of the up to six parameters: 24 × 2 ** 5 is less.
  private static let quotientMax = UInt64(Int16.max)

  private static func divide(
    _ gaps: Span<UInt64>, by shift: Int, _ widest: UInt64, _ quotients: inout ContiguousArray<Int16>
  ) {
    var quotients = quotients.mutableSpan
    precondition(gaps.count == SequenceLayout.groupCount && quotients.count == SequenceLayout.groupCount)
    let shift = UInt64(truncatingIfNeeded: shift)
    // The precondition has checked the bounds. The loops have no branches, so that the compiler can vectorize them.
    if widest &>> shift <= quotientMax {
      for index in 0..<SequenceLayout.groupCount {
        unsafe quotients[unchecked: index] = Int16(truncatingIfNeeded: gaps[unchecked: index] &>> shift)
      }
    } else {
      for index in 0..<SequenceLayout.groupCount {
        unsafe quotients[unchecked: index] = Int16(
          truncatingIfNeeded: min(gaps[unchecked: index] &>> shift, quotientMax))
      }
    }
  }

  /// The bits of a whole group with a parameter that cuts off `more` bits of the quotients.
  ///
  /// The choice is arithmetic: a branch, or even a conditional value, would keep the compiler from vectorizing the
  /// loop.
  private static func cost(_ quotients: Span<Int16>, _ more: Int, _ shift: Int) -> Int {
    precondition(quotients.count == SequenceLayout.groupCount)
    let escape = Int16(SequenceLayout.escapeZeros + SequenceLayout.valueWidthMax)
    let last = Int16(SequenceLayout.escapeZeros - 1)
    let more = Int16(truncatingIfNeeded: more)
    let rest = Int16(truncatingIfNeeded: shift &+ 1)
    // At most 32 × 74.
    var bits: Int16 = 0
    for index in 0..<SequenceLayout.groupCount {
      let quotient = unsafe quotients[unchecked: index] &>> more
      let isEscape = (last &- quotient) &>> 15
      bits &+= (quotient &+ rest) & ~isEscape | escape & isEscape
    }
    return Int(bits)
  }
}

// The fields for the starts of the groups of a bit-packed piece; GroupStartReader reads them.

/// The parameters of the starts of a piece's groups, for fields as narrow as possible.
struct GroupStartFields {
  /// The mean length of a group, in 256ths of a bit.
  let mean: Int
  /// Is added to each field, so that no field is negative.
  let bias: Int
  let width: Int

  /// Chooses the parameters for the starts of groups.
  ///
  /// - Precondition: there is at least one start, and the first is 0.
  init(_ starts: Span<Int>) {
    let last = starts.count - 1
    let mean = last > 0 ? starts[last] << GroupStarts.meanShift / last : 0
    // The first group starts where it is expected, so the minimum is not positive.
    var offsetMin = 0
    var offsetMax = 0
    for group in 0..<starts.count {
      let offset = starts[group] - GroupStarts.expected(group, mean: mean)
      offsetMin = min(offsetMin, offset)
      offsetMax = max(offsetMax, offset)
    }
    self.mean = mean
    bias = -offsetMin
    width = SequenceWriter.width(UInt64(offsetMax - offsetMin))
  }

  @inline(__always)
  func field(_ group: Int, start: Int) -> UInt64 {
    UInt64(start - GroupStarts.expected(group, mean: mean) + bias)
  }
}
