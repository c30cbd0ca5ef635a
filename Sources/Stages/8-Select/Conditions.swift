// Which rules apply: to record fields, and to numbers.

import NumberPlan
import Records

/// The rules' conditions on labels, sources and scores.
struct FieldRules {
  private struct Rule {
    var bit: UInt64
    var tests: [SelectRule.Test]
  }

  private let rules: [Rule]
  /// The rules without such conditions.
  private let others: UInt64

  init(_ rules: [SelectRule]) {
    self.rules = rules.indices.compactMap { index in
      let tests = rules[index].tests.filter { test in
        switch test.condition {
        case .label, .source, .score: true
        case .isRange, .country, .type, .numbers, .lists: false
        }
      }
      return tests.isEmpty ? nil : Rule(bit: SelectVerdicts.bit(index), tests: tests)
    }
    others = ~self.rules.reduce(0) { $0 | $1.bit }
  }

  /// The rules whose conditions hold for record fields.
  ///
  /// - Complexity: O(bytes × patterns).
  func mask(_ recordFields: Span<UInt8>) -> UInt64 {
    if rules.isEmpty { return others }
    let parts = RecordFields.parts(recordFields)
    let label = recordFields.extracting(parts.label)
    let source = recordFields.extracting(parts.source)
    let score = RecordFields.score(recordFields)
    var mask = others
    for rule in rules {
      var holds = true
      for test in rule.tests where holds {
        switch test.condition {
        case .label(let globs): holds = Self.matches(label, globs) != test.isNegated
        case .source(let globs): holds = Self.matches(source, globs) != test.isNegated
        case .score(let scores): holds = scores.contains(score) != test.isNegated
        case .isRange, .country, .type, .numbers, .lists: break
        }
      }
      if holds { mask |= rule.bit }
    }
    return mask
  }

  private static func matches(_ escaped: Span<UInt8>, _ globs: [LabelGlob]) -> Bool {
    for glob in globs where glob.matches(escaped: escaped) { return true }
    return false
  }
}

/// The rules' conditions on numbers. What they select changes only at some numbers, the boundaries of pieces.
struct NumberRules {
  /// Consecutive numbers to which the same rules apply.
  struct Piece {
    var first: UInt64
    var last: UInt64
    /// The rules whose conditions on numbers hold.
    var mask: UInt64

    static let all = Piece(first: 0, last: .max, mask: ~0)

    func intersection(_ other: Piece) -> Piece {
      Piece(first: max(first, other.first), last: min(last, other.last), mask: mask & other.mask)
    }
  }

  /// The rules with such conditions.
  let rules: UInt64
  private(set) var piece: Piece
  private var plan: PlanRules?
  private let sets: PieceTable?

  init(_ rules: [SelectRule], _ context: StageContext) throws(Failure) {
    var sets: [(bit: UInt64, numbers: SelectedNumbers)] = []
    var count = 0
    for (index, rule) in rules.enumerated() {
      guard let numbers = try Self.numbers(rule, context) else { continue }
      count += numbers.ranges.count
      guard count <= SelectedNumbers.rangesMax else {
        throw .tooManyRanges("the rules have too many numbers")
      }
      sets.append((SelectVerdicts.bit(index), numbers))
    }
    let plan = PlanRules(rules)
    let table = sets.isEmpty ? nil : PieceTable(sets)
    self.rules = sets.reduce(plan?.rules ?? 0) { $0 | $1.bit }
    self.plan = plan
    self.sets = table
    // Contains no number.
    piece = Piece(first: 1, last: 0, mask: 0)
    if plan == nil, table == nil { piece = .all }
  }

  /// The numbers that a rule is about; nil if it has no conditions on single numbers.
  private static func numbers(_ rule: SelectRule, _ context: StageContext) throws(Failure) -> SelectedNumbers?
  {
    var result: SelectedNumbers?
    for test in rule.tests {
      let numbers: SelectedNumbers
      switch test.condition {
      case .numbers(let ranges): numbers = ranges
      case .lists(let lists): numbers = try SelectedNumbers(lists: lists, context)
      case .label, .source, .score, .isRange, .country, .type: continue
      }
      let selected = test.isNegated ? numbers.complement : numbers
      result = result.map { $0.intersection(selected) } ?? selected
    }
    return result
  }

