// All automata of the tables in one pool of states, each kept once.
// The languages are finite, so the graph has no cycles, and a state is known by its answer and by where its
// digits lead. Interning from the end backwards therefore gives minimal automata that share their tails, with no
// separate minimisation. Not for patterns (DigitAutomatonBuilder) and not for packing (TableWriter).

/// A state in the pool.
typealias PoolState = Int

struct StatePool {
  struct StateRow: Hashable {
    var answer: Answer
    var next: [PoolState]

    var accepts: Bool { answer != StatePool.no }
  }

  /// What an automaton says of the digits that lead to a state: 0 for no; 1, or one of several answers, for yes.
  typealias Answer = Int
  static let no: Answer = 0
  static let yes: Answer = 1

  /// Accepts nothing, and leads only to itself.
  static let dead: PoolState = 0

  private(set) var rows = [StateRow(answer: no, next: Array(repeating: dead, count: 10))]
  private var known: [StateRow: PoolState]

  init() { known = [rows[0]: Self.dead] }

  /// The state for this row, new if it has to be.
  mutating func intern(_ answer: Answer, next: [PoolState]) -> PoolState {
    let row = StateRow(answer: answer, next: next)
    if let state = known[row] { return state }
    rows.append(row)
    known[row] = rows.count - 1
    return rows.count - 1
  }

  /// The automaton that answers what `rule` makes of the answers of `states`.
  ///
  /// `rule` must say no where all of them do: the result has to stay finite.
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

  /// The lengths of what the automaton accepts.
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

  /// The automaton of all digit strings whose length is in `lengths`.
  mutating func lengths(_ lengths: LengthSet) -> PoolState {
    var state = Self.dead
    for length in (0..<LengthSet.bitWidth).reversed() {
      let isWanted = lengths >> LengthSet(length) & 1 == 1
      state = intern(isWanted ? Self.yes : Self.no, next: Array(repeating: state, count: 10))
    }
    return state
  }
}
