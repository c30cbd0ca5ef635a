// All automata of the tables in one pool of states, without duplicates.
// The languages are finite, so the graph has no cycles, and a state is identified by its result and its transitions.
// Interning states from the end backwards therefore produces minimal automata with shared tails, without a separate
// minimization. Not for patterns (DigitAutomatonBuilder) or packing (TableWriter).

/// A state in the pool.
typealias PoolState = Int

struct StatePool {
  struct StateRow: Hashable {
    var answer: Answer
    var next: [PoolState]

    var accepts: Bool { answer != StatePool.no }
  }

  /// The result of an automaton for the digits that lead to a state: 0 for no; 1, or one of several values, for yes.
  typealias Answer = Int
  static let no: Answer = 0
  static let yes: Answer = 1

  /// Accepts nothing; all transitions lead back to it.
  static let dead: PoolState = 0

  private(set) var rows = [StateRow(answer: no, next: Array(repeating: dead, count: 10))]
  private var internedStates: [StateRow: PoolState]

  init() { internedStates = [rows[0]: Self.dead] }

  /// The state with this row, created if necessary.
  mutating func intern(_ answer: Answer, next: [PoolState]) -> PoolState {
    let row = StateRow(answer: answer, next: next)
    if let state = internedStates[row] { return state }
    rows.append(row)
    internedStates[row] = rows.count - 1
    return rows.count - 1
  }

  /// The automaton that applies `rule` to the results of `states`.
  ///
  /// `rule` must return no if all of them do, so that the result stays finite.
  mutating func combine(_ states: [PoolState], _ rule: ([Answer]) -> Answer) -> PoolState {
    var memo: [[PoolState]: PoolState] = [:]
    return combine(states, rule, &memo)
  }

  private mutating func combine(
    _ states: [PoolState], _ rule: ([Answer]) -> Answer, _ memo: inout [[PoolState]: PoolState]
  ) -> PoolState {
    if states.allSatisfy({ $0 == Self.dead }) { return Self.dead }
    if let state = memo[states] { return state }
    let next = (0..<10).map { digit in combine(states.map { rows[$0].next[digit] }, rule, &memo) }
    let state = intern(rule(states.map { rows[$0].answer }), next: next)
    memo[states] = state
    return state
  }

  /// The lengths of the digit strings that the automaton accepts.
  func acceptedLengths(_ start: PoolState) -> LengthSet {
    var lengths: LengthSet = 0
    var front: Set<PoolState> = [start]
    for length in 0..<LengthSet.bitWidth where !front.isEmpty {
      if front.contains(where: { rows[$0].accepts }) { lengths |= 1 << LengthSet(length) }
      front = Set(front.flatMap { rows[$0].next })
      front.remove(Self.dead)
    }
    return lengths
  }

  /// The automaton of all digit strings with one of these lengths.
  mutating func lengths(_ lengths: LengthSet) -> PoolState {
    var state = Self.dead
    for length in (0..<LengthSet.bitWidth).reversed() {
      let isWanted = lengths >> LengthSet(length) & 1 == 1
      state = intern(isWanted ? Self.yes : Self.no, next: Array(repeating: state, count: 10))
    }
    return state
  }
}
