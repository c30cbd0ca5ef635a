// Decodes which label each record of a block has, as an identity.
//
// Not for: what label an identity stands for (LabelTable).

import CallStoreFormat

/// The codes piece of a block, its place and its groups.
struct LabelCode {
  private let header: BlockHeader
  private let labelCount: Int
  private let countsBit: Int
  private let startsBit: Int
  private let payloadBit: Int
  private let endBit: Int

  /// `labelCount` is that of the store's table.
  init(_ header: BlockHeader, labelCount: Int) throws(BlockError) {
    self.header = header
    self.labelCount = labelCount
    countsBit = header.codes * 8
    endBit = header.ownLabelEnds * 8
    guard header.hasSharedCode || header.symbols > 0 else {
      guard header.codes == header.ownLabelEnds, header.longestCode == 0 else { throw BlockError() }
      (startsBit, payloadBit) = (countsBit, countsBit)
      return
    }
    guard header.longestCode <= LabelLayout.codeLengthMax,
      header.hasSharedCode || (header.longestCode == 0) == (header.symbols == 1)
    else { throw BlockError() }
    startsBit = countsBit + header.longestCode * LabelLayout.codeCountWidth
    let groups = (header.records + (1 << header.groupShift) - 1) >> header.groupShift
    payloadBit = (startsBit + groups * header.starts.width + 7) / 8 * 8
    guard payloadBit <= endBit else { throw BlockError() }
  }

  /// Whether every record has the dominant label.
  private var isPlain: Bool { !header.hasSharedCode && header.symbols == 0 }

  /// Whether an identity is that of a label.
  @inline(__always)
  static func isLabel(_ identity: Int, labelCount: Int, ownLabels: Int) -> Bool {
    identity < StoreLimits.tableLabelsMax
      ? identity < labelCount : identity &- StoreLimits.tableLabelsMax < ownLabels
  }

  /// Where a group's codes start.
  @inline(__always)
  private func start(_ bytes: RawSpan, ofGroup group: Int) -> Int {
    payloadBit
      &+ header.starts.start(bytes, field: startsBit &+ group &* header.starts.width, ofGroup: group)
  }

  /// Where a look-up goes on: a group, and its first bits, which are on their way from memory before they are needed.
  struct Place {
    let group: Int
    let position: Int
    let window: UInt64
  }

  /// The group of a record.
  @inline(__always)
  func place(_ bytes: RawSpan, ofRecord index: Int) throws(BlockError) -> Place {
    if isPlain || header.labelMode == LabelLayout.modeEach { return Place(group: 0, position: 0, window: 0) }
    let group = index &>> header.groupShift
    let position = start(bytes, ofGroup: group)
    guard position >= payloadBit, position <= endBit else { throw BlockError() }
    return Place(group: group, position: position, window: Bits.peek(bytes, position))
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

  /// Reads one code, and behind an escape the identity.
  @inline(__always)
  private func identity(
    _ bytes: RawSpan, _ position: inout Int, _ code: borrowing PrefixCode, _ steps: Span<UInt64>
  ) throws(BlockError) -> UInt16 {
    let window = Bits.peek(bytes, position)
    let step = Step(word: steps[Int(truncatingIfNeeded: Bits.top(window, PrefixCode.windowBits))])
    if step.count > 0 {
      position &+= step.firstLength
      return step.first
    }
    return try longIdentity(bytes, &position, window, code)
  }

  /// As `identity`, for a code that is an escape or longer than a window of the table.
  private func longIdentity(
    _ bytes: RawSpan, _ position: inout Int, _ window: UInt64, _ code: borrowing PrefixCode
  ) throws(BlockError) -> UInt16 {
    let (identity, length) = try code.code(window, from: code.lengthMin)
    position &+= length
    return try escaped(bytes, &position, identity)
  }

  /// The identity itself, or the one that follows an escape.
  @inline(__always)
  private func escaped(
    _ bytes: RawSpan, _ position: inout Int, _ identity: Int
  ) throws(BlockError) -> UInt16 {
    guard identity == LabelLayout.escape else { return UInt16(truncatingIfNeeded: identity) }
    let named = Int(Bits.read(bytes, position, width: LabelLayout.identityWidth))
    guard Self.isLabel(named, labelCount: labelCount, ownLabels: header.ownLabels) else {
      throw BlockError()
    }
    position &+= LabelLayout.identityWidth
    return UInt16(truncatingIfNeeded: named)
  }
}

// MARK: - One record

extension LabelCode {
  /// The identity of one record's label, whose code the block shares with others.
  ///
  /// - Complexity: the bits of half a group on average, several codes at once.
  func identity(
    _ bytes: RawSpan, ofRecord index: Int, at place: Place, _ code: borrowing PrefixCode
  ) throws(BlockError) -> Int {
    if header.labelMode == LabelLayout.modeCodes, code.symbols.count < 2 { throw BlockError() }
    let steps = code.steps.span
    var at = place.group &<< header.groupShift
    let end = min(at &+ (1 &<< header.groupShift), header.records)
    var position = place.position
    if header.labelMode == LabelLayout.modeCodes {
      var window = place.window
      while at < index {
        let step = Step(word: steps[Int(truncatingIfNeeded: Bits.top(window, PrefixCode.windowBits))])
        if step.count > 0, at &+ step.skipCount <= index {
          at &+= step.skipCount
          position &+= step.skipLength
        } else {
          _ = try identity(bytes, &position, code, steps)
          at &+= 1
        }
        window = Bits.peek(bytes, position)
      }
      return Int(try identity(bytes, &position, code, steps))
    }
    while true {
      at &+= run(bytes, &position, left: end &- at)
      if at > index || at >= end { return header.dominant }
      let identity = try identity(bytes, &position, code, steps)
      if at == index { return Int(identity) }
      at &+= 1
    }
  }

