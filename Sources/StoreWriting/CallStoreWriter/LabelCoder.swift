// Chooses and writes the code of a block's labels; LabelCode reads it.

import BasicContainers
import CallStoreFormat
import Records
import SystemIO

/// The label code of one block, and its cost.
struct LabelCoder {
  /// The label that is coded as runs; nil when each record has a code.
  private(set) var dominant: Int?
  private(set) var runShift = 0
  private(set) var groupShift = LabelLayout.groupShiftMax
  private(set) var startWidth = 0
  private(set) var startMean = 0
  private(set) var startBias = 0
  private(set) var shared: Int?
  private var code = CanonicalCode()
  private var cost = 0
  private var weight = 0

  /// The symbols of the block's own code, by rank; empty if it has none.
  var ownKeys: ContiguousArray<UInt64> { shared == nil ? code.keys : [] }

  /// The length of the longest code in the block's own code; 0 if it has none.
  var ownLongest: Int { shared == nil ? code.longest : 0 }

  /// Chooses the cheapest code for a block with these identities.
  ///
  /// - Precondition: there is at least one record.
  static func best(
    _ identities: Span<UInt16>, _ kind: StoreKind, _ codes: inout SharedCodes,
    _ sequences: inout SequenceWriter
  ) -> LabelCoder {
    // Only as many frequencies as these identities need: most lists have few, and this runs once per 10,000 records.
    var last: UInt16 = 0
    for index in 0..<identities.count { last = max(last, identities[index]) }
    let frequencies = frequencies(of: identities, upTo: Int(last))
    var seen: ContiguousArray<Int> = []
    for identity in 0..<frequencies.count where frequencies[identity] > 0 { seen.append(identity) }
    seen.sort { frequencies[$0] != frequencies[$1] ? frequencies[$0] < frequencies[$1] : $0 < $1 }
    guard let mostFrequent = seen.last else { return LabelCoder() }
    var best = LabelCoder()
    best.dominant = mostFrequent
    guard seen.count > 1 else { return best }
    best.setCode(ContiguousArray(seen.dropLast()), frequencies)
    // Runs of a label that is not in the majority cost more than its code.
    var each = LabelCoder()
    each.setCode(seen, frequencies)
    if each.cost < best.cost + runCostMin(records: identities.count, others: best.weight) {
      best = each
    } else {
      best.setRunShift(identities, mostFrequent)
      if each.cost < best.cost { best = each }
    }
    codes.learn(kind, seen, frequencies, dominant: best.dominant, &sequences)
    best.share(codes.tally(kind), seen, frequencies)
    best.setGroups(identities)
    return best
  }

  /// The number of occurrences of each identity. None is above `last`.
  private static func frequencies(of identities: Span<UInt16>, upTo last: Int) -> ContiguousArray<Int> {
    var all = ContiguousArray<Int>(repeating: 0, count: last + 1)
    var counts = all.mutableSpan
    for index in 0..<identities.count { counts[Int(identities[index])] &+= 1 }
    return all
  }

  /// A shared code may cost 1/64 more than the block's own, because lookups find its table ready.
  private static let sharedLossShift = 6
  /// The approximate size of a symbol, and of the fixed part of a block's own code, in bits.
  private static let symbolBits = 6
  private static let ownCodeBits = 8 * SequenceLayout.headBytes

  /// Uses the shared code if it costs at most slightly more than the block's own code.
  private mutating func share(
    _ tally: SharedCodes.Tally, _ seen: ContiguousArray<Int>, _ frequencies: ContiguousArray<Int>
  ) {
    guard let number = tally.number, let own = SharedCodes.cost(seen, frequencies, besides: dominant, code),
      let shared = SharedCodes.cost(seen, frequencies, besides: dominant, tally.code)
    else { return }
    let lengths = code.longest * LabelLayout.codeCountWidth
    let whole = cost + code.keys.count * Self.symbolBits + lengths + Self.ownCodeBits
    guard cost - own + shared <= whole + whole >> Self.sharedLossShift else { return }
    cost += shared - own
    code = tally.code
    self.shared = number
  }

  /// The minimum cost of the runs between `others` codes: with parameter 0, one bit per record and one for the last
  /// run; with another parameter, two bits per run.
  private static func runCostMin(records: Int, others: Int) -> Int {
    min(records + 1, 2 * (others + 1))
  }

