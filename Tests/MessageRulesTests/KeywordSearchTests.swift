// The search for all keywords in one pass, against a search for each of them.

import Foundation
import MessageRules
import TestSupport
import Testing

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
