// Which records fit a limit, as a rule that needs no list of them.
//
// Records are tried from the highest score down, those of one score by their numbers, and each that fits into what is
// left is taken. Most scores are taken whole. So a round says: above a floor, all records no wider than the capacity that
// there was; at the floor, as many as fit one by one; and below it the next round goes on with the capacity that is left.
// Without ranges there is one round.
//
// The floor is found by a radix walk: a histogram of the keys' upper sixteen bits weighted by widths, then of the next
// ones within the digit at which the capacity ends.

import SystemIO

/// One round of taking.
struct ScoreRound: Equatable {
  /// The score that did not fit whole; nil when all did.
  let floor: ScoreKey?
  /// Wider records did not fit any more.
  let widthMax: UInt64
  /// The numbers that fitted at the floor, for those of its records that come first.
  var remainingAtFloor: UInt64
}

/// The rule: which records fit.
struct ScoreSelection {
  /// Each round beyond the first needs a range that did not fit at a score where others did. Lists have some widths,
  /// so some rounds; sixty-four bound the passes over a list that was made to need more. What is left then stays out.
  static let roundsMax = 64
  private static let digitBits = 16

  private(set) var rounds: [ScoreRound] = []

  /// Finds the rounds for `limit` numbers.
  ///
  /// - Complexity: six passes over the file a round at the most; a round has one to four where scores have 16 to 64
  ///   bits, and two for the sums.
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

  /// Whether a record is taken. Records must be asked for in their order, each once.
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

  /// The highest key whose records do not fit any more, and how many numbers stand above it.
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
      // Where all keys are the same there is nothing to find out.
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
