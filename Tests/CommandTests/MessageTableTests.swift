// The conformance table of message rules, run by the command, as MessageRulesTests runs it with the library.

import Foundation
import Testing

@Suite("Conformance table by the command")
struct MessageTableTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("MessageRulesTests/Conformance")

  private struct ClassifiedMessage: Decodable {
    var action: String
    var rule: String?
  }

  @Test("every message gets its action and rule, by a rule file and compiled")
  func table() async throws {
    let workshop = try Workshop()
    let rules = Self.folder.appendingPathComponent("rules.yaml").path
    let messages = Self.folder.appendingPathComponent("messages.jsonl").path
    let text = try String(contentsOfFile: messages, encoding: .utf8)
    let expected = try text.split(separator: "\n").map {
      try JSONDecoder().decode(ClassifiedMessage.self, from: Data($0.utf8))
    }
    let compiled = try await Program.run(
      try Program.path(), ["rules", "compile", rules, "-o", "a.cdrules"], in: workshop)
    #expect(compiled.status == 0)
    for file in [rules, "a.cdrules"] {
      let outcome = try await Program.run(
        try Program.path(), ["classify", "--rules", file, messages], in: workshop)
      #expect(outcome.status == 0)
      let given = try outcome.outputText.split(separator: "\n").map {
        try JSONDecoder().decode(ClassifiedMessage.self, from: Data($0.utf8))
      }
      #expect(given.count == expected.count)
      for (one, other) in zip(given, expected) {
        #expect(one.action == other.action && (one.rule ?? "") == other.rule, "\(one) \(other)")
      }
    }
  }
}