  /// The identity of one record's label in a block that shares no code. `keys` are the block's symbols, and `limits`
  /// has room for the limits of its code.
  ///
  /// - Complexity: the bits of half a group on average, and a look at each length of codes.
  func identity(
    _ bytes: RawSpan, ofRecord index: Int, at place: Place, _ keys: SequenceReader,
    _ limits: borrowing CodeLimits
  ) throws(BlockError) -> Int {
    if header.labelMode == LabelLayout.modeEach { return StoreLimits.tableLabelsMax + index }
    if isPlain { return header.dominant }
    var total = 0
    var limit = 0
    for length in 0..<header.longestCode {
      let bit = countsBit &+ length &* LabelLayout.codeCountWidth
      let count = Int(Bits.read(bytes, bit, width: LabelLayout.codeCountWidth))
      let first = limit * 2
      limit = first + count
      guard limit <= 2 << length else { throw BlockError() }
      limits.set(length + 1, limit: limit, toRank: total - first)
      total += count
    }
    guard header.longestCode == 0 || total == header.symbols && limit == 1 << header.longestCode else {
      throw BlockError()
    }
    var at = place.group &<< header.groupShift
    let end = min(at &+ (1 &<< header.groupShift), header.records)
    var position = place.position
    let isRuns = header.labelMode == LabelLayout.modeRuns
    while true {
      if isRuns {
        at &+= run(bytes, &position, left: end &- at)
        if at > index || at >= end { return header.dominant }
      }
      let rank = limits.rank(Bits.peek(bytes, position), longest: header.longestCode, &position)
      guard rank < header.symbols else { throw BlockError() }
      if at == index {
        return Int(try keys.value(bytes, at: rank) & (1 << UInt64(LabelLayout.identityWidth) - 1))
      }
      at &+= 1
    }
  }
}

// MARK: - All records

extension LabelCode {
  /// Makes `code` the block's own code. A look-up goes by the counts of codes, so they must be true.
  func setOwnCode(_ code: inout PrefixCode, _ bytes: RawSpan, _ keys: SequenceReader) throws(BlockError) {
    guard keys.count > 0 else { return }
    let (labelCount, ownLabels) = (labelCount, header.ownLabels)
    try code.set(bytes, keys) { Self.isLabel($0, labelCount: labelCount, ownLabels: ownLabels) }
    guard code.longest == header.longestCode else { throw BlockError() }
    for length in 0..<header.longestCode {
      let bit = countsBit &+ length &* LabelLayout.codeCountWidth
      let count = Bits.read(bytes, bit, width: LabelLayout.codeCountWidth)
      let before = Int(code.lengths[length].limit)
      guard Int(code.lengths[length + 1].limit) - 2 * before == Int(count) else { throw BlockError() }
    }
  }

