// An automaton over digits for many included and excluded patterns, with the count of the numbers after each state.
//
// The counts make ranges cheap: a state after which all numbers are included is one range, and a state after which
// none is included is skipped. So the work is proportional to the ranges, not to the numbers. States are created on
// demand. Source: the standard subset construction (Rabin and Scott, 1959).

import Records

/// An automaton of included and excluded patterns.
struct DigitAutomaton {
  /// The maximum number of states, about 300 bytes each: 20 MiB. 4096 single numbers of 15 digits need fewer.
  static let statesMax = 65_536
  /// The state after which no number is included.
  static let dead = 0

  /// A state of the subset construction.
  private struct SubsetState {
    /// Pairs of a pattern's index and a position in it, ascending: every way to match the digits so far.
    var items: [UInt64]
    var accepts: Bool
    /// The next state for each digit; -1 if it has not been created.
    var next: [Int32]
    /// The counts of numbers with n more digits, by n; `.max` if not computed.
    var counts: [UInt64]
  }

  private let patterns: [DigitPattern]
  /// The index of the first excluded pattern.
  private let firstExcluded: Int
  /// The pattern file, for errors; nil if there is none.
  private let file: String?
  private var states: [SubsetState] = []
  private var stateIndices: [[UInt64]: Int] = [:]
  /// The start state.
  private(set) var start = 0

  init(included: [DigitPattern], excluded: [DigitPattern], file: String?) throws(GenerateError) {
    patterns = included + excluded
    firstExcluded = included.count
    self.file = file
    states = [SubsetState(items: [], accepts: false, next: Array(repeating: 0, count: 10), counts: [])]
    var items: [UInt64] = []
    for index in patterns.indices { items += Self.items(index, patterns[index].start) }
    start = try state(items)
  }

  /// The state after one more digit.
  mutating func next(_ state: Int, _ digit: UInt8) throws(GenerateError) -> Int {
    let made = states[state].next[Int(digit)]
    if made >= 0 { return Int(made) }
    var items: [UInt64] = []
    for item in states[state].items {
      let pattern = Int(item >> 32)
      let position = DigitPattern.Position(truncatingIfNeeded: item)
      items += Self.items(pattern, patterns[pattern].next(position, digit))
    }
    let next = try self.state(items)
    states[state].next[Int(digit)] = Int32(truncatingIfNeeded: next)
    return next
  }

  /// The count of included numbers with `digits` more digits after a state.
  ///
  /// - Complexity: O(states) for all calls together.
  mutating func count(_ state: Int, _ digits: Int) throws(GenerateError) -> UInt64 {
    if state == Self.dead { return 0 }
    let cached = states[state].counts[digits]
    if cached != .max { return cached }
    var sum: UInt64 = 0
    if digits == 0 {
      sum = states[state].accepts ? 1 : 0
    } else {
      for digit in 0..<UInt8(10) { sum += try count(next(state, digit), digits - 1) }
    }
    states[state].counts[digits] = sum
    return sum
  }

  private static func items(_ pattern: Int, _ positions: [DigitPattern.Position]) -> [UInt64] {
    positions.map { UInt64(pattern) << 32 | UInt64($0) }
  }

  /// The state with these items, created if necessary.
  private mutating func state(_ unsorted: [UInt64]) throws(GenerateError) -> Int {
    var items: [UInt64] = []
    var isIncluded = false
    var accepts = false
    var isExcluded = false
    for item in unsorted.sorted() where item != items.last {
      let pattern = Int(item >> 32)
      let position = DigitPattern.Position(truncatingIfNeeded: item)
      if pattern < firstExcluded {
        isIncluded = true
        if patterns[pattern].accepts(position) { accepts = true }
      } else {
        // All numbers after this state are excluded.
        if patterns[pattern].acceptsAll(after: position) { return Self.dead }
        if patterns[pattern].accepts(position) { isExcluded = true }
      }
      items.append(item)
    }
    guard isIncluded else { return Self.dead }
    if let state = stateIndices[items] { return state }
    guard states.count < Self.statesMax else { throw .tooManyStates(limit: Self.statesMax, file: file) }
    stateIndices[items] = states.count
    states.append(
      SubsetState(
        items: items, accepts: accepts && !isExcluded, next: Array(repeating: -1, count: 10),
        counts: Array(repeating: .max, count: PhoneNumber.digitsMax + 1)))
    return states.count - 1
  }
}
