// All automata of the tables in one pool of states, without duplicates. The languages are finite, so the
// graph has no cycles, and a state is identified by its result and its transitions. Interning states from the
// end backwards therefore produces minimal automata with shared tails, without a separate minimization.

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

/// Builds an automaton in the pool from a pattern, by Thompson's construction and the subset construction. `whole`
/// matches all digits. `prefix` preserves Java's choice among alternatives (leftmost first, not longest): a state
/// is then an ordered list, from which everything after a match is dropped.
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

/// The words of a program. The four high bits are the operation, the rest its operand; the operand of `split` and
/// `jump` is relative to the program's start.
enum ProgramWord {
  static let digit: UInt16 = 0x0000
  static let split: UInt16 = 0x1000
  static let jump: UInt16 = 0x2000
  static let save: UInt16 = 0x3000
  static let end: UInt16 = 0x4000
  static let match: UInt16 = 0x5000
  static let operandMax = 0x0FFF
}

/// Compiles a pattern with capturing groups to a backtracking program, which NumberPlan executes with exactly
/// Java's choices. Throws if the program is longer than an operand can address.
func compileProgram(_ pattern: MetadataPattern) throws -> [UInt16] {
  var words: [UInt16] = []
  emit(pattern, into: &words)
  words.append(ProgramWord.match)
  guard words.count <= ProgramWord.operandMax else {
    throw GenerationError(
      "a national prefix compiles to \(words.count) words, more than \(ProgramWord.operandMax)")
  }
  return words
}

/// The number of groups that `pattern` captures.
func groupCount(_ pattern: MetadataPattern) -> Int {
  switch pattern {
  case .digit, .end: 0
  case .sequence(let parts), .alternatives(let parts): parts.map(groupCount).max() ?? 0
  case .repeated(let part, _, _): groupCount(part)
  case .group(let number, let part): max(number, groupCount(part))
  }
}

func longestMatch(_ pattern: MetadataPattern) -> Int {
  switch pattern {
  case .digit: 1
  case .end: 0
  case .sequence(let parts): parts.reduce(0) { $0 + longestMatch($1) }
  case .alternatives(let branches): branches.map(longestMatch).max() ?? 0
  case .repeated(let part, _, let maximum): maximum * longestMatch(part)
  case .group(_, let part): longestMatch(part)
  }
}

/// The number of digits in the longest match of the group `number`; 0 if there is no such group.
func longestMatch(ofGroup number: Int, in pattern: MetadataPattern) -> Int {
  switch pattern {
  case .digit, .end: 0
  case .sequence(let parts), .alternatives(let parts):
    parts.map { longestMatch(ofGroup: number, in: $0) }.max() ?? 0
  case .repeated(let part, _, _): longestMatch(ofGroup: number, in: part)
  case .group(let own, let part): own == number ? longestMatch(part) : longestMatch(ofGroup: number, in: part)
  }
}

/// The digits with which only branches without a group start: a prefix that starts with one of them captures nothing.
func capturelessDigits(_ pattern: MetadataPattern) -> UInt16 {
  guard case .alternatives(let branches) = pattern else { return 0 }
  let capturing = branches.filter { groupCount($0) > 0 }.reduce(0) { $0 | firstDigits($1) }
  let others = branches.filter { groupCount($0) == 0 }.reduce(0) { $0 | firstDigits($1) }
  return others & ~capturing & 0x3FF
}

// The digits with which a match can start; bit 10 is set if it can be empty.
private func firstDigits(_ pattern: MetadataPattern) -> UInt16 {
  let empty: UInt16 = 1 << 10
  switch pattern {
  case .digit(let set): return set
  case .end: return empty
  case .group(_, let part): return firstDigits(part)
  case .alternatives(let branches): return branches.reduce(0) { $0 | firstDigits($1) }
  case .repeated(let part, let minimum, _): return firstDigits(part) | (minimum == 0 ? empty : 0)
  case .sequence(let parts):
    var result: UInt16 = empty
    for part in parts where result & empty != 0 { result = (result & ~empty) | firstDigits(part) }
    return result
  }
}

private func emit(_ pattern: MetadataPattern, into words: inout [UInt16]) {
  switch pattern {
  case .digit(let set):
    words.append(ProgramWord.digit | set)
  case .end:
    words.append(ProgramWord.end)
  case .sequence(let parts):
    for part in parts { emit(part, into: &words) }
  case .group(let number, let part):
    words.append(ProgramWord.save | UInt16(number * 2 - 2))
    emit(part, into: &words)
    words.append(ProgramWord.save | UInt16(number * 2 - 1))
  case .alternatives(let branches):
    var jumps: [Int] = []
    for branch in branches.dropLast() {
      let split = words.count
      words.append(ProgramWord.split)
      emit(branch, into: &words)
      jumps.append(words.count)
      words.append(ProgramWord.jump)
      words[split] |= operand(words.count)
    }
    emit(branches[branches.count - 1], into: &words)
    for jump in jumps { words[jump] |= operand(words.count) }
  case .repeated(let part, let minimum, let maximum):
    for _ in 0..<minimum { emit(part, into: &words) }
    var splits: [Int] = []
    for _ in minimum..<maximum {
      splits.append(words.count)
      words.append(ProgramWord.split)
      emit(part, into: &words)
    }
    for split in splits { words[split] |= operand(words.count) }
  }
}

// An address that is too large is rejected at the end of compileProgram; until then it must only fit.
private func operand(_ address: Int) -> UInt16 { UInt16(min(address, ProgramWord.operandMax)) }