  /// Decodes the identities of all records with the block's code, its own or a shared one.
  func identities(
    _ bytes: RawSpan, _ code: borrowing PrefixCode, into all: inout ContiguousArray<UInt16>
  ) throws(BlockError) {
    all.removeAll(keepingCapacity: true)
    all.reserveCapacity(StoreLimits.blockRecordsMax)
    if header.labelMode == LabelLayout.modeEach {
      all.append(contentsOf: repeatElement(0, count: header.records))
      var room = all.mutableSpan
      for index in room.indices {
        room[index] = UInt16(truncatingIfNeeded: StoreLimits.tableLabelsMax &+ index)
      }
      return
    }
    let dominant = UInt16(truncatingIfNeeded: header.dominant)
    all.append(contentsOf: repeatElement(dominant, count: header.records))
    if isPlain { return }
    if header.labelMode == LabelLayout.modeCodes, code.symbols.count < 2 { throw BlockError() }
    var room = all.mutableSpan
    var position = payloadBit
    var group = 0
    var at = 0
    while at < header.records {
      // A look-up finds a group by its start, so that must be true.
      guard position == start(bytes, ofGroup: group) else { throw BlockError() }
      let end = min(at + (1 << header.groupShift), header.records)
      if header.labelMode == LabelLayout.modeCodes {
        try decodeCodes(bytes, &position, code, into: &room, at..<end)
      } else {
        try decodeRuns(bytes, &position, code, into: &room, at..<end)
      }
      guard position <= endBit else { throw BlockError() }
      at = end
      group += 1
    }
  }

  private func decodeRuns(
    _ bytes: RawSpan, _ position: inout Int, _ code: borrowing PrefixCode,
    into room: inout MutableSpan<UInt16>, _ range: Range<Int>
  ) throws(BlockError) {
    let steps = code.steps.span
    var at = range.lowerBound
    while true {
      at &+= run(bytes, &position, left: range.upperBound &- at)
      if at >= range.upperBound { return }
      room[at] = try identity(bytes, &position, code, steps)
      at &+= 1
    }
  }

  private func decodeCodes(
    _ bytes: RawSpan, _ position: inout Int, _ code: borrowing PrefixCode,
    into room: inout MutableSpan<UInt16>, _ range: Range<Int>
  ) throws(BlockError) {
    let steps = code.steps.span
    guard steps.count == 1 << PrefixCode.windowBits, range.upperBound <= room.count else {
      throw BlockError()
    }
    var at = range.lowerBound
    var place = position
    var window = Bits.peek(bytes, place)
    var used = 0
    while at &+ 3 <= range.upperBound {
      // A window has 57 bits at least, and a step takes 11 at most.
      if used > 57 &- PrefixCode.windowBits {
        place &+= used
        window = Bits.peek(bytes, place)
        used = 0
      }
      let rest = window &<< UInt64(truncatingIfNeeded: used)
      // There is a step for each value of a window's bits.
      let step = unsafe Step(
        word: steps[unchecked: Int(truncatingIfNeeded: Bits.top(rest, PrefixCode.windowBits))])
      if step.count > 0 {
        // Three are in the range, as the loop asks; what stands behind the last identity is written over by the next.
        unsafe room[unchecked: at] = step.first
        unsafe room[unchecked: at &+ 1] = step.second
        unsafe room[unchecked: at &+ 2] = step.third
        at &+= step.count
        used &+= step.length
      } else {
        place &+= used
        room[at] = try longIdentity(bytes, &place, Bits.peek(bytes, place), code)
        at &+= 1
        window = Bits.peek(bytes, place)
        used = 0
      }
    }
    place &+= used
    while at < range.upperBound {
      room[at] = try identity(bytes, &place, code, steps)
      at &+= 1
    }
    position = place
  }
}
