// Decodes the label of each record of a block, as an identity, and finds the label with an identity.

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

struct CodeLength: BitwiseCopyable {
  /// All codes of the length are below the limit.
  var limit: UInt32
  /// The rank of a code minus the code.
  var toRank: Int32
}

/// A canonical code with its symbols, which are identities of labels.
struct PrefixCode: Sendable {
  private(set) var longest = 0
  /// The length of the shortest code that is not in the table: of the escape, or longer than a window.
  private(set) var lengthMin = windowBits + 1
  private(set) var lengths: ContiguousArray<CodeLength> = []
  /// The identities, in the order of their codes.
  private(set) var symbols: ContiguousArray<UInt16> = []
  /// For each window of ``windowBits`` bits, the codes at its start: see ``Step``.
  private(set) var steps: ContiguousArray<UInt64> = []

  /// The number of bits decoded with one access to the table. The table has 16 KiB and stays in the cache.
  static let windowBits = 11

  /// Sets the code from a sequence of symbols. `isSymbol` returns whether an identity is valid, or the escape.
  mutating func set(
    _ bytes: RawSpan, _ keys: SequenceReader, isSymbol: (Int) -> Bool
  ) throws(BlockError) {
    symbols.removeAll(keepingCapacity: true)
    symbols.reserveCapacity(keys.count)
    lengths.removeAll(keepingCapacity: true)
    lengths.append(CodeLength(limit: 0, toRank: 0))
    longest = 0
    lengthMin = Self.windowBits + 1
    var limit = 0
    var walker = SequenceWalker(keys)
    while let key = try walker.next(bytes) {
      let identity = Int(key & (1 << UInt64(LabelLayout.identityWidth) - 1))
      let length = Int(truncatingIfNeeded: key &>> UInt64(LabelLayout.identityWidth))
      guard isSymbol(identity), length <= LabelLayout.codeLengthMax, length > 0 || keys.count == 1 else {
        throw BlockError()
      }
      // Symbols are in the order of their codes' lengths, so all shorter lengths are complete.
      while longest < length {
        limit *= 2
        lengths.append(
          CodeLength(limit: UInt32(truncatingIfNeeded: limit), toRank: Int32(symbols.count - limit)))
        longest += 1
      }
      limit += 1
      guard limit <= 1 << length else { throw BlockError() }
      lengths[length].limit = UInt32(truncatingIfNeeded: limit)
      if identity == LabelLayout.escape { lengthMin = min(lengthMin, length) }
      symbols.append(UInt16(truncatingIfNeeded: identity))
    }
    // The code must be complete: all bits have a meaning.
    guard limit == 1 << longest else { throw BlockError() }
    // Moved out while it is filled, so that its memory is reused.
    var table = steps
    steps = []
    Self.fill(&table, lengths.span, symbols.span, longest)
    steps = table
  }

  private static func fill(
    _ steps: inout ContiguousArray<UInt64>, _ lengths: Span<CodeLength>, _ symbols: Span<UInt16>,
    _ longest: Int
  ) {
    let windows = 1 << windowBits
    steps.removeAll(keepingCapacity: true)
    steps.reserveCapacity(windows)
    var rank = 0
    for length in 0...longest {
      // Longer codes share their windows with others. They are found by their limits.
      guard length <= windowBits else { break }
      let end = Int(lengths[length].limit) + Int(lengths[length].toRank)
      while rank < end {
        let step = Step(first: symbols[rank], length: length).word
        for _ in 0..<(windows >> length) { steps.append(step) }
        rank += 1
      }
    }
    while steps.count < windows { steps.append(0) }
    var all = steps.mutableSpan
    for window in 0..<windows {
      var step = Step(word: all[window])
      if step.count == 0 { continue }
      // Only the first code of other steps is read, so the order of filling does not matter.
      while true {
        let next = Step(word: all[(window << step.skipLength) & (windows - 1)])
        guard next.count > 0, step.skipLength + next.firstLength <= windowBits, step.skipCount < Step.skipMax
        else { break }
        step.append(next)
      }
      all[window] = step.word
    }
  }

  /// The identity whose code is at the start of a window, and the length of the code, which is at least `start`.
  @inline(__always)
  func code(_ window: UInt64, from start: Int) throws(BlockError) -> (identity: Int, length: Int) {
    let lengths = lengths.span
    var length = start
    while length <= longest {
      let code = Bits.top(window, length)
      if code < UInt64(lengths[length].limit) {
        return (Int(symbols[Int(code) &+ Int(lengths[length].toRank)]), length)
      }
      length &+= 1
    }
    throw BlockError()
  }
}

