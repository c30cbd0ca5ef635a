// Links with a user name before the host: they lead to the host.

import MessageRules
import Testing

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

  @Test("many schemes and users need time in proportion to the text")
  func length() throws {
    let classifier = try classifier(Self.rules)
    for piece in ["http://a@", "a@", "://", "http://"] {
      let text = String(repeating: piece, count: 40_000)
      #expect(classifier.classify(sender: "", body: text).rule == nil)
    }
  }
}
