// Builds an automaton in the pool from a pattern, by Thompson's construction and the subset construction. `whole`
// matches all digits. `prefix` preserves Java's choice among alternatives (leftmost first, not longest): a state is
// then an ordered list, from which everything after a match is dropped. Not for captures (PrefixProgramCompiler).

struct DigitAutomatonBuilder {
  private enum Node {
    case digit(UInt16, next: Int)
    case split(Int, Int)
    case accept
  }

  private var nodes: [Node] = []
  private var firstNode = 0

  /// Prepares `pattern`. `$` is treated as empty, so the automaton accepts at least what the pattern matches.
  init(_ pattern: MetadataPattern) {
    nodes.append(.accept)
    firstNode = add(pattern, before: 0)
  }

  /// The automaton that accepts exactly the digit strings that the whole pattern matches.
  func whole(in pool: inout StatePool) -> PoolState {
    var memo: [[Int]: PoolState] = [:]
    return build(closure([firstNode]).sorted(), ordered: false, &memo, &pool)
  }

  /// The automaton whose last accepting state along the digits is where Java's `lookingAt` ends.
  func prefix(in pool: inout StatePool) -> PoolState {
    var memo: [[Int]: PoolState] = [:]
    return build(closure([firstNode]), ordered: true, &memo, &pool)
  }

  // Adds nodes for `pattern` that continue at `next`; returns the entry node.
  private mutating func add(_ pattern: MetadataPattern, before next: Int) -> Int {
    switch pattern {
    case .digit(let set):
      nodes.append(.digit(set, next: next))
      return nodes.count - 1
    case .sequence(let parts):
      return parts.reversed().reduce(next) { add($1, before: $0) }
    case .alternatives(let branches):
      let last = add(branches[branches.count - 1], before: next)
      return branches.dropLast().reversed().reduce(last) { rest, branch in
        let entry = add(branch, before: next)
        nodes.append(.split(entry, rest))
        return nodes.count - 1
      }
    case .repeated(let part, let minimum, let maximum):
      var entry = next
      for _ in minimum..<maximum {
        let more = add(part, before: entry)
        nodes.append(.split(more, next))
        entry = nodes.count - 1
      }
      for _ in 0..<minimum { entry = add(part, before: entry) }
      return entry
    case .group(_, let part):
      return add(part, before: next)
    case .end:
      return next
    }
  }

  // Nodes that read a digit or accept, reachable without reading, in order of preference.
  private func closure(_ entries: [Int]) -> [Int] {
    var seen = Set<Int>()
    var result: [Int] = []
    var stack = Array(entries.reversed())
    while let node = stack.popLast() {
      guard seen.insert(node).inserted else { continue }
      if case .split(let preferred, let other) = nodes[node] {
        stack.append(other)
        stack.append(preferred)
      } else {
        result.append(node)
      }
    }
    return result
  }

  private func build(
    _ list: [Int], ordered: Bool, _ memo: inout [[Int]: PoolState], _ pool: inout StatePool
  ) -> PoolState {
    var list = list
    var accepts = false
    if let place = list.firstIndex(where: { if case .accept = nodes[$0] { true } else { false } }) {
      accepts = true
      // A match takes precedence over everything after it.
      if ordered { list.removeSubrange((place + 1)...) }
    }
    if list.isEmpty { return StatePool.dead }
    if let state = memo[list] { return state }
    let next = (0..<10).map { digit in
      let targets = list.compactMap { node in
        if case .digit(let set, let next) = nodes[node], set >> UInt16(digit) & 1 == 1 { next } else { nil }
      }
      let reached = closure(targets)
      return build(ordered ? reached : reached.sorted(), ordered: ordered, &memo, &pool)
    }
    let state = pool.intern(accepts ? StatePool.yes : StatePool.no, next: next)
    memo[list] = state
    return state
  }
}
