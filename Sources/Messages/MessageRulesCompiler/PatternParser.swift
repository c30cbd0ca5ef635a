// Parses regular expressions: the common syntax, without the features that need backtracking.
//
// Supported are literals, `.`, classes, `\d \w \s \p{Script}` and their negations, `\b`, `^`, `$`, groups, alternation,
// and `? * + {n,m}`. Greedy and lazy repetitions are equivalent, because only the fact of a match matters.

package import MessageRules

package indirect enum Pattern: Sendable {
  /// One character of a set, as the expression contains it, before folding.
  case set(ScalarSet)
  /// One character that is not in a set. A separate case, because the set must be folded before it is negated.
  case notSet(ScalarSet)
  case any
  case sequence([Pattern])
  case choice([Pattern])
  /// A repeated pattern, with the minimum and the maximum number of repetitions; nil for no maximum.
  case repeated(Pattern, Int, Int?)
  case place(StepKind)

  /// Whether it matches the empty text at any position.
  var matchesEmpty: Bool {
    switch self {
    case .set, .notSet, .any, .place: false
    case .sequence(let parts): parts.allSatisfy(\.matchesEmpty)
    case .choice(let parts): parts.contains(where: \.matchesEmpty)
    case .repeated(let part, let minimum, _): minimum == 0 || part.matchesEmpty
    }
  }
}

/// The reason why an expression is rejected, and the position of the character, from 0.
struct PatternParseError: Error {
  var problem: PatternProblem
  var at: Int
}

struct PatternParser {
  /// The maximum number of repetitions of one part.
  static let repetitionsMax = 1000
  static let depthMax = 32

  private let text: [Unicode.Scalar]
  private var at = 0

  private init(_ text: String) {
    self.text = Array(text.unicodeScalars)
  }

  static func parse(_ text: String) throws(PatternParseError) -> Pattern {
    var parser = PatternParser(text)
    let pattern = try parser.choice(depth: 0)
    if parser.at < parser.text.count { throw parser.parseError(.unmatchedBracket) }
    if pattern.matchesEmpty { throw PatternParseError(problem: .matchesAll, at: 0) }
    return pattern
  }

  private func parseError(_ problem: PatternProblem, at place: Int? = nil) -> PatternParseError {
    PatternParseError(problem: problem, at: place ?? at)
  }

  private var next: Unicode.Scalar? { at < text.count ? text[at] : nil }

