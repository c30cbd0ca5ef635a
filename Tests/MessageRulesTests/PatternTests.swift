// Tests that regular expressions and keywords are found where they occur, and nowhere else.

import Foundation
import MessageRules
import TestSupport
import Testing

@testable import MessageRulesCompiler

/// Matches by backtracking, over single characters.
private struct Backtracker {
  let text: [UInt32]

  func matches(_ pattern: Pattern) -> Bool {
    (0...text.count).contains { start in !ends(pattern, from: start).isEmpty }
  }

  private func ends(_ pattern: Pattern, from at: Int) -> Set<Int> {
    switch pattern {
    case .any: return at < text.count ? [at + 1] : []
    case .set(let set): return at < text.count && set.contains(text[at]) ? [at + 1] : []
    case .notSet(let set): return at < text.count && !set.contains(text[at]) ? [at + 1] : []
    case .sequence(let parts):
      return parts.reduce(into: Set([at])) { places, part in
        places = Set(places.flatMap { ends(part, from: $0) })
      }
    case .choice(let parts): return Set(parts.flatMap { ends($0, from: at) })
    case .repeated(let part, let least, let most):
      var all: Set<Int> = least == 0 ? [at] : []
      var places: Set<Int> = [at]
      for count in 1...max(least, most ?? text.count + least + 1, 1) where most != 0 {
        places = Set(places.flatMap { ends(part, from: $0) })
        if count >= least { all.formUnion(places) }
        if places.isEmpty { break }
      }
      return all
    case .place(let kind):
      func isWord(_ index: Int) -> Bool {
        text.indices.contains(index) && ScalarSet.words.contains(text[index])
      }
      let isBorder = isWord(at - 1) != isWord(at)
      let fits =
        switch kind {
        case .atStart: at == 0
        case .atEnd: at == text.count
        case .atWord: isBorder
        default: !isBorder
        }
      return fits ? [at] : []
    }
  }
}

