// Assigns table names to states: from the pool's numbers to 16-bit values. Not for writing C (TableWriter).

struct PackedAutomata {
  /// A state's name is the start of its row of ten, in pairs of entries: the processor's addressing mode then does the
  /// multiplication, and 13,107 states fit into 16 bits.
  static let pairsPerRow = 5

  /// The states in the table's order: accepting states come last, so that accepting is one comparison. At both ends are
  /// the states from which only the number of digits matters, so that detecting these is another comparison.
  let order: [PoolState]
  /// The name of the first state from which individual digits matter.
  let firstChoosing: Int
  /// The name of the first accepting state.
  let firstAccepting: Int
  /// The name of the first accepting state from which only the number of digits matters.
  let firstIndifferent: Int
  private let places: [PoolState: Int]
  private let pool: StatePool

  /// Packs the states that can be reached from `roots`; intermediate results stay in the pool.
  init(_ roots: [PoolState], of pool: StatePool) throws {
    self.pool = pool
    var seen: Set<PoolState> = [StatePool.dead]
    var reached = [StatePool.dead]
    var stack = Array(roots.reversed())
    while let state = stack.popLast() {
      guard seen.insert(state).inserted else { continue }
      reached.append(state)
      stack += pool.rows[state].next.reversed()
    }
    var isIndifferent: [PoolState: Bool] = [StatePool.dead: true]
    let names = { (states: [PoolState]) in states.count * Self.pairsPerRow }
    let groups = [(false, true), (false, false), (true, false), (true, true)].map { accepts, indifferent in
      reached.filter {
        pool.rows[$0].accepts == accepts && Self.isIndifferent($0, pool, &isIndifferent) == indifferent
      }
    }
    order = groups.flatMap { $0 }
    firstChoosing = names(groups[0])
    firstAccepting = firstChoosing + names(groups[1])
    firstIndifferent = firstAccepting + names(groups[2])
    places = Dictionary(
      uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset * Self.pairsPerRow) })
    guard order.count * Self.pairsPerRow <= UInt16.max else {
      throw GenerationError("\(order.count) states do not fit into 16 bits")
    }
  }

  /// The name of a state in the table.
  subscript(state: PoolState) -> Int { places[state, default: 0] }

  /// Ten names per state, one for each digit.
  var transitions: [Int] { order.flatMap { pool.rows[$0].next.map { self[$0] } } }

  /// The result of each accepting state, minus 1: the result 0 means no.
  var answers: [Int] { order.filter { pool.rows[$0].accepts }.map { pool.rows[$0].answer - 1 } }

  /// For each state the lengths of paths to an accepting state.
  var lengths: [Int] { order.map { Int(pool.acceptedLengths($0)) } }

  // Whether all digits lead to the same state, here and from there on.
  private static func isIndifferent(_ state: PoolState, _ pool: StatePool, _ known: inout [PoolState: Bool])
    -> Bool
  {
    if let answer = known[state] { return answer }
    let next = pool.rows[state].next
    let answer = next.allSatisfy { $0 == next[0] } && isIndifferent(next[0], pool, &known)
    known[state] = answer
    return answer
  }
}
