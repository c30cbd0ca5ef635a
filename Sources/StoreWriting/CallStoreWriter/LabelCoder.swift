// Chooses and writes the code of a block's labels; LabelCode reads it.

import CallStoreFormat

/// The label code of one block, and its cost.
struct LabelCoder {
  /// The label that is coded as runs; nil when each record has a code.
  private(set) var dominant: Int?
  private(set) var runShift = 0
  private(set) var groupShift = LabelLayout.groupShiftMax
  private(set) var startWidth = 0
  private(set) var startMean = 0
  private(set) var startBias = 0
  /// The number of the code if it is a shared one.
  private(set) var shared: Int?
  private var code = CanonicalCode()
  private var cost = 0
  /// The number of records that have a code.
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
