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
        case .label, .source, .score, .days: true
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
    var mask = others
    for rule in rules {
      var holds = true
      for test in rule.tests where holds {
        switch test.condition {
        case .label(let globs):
          let label = recordFields.extracting(0..<RecordFields.labelLength(recordFields))
          holds = Self.matches(label, globs) != test.isNegated
        case .source(let globs):
          let source = recordFields.extracting(RecordFields.parts(recordFields).source)
          holds = Self.matches(source, globs) != test.isNegated
        case .score(let scores):
          holds = scores.contains(RecordFields.score(recordFields)) != test.isNegated
        case .days(let days):
          let day = RecordFields.day(recordFields).map { Int64($0.number) }
          holds = (days.map { day.map($0.contains) ?? false } ?? (day == nil)) != test.isNegated
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
  private let sets: PieceTable

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
    let table = sets.isEmpty ? PieceTable() : PieceTable(sets)
    self.rules = sets.reduce(plan?.rules ?? 0) { $0 | $1.bit }
    self.plan = plan
    self.sets = table
    // Contains no number.
    piece = Piece(first: 1, last: 0, mask: 0)
    if plan == nil, table.isEmpty { piece = .all }
  }

  /// The numbers that a rule is about; nil if it has no conditions on single numbers.
  private static func numbers(_ rule: SelectRule, _ context: StageContext) throws(Failure) -> SelectedNumbers?
  {
    var result: SelectedNumbers?
    for test in rule.tests {
      let numbers: SelectedNumbers
      switch test.condition {
      case .numbers(let ranges): numbers = ranges
      case .lists(let files, let arePrefixes):
        do throws(Failure) {
          numbers =
            try arePrefixes
            ? SelectedNumbers(prefixFiles: files, context) : SelectedNumbers(lists: files, context)
        } catch {
          // A run can't do without the rules, unlike a source.
          var failure = error
          failure.blamesSource = false
          throw failure
        }
      case .label, .source, .score, .days, .isRange, .country, .type: continue
      }
      let selected = test.isNegated ? numbers.complement : numbers
      result = result.map { $0.intersection(selected) } ?? selected
    }
    return result
  }

  /// Continues in the piece that contains a number.
  mutating func enter(_ number: UInt64) {
    piece = plan?.piece(of: number) ?? .all
    if !sets.isEmpty { piece = piece.intersection(sets.piece(of: number)) }
  }
}

/// The pieces of all numbers, or of those from a number on.
struct PieceTable {
  /// Numbers with as many bits and the same bits after the first one are in one bucket.
  private static let bucketBits: UInt64 = 9

  private var firsts: [UInt64] = []
  private var masks: [UInt64] = []
  /// By bucket: the last piece that starts in an earlier one.
  private var starts: [UInt32] = []

  /// Whether there are no pieces, because the table is not needed.
  var isEmpty: Bool { firsts.isEmpty }

  init() {}

  /// Creates the pieces from a number on: `piece` returns the one that contains a number.
  init(from first: UInt64, to last: UInt64, _ piece: (UInt64) -> NumberRules.Piece) {
    var number = first
    while number <= last {
      let next = piece(number)
      append(number, mask: next.mask)
      number = next.last + 1
    }
    index()
  }

  /// Creates the pieces between the ends of some sets. A rule without a set applies to all numbers.
  init(_ sets: [(bit: UInt64, numbers: SelectedNumbers)]) {
    // The rules change at both ends of each range: no two ranges of a set touch each other.
    var changes: [(number: UInt64, bit: UInt64)] = []
    append(0, mask: sets.reduce(~0) { $0 & ~$1.bit })
    for (bit, numbers) in sets {
      for range in numbers.ranges {
        changes.append((range.lowerBound, bit))
        if range.upperBound < .max { changes.append((range.upperBound + 1, bit)) }
      }
    }
    changes.sort { $0.number < $1.number }
    for (number, bit) in changes { append(number, mask: masks[masks.count - 1] ^ bit) }
    index()
  }

  /// Appends a piece that starts at a number; the one before ends there.
  private mutating func append(_ first: UInt64, mask: UInt64) {
    if first == firsts.last {
      masks[masks.count - 1] = mask
    } else if mask != masks.last {
      firsts.append(first)
      masks.append(mask)
    }
  }

  private mutating func index() {
    let buckets = Self.bucket(.max) + 1
    starts = Array(repeating: 0, count: buckets + 1)
    var piece = 0
    for bucket in 0..<buckets {
      while piece + 1 < firsts.count, Self.bucket(firsts[piece + 1]) < bucket { piece += 1 }
      starts[bucket] = UInt32(piece)
    }
    starts[buckets] = UInt32(firsts.count - 1)
  }

  @inline(__always)
  private static func bucket(_ number: UInt64) -> Int {
    if number >> bucketBits == 0 { return Int(number) }
    let shift = UInt64(truncatingIfNeeded: 63 &- number.leadingZeroBitCount) &- bucketBits
    return Int(truncatingIfNeeded: (shift &<< bucketBits) &+ (number &>> shift))
  }

  /// - Complexity: O(log pieces), and O(1) where they are not crowded.
  func piece(of number: UInt64) -> NumberRules.Piece {
    let firsts = firsts.span
    let bucket = Self.bucket(number)
    var low = Int(starts[bucket])
    var count = Int(starts[bucket + 1]) &- low &+ 1
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
  /// The number of blocks of the numbering plan that are looked up one by one, for each length of numbers. Then all of that
  /// length are looked up once, which takes about as long, and those to which the same rules apply are joined: at most 15,573
  /// pieces of 135,972 blocks, if countries and types are distinguished.
  private static let lookupsMax = 1 << 16

  let rules: UInt64
  private let conditions: [(bit: UInt64, tests: [SelectRule.Test])]
  /// By the number of digits: the blocks that were looked up, and the pieces of all numbers.
  private var lookups = [Int](repeating: 0, count: PhoneNumber.digitsMax + 1)
  private var tables = [PieceTable](repeating: PieceTable(), count: PhoneNumber.digitsMax + 1)

  init?(_ all: [SelectRule]) {
    conditions = all.indices.compactMap { index in
      let tests = all[index].tests.filter { test in
        switch test.condition {
        case .country, .type: true
        case .label, .source, .score, .days, .isRange, .numbers, .lists: false
        }
      }
      return tests.isEmpty ? nil : (SelectVerdicts.bit(index), tests)
    }
    rules = conditions.reduce(0) { $0 | $1.bit }
    if conditions.isEmpty { return nil }
  }

  mutating func piece(of number: UInt64) -> NumberRules.Piece {
    let digits = Decimal.digitCount(number)
    if !tables[digits].isEmpty {
      var piece = tables[digits].piece(of: number)
      // The last piece ends with the numbers of that length.
      piece.last = min(piece.last, Decimal.tenToThe(digits) - 1)
      return piece
    }
    lookups[digits] += 1
    if lookups[digits] > Self.lookupsMax {
      let first = Decimal.tenToThe(digits - 1)
      tables[digits] = PieceTable(from: first, to: first * 10 - 1, block)
    }
    return block(of: number)
  }

  private func block(of number: UInt64) -> NumberRules.Piece {
    let block = NumberPlan.block(ofDigits: number)
    var mask = ~(0 as UInt64)
    for (bit, tests) in conditions {
      let holds = tests.allSatisfy { test in
        switch test.condition {
        case .country(let regions): (block.region.map(regions.contains) ?? false) != test.isNegated
        case .type(let types): types.contains(block.type) != test.isNegated
        case .label, .source, .score, .days, .isRange, .numbers, .lists: true
        }
      }
      if !holds { mask &= ~bit }
    }
    return NumberRules.Piece(first: block.first, last: block.last, mask: mask)
  }
}
