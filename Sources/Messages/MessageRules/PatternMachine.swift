// Regular expressions over folded texts: all paths through an expression are followed at once (K. Thompson, 1968), so
// the time is at most the text's length times the expression's steps.

import CallStoreFormat

/// A set of steps in insertion order.
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

  /// Adds a step; returns false if the set already contains it.
  mutating func insert(_ step: Int) -> Bool {
    let place = Int(sparse[step])
    if place < count, dense[place] == step { return false }
    dense[count] = UInt16(step)
    sparse[step] = UInt16(count)
    count += 1
    return true
  }
}

/// The memory for matching expressions, which is reused for one expression after another.
struct PatternMachine {
  private var current = StepSet(capacity: MessageRulesLimits.patternStepsMax)
  private var next = StepSet(capacity: MessageRulesLimits.patternStepsMax)
  private var open: ContiguousArray<UInt16> = []

  /// Whether an expression matches anywhere in a folded text.
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
      // No match is in progress: go to the next symbol with which the expression can start.
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

  /// Adds a step and all steps that it leads to without consuming a symbol; returns true if the end of the expression
  /// is among them.
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

/// A position between two symbols.
private struct TextPosition: ~Escapable {
  let at: Int
  let symbols: Span<UInt16>
  /// Whether the text continues here with unknown symbols.
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

  /// Whether a word starts or ends here.
  func isBorder(_ word: Int) -> Bool {
    let before = at > 0 && PatternMachine.contains(classes, wordsEach, word, symbols[at - 1])
    let next = at < symbols.count && PatternMachine.contains(classes, wordsEach, word, symbols[at])
    return before != next
  }
}
