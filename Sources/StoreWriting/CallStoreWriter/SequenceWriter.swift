// Writes strictly ascending sequences; SequenceReader reads them.

import CallStoreFormat

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

  /// Appends the gaps of a group, and returns their parameter.
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

  /// The number of bits in a value; 0 for the value 0.
  static func width(_ value: UInt64) -> Int { 64 - value.leadingZeroBitCount }
}
