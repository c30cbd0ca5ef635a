// Many patterns, wanted and excluded, as one automaton over digits, with the count of the numbers behind each state.
//
// The counts are what makes ranges cheap: a state behind which all numbers are wanted is one range, and a state behind
// which none is wanted is not looked into. So the work is proportional to the ranges, not to the numbers.
// States are made when they are first come by. Source: the usual subset construction (Rabin and Scott, 1959).

import CallRecord

/// An automaton of wanted and excluded patterns.
struct DigitAutomaton {
  /// The most states, at some 300 bytes each: 20 MiB. 4096 single numbers of 15 digits stay below it.
  static let statesMax = 65_536
  /// The state from which no number is wanted.
  static let dead = 0

  /// What is known of a state.
  private struct State {
    /// The pattern's index and a place in it, ascending: every way to read the digits so far.
    var elements: [UInt64]
    var accepts: Bool
    /// The states behind each digit; -1 for those that were not made.
    var next: [Int32]
    /// The numbers behind so many more digits; `.max` for those that were not counted.
    var counts: [UInt64]
  }

  private let patterns: [DigitPattern]
  /// From here on patterns are excluded.
  private let firstExcluded: Int
  private var states: [State] = []
  private var known: [[UInt64]: Int] = [:]
  /// The state where a number begins.
  private(set) var start = 0

  init(wanted: [DigitPattern], excluded: [DigitPattern]) throws(GenerateError) {
    patterns = wanted + excluded
    firstExcluded = wanted.count
    states = [State(elements: [], accepts: false, next: Array(repeating: 0, count: 10), counts: [])]
    var elements: [UInt64] = []
    for index in patterns.indices { elements += Self.elements(index, patterns[index].start) }
    start = try state(elements)
  }

  /// The state behind one more digit.
  mutating func next(_ state: Int, _ digit: UInt8) throws(GenerateError) -> Int {
    let made = states[state].next[Int(digit)]
    if made >= 0 { return Int(made) }
    var elements: [UInt64] = []
    for element in states[state].elements {
      let pattern = Int(element >> 32)
      let place = DigitPattern.Place(truncatingIfNeeded: element)
      elements += Self.elements(pattern, patterns[pattern].next(place, digit))
    }
    let next = try self.state(elements)
    states[state].next[Int(digit)] = Int32(truncatingIfNeeded: next)
    return next
  }

  /// How many numbers with `digits` more digits are wanted from a state on.
  ///
  /// - Complexity: O(states) for all calls together.
  mutating func count(_ state: Int, _ digits: Int) throws(GenerateError) -> UInt64 {
    if state == Self.dead { return 0 }
    let counted = states[state].counts[digits]
    if counted != .max { return counted }
    var sum: UInt64 = 0
    if digits == 0 {
      sum = states[state].accepts ? 1 : 0
    } else {
      for digit in 0..<UInt8(10) { sum += try count(next(state, digit), digits - 1) }
    }
    states[state].counts[digits] = sum
    return sum
  }

  private static func elements(_ pattern: Int, _ places: [DigitPattern.Place]) -> [UInt64] {
    places.map { UInt64(pattern) << 32 | UInt64($0) }
  }

  /// The state with these elements, made if there is none.
  private mutating func state(_ unsorted: [UInt64]) throws(GenerateError) -> Int {
    var elements: [UInt64] = []
    var isWanted = false
    var accepts = false
    var isExcluded = false
    for element in unsorted.sorted() where element != elements.last {
      let pattern = Int(element >> 32)
      let place = DigitPattern.Place(truncatingIfNeeded: element)
      if pattern < firstExcluded {
        isWanted = true
        if patterns[pattern].accepts(place) { accepts = true }
      } else {
        // Whatever follows is excluded: nothing else need be known.
        if patterns[pattern].acceptsAll(behind: place) { return Self.dead }
        if patterns[pattern].accepts(place) { isExcluded = true }
      }
      elements.append(element)
    }
    guard isWanted else { return Self.dead }
    if let state = known[elements] { return state }
    guard states.count < Self.statesMax else { throw .tooTangled(statesMax: Self.statesMax) }
    known[elements] = states.count
    states.append(
      State(
        elements: elements, accepts: accepts && !isExcluded, next: Array(repeating: -1, count: 10),
        counts: Array(repeating: .max, count: PhoneNumber.digitsMax + 1)))
    return states.count - 1
  }
}
