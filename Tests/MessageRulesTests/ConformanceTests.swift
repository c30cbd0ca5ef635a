// The conformance table: messages with the action and the rule that every implementation must return. The command runs
// it, too, in CommandTests/MessageTableTests.

import Foundation
import MessageRules
import MessageRulesCompiler
import Testing

private struct ConformanceRow: Decodable {
  var sender: String
  var text: String
  var country: String
  var action: String
  var rule: String
}

@Suite("Conformance table")
struct ConformanceTests {
  private static func rows() throws -> [ConformanceRow] {
    let text = try String(
      contentsOf: testFolder.appendingPathComponent("Conformance/messages.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      try JSONDecoder().decode(ConformanceRow.self, from: Data($0.utf8))
    }
  }

  @Test("every message gets its action and rule, classified and explained")
  func table() throws {
    let rules = try String(
      contentsOf: testFolder.appendingPathComponent("Conformance/rules.yaml"), encoding: .utf8)
    let classifier = try classifier(rules)
    let rows = try Self.rows()
    #expect(rows.count >= 150)
    for row in rows {
      let verdict = classifier.classify(sender: row.sender, body: row.text, receiver: row.country)
      let name = verdict.rule.map { classifier.name(ofRule: $0) } ?? ""
      #expect(name == row.rule, "\(row)")
      #expect(verdict.action.name == row.action, "\(row)")
      let explanation = classifier.explain(sender: row.sender, body: row.text, receiver: row.country)
      #expect(explanation.verdict == verdict, "\(row)")
      #expect(explanation.tests.last?.rule == verdict.rule || verdict.rule == nil, "\(row)")
    }
  }

  @Test("rules mapped from a file classify like those in memory")
  func mapped() throws {
    let rules = try String(
      contentsOf: testFolder.appendingPathComponent("Conformance/rules.yaml"), encoding: .utf8)
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).cdrules").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let bytes = try compiled(rules)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let isSame = try compiled(rules) == bytes
    #expect(isSame)
    let inMemory = Asker(try CompiledRules(bytes: bytes.span))
    let mapped = Asker(try CompiledRules(path: path))
    for row in try Self.rows() {
      let one = inMemory.classify(sender: row.sender, body: row.text, receiver: row.country)
      #expect(one == mapped.classify(sender: row.sender, body: row.text, receiver: row.country))
    }
    let subActions = mapped.subActions
    #expect(
      subActions == [
        .transactionalFinance, .transactionalOrders, .promotionalOffers, .promotionalCoupons,
      ])
  }
}
