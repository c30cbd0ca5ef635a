// Finds rules that can never match: an earlier rule matches whatever they would match, or their conditions exclude each
// other.
//
// A rule is only reported if that is certain. Of the ways in which a rule can match, each is compared with one earlier
// rule after another; that several of them together may cover it is not examined, except way by way.
//
// Not for: rules that merely did not match some messages (Evaluation).

import CallStoreFormat
package import MessageRules

/// Why a rule can never match.
package enum UnreachableReason: Equatable, Sendable {
  /// Earlier rules match whatever it would match; with the index of the first of them.
  case shadowed(by: Int)
  /// Its conditions exclude each other.
  case contradiction
}

/// Finds rules that can never match.
package struct UnreachableRules {
  /// The maximum number of ways in which a rule can match that are examined; rules with more count as reachable.
  private static let waysMax = 256
  /// The maximum number of answers that are used for one way; with fewer, less follows.
  private static let answersMax = 64
  /// The maximum number of comparisons of answers and tests: about a second.
  private static let stepsMax = 4_000_000

  private var stepsLeft = UnreachableRules.stepsMax
  private let targets: [(onTrue: UInt32, onFalse: UInt32)]
  /// The tests of each rule.
  private let ranges: [Range<Int>]
  /// The rules that test each group, and each other kind of test, in ascending order.
  private var rulesOfGroup: [Int: [Int]] = [:]
  private var rulesOfKind: [TestKind: [Int]] = [:]

  /// The reasons why rules can never match, by the rule's index.
  package static func find(_ rules: borrowing CompiledRules) -> [Int: UnreachableReason] {
    let implications = TestImplications(rules)
    guard var search = UnreachableRules(rules, implications) else { return [:] }
    var reasons: [Int: UnreachableReason] = [:]
    for rule in search.ranges.indices { reasons[rule] = search.reason(rule, implications) }
    return reasons
  }

  /// Nil if the tests of the rules are not in order, as no compiler writes them.
  private init?(_ rules: borrowing CompiledRules, _ implications: borrowing TestImplications) {
    let tests = rules.bytes(of: .tests)
    targets = (0..<rules.count(of: .tests)).map { (tests.u32(16 * $0 + 8), tests.u32(16 * $0 + 12)) }
    let records = rules.bytes(of: .rules)
    let starts = (0..<rules.ruleCount).map { Int(records.u32(24 * $0 + 16)) } + [targets.count]
    guard starts[0] == 0 else { return nil }
    var ranges: [Range<Int>] = []
    for rule in 0..<rules.ruleCount {
      guard starts[rule] < starts[rule + 1] else { return nil }
      let range = starts[rule]..<starts[rule + 1]
      let exit = rule + 1 < rules.ruleCount ? UInt32(range.upperBound) : TestTarget.none
      for test in range {
        for target in [targets[test].onTrue, targets[test].onFalse] {
          let isOwn =
            target & TestTarget.accept != 0
            ? target == TestTarget.accept | UInt32(rule) : target == exit || range.contains(Int(target))
          guard isOwn else { return nil }
        }
        let content = implications.content(test)
        if content.kind == .group {
          rulesOfGroup[content.operand, default: []].append(rule)
        } else if rulesOfKind[content.kind]?.last != rule {
          rulesOfKind[content.kind, default: []].append(rule)
        }
      }
      ranges.append(range)
    }
    self.ranges = ranges
  }

  // MARK: One rule

  private mutating func reason(
    _ rule: Int, _ implications: borrowing TestImplications
  ) -> UnreachableReason? {
    guard let ways = ways(rule, implications) else { return nil }
    if ways.isEmpty { return .contradiction }
    var first: Int?
    for way in ways {
      guard let other = shadow(of: way, before: rule, implications) else { return nil }
      first = min(first ?? other, other)
    }
    return first.map { .shadowed(by: $0) }
  }

  /// The ways in which a rule can match: the answers of the tests on the way. Nil if there are too many.
  private mutating func ways(
    _ rule: Int, _ implications: borrowing TestImplications
  ) -> [[TestAnswer]]? {
    let range = ranges[rule]
    var ways: [[TestAnswer]] = []
    var open: [(test: Int, answers: [TestAnswer])] = [(range.lowerBound, [])]
    var ends = 0
    while let (test, answers) = open.popLast() {
      guard ends < Self.waysMax, stepsLeft > 0 else { return nil }
      let known = answer(test, answers, implications)
      for answer in [false, true] where known == nil || known == answer {
        var answers = answers
        if known == nil, answers.count < Self.answersMax {
          answers.append(TestAnswer(test: test, answer: answer))
        }
        let target = answer ? targets[test].onTrue : targets[test].onFalse
        if target & TestTarget.accept != 0 {
          ways.append(answers)
          ends += 1
        } else if range.contains(Int(target)) {
          open.append((Int(target), answers))
        } else {
          ends += 1
        }
      }
    }
    return ways
  }

  /// The answer of a test that follows from others.
  private mutating func answer(
    _ test: Int, _ answers: [TestAnswer], _ implications: borrowing TestImplications
  ) -> Bool? {
    if implications.content(test).kind == .always { return true }
    for given in answers {
      stepsLeft -= 1
      if let answer = implications.answer(test, given: given) { return answer }
    }
    return nil
  }

  // MARK: Earlier rules

  /// The first earlier rule that matches whatever matches in this way.
  private mutating func shadow(
    of way: [TestAnswer], before rule: Int, _ implications: borrowing TestImplications
  ) -> Int? {
    var candidates = Set(earlier(rulesOfKind[.always], than: rule).prefix(1))
    for given in way {
      let content = implications.content(given.test)
      switch content.kind {
      case .group:
        let groups =
          given.answer
          ? implications.keywords.implied[content.operand] : implications.keywords.implying[content.operand]
        for group in groups { candidates.formUnion(earlier(rulesOfGroup[group], than: rule)) }
        stepsLeft -= groups.count
      case .domain, .link:
        candidates.formUnion(earlier(rulesOfKind[.domain], than: rule))
        candidates.formUnion(earlier(rulesOfKind[.link], than: rule))
      default: candidates.formUnion(earlier(rulesOfKind[content.kind], than: rule))
      }
      stepsLeft -= candidates.count
      guard stepsLeft > 0 else { return nil }
    }
    return candidates.sorted().first { matches($0, way, implications) }
  }

  private func earlier(_ rules: [Int]?, than rule: Int) -> ArraySlice<Int> {
    guard let rules else { return [] }
    return rules.prefix { $0 < rule }
  }

  /// Whether a rule matches every message with these answers: whether no way leads past it.
  private mutating func matches(
    _ rule: Int, _ answers: [TestAnswer], _ implications: borrowing TestImplications
  ) -> Bool {
    let range = ranges[rule]
    var isReached = [Bool](repeating: false, count: range.count)
    isReached[0] = true
    for test in range where isReached[test - range.lowerBound] {
      guard stepsLeft > 0 else { return false }
      let known = answer(test, answers, implications)
      for answer in [false, true] where known == nil || known == answer {
        let target = answer ? targets[test].onTrue : targets[test].onFalse
        if target & TestTarget.accept != 0 { continue }
        guard range.contains(Int(target)) else { return false }
        isReached[Int(target) - range.lowerBound] = true
      }
    }
    return true
  }
}
