// Decodes the label of each record of a block, as an identity.
//
// Not for: the label that an identity refers to (LabelTable).

import CallStoreFormat

/// The label codes of a block: their position and their groups.
struct LabelCode {
  private let header: BlockHeader
  private let labelCount: Int
  private let countsBit: Int
  private let startsBit: Int
  private let payloadBit: Int
  private let endBit: Int

  /// Checks the lengths in a block's header. `labelCount` is the number of labels in the store's table.
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

  /// Whether a label has this identity.
  @inline(__always)
  static func isLabel(_ identity: Int, labelCount: Int, ownLabels: Int) -> Bool {
    identity < StoreLimits.tableLabelsMax
      ? identity < labelCount : identity &- StoreLimits.tableLabelsMax < ownLabels
  }

  /// The bit at which a group's codes start.
  @inline(__always)
  private func start(_ bytes: RawSpan, ofGroup group: Int) -> Int {
    payloadBit
      &+ header.starts.start(bytes, field: startsBit &+ group &* header.starts.width, ofGroup: group)
  }

  /// Where a lookup continues: a group and its first bits. They are loaded early, so that memory has time to respond.
  struct GroupPosition {
    let group: Int
    let position: Int
    let window: UInt64
  }

  /// The group of a record.
  @inline(__always)
  func position(_ bytes: RawSpan, ofRecord index: Int) throws(BlockError) -> GroupPosition {
    if isPlain || header.labelMode == LabelLayout.modeEach {
      return GroupPosition(group: 0, position: 0, window: 0)
    }
    let group = index &>> header.groupShift
    let position = start(bytes, ofGroup: group)
    guard position >= payloadBit, position <= endBit else { throw BlockError() }
    return GroupPosition(group: group, position: position, window: Bits.peek(bytes, position))
  }

  /// Reads a run of the dominant label and returns its length; `left` when the run continues to the group's end.
  @inline(__always)
  private func run(_ bytes: RawSpan, _ position: inout Int, left: Int) -> Int {
    let shift = header.runShift
    // This number of zeros means the end of the group. Nothing follows them.
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

  /// Reads one code, and after an escape the identity.
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

  /// Like `identity`, for a code that is an escape or longer than a window of the table.
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
  /// The identity of one record's label in a block with a shared code.
  ///
  /// - Complexity: the bits of half a group on average, several codes at once.
  func identity(
    _ bytes: RawSpan, ofRecord index: Int, at start: GroupPosition, _ code: borrowing PrefixCode
  ) throws(BlockError) -> Int {
    if header.labelMode == LabelLayout.modeCodes, code.symbols.count < 2 { throw BlockError() }
    let steps = code.steps.span
    var at = start.group &<< header.groupShift
    let end = min(at &+ (1 &<< header.groupShift), header.records)
    var position = start.position
    if header.labelMode == LabelLayout.modeCodes {
      var window = start.window
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

  /// The identity of one record's label in a block without a shared code. `keys` are the block's symbols.
  ///
  /// - Complexity: the bits of half a group on average, and one step for each code length.
  func identity(
    _ bytes: RawSpan, ofRecord index: Int, at start: GroupPosition, _ keys: SequenceReader
  ) throws(BlockError) -> Int {
    if header.labelMode == LabelLayout.modeEach { return StoreLimits.tableLabelsMax + index }
    if isPlain { return header.dominant }
    return try CodeLimits.withLimits { (limits) throws(BlockError) in
      try identity(bytes, ofRecord: index, at: start, keys, limits)
    }
  }

  /// The same for a block with a code of its own; `limits` is overwritten with the code's limits.
  private func identity(
    _ bytes: RawSpan, ofRecord index: Int, at start: GroupPosition, _ keys: SequenceReader,
    _ limits: borrowing CodeLimits
  ) throws(BlockError) -> Int {
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
    var at = start.group &<< header.groupShift
    let end = min(at &+ (1 &<< header.groupShift), header.records)
    var position = start.position
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
  /// Sets `code` to the block's own code. Lookups use the counts of codes, so the counts are checked.
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
      var target = all.mutableSpan
      for index in target.indices {
        target[index] = UInt16(truncatingIfNeeded: StoreLimits.tableLabelsMax &+ index)
      }
      return
    }
    let dominant = UInt16(truncatingIfNeeded: header.dominant)
    all.append(contentsOf: repeatElement(dominant, count: header.records))
    if isPlain { return }
    if header.labelMode == LabelLayout.modeCodes, code.symbols.count < 2 { throw BlockError() }
    var target = all.mutableSpan
    var position = payloadBit
    var group = 0
    var at = 0
    while at < header.records {
      // Lookups find a group by its start, so the start is checked.
      guard position == start(bytes, ofGroup: group) else { throw BlockError() }
      let end = min(at + (1 << header.groupShift), header.records)
      if header.labelMode == LabelLayout.modeCodes {
        try decodeCodes(bytes, &position, code, into: &target, at..<end)
      } else {
        try decodeRuns(bytes, &position, code, into: &target, at..<end)
      }
      guard position <= endBit else { throw BlockError() }
      at = end
      group += 1
    }
  }

  private func decodeRuns(
    _ bytes: RawSpan, _ position: inout Int, _ code: borrowing PrefixCode,
    into target: inout MutableSpan<UInt16>, _ range: Range<Int>
  ) throws(BlockError) {
    let steps = code.steps.span
    var at = range.lowerBound
    while true {
      at &+= run(bytes, &position, left: range.upperBound &- at)
      if at >= range.upperBound { return }
      target[at] = try identity(bytes, &position, code, steps)
      at &+= 1
    }
  }

  private func decodeCodes(
    _ bytes: RawSpan, _ position: inout Int, _ code: borrowing PrefixCode,
    into target: inout MutableSpan<UInt16>, _ range: Range<Int>
  ) throws(BlockError) {
    let steps = code.steps.span
    guard steps.count == 1 << PrefixCode.windowBits, range.upperBound <= target.count else {
      throw BlockError()
    }
    var at = range.lowerBound
    var place = position
    var window = Bits.peek(bytes, place)
    var used = 0
    while at &+ 3 <= range.upperBound {
      // A window has at least 57 bits, and a step uses at most 11.
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
        // The loop's condition keeps all three in the range. The next step overwrites what follows the last identity.
        unsafe target[unchecked: at] = step.first
        unsafe target[unchecked: at &+ 1] = step.second
        unsafe target[unchecked: at &+ 2] = step.third
        at &+= step.count
        used &+= step.length
      } else {
        place &+= used
        target[at] = try longIdentity(bytes, &place, Bits.peek(bytes, place), code)
        at &+= 1
        window = Bits.peek(bytes, place)
        used = 0
      }
    }
    place &+= used
    while at < range.upperBound {
      target[at] = try identity(bytes, &place, code, steps)
      at &+= 1
    }
    position = place
  }
}
