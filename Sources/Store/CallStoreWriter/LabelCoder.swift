// Chooses and writes the code of a block's labels; LabelCode reads it.

import CallStoreFormat

/// The code for one block: which identity has which code, and how much it costs.
struct LabelCoder {
  /// The label that runs are of, or nil when each record has a code.
  private(set) var dominant: Int?
  private(set) var runShift = 0
  private(set) var groupShift = LabelLayout.groupShiftMax
  private(set) var groupWidth = 0
  private(set) var groupBitsMin = 0
  private(set) var longest = 0
  /// By rank: code length above identity, ascending.
  private(set) var keys: ContiguousArray<UInt64> = []
  /// By code length, from 1 on.
  private var counts: ContiguousArray<Int> = []
  /// By identity: the code, below its length in the lowest 8 bits.
  private var codes: ContiguousArray<UInt32> = []
  private var cost = 0
  /// How many records have a code.
  private var weight = 0

  /// The best code for records with these identities; there is at least one record.
  static func best(_ identities: Span<UInt16>) -> LabelCoder {
    var frequencies = ContiguousArray<Int>(
      repeating: 0, count: StoreLimits.tableLabelsMax + StoreLimits.blockRecordsMax)
    var seen: ContiguousArray<Int> = []
    for index in 0..<identities.count {
      let identity = Int(identities[index])
      if frequencies[identity] == 0 { seen.append(identity) }
      frequencies[identity] += 1
    }
    seen.sort { frequencies[$0] != frequencies[$1] ? frequencies[$0] < frequencies[$1] : $0 < $1 }
    guard let most = seen.last else { return LabelCoder() }
    var runs = LabelCoder()
    runs.dominant = most
    runs.setCodes(ContiguousArray(seen.dropLast()), frequencies)
    // Runs of a label that is not the greater part cost more than its code.
    if seen.count > 1 {
      var codes = LabelCoder()
      codes.setCodes(seen, frequencies)
      if codes.cost < runs.cost + leastRunCost(records: identities.count, others: runs.weight) {
        runs = codes
      } else {
        runs.setRunShift(identities, most)
        if codes.cost < runs.cost { runs = codes }
      }
    }
    runs.setGroups(identities)
    return runs
  }

  /// What the runs between `others` codes cost at least: with parameter 0 a bit for each record, and one for the
  /// last run; with another parameter two bits a run.
  private static func leastRunCost(records: Int, others: Int) -> Int {
    min(records + 1, 2 * (others + 1))
  }

  private mutating func setCodes(_ ascending: ContiguousArray<Int>, _ frequencies: ContiguousArray<Int>) {
    let weights = ContiguousArray(ascending.map { frequencies[$0] })
    let lengths = HuffmanLengths.lengths(ascending: weights)
    longest = lengths.max() ?? 0
    counts = ContiguousArray(repeating: 0, count: longest + 1)
    keys.reserveCapacity(ascending.count)
    for (index, identity) in ascending.enumerated() {
      keys.append(UInt64(lengths[index]) << UInt64(LabelLayout.identityWidth) | UInt64(identity))
      counts[lengths[index]] += 1
      cost += weights[index] * lengths[index]
      weight += weights[index]
    }
    keys.sort()
    codes = ContiguousArray(
      repeating: 0, count: StoreLimits.tableLabelsMax + StoreLimits.blockRecordsMax)
    var code = 0
    var length = 0
    for key in keys {
      let own = Int(key >> UInt64(LabelLayout.identityWidth))
      code <<= own - length
      length = own
      codes[Int(key & (1 << UInt64(LabelLayout.identityWidth) - 1))] = UInt32(code << 8 | length)
      code += 1
    }
  }

  private mutating func setRunShift(_ identities: Span<UInt16>, _ dominant: Int) {
    guard !keys.isEmpty else { return }
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
    guard !keys.isEmpty else { return }
    groupShift = LabelLayout.groupShiftMin
    while groupShift < LabelLayout.groupShiftMax,
      cost << groupShift < Self.groupBitsWanted * identities.count
    { groupShift += 1 }
  }

  /// Appends the counts of codes, the lengths of groups, and the codes. Sets the fields about groups.
  mutating func append(_ identities: Span<UInt16>, to bytes: inout ContiguousArray<UInt8>) {
    guard !keys.isEmpty else { return }
    var payload = BitWriter()
    var lengths: ContiguousArray<Int> = []
    var start = 0
    while start < identities.count {
      let end = min(start + (1 << groupShift), identities.count)
      let before = payload.bitCount
      appendGroup(identities.extracting(start..<end), to: &payload)
      lengths.append(payload.bitCount - before)
      start = end
    }
    payload.align()
    groupBitsMin = lengths.min() ?? 0
    groupWidth = SequenceWriter.width(UInt64((lengths.max() ?? 0) - groupBitsMin))
    var head = BitWriter()
    for length in 1..<(longest + 1) { head.append(UInt64(counts[length]), width: LabelLayout.codeCountWidth) }
    for length in lengths { head.append(UInt64(length - groupBitsMin), width: groupWidth) }
    head.align()
    head.write(to: &bytes)
    payload.write(to: &bytes)
  }

  private func appendGroup(_ identities: Span<UInt16>, to payload: inout BitWriter) {
    guard let dominant else {
      let codes = codes.span
      for index in 0..<identities.count {
        let code = codes[Int(identities[index])]
        payload.append(UInt64(code >> 8), width: Int(code & 0xFF))
      }
      return
    }
    var run = 0
    for index in 0..<identities.count {
      let identity = Int(identities[index])
      if identity == dominant {
        run += 1
        continue
      }
      payload.appendZeros(run >> runShift)
      payload.append(1, width: 1)
      payload.append(UInt64(run & ((1 << runShift) - 1)), width: runShift)
      run = 0
      let code = codes[identity]
      payload.append(UInt64(code >> 8), width: Int(code & 0xFF))
    }
    // A run to the end of its group needs no more than the zeros that no shorter run has.
    payload.appendZeros((run + (1 << runShift) - 1) >> runShift)
  }
}