@Suite("Regular expressions")
struct PatternTests {
  /// A random expression over a few letters.
  private static func expression(_ generator: inout SplitMix64, depth: Int) -> String {
    let atoms = ["a", "b", "c", "[ab]", "[^a]", ".", "\\d", "\\w", "1", "^", "$", "\\b", "\\B"]
    let atom = atoms.randomElement(using: &generator) ?? "a"
    guard depth > 0 else { return atom }
    func part() -> String { expression(&generator, depth: depth - 1) }
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: return part() + part()
    case 1: return "(\(part())|\(part()))"
    case 2: return "(?:\(part()))*"
    case 3: return "(\(part()))+"
    case 4: return "(\(part()))?"
    case 5: return "(\(part())){1,3}"
    case 6: return "(\(part())){2}"
    case 7: return part() + part() + part()
    default: return atom
    }
  }

  @Test("random expressions match what exhaustive matching matches")
  func random() throws {
    var generator = SplitMix64(test: "expressions")
    var compiledCount = 0
    while compiledCount < 150 {
      let source = Self.expression(&generator, depth: 3)
      guard let pattern = try? PatternParser.parse(source) else { continue }
      compiledCount += 1
      let rule = "rules:\n  - { action: junk, when: { body: { matches: '\(source)' } } }"
      let classifier = try classifier(rule)
      for _ in 0..<30 {
        let letters = Array("abc1 ")
        let text = String(
          (0..<Int.random(in: 0...9, using: &generator)).map { _ in
            letters.randomElement(using: &generator) ?? "a"
          }
          // Folding replaces several spaces with one.
          .reduce(into: [Character]()) { if !($1 == " " && $0.last == " ") { $0.append($1) } })
        let expected = Backtracker(text: text.unicodeScalars.map(\.value)).matches(pattern)
        let found = classifier.classify(sender: "", body: text).rule != nil
        #expect(found == expected, "seed \(TestSeed.value): \(source) in '\(text)'")
      }
    }
  }

  @Test("an expression is folded like the text")
  func folded() throws {
    func matches(_ source: String, _ text: String, _ fold: String = "{ width: true }") throws -> Bool {
      let classifier = try classifier(
        "fold: \(fold)\nrules:\n  - { action: junk, when: { body: { matches: '\(source)' } } }")
      return classifier.classify(sender: "", body: text).rule != nil
    }
    #expect(try matches("[A-Z]{3}\\d+", "ａｂｃ①②"))
    #expect(try matches("É+t", "ete"))
    #expect(try matches("Straße", "STRASSE"))
    #expect(try matches("加.{0,2}微", "加 ** 我 微"))
    #expect(try matches("^\\p{Han}+$", "你 好"))
    #expect(try !matches("^\\p{Han}+$", "你a好"))
    #expect(try matches("[^a-z]", "1"))
    #expect(try !matches("[^a-z]", "ABC"))
    #expect(try matches("[A-Z]", "A", "{ case: false }"))
    #expect(try !matches("[A-Z]", "a", "{ case: false }"))
    #expect(try matches("\\u{1F600}", "😀"))
    #expect(try matches("a\\.b", "a.b"))
    #expect(try !matches("a\\.b", "axb"))
  }

  @Test(
    "expressions that need backtracking or are invalid are refused, with the place",
    arguments: [
      ("(a)\\1", PatternProblem.backreference, 4), ("a(?=b)", .lookAround, 2),
      ("(?<!a)b", .lookAround, 1),
      ("a++", .lookAround, 3), ("(?i)a", .flags, 1), ("(a", .unclosedGroup, 1),
      ("ab)", .unmatchedBracket, 3),
      ("[ab", .openClass, 1), ("[z-a]", .badRange, 2), ("*a", .nothingToRepeat, 1),
      ("a**", .nothingToRepeat, 3),
      ("a{3,1}", .badRepetition(limit: 1000), 2), ("a{5000}", .badRepetition(limit: 1000), 2),
      ("\\q", .unknownEscape, 1), ("\\p{Klingon}", .unknownScript("Klingon"), 1), ("(a|b*)", .matchesAll, 1),
      (String(repeating: "(", count: 40) + "a" + String(repeating: ")", count: 40), .tooDeep(limit: 32), 33),
    ])
  func refused(source: String, reason: PatternProblem, at: Int) {
    do {
      _ = try PatternParser.parse(source)
      Issue.record("\(source) was not refused")
    } catch {
      #expect(error.problem == reason)
      #expect(error.at + 1 == at)
    }
  }

  @Test("an expression with too many steps, and one that is empty after folding, are refused")
  func large() {
    let nested = "rules:\n  - { action: junk, when: { body: { matches: '((a{50}){50}){50}' } } }"
    #expect(ruleErrors(nested) == ["2:46 pattern"])
    #expect(
      ruleErrors("rules:\n  - { action: junk, when: { body: { matches: \"\\u200B\" } } }") == ["2:46 pattern"]
    )
  }

  @Test("the time is at most the text's length times the steps, whatever the expression")
  func linear() throws {
    let rule = "rules:\n  - { action: junk, when: { body: { matches: '(a|aa)+$|(x+x+)+y' } } }"
    let classifier = try classifier(rule)
    #expect(classifier.classify(sender: "", body: String(repeating: "x", count: 30_000)).rule == nil)
    #expect(classifier.classify(sender: "", body: String(repeating: "a", count: 30_000) + "b").rule == nil)
  }
}

@Suite("Keyword search")
struct KeywordSearchTests {
  /// Few letters, so that keywords share prefixes and suffixes, and contain each other.
  private static func word(_ generator: inout SplitMix64, _ letters: [Character], _ length: ClosedRange<Int>)
    -> String
  {
    String(
      (0..<Int.random(in: length, using: &generator)).map { _ in
        letters.randomElement(using: &generator) ?? "a"
      })
  }

