// Tests of what is recognised in messages: languages, links and senders.

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
      ("number 你好", "zh"), ("numbers 你好", "-"),
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
        "1:56 unknown-language"
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

@Suite("Links")
struct LinkTests {
  private static let rules = """
    rules:
      - { name: evil, action: junk, when: { body: { link: [evil.org] } } }
      - { name: pay, action: allow, when: { body: { link: [paypal.com] } } }
      - { name: any, action: promotion, when: { body: { link: true } } }
    """

  /// A text, and the rule that matches it.
  static let texts: [(text: String, rule: String?)] = [
    ("http://paypal.com@evil.org/x", "evil"), ("http://paypal.com:80@evil.org", "evil"),
    ("https://me:secret%40@evil.org?paypal.com", "evil"), ("http://_@evil.org", "evil"),
    ("http://a@b@evil.org", "evil"), ("ｈｔｔｐ：／／paypal.com＠evil.org", "evil"),
    ("看http://evil.org谢谢a@b.com", "evil"), ("http://evil.org\\@paypal.com", "evil"),
    ("http://evil.org/@paypal.com", "evil"), ("http://evil.org?@paypal.com", "evil"),
    ("http://evil.org@paypal.com", "pay"), ("https://paypal.com", "pay"), ("http://x@paypal.com", "pay"),
    ("http://me@127.0.0.1/", "any"), ("http://x@evil.organic.org", "any"),
    ("me@evil.org", nil), ("mail a@paypal.com, b@evil.org", nil), ("http://@", nil), ("http://", nil),
  ]

  @Test("a link leads to the host after its user", arguments: texts)
  func user(text: String, rule: String?) throws {
    let classifier = try classifier(Self.rules)
    let verdict = classifier.classify(sender: "", body: text)
    #expect(verdict.rule.map { classifier.name(ofRule: $0) } == rule)
  }

  /// Texts in which paypal.com occurs, and the rule that matches: only a host decides.
  static let forms: [(text: String, rule: String?)] = [
    // What follows a host: a path, a query, a fragment, a port.
    ("http://evil.org/paypal.com", "evil"), ("http://ok.net/paypal.com", "any"),
    ("http://ok.net?paypal.com", "any"), ("http://ok.net#paypal.com", "any"),
    ("http://ok.net/?u=http://paypal.com/", "any"), ("http://ok.net/http://paypal.com", "any"),
    ("http://ok.net/a/b/c?d=e&f=paypal.com#x", "any"), ("http://ok.net\\paypal.com", "any"),
    ("http://ok.net:8080/paypal.com", "any"), ("http://ok.net://paypal.com", "any"),
    ("http://ok.net/路径/paypal.com", "any"), ("http://ok.net/路paypal.com", "any"),
    ("http://ok.net/a,paypal.com", "any"), ("http://ok.net/(paypal.com)", "any"),
    ("http://10.0.0.1/paypal.com", "any"), ("http://例子.中国/paypal.com", "any"),
    ("http://[::1]/paypal.com", "any"), ("http:///ok.net/paypal.com", "any"),
    ("ok.net/paypal.com", "any"), ("ok.net?paypal.com", "any"), ("ok.net:80/paypal.com", "any"),
    ("www.ok.net/paypal.com", "any"), ("看ok.net/paypal.com", "any"), ("host.internal/paypal.com", nil),
    // Hosts that contain the name, and users.
    ("http://paypal.com.ok.net", "any"), ("http://paypal.com-ok.net", "any"),
    ("http://paypal.com_x.ok.net", "any"), ("http://paypal.com,x.ok.net", "any"),
    ("http://notpaypal.com", "any"), ("http://paypal.com%40ok.net", "any"),
    ("http://paypal.com@ok.net", "any"), ("http://paypal.com:1@ok.net/", "any"),
    ("mailto:a@paypal.com", nil), ("a@ok.net/paypal.com", nil),
    // Links to it.
    ("http://PAYPAL.com/", "pay"), ("http://www.paypal.com:443/?x=evil.org", "pay"),
    ("http://pay%70al.com", "pay"), ("http://paypal.com.", "pay"), ("(http://paypal.com)", "pay"),
    ("<a href=\"http://paypal.com\">x</a>", "pay"), ("paypal。com", "pay"), ("paypal.com/evil.org", "pay"),
    ("http://ok.net/x paypal.com", "pay"), ("http://ok.net/x\npaypal.com", "pay"),
    ("http://ok.net/x，paypal.com", "pay"), ("http://ok.net,http://paypal.com", "pay"),
    ("http://a_b.paypal.com", "pay"), ("ok.net,paypal.com", "pay"), ("http:\\\\paypal.com", "pay"),
  ]

  @Test("only the host of a link decides, not its path", arguments: forms)
  func form(text: String, rule: String?) throws {
    let classifier = try classifier(Self.rules)
    let verdict = classifier.classify(sender: "", body: text)
    #expect(verdict.rule.map { classifier.name(ofRule: $0) } == rule)
  }

  @Test("many schemes and users need time in proportion to the text")
  func length() throws {
    let classifier = try classifier(Self.rules)
    for piece in ["http://a@", "a@", "://", "http://", "http://,", "a.b:"] {
      let text = String(repeating: piece, count: 40_000)
      #expect(classifier.classify(sender: "", body: text).rule == nil)
    }
  }
}

@Suite("Senders without a plus sign")
struct SenderTests {
  /// A condition on the sender that +1 408 555 0001 meets.
  static let conditions = [
    #"number: "+14085550001""#, #"number: "+1408*""#, #"is: "+14085550001""#, #"is: "14085550001""#,
    "country: US",
    #"prefix: "+1408""#, #"prefix: "1408""#, #"is: "+1 (408) 555-0001""#,
  ]

  @Test("a number with its country code is found, wherever the receiver is", arguments: conditions)
  func international(condition: String) throws {
    let classifier = try classifier("rules: [{ action: junk, when: { sender: { \(condition) } } }]")
    for receiver in [nil, "US", "CN", "KR", "FR", "DE"] {
      let verdict = classifier.classify(sender: "14085550001", body: "", receiver: receiver)
      #expect(verdict.rule == 0, "\(receiver ?? "nowhere")")
    }
    #expect(classifier.classify(sender: "4930901820", body: "", receiver: "US").rule == nil)
  }

  @Test("a number that is valid in the receiver's country is read as that")
  func national() throws {
    let classifier = try classifier(
      """
      rules:
        - { name: plus, action: junk, when: { sender: { prefix: "+" } } }
        - { name: home, action: allow, when: { sender: { country: CN } } }
      """)
    // +1 380 013 8000 would be a number, too.
    #expect(classifier.classify(sender: "13800138000", body: "", receiver: "CN").rule == 1)
    #expect(classifier.classify(sender: "8613800138000", body: "", receiver: "US").rule == 0)
    #expect(classifier.classify(sender: "12345", body: "", receiver: "US").rule == nil)
  }
}
