// The selection of the records that fit a limit, as a rule that needs no list of them.
//
// Records are tried in descending order of score, those with the same score by number, and each one that fits the
// remaining capacity is selected. Most scores are selected completely. So a round consists of: above a floor, all
// records not wider than the capacity at the start of the round; at the floor, those that fit one by one. The next
// round continues below the floor with the remaining capacity. Without ranges there is one round.
//
// The floor is found by radix passes: a histogram of the keys' upper sixteen bits weighted by widths, then of the next
// sixteen bits within the digit at which the capacity is exhausted, and so on.

import SystemIO

/// One round of the selection.
struct ScoreRound: Equatable {
  /// The score that was not selected completely; nil if all were.
  let floor: ScoreKey?
  /// Wider records did not fit.
  let widthMax: UInt64
  /// The capacity for records at the floor, used in order.
  var remainingAtFloor: UInt64
}

/// The rule: which records are selected.
struct ScoreSelection {
  /// Each round after the first needs a range that did not fit at a score where others did. Lists have few widths, and
  /// so few rounds; 64 limits the passes over a list that was crafted to need more. The rest is left out then.
  static let roundsMax = 64
  private static let digitBits = 16

  private(set) var rounds: [ScoreRound] = []

  /// Determines the rounds for `limit` numbers.
  ///
  /// - Complexity: at most six passes over the file per round: one to four for scores of 16 to 64 bits, and two for
  ///   sums.
  init(limit: UInt64, _ file: inout ScoreFile) throws(SystemError) {
    var capacity = limit
    var ceiling: ScoreKey?
    while capacity > 0, rounds.count < Self.roundsMax {
      let candidates = Candidates(ceiling: ceiling, widthMax: capacity)
      var sum: UInt64 = 0
      try file.forEach { key, width in if candidates.contains(key, width) { sum += width } }
      if sum == 0 { return }
      guard sum > capacity else {
        rounds.append(ScoreRound(floor: nil, widthMax: capacity, remainingAtFloor: 0))
        return
      }
      let (floor, above) = try Self.floor(candidates, capacity, &file)
      rounds.append(ScoreRound(floor: floor, widthMax: capacity, remainingAtFloor: capacity - above))
      var remaining = capacity - above
      try file.forEach { key, width in
        if key == floor, width <= remaining { remaining -= width }
      }
      capacity = remaining
      ceiling = floor
    }
  }

  /// Whether a record is selected. Call it once per record, in order.
  mutating func accepts(_ key: ScoreKey, width: UInt64) -> Bool {
    for index in rounds.indices {
      let round = rounds[index]
      guard let floor = round.floor, key <= floor else { return width <= round.widthMax }
      if key == floor {
        guard width <= round.remainingAtFloor else { return false }
        rounds[index].remainingAtFloor -= width
        return true
      }
    }
    return false
  }

  private struct Candidates {
    let ceiling: ScoreKey?
    let widthMax: UInt64

    func contains(_ key: ScoreKey, _ width: UInt64) -> Bool {
      width <= widthMax && (ceiling.map { key < $0 } ?? true)
    }
  }

  /// The highest key whose records do not all fit, and the total of the numbers above it.
  ///
  /// - Precondition: the candidates have more than `capacity` numbers.
  private static func floor(
    _ candidates: Candidates, _ capacity: UInt64, _ file: inout ScoreFile
  ) throws(SystemError) -> (ScoreKey, above: UInt64) {
    let (lowest, highest) = (file.lowest.bits, file.highest.bits)
    var prefix: UInt64 = 0
    var above: UInt64 = 0
    var sums = [UInt64](repeating: 0, count: 1 << digitBits)
    for shift in stride(from: UInt64(64 - digitBits), through: 0, by: -digitBits) {
      // All keys have the same upper bits.
      if lowest >> shift == highest >> shift {
        prefix = lowest >> shift
        continue
      }
      for digit in sums.indices { sums[digit] = 0 }
      let parent = prefix
      try file.forEach { key, width in
        let upper = key.bits >> shift
        if upper >> UInt64(digitBits) == parent, candidates.contains(key, width) {
          sums[Int(upper & 0xFFFF)] += width
        }
      }
      var digit = sums.count - 1
      while digit > 0, above + sums[digit] <= capacity {
        above += sums[digit]
        digit -= 1
      }
      prefix = parent << UInt64(digitBits) | UInt64(digit)
    }
    return (ScoreKey(bits: prefix), above)
  }
}
