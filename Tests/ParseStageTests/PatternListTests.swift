// The lists of Saracroche and PhoneBlock, with their own fields and with others.

import PipeStage
import Testing

@testable import ApplicationFormats
@testable import ParseStage

@Suite struct PatternListTests {
  static let saracroche = """
    {
        "version": "2026.01.01", "name": "Préfixes", "description": "x", "blocked_numbers_count": 2000,
        "patterns": [
            { "name": "Démarchage", "action": "block", "pattern": "33199900###" },
            { "name": "Exemple", "action": "block", "pattern": "33199901###" }
        ]
    }
    """
  static let phoneBlock = """
    {"numbers":[{"phone":"+4930555001","votes":12,"rating":"C_PING"},{"phone":"+4930555002","rating":"G_FRAUD","votes":4}],"version":7}
    """

  @Test(arguments: [ParseOptions.Format.saracroche, .auto])
  func patternsAreRows(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.saracroche, options(format))
    #expect(outcome.rows == [RawRow("33199900###", "Démarchage"), RawRow("33199901###", "Exemple")])
    #expect(outcome.rejects == [] && outcome.failure == nil)
  }

  @Test(arguments: [ParseOptions.Format.phoneblock, .auto])
  func numbersAreRows(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.phoneBlock, options(format))
    #expect(outcome.rows == [RawRow("+4930555001", "C_PING\t\t12"), RawRow("+4930555002", "G_FRAUD\t\t4")])
    #expect(outcome.rejects == [])
  }

  @Test func chosenFieldsTakePrecedence() throws {
    let chosen = options(.saracroche) {
      $0.labelField = .name("action")
      $0.sourceField = .constant("arcep")
    }
    #expect(try parseHoweverCut(Self.saracroche, chosen).rows.first == RawRow("33199900###", "block\tarcep"))
    let constant = options(.phoneblock) {
      $0.labelField = .constant("spam")
      $0.scoreField = .constant("1")
    }
    #expect(try parseHoweverCut(Self.phoneBlock, constant).rows.last == RawRow("+4930555002", "spam\t\t1"))
    // The number is never lost because another field was chosen.
    let label = options(.auto) { $0.labelField = .name("rating") }
    #expect(
      try parseHoweverCut(Self.phoneBlock, label).rows.map { String(decoding: $0.text, as: UTF8.self) } == [
        "+4930555001", "+4930555002",
      ])
    // If `auto` detected the format, choosing the number field by name makes it plain JSON.
    let plain = options(.auto) { $0.numberField = .name("phone") }
    #expect(try parseHoweverCut(Self.phoneBlock, plain).rows.first == RawRow("+4930555001", ""))
  }

  @Test func otherObjectsAreNotDetected() {
    func found(_ text: String) -> ParseOptions.Format? {
      FormatTable.all.description(for: ParseOptions(), start: Array(text.utf8).span)?.format
    }
    #expect(found(Self.saracroche) == .saracroche && found(Self.phoneBlock) == .phoneblock)
    for text in [
      "{\"861\":\"patterns\"}", "{\"patterns\":[]}", "{\"patterns\":{\"pattern\":1,\"action\":2}}",
      "[{\"861\":\"a\"}]", "{\"numbers\":[{\"phone\":\"1\"}]}", "{\"numbers\":[1],\"phone\":1,\"votes\":2}",
      "{\"numbers\"", "{", "{\"numbers\": [ ",
    ] {
      #expect(found(text) == .json, "\(text)")
    }
  }

  @Test func onlyBrokenRowsAreLost() throws {
    let text = Self.phoneBlock.replacing("{\"phone\":\"+4930555001\"", with: "{\"fone\":\"+4930555001\"")
    let outcome = try parseHoweverCut(text, options(.phoneblock))
    #expect(outcome.rows.count == 1 && outcome.rejects.map(\.reason) == [.missingField("phone")])
  }

  @Test func mutatedLists() throws {
    try fuzz(Array(Self.saracroche.utf8), [options(.saracroche), options(.auto)], turns: fuzzTurns)
    try fuzz(Array(Self.phoneBlock.utf8), [options(.phoneblock)], turns: fuzzTurns)
  }
}
