// Warnings about a rule file: rules that can never match, because an earlier rule matches whatever they would match or
// their conditions exclude each other, and sub-actions.
//
// A rule is only reported if that is certain. Of the ways in which a rule can match, each is compared with one earlier
// rule after another; that several of them together may cover it is not examined, except way by way.

import CallStoreFormat
package import MessageRules
import Records

extension RuleFile {
  /// The maximum number of sub-actions that two public apps declare; they state that iOS does not accept more.
  static let subActionsMax = 5

  /// The maximum number of rules that can never match to list.
  static let unreachableMax = 20

  /// What is allowed, but probably unintended, in the order of the rules.
  ///
  /// - Parameter compiled: the same rules, compiled.
  package func warnings(_ compiled: borrowing CompiledRules) -> [String] {
    var warnings = unreachable(compiled)
    if warnings.count > Self.unreachableMax, let mark = rules.first?.mark {
      let more = warnings.count - Self.unreachableMax
      warnings.removeLast(more)
      warnings.append("\(mark.file): \(Figures.counted(UInt64(more), "more rule")) can never match")
    }
    let subActions = Set(rules.map(\.subAction)).subtracting([.none])
    if subActions.count > Self.subActionsMax, let mark = rules.first?.mark {
      warnings.append(
        "\(mark.place): \(subActions.count) different sub-actions; iOS reportedly supports \(Self.subActionsMax) per app"
      )
    }
    return warnings
  }

  private func unreachable(_ compiled: borrowing CompiledRules) -> [String] {
    let catchAll = rules.firstIndex { $0.condition == nil } ?? rules.count
    let reasons = UnreachableRules.find(compiled)
    var warnings: [String] = []
    for (index, rule) in rules.enumerated() {
      let subject = "\(rule.mark.place): rule '\(rule.name)'"
      if index == catchAll + 1 {
        warnings.append(
          "\(subject) is never reached: '\(rules[catchAll].name)' before it matches every message")
      }
      // One warning is enough for all rules after one that matches every message.
      guard index <= catchAll else { break }
      switch reasons[index] {
      case .shadowed(let other):
        warnings.append(
          "\(subject) can never match: '\(rules[other].name)' before it matches whatever it matches")
      case .contradiction: warnings.append("\(subject) can never match: its conditions exclude each other")
      case nil: break
      }
    }
    return warnings
  }
}

