// Decodes which label each record of a block has, as a rank: 0 is the block's dominant label, rank r + 1 the
// r-th of the others in the order of their codes.
//
// Not for: what label a rank stands for (LabelTable).

import CallStoreFormat

struct LabelCode {
  private let header: BlockHeader
  private let lengthsBit: Int
  private let payloadBit: Int
  private let endBit: Int
  /// By code length: codes of that length are below the limit, and their ranks are so much more than they are.
  private var lengths: ContiguousArray<(limit: UInt32, toRank: Int32)> = []

  init(_ bytes: RawSpan, _ header: BlockHeader) throws(BlockDamage) {
    self.header = header
    endBit = header.ownLabelEnds * 8
    let start = header.codes * 8
    guard header.symbols > 0 else {
      guard header.codes == header.ownLabelEnds, header.longestCode == 0 else { throw BlockDamage() }
      (lengthsBit, payloadBit) = (start, start)
      return
    }
    guard header.longestCode <= LabelLayout.codeLengthMax, (header.longestCode == 0) == (header.symbols == 1)
    else {
      throw BlockDamage()
    }
    lengthsBit = start + header.longestCode * LabelLayout.codeCountWidth
    let groups = (header.records + (1 << header.groupShift) - 1) >> header.groupShift
    payloadBit = (lengthsBit + groups * header.groupWidth + 7) / 8 * 8
    guard payloadBit <= endBit else { throw BlockDamage() }
    guard header.longestCode > 0 else { return }
    lengths.reserveCapacity(header.longestCode + 1)
    lengths.append((0, 0))
    var total = 0
    var limit = 0
    for length in 1...header.longestCode {
      let count = Int(
        Bits.read(bytes, start + (length - 1) * LabelLayout.codeCountWidth, width: LabelLayout.codeCountWidth)
      )
      let first = limit * 2
      limit = first + count
      guard limit <= 1 << length else { throw BlockDamage() }
      lengths.append((UInt32(limit), Int32(total - first)))
      total += count
    }
    // A complete code: no bits are without a meaning, and each rank has a symbol.
    guard total == header.symbols, limit == 1 << header.longestCode else { throw BlockDamage() }
  }

  /// The rank that a window starts with, and the length of its code.
  @inline(__always)
  private func code(_ window: UInt64, from start: Int = 1) throws(BlockDamage) -> (rank: Int, length: Int) {
    if header.longestCode == 0 { return (0, 0) }
    var length = start
    while length <= header.longestCode {
      let code = window &>> UInt64(64 &- length)
      if code < UInt64(lengths[length].limit) { return (Int(code) &+ Int(lengths[length].toRank), length) }
      length &+= 1
    }
    throw BlockDamage()
  }

  /// Reads a run of the dominant label; `left` when the run goes on to the group's end.
  @inline(__always)
  private func run(_ bytes: RawSpan, _ position: inout Int, left: Int) -> Int {
    let shift = header.runShift
    // So many zeros mean the end of the group, and nothing follows them.
    let zerosMax = (left &+ (1 &<< shift) &- 1) &>> shift
    var zeros = 0
    while true {
      let more = min(Bits.peek(bytes, position).leadingZeroBitCount, 56)
      if zeros &+ more >= zerosMax {
        position &+= zerosMax &- zeros
        return left
      }
      zeros &+= more
      position &+= more
      if more < 56 { break }
    }
    let low = Bits.read(bytes, position &+ 1, width: shift)
    position &+= 1 &+ shift
    return min((zeros &<< shift) &+ Int(low), left)
  }

  /// The rank of one record.
  ///
  /// - Complexity: the bits of half a group on average, and the group directory up to it.
  func rank(_ bytes: RawSpan, ofRecord index: Int) throws(BlockDamage) -> Int {
    if header.labelMode == LabelLayout.modeEach { return index + 1 }
    if header.symbols == 0 { return 0 }
    let group = index &>> header.groupShift
    var position = payloadBit &+ group &* header.groupBitsMin
    for before in 0..<group {
      position &+= Int(Bits.read(bytes, lengthsBit &+ before &* header.groupWidth, width: header.groupWidth))
    }
    guard position <= endBit else { throw BlockDamage() }
    let start = group &<< header.groupShift
    var at = start
    if header.labelMode == LabelLayout.modeCodes {
      while at < index {
        position &+= try code(Bits.peek(bytes, position)).length
        at &+= 1
      }
      return try code(Bits.peek(bytes, position)).rank &+ 1
    }
    let end = min(start &+ (1 &<< header.groupShift), header.records)
    while true {
      at &+= run(bytes, &position, left: end &- at)
      if at > index || at >= end { return 0 }
      let (rank, length) = try code(Bits.peek(bytes, position))
      if at == index { return rank &+ 1 }
      position &+= length
      at &+= 1
    }
  }

  /// The codes of up to this length are decoded by one table look-up.
  private static let quickBits = 9

  /// Decodes the ranks of all records.
  func ranks(_ bytes: RawSpan, into all: inout ContiguousArray<UInt16>) throws(BlockDamage) {
    all.removeAll(keepingCapacity: true)
    all.reserveCapacity(header.records)
    if header.labelMode == LabelLayout.modeEach {
      for index in 0..<header.records { all.append(UInt16(truncatingIfNeeded: index + 1)) }
      return
    }
    for _ in 0..<header.records { all.append(0) }
    if header.symbols == 0 { return }
    var quick = ContiguousArray<UInt32>(repeating: 0, count: 1 << Self.quickBits)
    for prefix in 0..<quick.count {
      let (rank, length) = try code(UInt64(prefix) << UInt64(64 - Self.quickBits))
      if length <= Self.quickBits { quick[prefix] = UInt32(rank << 8 | length + 1) }
    }
    var room = all.mutableSpan
    var position = payloadBit
    var start = 0
    var group = 0
    while start < header.records {
      let end = min(start + (1 << header.groupShift), header.records)
      let length = Int(Bits.read(bytes, lengthsBit + group * header.groupWidth, width: header.groupWidth))
      let groupEnd = position + header.groupBitsMin + length
      var at = start
      while at < end {
        if header.labelMode == LabelLayout.modeRuns {
          at &+= run(bytes, &position, left: end &- at)
          if at >= end { break }
        }
        let window = Bits.peek(bytes, position)
        let known = quick[Int(truncatingIfNeeded: window &>> UInt64(64 - Self.quickBits))]
        if known != 0 {
          room[at] = UInt16(truncatingIfNeeded: known &>> 8) &+ 1
          position &+= Int(known & 0xFF) &- 1
        } else {
          let (rank, length) = try code(window, from: Self.quickBits + 1)
          room[at] = UInt16(truncatingIfNeeded: rank &+ 1)
          position &+= length
        }
        at &+= 1
      }
      // A look-up finds a group by these lengths, so they must be true.
      guard position == groupEnd, position <= endBit else { throw BlockDamage() }
      start = end
      group += 1
    }
  }
}
