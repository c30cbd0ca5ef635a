// Rule files: the meaning of conditions, and the places of errors.

import MessageRules
import MessageRulesCompiler
import Testing

@Suite("Rule files")
struct RuleFileTests {
  @Test("all, any and not work as documented, at any depth")
  func logic() throws {
    func leaf(_ letter: String) -> String { "{ body: { contains: \(letter) } }" }
    let conditions: [(String, (Bool, Bool, Bool) -> Bool)] = [
      ("{ all: [\(leaf("x")), \(leaf("y"))] }", { x, y, _ in x && y }),
      (
        "{ any: [\(leaf("x")), { all: [\(leaf("y")), { not: \(leaf("z")) }] }] }",
        { x, y, z in x || (y && !z) }
      ),
      ("{ not: { any: [\(leaf("x")), { not: \(leaf("y")) }] } }", { x, y, _ in !(x || !y) }),
      ("{ body: { contains-all: [x, y], contains-none: [z] } }", { x, y, z in x && y && !z }),
      (
        "{ not: { not: { all: [{ any: [\(leaf("x")), \(leaf("z"))] }, \(leaf("y"))] } } }",
        { x, y, z in (x || z) && y }
      ),
    ]
    for (condition, truth) in conditions {
      let classifier = try classifier(
        "rules:\n  - { action: junk, when: \(condition) }\n  - { action: allow }")
      for bits in 0..<8 {
        let (x, y, z) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0)
        let text = (x ? "x " : "") + (y ? "y " : "") + (z ? "z " : "") + "."
        let verdict = classifier.classify(sender: "", body: text)
        #expect(verdict.rule == (truth(x, y, z) ? 0 : 1), "\(condition) of \(text)")
      }
    }
  }

  @Test("the first rule that matches decides, and stores are identified by their index")
  func stores() throws {
    let text = """
      region: CN
      rules:
        - { name: friends, action: allow, when: { sender: { store: [a.cdstore, b.cdstore] } } }
        - { name: bad, action: junk, when: { sender: { store: b.cdstore } } }
        - { name: rest, action: promotion, sub-action: promotionalOffers }
      """
    var asked: [String] = []
    let classifier = try classifier(text) { store, number in
      asked.append("\(store) \(number)")
      return store == 1 && number == 8_613_800_138_000
    }
    #expect(classifier.storePaths == ["a.cdstore", "b.cdstore"])
    #expect(classifier.classify(sender: "13800138000", body: "").rule == 0)
    #expect(asked == ["0 8613800138000", "1 8613800138000"])
    let verdict = classifier.classify(sender: "NAME", body: "")
    #expect(verdict == MessageVerdict(action: .promotion, subAction: .promotionalOffers, rule: 2))
    #expect(asked.count == 2)
  }

  @Test("a version may be a number with a fraction, and null in quotes is a text")
  func numbersAndWords() throws {
    let classifier = try classifier(
      #"{"version":1.0,"rules":[{"action":"junk","when":{"body":{"contains":["null", true, 5]}}}]}"#)
    for text in ["null", "true", "5"] { #expect(classifier.classify(sender: "", body: text).rule == 0) }
    #expect(classifier.classify(sender: "", body: "false").rule == nil)
  }

  @Test("JSON is read like YAML, surrogates included")
  func json() throws {
    let classifier = try classifier(
      #"{"rules":[{"name":"e","action":"junk","when":{"body":{"contains":["\ud83d\ude00!","\u6fb3\/"]}}}]}"#)
    #expect(classifier.classify(sender: "", body: "a😀!").rule == 0)
    #expect(classifier.classify(sender: "", body: "澳/").rule == 0)
    #expect(classifier.classify(sender: "", body: "😀").rule == nil)
  }

  @Test(
    "an error has its line and column",
    arguments: [
      ("rules: [", "2:1 document"), ("rulez: []", "1:1 unknownKey"), ("version: 1", "1:1 missingKey"),
      ("version: 2\nrules: []", "1:10 unknownVersion"), ("region: XX\nrules: []", "1:9 unknownCountry"),
      ("version: \"1\"\nrules: []", "1:10 unknownVersion"), ("version: null\nrules: []", "1:10 wrongShape"),
      ("rules:\n  - { action: junk, when: { body: { contains: null } } }", "2:47 wrongShape"),
      ("rules:\n  - { action: junk, when: { body: { contains: [a, ~] } } }", "2:51 wrongShape"),
      ("rules:\n  - { action: junk, name: Null }", "2:27 wrongShape"),
      ("rules:\n  - { action: junk, when: { body: { script: Han } } }", "2:45 unknownValue"),
      ("fold: { marks: 1 }\nrules: []", "1:16 wrongShape"), ("rules: x", "1:8 wrongShape"),
      ("rules:\n  - when: {}", "2:5 missingKey"), ("rules:\n  - action: spam", "2:13 unknownValue"),
      ("rules:\n  - { action: junk, sub-action: transactionalFinance }", "2:33 wrongSubAction"),
      ("rules:\n  - { action: junk, when: {} }", "2:27 empty"),
      ("rules:\n  - { action: junk, when: { body: { contain: [x] } } }", "2:37 unknownKey"),
      ("rules:\n  - { action: junk, when: { body: { contains: [] } } }", "2:47 empty"),
      ("rules:\n  - { action: junk, when: { body: { contains: [\"\"] } } }", "2:48 empty"),
      ("rules:\n  - { action: junk, when: { body: { contains: [a, \"\\u200B\"] } } }", "2:51 emptyKeyword"),
      ("rules:\n  - { action: junk, when: { sender: { number: 0123 } } }", "2:47 badNumber"),
      ("rules:\n  - { action: junk, when: { sender: { number: 12..5 } } }", "2:47 badNumber"),
      ("rules:\n  - { action: junk, when: { sender: { number: +861X2 } } }", "2:47 badNumber"),
      ("rules:\n  - { action: junk, when: { body: { link: [https://a.example] } } }", "2:44 badDomain"),
      ("rules:\n  - { action: junk, when: { body: { script: klingon } } }", "2:45 unknownValue"),
      ("rules:\n  - { action: junk, when: { body: { matches: '(a' } } }", "2:46 pattern"),
      ("rules:\n  - { action: junk, name: a }\n  - { action: junk, name: a }", "3:27 repeatedName"),
    ])
  func places(text: String, expected: String) {
    #expect(ruleErrors(text) == [expected])
  }

  @Test("the errors of several rules are all reported")
  func several() {
    #expect(
      ruleErrors("rules:\n  - action: x\n  - action: junk\n  - acton: junk\n") == [
        "2:13 unknownValue", "4:5 unknownKey",
      ])
  }

  @Test("other applications' filters are imported and exported without a change")
  func exchange() throws {
    let bouncer = """
      [{"id":"A","type":"message","phrase":"casino","action":"junk"},
       {"id":"B","type":"any","phrase":"promo.*[0-9]+","action":"promotion","subAction":"promotionCoupons","useRegex":true},
       {"id":"C","type":"sender","phrase":"MAMAN","action":"allow","subAction":"none","caseSensitive":true},
       {"id":"D","type":"message","phrase":"(a)\\\\1","action":"junk","useRegex":true}]
      """
    let imported = try RuleExchange.importing(Array(bouncer.utf8), from: .bouncer)
    #expect(imported.notes == [.filterLeftOut(4, "(a)\\1", .expression(.backreference)), .caseIsFolded(1)])
    let classifier = try classifier(imported.text)
    #expect(classifier.classify(sender: "Maman", body: "casino").action == .allow)
    #expect(classifier.classify(sender: "", body: "Casino").action == .junk)
    #expect(classifier.classify(sender: "promo 5", body: "").subAction == .promotionalCoupons)
    let file = try RuleFileReader.read(Array(imported.text.utf8), file: "x", isRegion: { _ in true })
    for application in [RuleExchange.Application.bouncer, .simplyFilterSMS] {
      let exported = RuleExchange.exporting(file, to: application)
      #expect(exported.notes.isEmpty)
      let again = try RuleExchange.importing(Array(exported.text.utf8), from: application)
      if application == .bouncer { #expect(again.text == imported.text) }
      let classifier = try MessageRulesTests.classifier(again.text)
      #expect(classifier.classify(sender: "Maman", body: "casino").action == .allow)
      #expect(classifier.classify(sender: "promo 5", body: "").action == .promotion)
    }
    #expect(throws: RuleExchangeError.notTheFormat) {
      _ = try RuleExchange.importing(Array("{}".utf8), from: .simplyFilterSMS)
    }
  }

  @Test("links are recognised as a reader recognises them")
  func links() throws {
    let classifier = try classifier("rules:\n  - { action: junk, when: { body: { link: true } } }")
    for text in [
      "see example.com", "HTTPS://x.example/a", "ｗｗｗ．ａ．ｔｅｓｔ", "看abc.top吧", "http://10.0.0.1/",
      "xn--fiqs8s.xn--fiqs8s",
      "http://例子.中国", "bit\u{200B}.ly/1",
    ] {
      #expect(classifier.classify(sender: "", body: text).rule == 0, "\(text)")
    }
    for text in [
      "3.50 today", "e.g. this", "a@example.com", "end.Next", "10.0.0.1", "a..com", "", ".com", "好。再见",
    ] {
      #expect(classifier.classify(sender: "", body: text).rule == nil, "\(text)")
    }
  }
}
