// Texts beyond the limits: the rest is ignored, and the cut does not count as an end.

import MessageRules
import Testing

@Suite("Limits of a text")
struct LimitTests {
  private static let limit = MessageRulesLimits.bodySymbolsMax

  /// One rule for texts that an expression matches.
  private static func rule(_ expression: String) -> String {
    "rules:\n  - { name: one, action: junk, when: { body: { matches: '\(expression)' } } }\n"
  }

  @Test("`$` matches at the end of a text, and not where it is cut", arguments: ["bc$", "bc\\b"])
  func end(expression: String) throws {
    let classifier = try classifier(Self.rule(expression))
    let filling = String(repeating: "a", count: Self.limit - 3) + "-"
    #expect(classifier.classify(sender: "", body: filling + "bc").rule == 0)
    #expect(classifier.classify(sender: "", body: filling + "bcd").rule == nil)
    #expect(classifier.classify(sender: "", body: "bc").rule == 0)
  }

  @Test("a character that folds into several can be cut in two")
  func expansion() throws {
    let classifier = try classifier(Self.rule("s$"))
    let filling = String(repeating: "a", count: Self.limit - 1)
    #expect(classifier.classify(sender: "", body: filling + "s").rule == 0)
    #expect(classifier.classify(sender: "", body: filling + "ß").rule == nil)
  }

  @Test("a keyword is found before the limit, and not after it")
  func keyword() throws {
    let classifier = try classifier(keywordRules(["casino"]))
    let filling = String(repeating: "a", count: Self.limit - 6)
    #expect(classifier.classify(sender: "", body: filling + "casino!").rule == 0)
    #expect(classifier.classify(sender: "", body: filling + "acasino").rule == nil)
  }

  @Test("a host that is cut does not match")
  func host() throws {
    let classifier = try classifier(
      "rules:\n  - { name: one, action: junk, when: { body: { link: [evil.co] } } }\n")
    let filling = String(repeating: "a", count: Self.limit - 8) + " "
    #expect(classifier.classify(sender: "", body: filling + "evil.co").rule == 0)
    #expect(classifier.classify(sender: "", body: filling + "evil.company").rule == nil)
  }

  @Test("a sender equals a keyword only as a whole")
  func sender() throws {
    let name = String(repeating: "ab", count: MessageRulesLimits.keywordSymbolsMax / 2)
    let classifier = try classifier(
      "rules:\n  - { name: one, action: junk, when: { sender: { is: \(name) } } }\n")
    #expect(classifier.classify(sender: name, body: "").rule == 0)
    #expect(classifier.classify(sender: name + String(repeating: "ab", count: 300), body: "").rule == nil)
  }
}