/// Why a rule can never match.
package enum UnreachableReason: Equatable, Sendable {
  /// Earlier rules match whatever it would match; with the index of the first of them.
  case shadowed(by: Int)
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
  private mutating func ways(_ rule: Int, _ implications: borrowing TestImplications) -> [[TestAnswer]]? {
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

// What follows from the answer of one test for another one: a sender from France is not one from Spain; a text with a
// link to a domain has a link.
//
// An answer that does not follow from a single other answer is unknown, never guessed.

struct TestAnswer {
  var test: Int
  var answer: Bool
}

struct TestImplications: ~Escapable {
  struct Content {
    var kind: TestKind
    var operand: Int
  }

  let keywords: KeywordImplications
  private let tests: RawSpan
  private let texts: RawSpan
  private let patterns: RawSpan
  private let numberSets: RawSpan
  private let numbers: RawSpan
  private let countrySets: RawSpan
  private let countries: RawSpan
  private let domainSets: RawSpan
  private let domains: RawSpan

  @_lifetime(borrow rules)
  init(_ rules: borrowing CompiledRules) {
    keywords = KeywordImplications(rules)
    tests = rules.bytes(of: .tests)
    texts = rules.bytes(of: .texts)
    patterns = rules.bytes(of: .patterns)
    numberSets = rules.bytes(of: .numberSets)
    numbers = rules.bytes(of: .numbers)
    countrySets = rules.bytes(of: .countrySets)
    countries = rules.bytes(of: .countries)
    domainSets = rules.bytes(of: .domainSets)
    domains = rules.bytes(of: .domains)
  }

  func content(_ test: Int) -> Content {
    // Checked when the rules were opened.
    Content(kind: TestKind(rawValue: tests.u32(16 * test)) ?? .always, operand: Int(tests.u32(16 * test + 4)))
  }

  /// The answer of a test if another one has an answer; nil if it does not follow.
  func answer(_ test: Int, given: TestAnswer) -> Bool? {
    if test == given.test { return given.answer }
    let (asked, known) = (content(test), content(given.test))
    if asked.kind == known.kind, asked.operand == known.operand { return given.answer }
    switch (known.kind, asked.kind) {
    case (_, .always): return true
    case (.domain, .link): return given.answer ? true : nil
    case (.link, .domain): return given.answer ? nil : false
    case (.group, .group):
      if given.answer { return keywords.implied[known.operand].contains(asked.operand) ? true : nil }
      return keywords.implied[asked.operand].contains(known.operand) ? false : nil
    case (.bodyPattern, .bodyPattern), (.senderPattern, .senderPattern):
      return isSameText(known.operand, asked.operand) ? given.answer : nil
    case (.domain, .domain):
      if given.answer { return areDomains(known.operand, in: asked.operand) ? true : nil }
      return areDomains(asked.operand, in: known.operand) ? false : nil
    case (.number, .number), (.senderCountry, .senderCountry), (.receiverCountry, .receiverCountry),
      (.script, .script), (.language, .language):
      return answer(by: compare(known, asked), given.answer)
    default: return nil
    }
  }

  // MARK: Sets

  /// How two sets of values, of which a message has at most one, relate.
  private struct Relation {
    var isSubset: Bool
    var isSuperset: Bool
    var isDisjoint: Bool
  }

  private func answer(by relation: Relation, _ isKnown: Bool) -> Bool? {
    if isKnown { return relation.isSubset ? true : relation.isDisjoint ? false : nil }
    return relation.isSuperset ? false : nil
  }

  private func compare(_ known: Content, _ asked: Content) -> Relation {
    let one = ranges(known)
    let other = ranges(asked)
    return Relation(
      isSubset: Self.isSubset(one, other), isSuperset: Self.isSubset(other, one),
      isDisjoint: Self.isDisjoint(one, other))
  }

  /// A test's set as ascending ranges that neither overlap nor touch.
  private func ranges(_ test: Content) -> [ClosedRange<UInt64>] {
    switch test.kind {
    case .number:
      return range(of: test.operand, numberSets).map {
        let (first, last) = (numbers.u64(16 * $0), numbers.u64(16 * $0 + 8))
        return first...max(first, last)
      }
    case .senderCountry, .receiverCountry:
      return range(of: test.operand, countrySets).map {
        let country = UInt64(countries.u16(2 * $0))
        return country...country
      }
    default: return (0..<UInt64(32)).filter { UInt64(test.operand) >> $0 & 1 != 0 }.map { $0...$0 }
    }
  }

  private func range(of set: Int, _ starts: RawSpan) -> Range<Int> {
    Int(starts.u32(4 * set))..<Int(starts.u32(4 * set + 4))
  }

  private static func isSubset(_ one: [ClosedRange<UInt64>], _ other: [ClosedRange<UInt64>]) -> Bool {
    var at = 0
    for range in one {
      while at < other.count, other[at].upperBound < range.lowerBound { at += 1 }
      guard at < other.count, other[at].lowerBound <= range.lowerBound,
        range.upperBound <= other[at].upperBound
      else { return false }
    }
    return true
  }

  private static func isDisjoint(_ one: [ClosedRange<UInt64>], _ other: [ClosedRange<UInt64>]) -> Bool {
    var at = 0
    for range in one {
      while at < other.count, other[at].upperBound < range.lowerBound { at += 1 }
      if at < other.count, other[at].lowerBound <= range.upperBound { return false }
    }
    return true
  }

  // MARK: Texts

  private func text(_ section: RawSpan, at: Int) -> [UInt8] {
    let start = Int(section.u32(at))
    let text = texts.extracting(start..<start + Int(section.u32(at + 4)))
    return unsafe text.withUnsafeBytes { unsafe Array($0) }
  }

  private func isSameText(_ pattern: Int, _ other: Int) -> Bool {
    text(patterns, at: 24 * pattern + 16) == text(patterns, at: 24 * other + 16)
  }

  /// Whether each domain of a set is one of another set or a subdomain of one.
  private func areDomains(_ set: Int, in other: Int) -> Bool {
    let names = range(of: other, domainSets).map { text(domains, at: 8 * $0) }
    return range(of: set, domainSets).allSatisfy { domain in
      let name = text(domains, at: 8 * domain)
      return names.contains { other in
        name == other || (name.count > other.count && name.suffix(other.count + 1) == [0x2E] + other)
      }
    }
  }
}

// Which keyword conditions hold whenever another one does, because each keyword of the one contains a keyword of the
// other. Keywords are compared as they are folded in the compiled rules.

/// The groups of keywords that a message has whenever it has another group.
struct KeywordImplications {
  /// The maximum number of pairs of a keyword and a keyword in it, and of their groups, that are examined: about a
  /// second. Beyond it, only some implications are found.
  private static let stepsMax = 20_000_000

  /// For each group, the groups that it implies, itself included, in ascending order.
  private(set) var implied: [[Int]]
  /// For each group, the groups that imply it.
  private(set) var implying: [[Int]]

  private struct Occurrence {
    var keyword: Int
    var isPrefix: Bool
    var isWhole: Bool
  }

  init(_ rules: borrowing CompiledRules) {
    let groupCount = rules.count(of: .groups)
    implied = (0..<groupCount).map { [$0] }
    implying = implied
    var stepsLeft = Self.stepsMax
    let occurrences = Self.occurrences(rules, &stepsLeft)
    let groups = rules.bytes(of: .groups)
    let modes = (0..<groupCount).map { groups.u32(4 * $0) }
    let groupsOfKeyword = Self.groups(rules)
    var keywords = [[Int]](repeating: [], count: groupCount)
    for (keyword, groups) in groupsOfKeyword.enumerated() {
      for group in groups { keywords[group].append(keyword) }
    }
    for group in 0..<groupCount {
      // The number of the group's keywords that contain a keyword of the other group.
      var counts: [Int: (count: Int, last: Int)] = [:]
      for keyword in keywords[group] {
        for occurrence in occurrences[keyword] {
          for other in groupsOfKeyword[occurrence.keyword] {
            stepsLeft -= 1
            guard Self.fits(occurrence, modes[group], modes[other]), counts[other]?.last != keyword else {
              continue
            }
            counts[other] = ((counts[other]?.count ?? 0) + 1, keyword)
          }
        }
        guard stepsLeft > 0 else { return }
      }
      for (other, found) in counts where found.count == keywords[group].count && other != group {
        implied[group].append(other)
        implying[other].append(group)
      }
      implied[group].sort()
    }
  }

  /// Whether a text that has a keyword in one way has the keyword in it in another way.
  private static func fits(_ occurrence: Occurrence, _ mode: UInt32, _ other: UInt32) -> Bool {
    guard let mode = MessageTest.Keywords(rawValue: UInt8(truncatingIfNeeded: mode)),
      let other = MessageTest.Keywords(rawValue: UInt8(truncatingIfNeeded: other))
    else { return false }
    switch (mode, other) {
    case (.bodyContains, .bodyContains): return true
    case (.bodyContains, _), (_, .bodyContains): return false
    case (_, .senderContains): return true
    case (.senderPrefix, .senderPrefix), (.senderIs, .senderPrefix): return occurrence.isPrefix
    case (.senderIs, .senderIs): return occurrence.isWhole
    default: return false
    }
  }

  private static func groups(_ rules: borrowing CompiledRules) -> [[Int]] {
    let keywords = rules.bytes(of: .keywords)
    let groups = rules.bytes(of: .keywordGroups)
    return (0..<rules.count(of: .keywords)).map { keyword in
      let first = Int(keywords.u32(16 * keyword + 8))
      return (first..<first + keywords.u16(16 * keyword + 2)).map { Int(groups.u32(4 * $0)) }
    }
  }

  // MARK: The automaton

  /// The keywords that occur in each keyword, itself included.
  private static func occurrences(
    _ rules: borrowing CompiledRules, _ stepsLeft: inout Int
  ) -> [[Occurrence]] {
    let nodes = rules.bytes(of: .nodes)
    let ends = rules.bytes(of: .nodeKeywords)
    let keywords = rules.bytes(of: .keywords)
    var found = [[Occurrence]](repeating: [], count: rules.count(of: .keywords))
    for index in 0..<rules.count(of: .nodes) {
      let node = KeywordNode(word: nodes.u64(8 * index))
      guard node.isEnd, stepsLeft > 0 else { continue }
      let keyword = Int(ends.u32(4 * index))
      // A node where a shorter keyword ends is not that of the keyword.
      let length = keywords.u16(16 * keyword)
      guard let symbols = symbols(to: index, length, nodes) else { continue }
      search(rules, symbols, &stepsLeft) { other, end in
        let otherLength = keywords.u16(16 * other)
        found[keyword].append(
          Occurrence(keyword: other, isPrefix: end == otherLength, isWhole: otherLength == length))
      }
    }
    return found
  }

  /// The symbols on the way from the root to a node; nil if there are more or fewer than `length`.
  private static func symbols(to index: Int, _ length: Int, _ nodes: RawSpan) -> [Int]? {
    var symbols: [Int] = []
    var at = index
    while at != 0 {
      let parent = KeywordNode(word: nodes.u64(8 * at)).from
      guard symbols.count < length, 8 * parent < nodes.byteCount else { return nil }
      symbols.append(at - KeywordNode(word: nodes.u64(8 * parent)).base)
      at = parent
    }
    return symbols.count == length ? symbols.reversed() : nil
  }

  /// Finds all keywords in a text, with the position after each.
  private static func search(
    _ rules: borrowing CompiledRules, _ symbols: [Int], _ stepsLeft: inout Int,
    _ found: (_ keyword: Int, _ end: Int) -> Void
  ) {
    let nodes = rules.bytes(of: .nodes)
    let ends = rules.bytes(of: .nodeKeywords)
    let keywords = rules.bytes(of: .keywords)
    var state = 0
    for (index, symbol) in symbols.enumerated() {
      while stepsLeft > 0 {
        stepsLeft -= 1
        let node = KeywordNode(word: nodes.u64(8 * state))
        let target = node.base + symbol
        if 8 * target < nodes.byteCount, KeywordNode(word: nodes.u64(8 * target)).from == state {
          state = target
          break
        }
        if state == 0 { break }
        state = node.fail
      }
      guard KeywordNode(word: nodes.u64(8 * state)).isEnd else { continue }
      var keyword = ends.u32(4 * state)
      while keyword != UInt32.max {
        stepsLeft -= 1
        found(Int(keyword), index + 1)
        keyword = keywords.u32(16 * Int(keyword) + 4)
      }
    }
  }
}