  @Test(
    "each keyword is found at its position, and nowhere else",
    arguments: [("ab", 1...3), ("abc", 2...6), ("澳门俱乐部", 2...4), ("ab澳门é", 1...5), ("abcdefgh", 4...9)])
  func random(letters: String, lengths: ClosedRange<Int>) throws {
    var generator = SplitMix64(test: "keywords \(letters)")
    for _ in 0..<8 {
      let count = Int.random(in: 1...60, using: &generator)
      let letters = Array(letters)
      let keywords = Array(Set((0..<count).map { _ in Self.word(&generator, letters, lengths) }))
      let rules = keywords.enumerated().map {
        "  - { name: k\($0.offset), action: junk, when: { body: { contains: \"\($0.element)\" } } }"
      }
      let classifier = try classifier("fold: { marks: false }\nrules:\n" + rules.joined(separator: "\n"))
      for _ in 0..<60 {
        let text = Self.word(&generator, letters + [" "], 0...40).replacingOccurrences(of: " ", with: "zz")
        let expected = keywords.firstIndex { text.contains($0) }
        let verdict = classifier.classify(sender: "", body: text)
        #expect(verdict.rule == expected, "seed \(TestSeed.value): \(text) among \(keywords)")
      }
    }
  }

  @Test("the automaton finds what the set of prefixes leaves to it")
  func manyBeginnings() throws {
    // At every position of the text, long keywords begin.
    let keywords = (1...40).map { String(repeating: "a", count: 20 + $0) + "b" }
    let classifier = try classifier(keywordRules(keywords))
    let start = String(repeating: "a", count: 20_000)
    #expect(classifier.classify(sender: "", body: start).rule == nil)
    #expect(classifier.classify(sender: "", body: start + "b").rule == 0)
    #expect(classifier.classify(sender: "", body: "b" + start + "ab").rule == 0)
  }

  @Test("a sender is one, begins with one, or contains one")
  func senders() throws {
    let text = """
      rules:
        - { name: is, action: allow, when: { sender: { is: [BANK, "+86 138 0013 8000"] } } }
        - { name: prefix, action: junk, when: { sender: { prefix: ["+8617", "10"] } } }
        - { name: contains, action: promotion, when: { sender: { contains: [SHOP, "999"] } } }
      """
    let classifier = try classifier(text)
    func rule(_ sender: String) -> String? {
      classifier.classify(sender: sender, body: "").rule.map { classifier.name(ofRule: $0) }
    }
    #expect(rule("Bank") == "is")
    #expect(rule("BANKS") == nil)
    #expect(rule("+8613800138000") == "is")
    #expect(rule("(+86) 138") == nil)
    #expect(rule("+86 17-123") == "prefix")
    #expect(rule("861712") == nil)
    #expect(rule("10-69") == "prefix")
    #expect(rule("my shop") == "contains")
    #expect(rule("1 99-9 1") == "contains")
    #expect(rule("") == nil)
  }

  @Test("a text of any length is examined up to the limit")
  func long() throws {
    let classifier = try classifier(keywordRules(["needle"]))
    let limit = MessageRulesLimits.bodySymbolsMax
    #expect(
      classifier.classify(sender: "", body: String(repeating: "x", count: limit - 6) + "needle").rule == 0)
    #expect(
      classifier.classify(sender: "", body: String(repeating: "x", count: limit) + "needle").rule == nil)
  }

  @Test("bytes that are not UTF-8 match no rule")
  func broken() throws {
    let classifier = try classifier(keywordRules(["ab"]))
    let bodies: [[UInt8]] = [
      [0x61, 0xFF, 0x62], [0xE6, 0xBE], [0xF0, 0x9F], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0x62],
    ]
    let rules = bodies.map { classifier.rule(body: $0) }
    #expect(rules == [nil, nil, nil, nil, nil, 0])
  }
}
