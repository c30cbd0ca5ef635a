// Rule files: the meaning of conditions, and the places of errors.

import NumberPlan
import Records
import TestSupport
import Testing

@testable import MessageRules
@testable import MessageRulesCompiler

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
      ("rules: [", "2:1 document"), ("rulez: []", "1:1 unknown-key"), ("version: 1", "1:1 missing-key"),
      ("version: 2\nrules: []", "1:10 unknown-version"), ("region: XX\nrules: []", "1:9 unknown-country"),
      ("version: \"1\"\nrules: []", "1:10 unknown-version"), ("version: null\nrules: []", "1:10 wrong-shape"),
      ("rules:\n  - { action: junk, when: { body: { contains: null } } }", "2:47 wrong-shape"),
      ("rules:\n  - { action: junk, when: { body: { contains: [a, ~] } } }", "2:51 wrong-shape"),
      ("rules:\n  - { action: junk, name: Null }", "2:27 wrong-shape"),
      ("rules:\n  - { action: junk, when: { body: { script: Han } } }", "2:45 unknown-value"),
      ("fold: { marks: 1 }\nrules: []", "1:16 wrong-shape"), ("rules: x", "1:8 wrong-shape"),
      ("rules:\n  - when: {}", "2:5 missing-key"), ("rules:\n  - action: spam", "2:13 unknown-value"),
      ("rules:\n  - { action: junk, sub-action: transactionalFinance }", "2:33 wrong-sub-action"),
      ("rules:\n  - { action: junk, when: {} }", "2:27 empty"),
      ("rules:\n  - { action: junk, when: { body: { contain: [x] } } }", "2:37 unknown-key"),
      ("rules:\n  - { action: junk, when: { body: { contains: [] } } }", "2:47 empty"),
      ("rules:\n  - { action: junk, when: { body: { contains: [\"\"] } } }", "2:48 empty"),
      ("rules:\n  - { action: junk, when: { body: { contains: [a, \"\\u200B\"] } } }", "2:51 empty-keyword"),
      ("rules:\n  - { action: junk, when: { sender: { number: 0123 } } }", "2:47 bad-number"),
      ("rules:\n  - { action: junk, when: { sender: { number: 12..5 } } }", "2:47 bad-number"),
      ("rules:\n  - { action: junk, when: { sender: { number: +861X2 } } }", "2:47 bad-number"),
      ("rules:\n  - { action: junk, when: { body: { link: [https://a.example] } } }", "2:44 bad-domain"),
      ("rules:\n  - { action: junk, when: { body: { script: klingon } } }", "2:45 unknown-value"),
      ("rules:\n  - { action: junk, when: { body: { matches: '(a' } } }", "2:46 pattern"),
      ("rules:\n  - { action: junk, name: a }\n  - { action: junk, name: a }", "3:27 repeated-name"),
    ])
  func places(text: String, expected: String) {
    #expect(ruleErrors(text) == [expected])
  }

  @Test("the errors of several rules are all reported")
  func several() {
    #expect(
      ruleErrors("rules:\n  - action: x\n  - action: junk\n  - acton: junk\n") == [
        "2:13 unknown-value", "4:5 unknown-key",
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
    let imported = try RuleExchange.importing(Array(bouncer.utf8), path: "x", from: .bouncer)
    #expect(
      imported.notes == [
        "skipped filter 4 '(a)\\1': backreferences are not supported",
        "1 filter is case-sensitive; the rules are not, unless you write 'fold: { case: false }'",
      ])
    let classifier = try classifier(imported.text)
    #expect(classifier.classify(sender: "Maman", body: "casino").action == .allow)
    #expect(classifier.classify(sender: "", body: "Casino").action == .junk)
    #expect(classifier.classify(sender: "promo 5", body: "").subAction == .promotionalCoupons)
    let file = try RuleFileReader.read(Array(imported.text.utf8), file: "x", isRegion: { _ in true })
    for application in [RuleExchange.Application.bouncer, .simplyFilterSMS] {
      let exported = RuleExchange.exporting(file, to: application)
      #expect(exported.notes.isEmpty)
      let again = try RuleExchange.importing(Array(exported.text.utf8), path: "x", from: application)
      if application == .bouncer { #expect(again.text == imported.text) }
      let classifier = try MessageRulesTests.classifier(again.text)
      #expect(classifier.classify(sender: "Maman", body: "casino").action == .allow)
      #expect(classifier.classify(sender: "promo 5", body: "").action == .promotion)
    }
    do throws(Failure) {
      _ = try RuleExchange.importing(Array("{}".utf8), path: "x", from: .simplyFilterSMS)
      Issue.record("a file of another application")
    } catch {
      #expect(error.code == "not-the-format")
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

@Suite("Rules that can never match")
struct UnreachableRuleTests {
  /// The reasons by rule: the index of the rule that matches before it, or -1 for a contradiction.
  private static func unreachable(_ text: String) throws -> [Int: Int] {
    let bytes = try compiled(text)
    let rules = try CompiledRules(bytes: bytes.span)
    return UnreachableRules.find(rules).mapValues { reason in
      if case .shadowed(let other) = reason { other } else { -1 }
    }
  }

  /// Rules with these conditions; an empty one matches every message.
  private static func rules(_ conditions: [String]) -> String {
    "rules:\n"
      + conditions.map { $0.isEmpty ? "  - { action: junk }\n" : "  - { action: junk, when: \($0) }\n" }
      .joined()
  }

  @Test(
    "the second rule never matches",
    arguments: [
      ("", "{ body: { link: true } }"), ("", ""),
      ("{ body: { contains: [casino, bonus] } }", "{ body: { contains: casino } }"),
      ("{ body: { contains: casino } }", "{ body: { contains: [the casino, CASINOS] } }"),
      ("{ body: { contains: 门 } }", "{ body: { contains: '澳 门' } }"),
      ("{ body: { contains: a } }", "{ body: { contains-all: [x, cat] } }"),
      ("{ any: [{ body: { contains: a } }, { sender: { is: X } }] }", "{ sender: { is: x } }"),
      ("{ sender: { prefix: AB } }", "{ sender: { is: [ABC, 'AB 1'] } }"),
      ("{ sender: { contains: B } }", "{ sender: { prefix: ABC } }"),
      ("{ body: { contains-none: [a, b] } }", "{ body: { contains-none: [a, b, c] } }"),
      ("{ sender: { country: [CN, KR] } }", "{ sender: { country: KR }, body: { contains: a } }"),
      ("{ not: { sender: { country: CN } } }", "{ sender: { country: [KR, JP] } }"),
      ("{ receiver: { country: [CN, KR] } }", "{ receiver: { country: KR } }"),
      ("{ sender: { number: +86170* } }", "{ sender: { number: [+8617000000001, +861701*] } }"),
      ("{ body: { link: true } }", "{ body: { link: [example.com] } }"),
      ("{ body: { link: [example.com] } }", "{ body: { link: [a.example.com, example.com] } }"),
      ("{ body: { matches: 'a+b' } }", "{ body: { matches: 'a+b', link: true } }"),
      ("{ body: { script: [han, latin] } }", "{ body: { script: han } }"),
      ("{ body: { language: [ru, uk] } }", "{ body: { language: uk } }"),
    ])
  func shadowed(first: String, second: String) throws {
    #expect(try Self.unreachable(Self.rules([first, second])) == [1: 0])
  }

  @Test(
    "the second rule may match",
    arguments: [
      ("{ body: { link: true } }", ""), ("{ body: { contains: casino } }", "{ body: { contains: casin } }"),
      ("{ body: { contains: a } }", "{ body: { contains: [cat, dog] } }"),
      ("{ body: { contains: a }, sender: { is: x } }", "{ body: { contains: a } }"),
      ("{ body: { contains: a } }", "{ sender: { contains: a } }"),
      ("{ sender: { is: ABC } }", "{ sender: { prefix: ABC } }"),
      ("{ sender: { prefix: B } }", "{ sender: { is: ABC } }"),
      ("{ body: { contains-none: [a, b] } }", "{ body: { contains-none: a } }"),
      ("{ sender: { country: CN } }", "{ sender: { country: [CN, KR] } }"),
      ("{ not: { sender: { country: CN } } }", "{ sender: { country: CN } }"),
      ("{ sender: { country: CN } }", "{ receiver: { country: CN } }"),
      ("{ body: { link: [example.com] } }", "{ body: { link: [badexample.com] } }"),
      ("{ body: { link: [a.example.com] } }", "{ body: { link: [example.com] } }"),
      ("{ body: { matches: a } }", "{ sender: { matches: a } }"),
      ("{ body: { matches: a } }", "{ body: { matches: ab } }"),
    ])
  func reachable(first: String, second: String) throws {
    #expect(try Self.unreachable(Self.rules([first, second])) == [:])
  }

  @Test(
    "conditions that exclude each other",
    arguments: [
      "{ body: { contains: the casino, contains-none: casino } }",
      "{ sender: { country: JP }, not: { sender: { country: [CN, JP] } } }",
      "{ sender: { country: JP }, all: [{ sender: { country: KR } }] }",
      "{ body: { link: [example.com] }, not: { body: { link: true } } }",
      "{ body: { script: han }, not: { body: { script: [han, latin] } } }",
    ])
  func contradiction(condition: String) throws {
    #expect(try Self.unreachable(Self.rules([condition])) == [0: -1])
  }

  @Test("each way in which a rule can match may be covered by another rule; the first of them is named")
  func ways() throws {
    let both = "{ any: [{ body: { matches: a } }, { sender: { is: x } }] }"
    #expect(
      try Self.unreachable(Self.rules(["{ sender: { is: x } }", "{ body: { matches: a } }", both])) == [2: 0])
    #expect(try Self.unreachable(Self.rules(["{ body: { matches: a } }", both])) == [:])
  }

  @Test("of many rules, those that can never match are found")
  func many() throws {
    let conditions = (0..<400).map { "{ body: { contains: k\($0) } }" }
    let unreachable = try Self.unreachable(Self.rules(conditions + ["{ body: { contains: zzz } }"]))
    // k1 is in k10, k11 … and k100 …; the other rules may match.
    let expected = (0..<400).filter { $0 >= 10 && $0 / 10 > 0 }
    #expect(unreachable.keys.sorted() == expected)
    #expect(unreachable[10] == 1 && unreachable[399] == 3)
  }

  // MARK: Random rules

  /// A random condition over few values, so that conditions often imply each other.
  private static func condition(_ random: inout SplitMix64, depth: Int = 2) -> String {
    func word(_ random: inout SplitMix64) -> String {
      (0...random.below(2)).map { _ in ["a", "b", "c"][random.below(3)] }.joined()
    }
    func list(_ values: [String], _ random: inout SplitMix64) -> String {
      "[" + (0...random.below(3)).map { _ in values[random.below(values.count)] }.joined(separator: ", ")
        + "]"
    }
    if depth > 0, random.below(3) == 0 {
      let parts = (0...random.below(2)).map { _ in condition(&random, depth: depth - 1) }
      switch random.below(3) {
      case 0: return "{ all: [\(parts.joined(separator: ", "))] }"
      case 1: return "{ any: [\(parts.joined(separator: ", "))] }"
      default: return "{ not: \(parts[0]) }"
      }
    }
    let words = "[" + (0...random.below(3)).map { _ in word(&random) }.joined(separator: ", ") + "]"
    switch random.below(14) {
    case 0...2: return "{ body: { contains: \(words) } }"
    case 3: return "{ body: { contains-all: \(words) } }"
    case 4: return "{ body: { contains-none: \(words) } }"
    case 5: return "{ sender: { is: \(words) } }"
    case 6: return "{ sender: { contains: \(words) } }"
    case 7: return "{ sender: { prefix: \(words) } }"
    case 8: return "{ sender: { country: \(list(["CN", "KR", "JP"], &random)) } }"
    case 9: return "{ receiver: { country: \(list(["CN", "KR"], &random)) } }"
    case 10: return "{ body: { link: \(list(["a.com", "b.a.com", "c.com"], &random)) } }"
    case 11: return "{ body: { link: \(random.below(2) == 0) } }"
    case 12: return "{ body: { script: \(list(["latin", "han", "cyrillic"], &random)) } }"
    default: return "{ sender: { number: \(list(["+86138*", "+861381*", "+8210*"], &random)) } }"
    }
  }

  @Test("no message matches a rule that is reported")
  func random() throws {
    let seed = TestSeed.value
    var random = SplitMix64(seed: seed)
    var found = 0
    let senders = [
      "a", "ab", "abc", "b", "ca", "8613800138000", "+8613810138000", "+821012345678", "+81312345678",
    ]
    let pieces = [
      "a", "b", "c", "ab", "bc ", " ", "门", "澳门开户", "Привет ", " a.com ", " x.b.a.com ", " c.com ",
    ]
    // Compiling takes longest, so there are many rules in each file.
    for round in 0..<25 {
      let text = Self.rules((0..<30).map { _ in Self.condition(&random) })
      let bytes = try compiled(text)
      let unreachable = UnreachableRules.find(try CompiledRules(bytes: bytes.span))
      found += unreachable.count
      let asker = Asker(try CompiledRules(bytes: bytes.span))
      for _ in 0..<600 {
        let body = (0..<random.below(5)).map { _ in pieces[random.below(pieces.count)] }.joined()
        let verdict = asker.classify(
          sender: senders[random.below(senders.count)], body: body,
          receiver: [nil, "CN", "KR"][random.below(3)])
        guard let rule = verdict.rule, unreachable[rule] != nil else { continue }
        Issue.record("seed \(seed), round \(round): rule \(rule) matches '\(body)'\n\(text)")
        return
      }
    }
    #expect(found > 100, "seed \(seed)")
  }
}

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
