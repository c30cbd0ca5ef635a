// Compiles regular expressions into steps (K. Thompson, 1968). Not for: matching texts (PatternMachine).

import MessageRules

/// The different sets of all expressions of a file.
struct PatternSets {
  private(set) var sets: [ScalarSet] = []
  private var known: [ScalarSet: Int] = [:]
  private var foldings: [ScalarSet: ScalarSet] = [:]
  let map: FoldMap

  init(_ map: FoldMap) {
    self.map = map
  }

  /// The index of a set that is already folded.
  mutating func index(of set: ScalarSet) -> Int {
    if let index = known[set] { return index }
    known[set] = sets.count
    sets.append(set)
    return sets.count - 1
  }

  /// The corresponding set of characters in folded texts.
  mutating func folded(_ set: ScalarSet) -> ScalarSet {
    if let folded = foldings[set] { return folded }
    let folded = set.folded(map)
    foldings[set] = folded
    return folded
  }
}

/// One step; for a step that matches symbols, `x` is a set's index.
struct PatternStep {
  var kind: StepKind
  var x = 0
  var y = 0
}

/// The steps of one expression.
struct PatternProgram {
  private(set) var steps: [PatternStep] = []
  /// The set of characters that a match can start with; nil for any.
  private(set) var first: ScalarSet?

  /// Compiles an expression; nil when it has too many steps.
  init?(_ pattern: Pattern, _ sets: inout PatternSets) {
    guard add(pattern, &sets), append(.match) != nil else { return nil }
    first = firstCharacters(sets)
  }

  @discardableResult
  private mutating func append(_ kind: StepKind, _ x: Int = 0, _ y: Int = 0) -> Int? {
    guard steps.count < MessageRulesLimits.patternStepsMax else { return nil }
    steps.append(PatternStep(kind: kind, x: x, y: y))
    return steps.count - 1
  }

  private mutating func add(_ pattern: Pattern, _ sets: inout PatternSets) -> Bool {
    switch pattern {
    case .any: return append(.any) != nil
    case .set(let set):
      if set.ranges.count == 1, set.ranges[0].count == 1 {
        // A letter may be folded to several characters, which follow one another.
        for scalar in sets.map.fold(set.ranges[0].lowerBound) {
          guard append(.oneOf, sets.index(of: ScalarSet([scalar...scalar]))) != nil else { return false }
        }
        return true
      }
      return append(.oneOf, sets.index(of: sets.folded(set))) != nil
    case .notSet(let set): return append(.oneOf, sets.index(of: sets.folded(set).inverted)) != nil
    case .place(let kind):
      let isWord = kind == .atWord || kind == .notAtWord
      return append(kind, isWord ? sets.index(of: sets.folded(.words)) : 0) != nil
    case .sequence(let parts):
      for part in parts where !add(part, &sets) { return false }
      return true
    case .choice(let parts): return addChoice(parts, &sets)
    case .repeated(let part, let minimum, let maximum): return addRepeated(part, minimum, maximum, &sets)
    }
  }

  private mutating func addChoice(_ parts: [Pattern], _ sets: inout PatternSets) -> Bool {
    var ends: [Int] = []
    for (index, part) in parts.enumerated() {
      guard index + 1 < parts.count else {
        guard add(part, &sets) else { return false }
        break
      }
      guard let split = append(.split) else { return false }
      steps[split].x = steps.count
      guard add(part, &sets), let end = append(.jump) else { return false }
      ends.append(end)
      steps[split].y = steps.count
    }
    for end in ends { steps[end].x = steps.count }
    return true
  }

  private mutating func addRepeated(
    _ part: Pattern, _ minimum: Int, _ maximum: Int?, _ sets: inout PatternSets
  ) -> Bool {
    for _ in 0..<minimum where !add(part, &sets) { return false }
    guard let maximum else {
      guard let split = append(.split) else { return false }
      steps[split].x = steps.count
      guard add(part, &sets), append(.jump, split) != nil else { return false }
      steps[split].y = steps.count
      return true
    }
    var splits: [Int] = []
    for _ in minimum..<max(maximum, minimum) {
      guard let split = append(.split) else { return false }
      steps[split].x = steps.count
      splits.append(split)
      guard add(part, &sets) else { return false }
    }
    for split in splits { steps[split].y = steps.count }
    return true
  }

  /// Whether the end can be reached without a character and without a condition on the position.
  var matchesEmpty: Bool {
    var open = [0]
    var seen: Set<Int> = []
    while let step = open.popLast() {
      guard seen.insert(step).inserted else { continue }
      switch steps[step].kind {
      case .match: return true
      case .split: open += [steps[step].x, steps[step].y]
      case .jump: open.append(steps[step].x)
      default: break
      }
    }
    return false
  }

  /// The characters that a match can start with: the sets that are reached from the first step without a character.
  private func firstCharacters(_ sets: PatternSets) -> ScalarSet? {
    var open = [0]
    var seen: Set<Int> = []
    var result = ScalarSet()
    while let step = open.popLast() {
      guard seen.insert(step).inserted else { continue }
      switch steps[step].kind {
      case .any, .match: return nil
      case .oneOf, .symbol: result = result.union(sets.sets[steps[step].x])
      case .split: open += [steps[step].x, steps[step].y]
      case .jump: open.append(steps[step].x)
      // An expression that only tests positions, such as `^$`, can match without a character.
      case .atStart, .atEnd, .atWord, .notAtWord: open.append(step + 1)
      }
    }
    return result
  }
}
