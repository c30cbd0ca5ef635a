// Regular expressions over folded texts: all ways through an expression are followed at once (K. Thompson, 1968), so
// the time is the text's length times the expression's steps at most, whatever both are.

import CallStoreFormat

/// A set of steps: in order of their coming, and each once.
private struct StepSet {
  private var dense: ContiguousArray<UInt16>
  private var sparse: ContiguousArray<UInt16>
  private(set) var count = 0

  init(capacity: Int) {
    dense = ContiguousArray(repeating: 0, count: capacity)
    sparse = ContiguousArray(repeating: 0, count: capacity)
  }

  mutating func removeAll() { count = 0 }

  subscript(index: Int) -> Int { Int(dense[index]) }

  /// Adds a step; false if it is there.
  mutating func insert(_ step: Int) -> Bool {
    let place = Int(sparse[step])
    if place < count, dense[place] == step { return false }
    dense[count] = UInt16(step)
    sparse[step] = UInt16(count)
    count += 1
    return true
  }
}

/// The memory for following expressions; one serves all expressions, one after another.
struct PatternMachine {
  private var current = StepSet(capacity: MessageRulesLimits.patternStepsMax)
  private var next = StepSet(capacity: MessageRulesLimits.patternStepsMax)
  private var open: ContiguousArray<UInt16> = []

  /// Whether an expression matches somewhere in a folded text.
  ///
  /// - Complexity: O(symbols × steps).
  mutating func matches(
    _ pattern: Int, of rules: borrowing CompiledRules, _ buffer: borrowing SymbolBuffer
  ) -> Bool {
    let patterns = rules.bytes(of: .patterns)
    let stepsAt = 16 * Int(patterns.u32(24 * pattern))
    let first = Int(patterns.u32(24 * pattern + 8))
    let steps = rules.bytes(of: .patternSteps)
    let classes = rules.bytes(of: .classes)
    let wordsEach = (rules.header.symbolCount + 63) / 64
    let symbols = buffer.symbols
    current.removeAll()
    var at = 0
    while true {
      // Nothing is under way: go to the next symbol that an expression can begin with.
      if current.count == 0 {
        while at < symbols.count, !Self.contains(classes, wordsEach, first, symbols[at]) { at += 1 }
      }
      let place = TextPosition(
        at: at, symbols: symbols, isCut: buffer.isCut, classes: classes, wordsEach: wordsEach)
      if follow(0, steps, stepsAt, place) { return true }
      guard at < symbols.count else { return false }
      let symbol = symbols[at]
      let after = TextPosition(
        at: at + 1, symbols: symbols, isCut: buffer.isCut, classes: classes, wordsEach: wordsEach)
      swap(&current, &next)
      current.removeAll()
      for index in 0..<next.count {
        let step = next[index]
        let record = stepsAt + 16 * step
        let matches: Bool
        switch StepKind(rawValue: steps.u32(record)) {
        case .symbol: matches = steps.u32(record + 4) == UInt32(symbol)
        case .oneOf: matches = Self.contains(classes, wordsEach, Int(steps.u32(record + 4)), symbol)
        case .any: matches = true
        default: matches = false
        }
        if matches, follow(step + 1, steps, stepsAt, after) { return true }
      }
      at += 1
    }
  }

  /// Adds a step and all that it leads to without a symbol; true if that is the end of the expression.
  private mutating func follow(_ start: Int, _ steps: RawSpan, _ stepsAt: Int, _ place: TextPosition) -> Bool
  {
    open.removeAll(keepingCapacity: true)
    open.append(UInt16(start))
    while let top = open.popLast() {
      let step = Int(top)
      guard current.insert(step) else { continue }
      let record = stepsAt + 16 * step
      switch StepKind(rawValue: steps.u32(record)) {
      case .match: return true
      case .jump: open.append(UInt16(truncatingIfNeeded: steps.u32(record + 4)))
      case .split:
        open.append(UInt16(truncatingIfNeeded: steps.u32(record + 8)))
        open.append(UInt16(truncatingIfNeeded: steps.u32(record + 4)))
      case .atStart: if place.at == 0 { open.append(UInt16(step + 1)) }
      case .atEnd: if place.isEnd { open.append(UInt16(step + 1)) }
      case .atWord:
        if !place.isCut, place.isBorder(Int(steps.u32(record + 4))) { open.append(UInt16(step + 1)) }
      case .notAtWord:
        if !place.isCut, !place.isBorder(Int(steps.u32(record + 4))) { open.append(UInt16(step + 1)) }
      case .symbol, .oneOf, .any, nil: break
      }
    }
    return false
  }

  @inline(__always)
  fileprivate static func contains(
    _ classes: RawSpan, _ wordsEach: Int, _ index: Int, _ symbol: UInt16
  ) -> Bool {
    classes.u64(8 &* (index &* wordsEach &+ Int(symbol >> 6))) >> UInt64(symbol & 63) & 1 != 0
  }
}

/// A place between two symbols.
private struct TextPosition: ~Escapable {
  let at: Int
  let symbols: Span<UInt16>
  /// Whether the text goes on here, and nobody knows how.
  let isCut: Bool
  let classes: RawSpan
  let wordsEach: Int

  @_lifetime(copy symbols, copy classes)
  init(at: Int, symbols: Span<UInt16>, isCut: Bool, classes: RawSpan, wordsEach: Int) {
    self.at = at
    self.symbols = symbols
    self.isCut = isCut && at == symbols.count
    self.classes = classes
    self.wordsEach = wordsEach
  }

  /// Whether the text ends here.
  var isEnd: Bool { at == symbols.count && !isCut }

  /// Whether a word begins or ends here.
  func isBorder(_ word: Int) -> Bool {
    let before = at > 0 && PatternMachine.contains(classes, wordsEach, word, symbols[at - 1])
    let next = at < symbols.count && PatternMachine.contains(classes, wordsEach, word, symbols[at])
    return before != next
  }
}
