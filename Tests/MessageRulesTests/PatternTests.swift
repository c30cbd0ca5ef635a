// Regular expressions against a naive backtracking matcher, and expressions that are refused.

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
      ("(a)\\1", PatternErrorReason.backreference, 4), ("a(?=b)", .lookAround, 2),
      ("(?<!a)b", .lookAround, 1),
      ("a++", .lookAround, 3), ("(?i)a", .flags, 1), ("(a", .unbalanced("("), 1),
      ("ab)", .unbalanced(")"), 3),
      ("[ab", .openClass, 1), ("[z-a]", .badRange, 2), ("*a", .nothingToRepeat, 1),
      ("a**", .nothingToRepeat, 3),
      ("a{3,1}", .badRepetition(limit: 1000), 2), ("a{5000}", .badRepetition(limit: 1000), 2),
      ("\\q", .unknownEscape, 1), ("\\p{Klingon}", .unknownScript("Klingon"), 1), ("(a|b*)", .matchesAll, 1),
      (String(repeating: "(", count: 40) + "a" + String(repeating: ")", count: 40), .tooDeep(limit: 32), 33),
    ])
  func refused(source: String, reason: PatternErrorReason, at: Int) {
    do {
      _ = try PatternParser.parse(source)
      Issue.record("\(source) was not refused")
    } catch {
      #expect(error.reason == reason)
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