  private mutating func setCode(_ ascending: ContiguousArray<Int>, _ frequencies: ContiguousArray<Int>) {
    let weights = ContiguousArray(ascending.map { frequencies[$0] })
    code = CanonicalCode(ascending, ascending: weights)
    for (index, identity) in ascending.enumerated() {
      cost += weights[index] * Int(code[identity] & 0xFF)
      weight += weights[index]
    }
  }

  private mutating func setRunShift(_ identities: Span<UInt16>, _ dominant: Int) {
    // Runs are first counted by length: where there are many runs, there are few lengths.
    var runCounts = ContiguousArray<Int>(repeating: 0, count: identities.count + 1)
    var run = 0
    for index in 0..<identities.count {
      if Int(identities[index]) == dominant {
        run += 1
      } else {
        runCounts[run] += 1
        run = 0
      }
    }
    runCounts[run] += 1
    var costs = ContiguousArray<Int>(repeating: 0, count: LabelLayout.runShiftMax + 1)
    for (run, count) in runCounts.enumerated() where count > 0 {
      for shift in 0..<costs.count { costs[shift] += count * ((run >> shift) + 1 + shift) }
    }
    for shift in 0..<costs.count where costs[shift] < costs[runShift] { runShift = shift }
    cost += costs[runShift]
  }

  /// The preferred length of a group's codes in bits. A lookup decodes half of it; each group costs a start field.
  private static let groupBitsWanted = 128

  private mutating func setGroups(_ identities: Span<UInt16>) {
    groupShift = LabelLayout.groupShiftMin
    while groupShift < LabelLayout.groupShiftMax,
      cost << groupShift < Self.groupBitsWanted * identities.count
    { groupShift += 1 }
  }

  /// Appends the counts of the block's own code, the starts of groups, and the codes. Sets the parameters of the
  /// starts.
  mutating func append(_ identities: Span<UInt16>, to bytes: inout ContiguousArray<UInt8>) {
    guard !code.keys.isEmpty else { return }
    var payload = BitWriter()
    var starts: ContiguousArray<Int> = []
    var start = 0
    while start < identities.count {
      let end = min(start + (1 << groupShift), identities.count)
      starts.append(payload.bitCount)
      appendGroup(identities.extracting(start..<end), to: &payload)
      start = end
    }
    payload.align()
    let fields = GroupStartFields(starts.span)
    (startWidth, startMean, startBias) = (fields.width, fields.mean, fields.bias)
    var head = BitWriter()
    if shared == nil {
      for length in 1..<(code.longest + 1) {
        head.append(UInt64(code.counts[length]), width: LabelLayout.codeCountWidth)
      }
    }
    for (group, start) in starts.enumerated() {
      head.append(fields.field(group, start: start), width: fields.width)
    }
    head.align()
    head.write(to: &bytes)
    payload.write(to: &bytes)
  }

  private func appendGroup(_ identities: Span<UInt16>, to payload: inout BitWriter) {
    if let dominant {
      appendRuns(identities, of: dominant, to: &payload)
      return
    }
    var index = 0
    while true {
      index = Self.appendKnown(identities, from: index, code, to: &payload)
      guard index < identities.count else { return }
      append(Int(identities[index]), to: &payload)
      index &+= 1
    }
  }

  /// Appends codes in pairs, as long as both identities of a pair have a code; two codes of the maximum length fit into
  /// one field. Returns the index of the next identity.
  private static func appendKnown(
    _ identities: Span<UInt16>, from start: Int, _ code: borrowing CanonicalCode, to payload: inout BitWriter
  ) -> Int {
    // A local writer, so that its fields stay in registers.
    var writer = BitWriter()
    swap(&writer, &payload)
    var index = start
    while index < identities.count &- 1 {
      let one = code[Int(identities[index])]
      let other = code[Int(identities[index &+ 1])]
      guard one != 0, other != 0 else { break }
      let width = Int(other & 0xFF)
      writer.append(
        UInt64(one >> 8) &<< UInt64(truncatingIfNeeded: width) | UInt64(other >> 8),
        width: Int(one & 0xFF) &+ width)
      index &+= 2
    }
    payload = writer
    return index
  }

