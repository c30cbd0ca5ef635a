// Languages of texts: made-up messages in Conformance/languages.tsv, conditions, and the version of compiled rules.

import Foundation
import TestSupport
import Testing

@testable import MessageRules
@testable import MessageRulesCompiler

@Suite("Languages")
struct LanguageTests {
  /// One rule per language, named by its code.
  private static let everyLanguage =
    "rules:\n"
    + MessageLanguage.allCases.map {
      "  - { name: \($0.code), action: junk, when: { body: { language: \($0.code) } } }\n"
    }.joined()

  private static func language(_ text: String, _ asker: Asker) -> String {
    asker.classify(sender: "", body: text).rule.map { asker.name(ofRule: $0) } ?? "-"
  }

  @Test("made-up messages: docs/commands/message-rules.md has these figures")
  func figures() throws {
    let asker = try classifier(Self.everyLanguage)
    let file = testFolder.appendingPathComponent("Conformance/languages.tsv")
    var (right, undetermined, total) = (0, 0, 0)
    var wrong: [String] = []
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    where !line.hasPrefix("#") {
      let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
      let given = Self.language(parts[1], asker)
      total += 1
      if given == parts[0] {
        right += 1
      } else if given == "-" {
        undetermined += 1
      } else {
        wrong.append("\(parts[0]) \(given)")
      }
    }
    #expect(total == 162)
    #expect(right == 144 && undetermined == 17)
    // A Japanese text without kana looks like a Chinese one.
    #expect(wrong == ["ja zh"])
  }

  @Test("names and links in Latin letters do not change the language; a few foreign letters do not make one")
  func mixed() throws {
    let asker = try classifier(Self.everyLanguage)
    let languages = [
      ("Hello 你好", "zh"), ("iPhone 15 Pro 到货 https://example.com/abcdef", "-"), ("meet me at 微信", "-"),
      ("澳门の娱乐城全场开放欢迎光临", "zh"), ("東京は晴れ", "ja"), ("ｶﾀｶﾅ", "ja"), ("中国 한국어입니다", "ko"), ("", "-"),
      ("12345", "-"), ("hello", "-"), ("ё", "ru"), ("Э", "ru"), ("Ї", "uk"), ("Ґанок", "uk"), ("объём", "ru"),
      ("ъгъл", "bg"), ("път", "bg"), ("ўі", "-"), ("ыі", "-"), ("سلام", "-"), ("كتاب", "ar"), ("کتاب", "fa"),
    ]
    for (text, language) in languages { #expect(Self.language(text, asker) == language, "\(text)") }
  }

  @Test("a text has a language by the first rule that lists it, and an explanation names it")
  func conditions() throws {
    let asker = try classifier(
      "rules: [{ action: junk, when: { body: { language: [ru, uk] } } }, "
        + "{ action: allow, when: { not: { body: { language: ja } } } }]")
    #expect(asker.classify(sender: "", body: "Привіт").action == .junk)
    #expect(asker.classify(sender: "", body: "こんにちは").action == .none)
    #expect(asker.classify(sender: "", body: "hello").action == .allow)
    let tests = asker.explain(sender: "", body: "Привіт", receiver: nil).tests
    #expect(tests.map(\.question) == [.language(.uk)])
    #expect(
      asker.explain(sender: "", body: "hello", receiver: nil).tests.map(\.question).first == .language(nil))
  }

  @Test("an unknown language is an error at its place")
  func unknown() {
    #expect(
      ruleErrors("rules: [{ action: junk, when: { body: { language: [ru, de] } } }]") == [
        "1:56 unknownLanguage"
      ])
  }

  @Test("rules that test languages have version 3, and others version 2, which can't test languages")
  func version() throws {
    var with = try compiled("rules: [{ action: junk, when: { body: { language: ru } } }]")
    let without = try compiled("rules: [{ action: junk, when: { body: { script: cyrillic } } }]")
    #expect(with[RulesLayout.versionAt] == 3 && without[RulesLayout.versionAt] == 2)
    with[RulesLayout.versionAt] = 2
    #expect(throws: CompiledRulesError.damaged(.tests)) { _ = try CompiledRules(bytes: with.span) }
  }
}
