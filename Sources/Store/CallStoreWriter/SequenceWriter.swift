// Writes a strictly ascending sequence; the reader's half, SequenceReader, says what for.

import CallStoreFormat

/// It keeps its buffers from one sequence to the next.
struct SequenceWriter {
  private var directory = BitWriter()
  private var payload = BitWriter()
  /// For each group where its gaps start, and their parameter.
  private var starts: ContiguousArray<Int> = []
  private var shifts: ContiguousArray<Int> = []
  /// The gaps of one group, and the same cut off at 32 bits; 0 behind the last.
  private var gaps = ContiguousArray<UInt64>(repeating: 0, count: SequenceLayout.groupCount)
  private var smallGaps = ContiguousArray<UInt32>(repeating: 0, count: SequenceLayout.groupCount)

  /// Appends the code of `values`, which ascend strictly and are at least `base`. No values give no bytes.
  mutating func append(_ values: Span<UInt64>, base: UInt64 = 0, to bytes: inout ContiguousArray<UInt8>) {
    guard values.count > 0 else { return }
    directory.removeAll()
    payload.removeAll()
    starts.removeAll(keepingCapacity: true)
    shifts.removeAll(keepingCapacity: true)
    var start = 0
    while start < values.count {
      let group = values.extracting(start..<min(start + SequenceLayout.groupCount, values.count))
      Self.setGaps(group, &gaps, &smallGaps)
      let shift = Self.shift(group, gaps, smallGaps)
      starts.append(payload.bitCount)
      shifts.append(shift)
      Self.append(gaps, group.count - 1, shift, to: &payload)
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

  private static func setGaps(
    _ group: Span<UInt64>, _ gaps: inout ContiguousArray<UInt64>, _ smallGaps: inout ContiguousArray<UInt32>
  ) {
    var gaps = gaps.mutableSpan
    var smallGaps = smallGaps.mutableSpan
    var before = group[0]
    for index in 1..<group.count {
      let value = group[index]
      let gap = value &- before &- 1
      gaps[index - 1] = gap
      smallGaps[index - 1] = UInt32(clamping: gap)
      before = value
    }
    for index in (group.count - 1)..<SequenceLayout.groupCount {
      gaps[index] = 0
      smallGaps[index] = 0
    }
  }

  private static func append(
    _ gaps: ContiguousArray<UInt64>, _ count: Int, _ shift: Int, to payload: inout BitWriter
  ) {
    let gaps = gaps.span.extracting(0..<count)
    let low = (1 as UInt64) &<< UInt64(shift) &- 1
    // The writer's fields stay in registers over the group.
    var writer = payload
    payload = BitWriter()
    for index in 0..<gaps.count {
      let gap = gaps[index]
      let quotient = gap &>> UInt64(shift)
      if quotient >= UInt64(SequenceLayout.escapeZeros) {
        writer.append(0, width: SequenceLayout.escapeZeros)
        writer.append(gap, width: SequenceLayout.valueWidthMax)
      } else if shift < 32 {
        // Zeros, the one and the low bits as one field of at most 24 + 31 bits.
        writer.append(gap & low | (low &+ 1), width: Int(quotient) &+ 1 &+ shift)
      } else {
        writer.append(1, width: Int(quotient) &+ 1)
        writer.append(gap & low, width: shift)
      }
    }
    payload = writer
  }

  /// Up to this parameter a gap cut off at 32 bits is an escape exactly where the whole one is:
  /// 24 × 2 ** 27 is below 2 ** 32.
  private static let smallShiftMax = 27

  /// The cheapest parameter of those around the logarithm of the mean gap.
  private static func shift(
    _ group: Span<UInt64>, _ gaps: ContiguousArray<UInt64>, _ smallGaps: ContiguousArray<UInt32>
  ) -> Int {
    let count = group.count - 1
    guard count > 0 else { return 0 }
    let mean = (group[count] - group[0]) / UInt64(count)
    let guess = width(mean) - 1
    // An outlier lifts the mean but not the cheapest parameter, so look further down than up.
    let least = max(0, guess - 4)
    let most = max(0, min(guess + 1, SequenceLayout.shiftMax))
    var best = (bits: Int.max, shift: 0)
    for shift in least...most {
      let bits = most <= smallShiftMax ? cost(smallGaps.span, count, shift) : cost(gaps.span, count, shift)
      if bits < best.bits { best = (bits, shift) }
    }
    return best.shift
  }

  /// The bits that `count` gaps take; the others are 0, and taken off again. The loop has no branch and a fixed
  /// length, so that the compiler does four gaps at once.
  @inline(__always)
  private static func cost<Gap: FixedWidthInteger>(_ gaps: Span<Gap>, _ count: Int, _ shift: Int) -> Int {
    precondition(gaps.count == SequenceLayout.groupCount)
    let escape = Gap(truncatingIfNeeded: SequenceLayout.escapeZeros + SequenceLayout.valueWidthMax)
    let zeros = Gap(truncatingIfNeeded: SequenceLayout.escapeZeros)
    let shift = Gap(truncatingIfNeeded: shift)
    var bits: Gap = 0
    for index in 0..<SequenceLayout.groupCount {
      let quotient = unsafe gaps[unchecked: index] &>> shift
      bits &+= quotient < zeros ? quotient &+ 1 &+ shift : escape
    }
    return Int(truncatingIfNeeded: bits) - (SequenceLayout.groupCount - count) * Int(shift + 1)
  }

  /// The bits that hold a value; none for 0.
  static func width(_ value: UInt64) -> Int { 64 - value.leadingZeroBitCount }
}
