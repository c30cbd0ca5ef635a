// Writes a strictly ascending sequence; the reader's half, SequenceReader, says what for.

import CallStoreFormat

/// It keeps its buffers from one sequence to the next.
struct SequenceWriter {
  private var directory = BitWriter()
  private var payload = BitWriter()
  private var groups: ContiguousArray<(offset: Int, shift: Int)> = []

  /// Appends the code of `values`, which ascend strictly and are at least `base`. No values give no bytes.
  mutating func append(_ values: Span<UInt64>, base: UInt64 = 0, to bytes: inout ContiguousArray<UInt8>) {
    guard values.count > 0 else { return }
    directory.removeAll()
    payload.removeAll()
    groups.removeAll(keepingCapacity: true)
    var start = 0
    while start < values.count {
      let end = min(start + SequenceLayout.groupCount, values.count)
      let shift = Self.shift(values, start, end)
      groups.append((payload.bitCount, shift))
      for index in (start + 1)..<max(end, start + 1) {
        appendGap(values[index] &- values[index &- 1] &- 1, shift)
      }
      start = end
    }
    payload.align()
    let lastStart = (values.count - 1) / SequenceLayout.groupCount * SequenceLayout.groupCount
    let firstWidth = Self.width(values[lastStart] - base)
    let offsetWidth = Self.width(UInt64(groups[groups.count - 1].offset))
    for group in 0..<groups.count {
      directory.append(values[group * SequenceLayout.groupCount] - base, width: firstWidth)
      directory.append(UInt64(groups[group].offset), width: offsetWidth)
      directory.append(UInt64(groups[group].shift), width: SequenceLayout.shiftWidth)
    }
    directory.align()
    bytes.append(UInt8(firstWidth))
    bytes.append(UInt8(offsetWidth))
    bytes.append(contentsOf: directory.bytes)
    bytes.append(contentsOf: payload.bytes)
  }

  private mutating func appendGap(_ gap: UInt64, _ shift: Int) {
    let quotient = gap &>> UInt64(shift)
    guard quotient < UInt64(SequenceLayout.escapeZeros) else {
      payload.append(0, width: SequenceLayout.escapeZeros)
      payload.append(gap, width: SequenceLayout.valueWidthMax)
      return
    }
    payload.append(1, width: Int(quotient) + 1)
    payload.append(gap & (1 &<< UInt64(shift) &- 1), width: shift)
  }

  /// The cheapest parameter of those around the logarithm of the mean gap.
  private static func shift(_ values: Span<UInt64>, _ start: Int, _ end: Int) -> Int {
    guard end - start > 1 else { return 0 }
    let mean = (values[end - 1] - values[start]) / UInt64(end - start - 1)
    let guess = width(mean) - 1
    var best = (bits: Int.max, shift: 0)
    // An outlier lifts the mean but not the cheapest parameter, so look further down than up.
    for shift in max(0, guess - 4)...max(0, min(guess + 1, SequenceLayout.shiftMax)) {
      var bits = 0
      for index in (start + 1)..<end {
        let quotient = (values[index] &- values[index &- 1] &- 1) &>> UInt64(shift)
        bits &+=
          quotient < UInt64(SequenceLayout.escapeZeros)
          ? Int(quotient) &+ 1 &+ shift : SequenceLayout.escapeZeros &+ SequenceLayout.valueWidthMax
      }
      if bits < best.bits { best = (bits, shift) }
    }
    return best.shift
  }

  /// The bits that hold a value; none for 0.
  static func width(_ value: UInt64) -> Int { 64 - value.leadingZeroBitCount }
}