  /// Continues in the piece that contains a number.
  mutating func enter(_ number: UInt64) {
    piece = plan?.piece(of: number) ?? .all
    if let sets { piece = piece.intersection(sets.piece(of: number)) }
  }
}

/// The pieces of all numbers.
struct PieceTable {
  private var firsts: [UInt64] = [0]
  private var masks: [UInt64] = [~0]

  /// Creates a table of one piece.
  init() {}

  /// Creates the pieces between the ends of some sets. A rule without a set applies to all numbers.
  init(_ sets: [(bit: UInt64, numbers: SelectedNumbers)]) {
    // The rules change at both ends of each range: no two ranges of a set touch each other.
    var changes: [(number: UInt64, bit: UInt64)] = []
    for (bit, numbers) in sets {
      masks[0] &= ~bit
      for range in numbers.ranges {
        changes.append((range.lowerBound, bit))
        if range.upperBound < .max { changes.append((range.upperBound + 1, bit)) }
      }
    }
    changes.sort { $0.number < $1.number }
    for (number, bit) in changes { append(number, mask: masks[masks.count - 1] ^ bit) }
  }

  /// Appends a piece that starts at a number; the one before ends there.
  mutating func append(_ first: UInt64, mask: UInt64) {
    if first == firsts[firsts.count - 1] {
      masks[masks.count - 1] = mask
    } else if mask != masks[masks.count - 1] {
      firsts.append(first)
      masks.append(mask)
    }
  }

  /// - Complexity: O(log pieces).
  func piece(of number: UInt64) -> NumberRules.Piece {
    let firsts = firsts.span
    var low = 0
    var count = firsts.count
    while count > 1 {
      let half = count &>> 1
      low = firsts[low &+ half] <= number ? low &+ half : low
      count &-= half
    }
    return NumberRules.Piece(
      first: firsts[low], last: low + 1 < firsts.count ? firsts[low + 1] - 1 : .max, mask: masks[low])
  }
}

/// The rules' conditions on countries and types.
private struct PlanRules {
  /// The number of blocks of the numbering plan that are looked up one by one. Then all are looked up once, which takes no
  /// longer, and those to which the same rules apply are joined: about 40,000 pieces, if countries and types are
  /// distinguished, of 1,200,000 blocks.
  static let lookupsMax = 1 << 20

  let rules: UInt64
  private let conditions: [(bit: UInt64, tests: [SelectRule.Test])]
  private var lookups = 0
  private var table: PieceTable?

  init?(_ all: [SelectRule]) {
    conditions = all.indices.compactMap { index in
      let tests = all[index].tests.filter { test in
        switch test.condition {
        case .country, .type: true
        case .label, .source, .score, .isRange, .numbers, .lists: false
        }
      }
      return tests.isEmpty ? nil : (SelectVerdicts.bit(index), tests)
    }
    rules = conditions.reduce(0) { $0 | $1.bit }
    if conditions.isEmpty { return nil }
  }

  mutating func piece(of number: UInt64) -> NumberRules.Piece {
    if let table { return table.piece(of: number) }
    lookups += 1
    if lookups > Self.lookupsMax { table = wholeTable() }
    return block(of: number)
  }

  private func wholeTable() -> PieceTable {
    var table = PieceTable()
    var number: UInt64 = 0
    while number <= PhoneNumber.max {
      let piece = block(of: number)
      table.append(number, mask: piece.mask)
      number = piece.last + 1
    }
    return table
  }

  private func block(of number: UInt64) -> NumberRules.Piece {
    let block = NumberPlan.block(ofDigits: number)
    var mask = ~(0 as UInt64)
    for (bit, tests) in conditions {
      let holds = tests.allSatisfy { test in
        switch test.condition {
        case .country(let regions): (block.region.map(regions.contains) ?? false) != test.isNegated
        case .type(let types): types.contains(block.type) != test.isNegated
        case .label, .source, .score, .isRange, .numbers, .lists: true
        }
      }
      if !holds { mask &= ~bit }
    }
    return NumberRules.Piece(first: block.first, last: block.last, mask: mask)
  }
}