  private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    at += 1
    return true
  }

  private mutating func choice(depth: Int) throws(PatternParseError) -> Pattern {
    guard depth < Self.depthMax else { throw parseError(.tooDeep(limit: Self.depthMax)) }
    var parts = [try sequence(depth: depth)]
    while consume("|") { parts.append(try sequence(depth: depth)) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence(depth: Int) throws(PatternParseError) -> Pattern {
    var parts: [Pattern] = []
    while let character = next, character != "|", character != ")" {
      let start = at
      var part = try atom(depth: depth)
      if let (minimum, maximum) = try repetition() {
        if case .place = part { throw parseError(.nothingToRepeat, at: start) }
        part = .repeated(part, minimum, maximum)
        // Lazy and greedy are equivalent; possessive repetitions never backtrack, and so match different texts.
        if !consume("?"), next == "+" { throw parseError(.lookAround) }
        let again = at
        if try repetition() != nil { throw parseError(.nothingToRepeat, at: again) }
      }
      parts.append(part)
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func repetition() throws(PatternParseError) -> (Int, Int?)? {
    switch next {
    case "*":
      at += 1
      return (0, nil)
    case "+":
      at += 1
      return (1, nil)
    case "?":
      at += 1
      return (0, 1)
    case "{": return try counted()
    default: return nil
    }
  }

  /// `{3}`, `{3,}`, `{3,5}`. Any other brace is a literal.
  private mutating func counted() throws(PatternParseError) -> (Int, Int?)? {
    let start = at
    at += 1
    guard let minimum = number() else {
      at = start
      return nil
    }
    var maximum: Int? = minimum
    if consume(",") { maximum = number() }
    guard consume("}") else {
      at = start
      return nil
    }
    let limit = Self.repetitionsMax
    if minimum > limit || (maximum ?? 0) > limit || (maximum.map { $0 < minimum } ?? false) {
      throw parseError(.badRepetition(limit: limit), at: start)
    }
    return (minimum, maximum)
  }

  private mutating func number() -> Int? {
    let start = at
    var value = 0
    while let digit = next, digit.value &- 0x30 < 10 {
      // Limited to a value that exceeds every limit.
      value = min(value * 10 + Int(digit.value - 0x30), 1_000_000)
      at += 1
    }
    return at > start ? value : nil
  }

  private mutating func atom(depth: Int) throws(PatternParseError) -> Pattern {
    let start = at
    guard let character = next else { return .sequence([]) }
    at += 1
    switch character {
    case ".": return .any
    case "^": return .place(.atStart)
    case "$": return .place(.atEnd)
    case "(": return try group(depth: depth, start)
    case "[": return try characterClass(start)
    case "\\": return try escape(start)
    case "*", "+", "?": throw parseError(.nothingToRepeat, at: start)
    default: return .set(ScalarSet([character.value...character.value]))
    }
  }

  private mutating func group(depth: Int, _ start: Int) throws(PatternParseError) -> Pattern {
    if consume("?") {
      switch next {
      case ":": at += 1
      case "=", "!", ">": throw parseError(.lookAround, at: start)
      case "P", "<", "'":
        let isNamed = at + 1 < text.count && text[at + 1] != "=" && text[at + 1] != "!"
        guard isNamed else { throw parseError(.lookAround, at: start) }
        while let character = next, character != ">", character != "'" || text[at - 1] == "?" { at += 1 }
        guard next != nil else { throw parseError(.unclosedGroup, at: start) }
        at += 1
      default: throw parseError(.flags, at: start)
      }
    }
    let inner = try choice(depth: depth + 1)
    guard consume(")") else { throw parseError(.unclosedGroup, at: start) }
    return inner
  }

  private mutating func escape(_ start: Int) throws(PatternParseError) -> Pattern {
    guard let letter = next else { throw parseError(.unknownEscape, at: start) }
    switch letter {
    case "b", "B":
      at += 1
      return .place(letter == "b" ? .atWord : .notAtWord)
    case "A", "Z", "z":
      at += 1
      return .place(letter == "A" ? .atStart : .atEnd)
    case "1"..."9", "k": throw parseError(.backreference, at: start)
    default:
      let (set, isNegated) = try escapedSet(start)
      return isNegated ? .notSet(set) : .set(set)
    }
  }

  /// Parses what follows a backslash, inside or outside a class; `at` is the position of the letter.
  private mutating func escapedSet(_ start: Int) throws(PatternParseError) -> (ScalarSet, isNegated: Bool) {
    guard let letter = next else { throw parseError(.unknownEscape, at: start) }
    at += 1
    func single(_ value: UInt32) -> (ScalarSet, isNegated: Bool) { (ScalarSet([value...value]), false) }
    switch letter {
    case "d": return (.digits, false)
    case "D": return (.digits, true)
    case "w": return (.words, false)
    case "W": return (.words, true)
    case "s": return (.spaces, false)
    case "S": return (.spaces, true)
    case "p", "P": return (try property(start), letter == "P")
    case "n": return single(0x0A)
    case "r": return single(0x0D)
    case "t": return single(0x09)
    case "x": return single(try hexadecimal(2, start))
    case "u": return single(try hexadecimal(4, start))
    default:
      // A letter or digit after a backslash may have a meaning in other dialects: rejecting it is better than
      // misreading it.
      guard letter.isASCII, !letter.properties.isAlphabetic, letter.value &- 0x30 >= 10 else {
        throw parseError(.unknownEscape, at: start)
      }
      return single(letter.value)
    }
  }

  private mutating func property(_ start: Int) throws(PatternParseError) -> ScalarSet {
    guard consume("{") else { throw parseError(.unknownEscape, at: start) }
    var name = ""
    while let character = next, character != "}" {
      name.unicodeScalars.append(character)
      at += 1
    }
    guard consume("}") else { throw parseError(.unknownEscape, at: start) }
    if name == "L" { return .letters(script: nil) }
    let script = TextScript.allCases.first { $0.name == name.lowercased() && $0 != .common }
    guard let script else { throw parseError(.unknownScript(name), at: start) }
    return .letters(script: script.rawValue)
  }

  private mutating func hexadecimal(_ count: Int, _ start: Int) throws(PatternParseError) -> UInt32 {
    var digits = ""
    if consume("{") {
      while let character = next, character != "}", digits.count < 7 {
        digits.unicodeScalars.append(character)
        at += 1
      }
      guard consume("}") else { throw parseError(.unknownEscape, at: start) }
    } else {
      while digits.count < count, let character = next {
        digits.unicodeScalars.append(character)
        at += 1
      }
    }
    guard let value = UInt32(digits, radix: 16), Unicode.Scalar(value) != nil else {
      throw parseError(.unknownEscape, at: start)
    }
    return value
  }

  private mutating func characterClass(_ start: Int) throws(PatternParseError) -> Pattern {
    let isNegated = consume("^")
    var set = ScalarSet()
    var isFirst = true
    while true {
      guard let character = next else { throw parseError(.openClass, at: start) }
      if character == "]", !isFirst {
        at += 1
        break
      }
      isFirst = false
      let place = at
      at += 1
      var part = ScalarSet([character.value...character.value])
      var isOne = true
      if character == "\\" {
        let (escaped, isOpposite) = try escapedSet(place)
        part = isOpposite ? escaped.inverted : escaped
        isOne = escaped.ranges.count == 1 && escaped.ranges[0].count == 1 && !isOpposite
      }
      if isOne, next == "-", at + 1 < text.count, text[at + 1] != "]" {
        at += 1
        part = try range(from: part.ranges[0].lowerBound, place)
      }
      set = set.union(part)
    }
    return isNegated ? .notSet(set) : .set(set)
  }

  /// Parses the end of `a-z`; `at` is the position after the hyphen.
  private mutating func range(from first: UInt32, _ start: Int) throws(PatternParseError) -> ScalarSet {
    guard let character = next else { throw parseError(.openClass, at: start) }
    let place = at
    at += 1
    var last = character.value
    if character == "\\" {
      let (set, isNegated) = try escapedSet(place)
      guard !isNegated, set.ranges.count == 1, set.ranges[0].count == 1 else {
        throw parseError(.badRange, at: start)
      }
      last = set.ranges[0].lowerBound
    }
    guard first <= last else { throw parseError(.badRange, at: start) }
    return ScalarSet([first...last])
  }
}

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

struct PatternProgram {
  private(set) var steps: [PatternStep] = []
  /// The set of characters that a match can start with; nil for any.
  private(set) var first: ScalarSet?

  /// Compiles an expression. Throws if it has too many steps.
  init(_ pattern: Pattern, _ sets: inout PatternSets) throws(PatternProblem) {
    try add(pattern, &sets)
    try append(.match)
    first = firstCharacters(sets)
  }

  /// Appends a step, and returns its index.
  @discardableResult
  private mutating func append(_ kind: StepKind, _ x: Int = 0) throws(PatternProblem) -> Int {
    let limit = MessageRulesLimits.patternStepsMax
    guard steps.count < limit else { throw .tooLarge(limit: limit) }
    steps.append(PatternStep(kind: kind, x: x))
    return steps.count - 1
  }

  /// Appends a step that continues with the next one, and later with another.
  private mutating func appendSplit() throws(PatternProblem) -> Int {
    try append(.split, steps.count + 1)
  }

  private mutating func add(_ pattern: Pattern, _ sets: inout PatternSets) throws(PatternProblem) {
    switch pattern {
    case .any: try append(.any)
    case .set(let set) where set.ranges.count == 1 && set.ranges[0].count == 1:
      // A letter may be folded to several characters, which follow one another.
      for scalar in sets.map.fold(set.ranges[0].lowerBound) {
        try append(.oneOf, sets.index(of: ScalarSet([scalar...scalar])))
      }
    case .set(let set): try append(.oneOf, sets.index(of: sets.folded(set)))
    case .notSet(let set): try append(.oneOf, sets.index(of: sets.folded(set).inverted))
    case .place(let kind):
      let isWord = kind == .atWord || kind == .notAtWord
      try append(kind, isWord ? sets.index(of: sets.folded(.words)) : 0)
    case .sequence(let parts): for part in parts { try add(part, &sets) }
    case .choice(let parts): try addChoice(parts, &sets)
    case .repeated(let part, let minimum, let maximum): try addRepeated(part, minimum, maximum, &sets)
    }
  }

  private mutating func addChoice(_ parts: [Pattern], _ sets: inout PatternSets) throws(PatternProblem) {
    var ends: [Int] = []
    for part in parts.dropLast() {
      let split = try appendSplit()
      try add(part, &sets)
      ends.append(try append(.jump))
      steps[split].y = steps.count
    }
    if let last = parts.last { try add(last, &sets) }
    for end in ends { steps[end].x = steps.count }
  }

  private mutating func addRepeated(
    _ part: Pattern, _ minimum: Int, _ maximum: Int?, _ sets: inout PatternSets
  ) throws(PatternProblem) {
    for _ in 0..<minimum { try add(part, &sets) }
    guard let maximum else {
      let split = try appendSplit()
      try add(part, &sets)
      try append(.jump, split)
      steps[split].y = steps.count
      return
    }
    var splits: [Int] = []
    for _ in minimum..<max(maximum, minimum) {
      splits.append(try appendSplit())
      try add(part, &sets)
    }
    for split in splits { steps[split].y = steps.count }
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
