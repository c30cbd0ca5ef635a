// Rules that can never match: certain cases, and random rules, of which none that is reported matches any message.

import NumberPlan
import TestSupport
import Testing

@testable import MessageRules
@testable import MessageRulesCompiler

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