/// The codes at the start of a window, packed into a word: up to three identities of 14 bits, their number and the
/// length of their codes; the length of the first code; and, to skip codes, the number of codes in the window and their
/// length.
///
/// A step has no codes if the first is an escape or longer than the window.
struct Step {
  private(set) var word: UInt64
  /// The maximum number of codes that a step skips.
  static let skipMax = 15

  @inline(__always)
  init(word: UInt64) { self.word = word }

  init(first: UInt16, length: Int) {
    guard first != UInt16(LabelLayout.escape) else {
      word = 0
      return
    }
    let length = UInt64(length)
    word = UInt64(first) | length << 42 | 1 << 46 | length << 48 | length << 52 | 1 << 56
  }

  @inline(__always)
  var first: UInt16 { UInt16(truncatingIfNeeded: word & 0x3FFF) }
  @inline(__always)
  var second: UInt16 { UInt16(truncatingIfNeeded: word &>> 14 & 0x3FFF) }
  @inline(__always)
  var third: UInt16 { UInt16(truncatingIfNeeded: word &>> 28 & 0x3FFF) }
  /// The total length of the identities' codes.
  @inline(__always)
  var length: Int { Int(truncatingIfNeeded: word &>> 42 & 15) }
  /// The number of identities, 0 to 3.
  @inline(__always)
  var count: Int { Int(truncatingIfNeeded: word &>> 46 & 3) }
  @inline(__always)
  var firstLength: Int { Int(truncatingIfNeeded: word &>> 48 & 15) }
  /// The total length of the codes that the step skips.
  @inline(__always)
  var skipLength: Int { Int(truncatingIfNeeded: word &>> 52 & 15) }
  /// The number of codes that the step skips, 0 to ``skipMax``.
  @inline(__always)
  var skipCount: Int { Int(truncatingIfNeeded: word &>> 56 & 15) }

  /// Appends another step's first code.
  mutating func append(_ next: Step) {
    let length = UInt64(next.firstLength)
    if count < 3 {
      word |= UInt64(next.first) << UInt64(14 * count)
      word += length << 42 | 1 << 46
    }
    word += length << 52 | 1 << 56
  }
}

@safe
struct CodeLimits: ~Copyable {
  private let lengths: UnsafeMutableBufferPointer<CodeLength>

  private init(_ lengths: UnsafeMutableBufferPointer<CodeLength>) {
    unsafe self.lengths = lengths
  }

  /// Calls `body` with limits that exist during the call.
  @inline(__always)
  static func withLimits<Result>(
    _ body: (borrowing CodeLimits) throws(BlockError) -> Result
  ) throws(BlockError) -> Result {
    try unsafe withUnsafeTemporaryAllocation(of: CodeLength.self, capacity: LabelLayout.codeLengthMax + 1) {
      (lengths) throws(BlockError) in
      unsafe lengths.initialize(repeating: CodeLength(limit: 0, toRank: 0))
      return try body(unsafe CodeLimits(lengths))
    }
  }

  /// Sets the limit of a length, 1 to ``LabelLayout/codeLengthMax``.
  func set(_ length: Int, limit: Int, toRank: Int) {
    precondition(length > 0 && length <= LabelLayout.codeLengthMax)
    unsafe lengths[length] = CodeLength(
      limit: UInt32(truncatingIfNeeded: limit), toRank: Int32(truncatingIfNeeded: toRank))
  }

  /// Reads the code at the start of a window, and returns its rank; `Int.max` if there is no such code.
  @inline(__always)
  func rank(_ window: UInt64, longest: Int, _ position: inout Int) -> Int {
    if longest == 0 { return 0 }
    precondition(longest <= LabelLayout.codeLengthMax)
    var length = 1
    while length <= longest {
      let code = Bits.top(window, length)
      // The precondition and the loop's condition keep the length inside the buffer.
      let known = unsafe lengths[length]
      if code < UInt64(known.limit) {
        position &+= length
        return Int(code) &+ Int(known.toRank)
      }
      length &+= 1
    }
    return Int.max
  }
}

enum LabelTable {
  /// One of a block's own labels. The values of the sequence are the end of each label in the text plus its index, so
  /// that the ends of empty labels ascend, too.
  private static func ownLabel(
    _ header: BlockHeader, _ index: Int, _ before: UInt64?, _ end: UInt64, at offset: Int
  ) throws(BlockError) -> StoreLabel {
    let start = before.map { $0 &+ 1 } ?? 0
    guard end >= start, start >= UInt64(index), end - start <= UInt64(StoreLimits.labelBytesMax),
      end - UInt64(index) <= UInt64(header.ownLabelBytes)
    else { throw BlockError() }
    return StoreLabel(
      offset: offset + header.ownLabelText + Int(start) - index, count: Int(end - start))
  }