  private func appendRuns(_ identities: Span<UInt16>, of dominant: Int, to payload: inout BitWriter) {
    var writer = BitWriter()
    swap(&writer, &payload)
    var run = 0
    for index in 0..<identities.count {
      let identity = Int(identities[index])
      if identity == dominant {
        run += 1
        continue
      }
      writer.appendZeros(run >> runShift)
      writer.append(1, width: 1)
      writer.append(UInt64(run & ((1 << runShift) - 1)), width: runShift)
      run = 0
      append(identity, to: &writer)
    }
    // For a run to the end of its group, zeros that no shorter run has are enough.
    writer.appendZeros((run + (1 << runShift) - 1) >> runShift)
    payload = writer
  }

  @inline(__always)
  private func append(_ identity: Int, to payload: inout BitWriter) {
    let own = code[identity]
    if own != 0 {
      payload.append(UInt64(own >> 8), width: Int(own & 0xFF))
    } else if shared != nil {
      let escape = code.escape
      payload.append(UInt64(escape >> 8), width: Int(escape & 0xFF))
      payload.append(UInt64(identity), width: LabelLayout.identityWidth)
    }
  }
}

// MARK: - A canonical prefix code

/// The best prefix code for identities of known weights.
struct CanonicalCode {
  private(set) var longest = 0
  /// The symbols by rank, ascending: the code length above the identity.
  private(set) var keys: ContiguousArray<UInt64> = []
  /// The number of codes by code length, from 0 on.
  private(set) var counts: ContiguousArray<Int> = []
  /// The codes by identity, up to the last identity with a code: the code above its length in the lowest 8 bits.
  private var codes: ContiguousArray<UInt32> = []
  /// The code of the escape, in the same form. The escape precedes an identity without a code.
  private(set) var escape: UInt32 = 0

  var isEmpty: Bool { keys.isEmpty }

  /// The code of an identity, above its length in the lowest 8 bits; 0 if the identity has no code, or a code of 0
  /// bits.
  @inline(__always)
  subscript(identity: Int) -> UInt32 { identity < codes.count ? codes[identity] : 0 }

  init() {}

  /// Makes the code of identities with ascending weights. Codes are at most ``LabelLayout/codeLengthMax`` bits long.
  init(_ identities: ContiguousArray<Int>, ascending weights: ContiguousArray<Int>) {
    var weights = weights
    var lengths = HuffmanLengths.lengths(ascending: weights)
    // Halving brings the weights closer together, which makes the tree less deep; if all are equal, it is at most 14
    // deep.
    while let longest = lengths.max(), longest > LabelLayout.codeLengthMax {
      for index in 0..<weights.count { weights[index] = (weights[index] + 1) / 2 }
      lengths = HuffmanLengths.lengths(ascending: weights)
    }
    longest = lengths.max() ?? 0
    counts = ContiguousArray(repeating: 0, count: longest + 1)
    keys.reserveCapacity(identities.count)
    for (index, identity) in identities.enumerated() {
      keys.append(UInt64(lengths[index]) << UInt64(LabelLayout.identityWidth) | UInt64(identity))
      counts[lengths[index]] += 1
    }
    keys.sort()
    var last = -1
    for identity in identities where identity != LabelLayout.escape { last = max(last, identity) }
    codes = ContiguousArray(repeating: 0, count: last + 1)
    var code = 0
    var length = 0
    for key in keys {
      let own = Int(key >> UInt64(LabelLayout.identityWidth))
      code <<= own - length
      length = own
      let identity = Int(key & (1 << UInt64(LabelLayout.identityWidth) - 1))
      if identity == LabelLayout.escape {
        escape = UInt32(code << 8 | length)
      } else {
        codes[identity] = UInt32(code << 8 | length)
      }
      code += 1
    }
  }

  /// The length of an identity's code, or of the escape and the identity; nil if the code has neither.
  @inline(__always)
  func length(of identity: Int) -> Int? {
    let length = Int(self[identity] & 0xFF)
    if length > 0 { return length }
    let escapeLength = Int(escape & 0xFF)
    return escapeLength > 0 ? escapeLength + LabelLayout.identityWidth : nil
  }
}

// The code lengths of an optimal prefix code (D. A. Huffman 1952, with the two queues of J. van Leeuwen
// 1976).

