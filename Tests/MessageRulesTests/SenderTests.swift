// Senders as iOS sends them to a server: the digits of E.164 without a plus sign.

import MessageRules
import Testing

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
