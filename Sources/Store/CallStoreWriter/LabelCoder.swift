// Chooses and writes the code of a block's labels; LabelCode reads it.

import CallStoreFormat

/// The code for one block: which identity has which code, and how much it costs.
struct LabelCoder {
  /// The label that runs are of, or nil when each record has a code.
  private(set) var dominant: Int?
  private(set) var runShift = 0
  private(set) var groupShift = LabelLayout.groupShiftMax
  private(set) var startWidth = 0
  private(set) var startMean = 0
  private(set) var startBias = 0
  /// The number of the code, when it is one that blocks share.
  private(set) var shared: Int?
  private var code = CanonicalCode()
  private var cost = 0
  /// How many records have a code.
  private var weight = 0

  /// By rank, the symbols of the block's own code; none when it has none.
  var ownKeys: ContiguousArray<UInt64> { shared == nil ? code.keys : [] }

  /// The length of the longest code of the block's own.
  var ownLongest: Int { shared == nil ? code.longest : 0 }

  /// The best code for records with these identities; there is at least one record.
  static func best(
    _ identities: Span<UInt16>, _ kind: StoreKind, _ codes: inout SharedCodes,
    _ sequences: inout SequenceWriter
  ) -> LabelCoder {
    // As long as these identities need: most lists have a handful, and there is a block every 10,000 records.
    var last: UInt16 = 0
    for index in 0..<identities.count { last = max(last, identities[index]) }
    let frequencies = frequencies(of: identities, upTo: Int(last))
    var seen: ContiguousArray<Int> = []
    for identity in 0..<frequencies.count where frequencies[identity] > 0 { seen.append(identity) }
    seen.sort { frequencies[$0] != frequencies[$1] ? frequencies[$0] < frequencies[$1] : $0 < $1 }
    guard let most = seen.last else { return LabelCoder() }
    var best = LabelCoder()
    best.dominant = most
    guard seen.count > 1 else { return best }
    best.setCode(ContiguousArray(seen.dropLast()), frequencies)
    // Runs of a label that is not the greater part cost more than its code.
    var each = LabelCoder()
    each.setCode(seen, frequencies)
    if each.cost < best.cost + leastRunCost(records: identities.count, others: best.weight) {
      best = each
    } else {
      best.setRunShift(identities, most)
      if each.cost < best.cost { best = each }
    }
    codes.learn(kind, seen, frequencies, dominant: best.dominant, &sequences)
    best.share(codes.tally(kind), seen, frequencies)
    best.setGroups(identities)
    return best
  }

  /// How often each identity comes; none is above `last`.
  private static func frequencies(of identities: Span<UInt16>, upTo last: Int) -> ContiguousArray<Int> {
    var all = ContiguousArray<Int>(repeating: 0, count: last + 1)
    var room = all.mutableSpan
    for index in 0..<identities.count { room[Int(identities[index])] &+= 1 }
    return all
  }

  /// A shared code may cost this part more than the block's own: its table is ready when a look-up comes.
  private static let sharedLossShift = 6
  /// About what a symbol, a length and the rest of an own code take in the block, in bits.
  private static let symbolBits = 6
  private static let ownCodeBits = 8 * SequenceLayout.headBytes

  /// Takes the shared code, if that costs about as much as the block's own or less.
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

  /// What the runs between `others` codes cost at least: with parameter 0 a bit for each record, and one for the
  /// last run; with another parameter two bits a run.
  private static func leastRunCost(records: Int, others: Int) -> Int {
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
    // Runs of a length are counted first: lengths are few where runs are many.
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

  /// A group's code should be this long: half of it is decoded for a look-up, and its length is paid once.
  private static let groupBitsWanted = 128

  private mutating func setGroups(_ identities: Span<UInt16>) {
    groupShift = LabelLayout.groupShiftMin
    while groupShift < LabelLayout.groupShiftMax,
      cost << groupShift < Self.groupBitsWanted * identities.count
    { groupShift += 1 }
  }

  /// Appends the counts of an own code, the starts of groups, and the codes. Sets the fields about groups.
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

  /// Appends codes by pairs, two of the longest of which are one field, as long as both have one. Returns where to go on.
  private static func appendKnown(
    _ identities: Span<UInt16>, from start: Int, _ code: borrowing CanonicalCode, to payload: inout BitWriter
  ) -> Int {
    // The writer's fields stay in registers.
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
    // A run to the end of its group needs no more than the zeros that no shorter run has.
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