/// Code lengths for frequencies that ascend; each is at least 1.
enum HuffmanLengths {
  /// The length of each code. A single frequency has a code of 0 bits.
  static func lengths(ascending frequencies: ContiguousArray<Int>) -> ContiguousArray<Int> {
    let leaves = frequencies.count
    guard leaves > 1 else { return ContiguousArray(repeating: 0, count: leaves) }
    var weights = frequencies
    weights.reserveCapacity(2 * leaves)
    var parents = ContiguousArray<Int>(repeating: 0, count: 2 * leaves - 1)
    var leaf = 0
    var inner = leaves
    // Among equal weights, leaves come first: this makes the tree as shallow as possible.
    func lighter() -> Int {
      if leaf < leaves, inner >= weights.count || weights[leaf] <= weights[inner] {
        leaf += 1
        return leaf - 1
      }
      inner += 1
      return inner - 1
    }
    while weights.count < 2 * leaves - 1 {
      let one = lighter()
      let other = lighter()
      parents[one] = weights.count
      parents[other] = weights.count
      weights.append(weights[one] + weights[other])
    }
    var lengths = ContiguousArray<Int>(repeating: 0, count: 2 * leaves - 1)
    for node in (0..<(2 * leaves - 2)).reversed() { lengths[node] = lengths[parents[node]] + 1 }
    lengths.removeLast(leaves - 1)
    return lengths
  }
}

// The label codes that blocks share: made from the blocks so far, and made again when there are many more
// blocks.
//
// Without them, a list with thousands of labels stores a code in each block, and lookups have no decoding
// table.

/// The shared codes of a store that is being written.
struct SharedCodes {
  /// The label counts of one kind, and the code that its blocks may use.
  struct Tally {
    /// The number of records by the identity of their label in the store's table.
    fileprivate var counts = ContiguousArray<Int>(repeating: 0, count: StoreLimits.tableLabelsMax)
    fileprivate var blocks = 0
    /// The number of blocks after which to try another code.
    fileprivate var due = 1
    fileprivate(set) var code = CanonicalCode()
    fileprivate(set) var number: Int?
  }

  /// Another code is tried when the number of blocks has grown by this factor.
  private static let growth = 8

  private(set) var blocking = Tally()
  private(set) var identification = Tally()
  private var written = Written()

  /// The codes in their form in the store.
  private struct Written {
    var count = 0
    var bytes: ContiguousArray<UInt8> = []
  }

  var count: Int { written.count }
  /// The codes in their form in the store.
  var bytes: ContiguousArray<UInt8> { written.bytes }

  func tally(_ kind: StoreKind) -> Tally { kind == .blocking ? blocking : identification }

  /// Adds the identities of a block, with their frequencies. `dominant` is the one coded as runs, if any.
  mutating func learn(
    _ kind: StoreKind, _ seen: ContiguousArray<Int>, _ frequencies: ContiguousArray<Int>, dominant: Int?,
    _ sequences: inout SequenceWriter
  ) {
    if kind == .blocking {
      Self.learn(&blocking, &written, seen, frequencies, dominant, &sequences)
    } else {
      Self.learn(&identification, &written, seen, frequencies, dominant, &sequences)
    }
  }

  private static func learn(
    _ tally: inout Tally, _ written: inout Written, _ seen: ContiguousArray<Int>,
    _ frequencies: ContiguousArray<Int>, _ dominant: Int?, _ sequences: inout SequenceWriter
  ) {
    tally.blocks += 1
    var hasOwn = false
    for identity in seen {
      if identity < StoreLimits.tableLabelsMax {
        tally.counts[identity] += frequencies[identity]
      } else {
        hasOwn = true
      }
    }
    guard tally.blocks >= tally.due, written.count < StoreLimits.codesMax else { return }
    tally.due = tally.blocks * Self.growth
    let code = Self.code(tally.counts, besides: dominant, hasOwn: hasOwn)
    guard code.keys.count > 1, let cost = Self.cost(seen, frequencies, besides: dominant, code) else {
      return
    }
    if tally.number != nil, let known = Self.cost(seen, frequencies, besides: dominant, tally.code),
      cost + cost >> 7 >= known
    {
      return
    }
    append(code, &written, &sequences)
    tally.code = code
    tally.number = written.count - 1
  }