  static func label(
    _ store: borrowing CallStore, _ bytes: RawSpan, _ header: BlockHeader, _ identity: Int, at offset: Int
  ) throws(BlockError) -> StoreLabel {
    guard LabelCode.isLabel(identity, labelCount: store.labelCount, ownLabels: header.ownLabels) else {
      throw BlockError()
    }
    if identity < StoreLimits.tableLabelsMax { return store.tableLabel(identity) }
    let index = identity - StoreLimits.tableLabelsMax
    let ends = try header.ownEnds(bytes)
    let end = try ends.value(bytes, at: index)
    let before = index == 0 ? nil : try ends.value(bytes, at: index - 1)
    return try ownLabel(header, index, before, end, at: offset)
  }

  /// The labels of the store's table by their identities, filled up with empty labels to the first identity of a
  /// block's own labels.
  static func ofTable(_ store: borrowing CallStore) -> ContiguousArray<StoreLabel> {
    var labels = ContiguousArray<StoreLabel>()
    labels.reserveCapacity(StoreLimits.tableLabelsMax)
    for index in 0..<store.labelCount { labels.append(store.tableLabel(index)) }
    while labels.count < StoreLimits.tableLabelsMax { labels.append(StoreLabel(offset: 0, count: 0)) }
    return labels
  }

  /// Replaces the labels after those of the table with a block's own.
  static func setOwn(
    _ labels: inout ContiguousArray<StoreLabel>, _ bytes: RawSpan, _ header: BlockHeader, at offset: Int
  ) throws(BlockError) {
    let ends = try header.ownEnds(bytes)
    let end = StoreLimits.tableLabelsMax + header.ownLabels
    if labels.count > end { labels.removeSubrange(end...) }
    labels.append(
      contentsOf: repeatElement(StoreLabel(offset: 0, count: 0), count: end - labels.count))
    guard header.ownLabels > 0 else {
      guard header.ownLabelBytes == 0 else { throw BlockError() }
      return
    }
    var all = labels.mutableSpan
    try setOwn(&all, bytes, ends, header, at: offset + header.ownLabelText)
  }

  /// Sets the labels after those of the table from the sequence of their ends; their text starts at `text`. The
  /// sequence ascends, so no label ends after the last one, and that must end where the block's text does.
  private static func setOwn(
    _ labels: inout MutableSpan<StoreLabel>, _ bytes: RawSpan, _ ends: SequenceReader, _ header: BlockHeader,
    at text: Int
  ) throws(BlockError) {
    var values = ContiguousArray<UInt64>(repeating: 0, count: SequenceLayout.groupCount)
    // The start of the next label plus its index.
    var start: UInt64 = 0
    var longest: UInt64 = 0
    var index = 0
    for group in 0..<ends.groupCount {
      let count = try decode(ends, bytes, group, &values)
      let values = values.span.extracting(0..<count)
      guard values[0] >= start else { throw BlockError() }
      for valueIndex in 0..<count {
        let end = values[valueIndex]
        let length = end &- start
        longest = max(longest, length)
        labels[StoreLimits.tableLabelsMax &+ index] = StoreLabel(
          offset: text &+ Int(truncatingIfNeeded: start) &- index, count: Int(truncatingIfNeeded: length))
        start = end &+ 1
        index &+= 1
      }
    }
    guard longest <= UInt64(StoreLimits.labelBytesMax),
      start &- UInt64(index) == UInt64(header.ownLabelBytes)
    else { throw BlockError() }
  }

  private static func decode(
    _ ends: SequenceReader, _ bytes: RawSpan, _ group: Int, _ values: inout ContiguousArray<UInt64>
  ) throws(BlockError) -> Int {
    var target = values.mutableSpan
    return try ends.decode(bytes, group: group, into: &target)
  }
}

/// A cache of the texts of recently used labels of one store.
package struct LabelTextCache {
  /// The number of cached texts; most lists have a few dozen labels.
  private static let slots = 256
  /// The maximum size of a cached text in bytes, so that the cache needs at most 140 KiB.
  private static let keptBytesMax = 512

  private var labels = ContiguousArray<StoreLabel?>(repeating: nil, count: slots)
  private var texts = ContiguousArray<String>(repeating: "", count: slots)

  package init() {}

  package mutating func text(of label: StoreLabel, in store: borrowing CallStore) -> String {
    let slot = label.hashValue & (Self.slots - 1)
    if labels[slot] == label { return texts[slot] }
    let text = store.text(of: label)
    if text.utf8.count <= Self.keptBytesMax {
      labels[slot] = label
      texts[slot] = text
    }
    return text
  }
}
