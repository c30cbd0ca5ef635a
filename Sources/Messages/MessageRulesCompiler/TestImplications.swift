// What follows from the answer of one test for another one: a sender from France is not one from Spain; a text with a
// link to a domain has a link.
//
// An answer that does not follow from a single other answer is unknown, never guessed.

import CallStoreFormat
import MessageRules

/// The answer of a test.
struct TestAnswer {
  var test: Int
  var answer: Bool
}

/// Compares the tests of compiled rules.
struct TestImplications: ~Escapable {
  /// The content of a test.
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

  /// The content of a test.
  func content(_ test: Int) -> Content {
    // Checked when the rules were opened.
    Content(
      kind: TestKind(rawValue: tests.u32(16 * test)) ?? .always, operand: Int(tests.u32(16 * test + 4)))
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
    default:
      return (0..<UInt64(32)).filter { UInt64(test.operand) >> $0 & 1 != 0 }.map { $0...$0 }
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