  /// The best code for labels with these counts. It has an escape if new labels are to be expected.
  private static func code(
    _ counts: ContiguousArray<Int>, besides dominant: Int?, hasOwn: Bool
  ) -> CanonicalCode {
    var identities: ContiguousArray<Int> = []
    var once = 0
    for identity in 0..<counts.count where counts[identity] > 0 && identity != dominant {
      identities.append(identity)
      if counts[identity] == 1 { once += 1 }
    }
    // The number of labels that occurred once estimates the number of new labels (I. J. Good 1953).
    let escape = hasOwn || once > 0 ? max(1, once) : 0
    if escape > 0 { identities.append(LabelLayout.escape) }
    func weight(_ identity: Int) -> Int { identity == LabelLayout.escape ? escape : counts[identity] }
    identities.sort { weight($0) != weight($1) ? weight($0) < weight($1) : $0 < $1 }
    return CanonicalCode(identities, ascending: ContiguousArray(identities.map(weight)))
  }

  /// The size of a block's labels in bits; nil if the code can't express one of them.
  static func cost(
    _ seen: ContiguousArray<Int>, _ frequencies: ContiguousArray<Int>, besides dominant: Int?,
    _ code: CanonicalCode
  ) -> Int? {
    guard !code.isEmpty else { return nil }
    var cost = 0
    for identity in seen where identity != dominant {
      guard let length = code.length(of: identity) else { return nil }
      cost += frequencies[identity] * length
    }
    return cost
  }

  private static func append(
    _ code: CanonicalCode, _ written: inout Written, _ sequences: inout SequenceWriter
  ) {
    var symbols: ContiguousArray<UInt8> = []
    sequences.append(code.keys.span, to: &symbols)
    written.bytes.append(littleEndian: UInt16(code.keys.count))
    written.bytes.append(littleEndian: UInt16(0))
    written.bytes.append(littleEndian: UInt32(symbols.count))
    written.bytes.append(contentsOf: symbols)
    written.count += 1
  }
}

// The distinct labels so far, numbered in the order of their first use: a bounded hash table over bytes.

/// Numbers distinct labels. It holds at most `countMax` labels and `bytesMax` bytes. Memory for all of them is
/// reserved, and touched as it is used.
struct LabelIndex: ~Copyable {
  enum SearchResult {
    case found(Int)
    /// The label is not in the index. Its slot would be this one.
    case absent(slot: Int)
  }

  /// The first ``used`` bytes are those of labels. The others were touched and have no meaning.
  private var bytes: RigidArray<UInt8>
  private var used = 0
  private var limits: RigidArray<UInt32>
  private var hashes: RigidArray<UInt32>
  /// Each slot holds 0, or the upper half of a label's hash above the label's index plus 1. The number of slots is a
  /// power of two; it doubles when a quarter of them is in use. When half of them were, a search for a new label was
  /// mispredicted twice as often.
  private var slots: RigidArray<UInt32>
  private static let slotCountMin = 64
  /// The hash for ``find(_:_:)`` and ``add(_:_:at:)``; the same in all indexes. The order of slots does not affect the
  /// store.
  let hash = SeededHash()

  init(countMax: Int, bytesMax: Int) {
    bytes = RigidArray(capacity: bytesMax)
    limits = RigidArray(capacity: countMax)
    hashes = RigidArray(capacity: countMax)
    slots = RigidArray(repeating: 0, count: Self.slotCountMin)
  }

  var count: Int { limits.count }

