// Names the states that a table holds: from the pool's numbers to 16-bit places. Not for writing C (TableWriter).

struct PackedAutomata {
  /// A state's name is where its row of ten begins, counted in pairs of entries: the processor's own addressing
  /// then does the multiplication, and 13,107 states fit 16 bits.
  static let pairsPerRow = 5

  /// The states in the table's order: those that accept come last, so that accepting is one comparison; and at both
  /// ends stand those from where on only the number of digits counts, so that telling these is another.
  let order: [PoolState]
  /// Name of the first state from where on digits count, none of the first ones.
  let firstChoosing: Int
  /// Name of the first state that accepts.
  let firstAccepting: Int
  /// Name of the first of those that accept and from where on only the number of digits counts.
  let firstIndifferent: Int
  private let places: [PoolState: Int]
  private let pool: StatePool

  /// Packs what can be reached from `roots`; intermediate results stay behind in the pool.
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

  /// Name of a state in the table.
  subscript(state: PoolState) -> Int { places[state, default: 0] }

  /// Ten names a state, one for each digit.
  var transitions: [Int] { order.flatMap { pool.rows[$0].next.map { self[$0] } } }

  /// What each accepting state answers, less 1: the answer 0 is a no.
  var answers: [Int] { order.filter { pool.rows[$0].accepts }.map { pool.rows[$0].answer - 1 } }

  /// For each state the lengths of what leads from it to a yes.
  var lengths: [Int] { order.map { Int(pool.acceptedLengths($0)) } }

  // Whether all digits lead to the same, now and from there on.
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