  var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<used) }
  }

  /// The end of each label in ``text``.
  var ends: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { limits.span }
  }

  /// Looks for a label.
  // Inlined, like the other functions that are called for each label: a call would copy the whole index.
  @inline(__always)
  borrowing func find(_ label: Span<UInt8>, _ hash: UInt32) -> SearchResult {
    let slots = slots.span
    let mask = slots.count &- 1
    let tag = hash >> 16
    var slot = Int(hash) & mask
    while true {
      // The slot's number is masked. Most slots are empty, so the loop ends.
      let entry = unsafe slots[unchecked: slot]
      if entry == 0 { return .absent(slot: slot) }
      let index = Int(entry & 0xFFFF) &- 1
      if entry >> 16 == tag, Self.isEqual(limits.span, bytes.span, index, label) { return .found(index) }
      slot = (slot &+ 1) & mask
    }
  }

  /// Adds a label that a search did not find, in the slot that the search returned. Returns the label's index; nil if
  /// the label does not fit.
  @inline(__always)
  mutating func add(_ label: Span<UInt8>, _ hash: UInt32, at slot: Int) -> Int? {
    guard limits.freeCapacity > 0, label.count <= bytes.capacity &- used else { return nil }
    return insert(label, hash, at: slot)
  }

  private mutating func insert(_ label: Span<UInt8>, _ hash: UInt32, at slot: Int) -> Int {
    append(label)
    let index = limits.count
    limits.append(UInt32(truncatingIfNeeded: used))
    hashes.append(hash)
    if 4 &* limits.count > slots.count { grow() } else { slots[slot] = Self.entry(index, hash) }
    return index
  }

  @inline(__always)
  private static func entry(_ index: Int, _ hash: UInt32) -> UInt32 {
    hash & 0xFFFF_0000 | UInt32(truncatingIfNeeded: index &+ 1)
  }

  @inline(__always)
  private mutating func append(_ label: Span<UInt8>) {
    let (start, count) = (used, label.count)
    if start &+ count > bytes.count { touch(start &+ count) }
    used = start &+ count
    let source = unsafe label.bytes
    var all = bytes.mutableSpan
    // UInt8 has no padding and no invalid values.
    var target = unsafe all.mutableBytes
    var at = 0
    // Word by word: for most labels, a call of a copying routine takes longer. The last word overlaps the one before
    // it.
    while at &+ 8 <= count {
      target.storeBytes(of: source.u64(at).littleEndian, toByteOffset: start &+ at, as: UInt64.self)
      at &+= 8
    }
    if count >= 8 {
      let last = count &- 8
      target.storeBytes(of: source.u64(last).littleEndian, toByteOffset: start &+ last, as: UInt64.self)
    } else {
      while at < count {
        target.storeBytes(of: source.byte(at), toByteOffset: start &+ at, as: UInt8.self)
        at &+= 1
      }
    }
  }

  /// The number of bytes touched ahead of those that are needed: a page.
  private static let touchedBytes = 4096

  /// Initializes at least the first `end` bytes, which are within the capacity.
  private mutating func touch(_ end: Int) {
    let count = min(end &+ Self.touchedBytes, bytes.capacity)
    bytes.append(addingCount: count &- bytes.count) { output in
      output.append(repeating: 0, count: output.freeCapacity)
    }
  }

  private static func isEqual(
    _ ends: Span<UInt32>, _ text: Span<UInt8>, _ index: Int, _ label: Span<UInt8>
  ) -> Bool {
    let start = index == 0 ? 0 : Int(ends[index &- 1])
    let end = Int(ends[index])
    guard end &- start == label.count else { return false }
    let known = unsafe text.bytes.extracting(start..<end)
    let label = unsafe label.bytes
    let count = label.byteCount
    guard count >= 8 else {
      for offset in 0..<count where known.byte(offset) != label.byte(offset) { return false }
      return true
    }
    var at = 0
    while at &+ 8 <= count {
      if known.u64(at) != label.u64(at) { return false }
      at &+= 8
    }
    return known.u64(count &- 8) == label.u64(count &- 8)
  }

  /// Removes all labels. Memory is kept.
  mutating func removeAll() {
    guard count > 0 else { return }
    used = 0
    limits.removeAll()
    hashes.removeAll()
    var all = slots.mutableSpan
    for slot in 0..<all.count { all[slot] = 0 }
  }

  borrowing func write(to pending: inout ContiguousArray<UInt8>) {
    for index in 0..<limits.count { pending.append(littleEndian: limits[index]) }
    pending.append(copying: text)
  }

  /// Doubles the number of slots, and inserts the labels again.
  private mutating func grow() {
    slots = RigidArray(repeating: 0, count: slots.count * 2)
    let mask = slots.count &- 1
    for index in 0..<hashes.count {
      var slot = Int(hashes[index]) & mask
      while slots[slot] != 0 { slot = (slot &+ 1) & mask }
      slots[slot] = Self.entry(index, hashes[index])
    }
  }
}
