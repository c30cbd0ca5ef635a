// The lists of Saracroche and PhoneBlock, with their own fields and with others.

import Records
import Testing

@testable import InputStages

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

  @Test(
    arguments: [
      (#"{"operator": "A", "prefix": "+3319900", "pattern": "3319900####"}"#, "3319900####"),
      (#"{"operator": "A", "prefix": "3319900####"}"#, "3319900####"),
      (
        #"{"operator_name": "A", "pattern": "3319900####", "start": "33199000000", "end": "33199009999"}"#,
        "3319900####"
      ),
      (#"{"pattern": "3319900####", "operator_name": "A"}"#, "3319900####"),
    ])
  func olderLists(_ entry: String, _ number: String) throws {
    for format in [ParseOptions.Format.saracroche, .auto] {
      let outcome = try parseHoweverCut("[\n  \(entry),\n  \(entry)\n]\n", options(format))
      #expect(outcome.rows == [RawRow(number, "A"), RawRow(number, "A")] && outcome.rejects == [])
    }
  }

  @Test func severalListsOfOneFormat() throws {
    let older = #"[{"operator": "A", "prefix": "+3319900", "pattern": "3319900####"}]"#
    let outcome = try parse([Array(older.utf8), Array(Self.saracroche.utf8)], options(.saracroche))
    #expect(
      outcome.rows.map { String(decoding: $0.text, as: UTF8.self) }.prefix(2) == [
        "3319900####", "33199900###",
      ])
  }

  @Test func rulesOfSpamBlocker() throws {
    let table =
      "pattern,description,priority,flags,isBlacklist\n(44163296000|44163296001),many,0,1,true\n441632960\\d{3},\"Range, one\",0,3,true\n"
    #expect(
      try parseHoweverCut(table, options(.auto)).rows == [
        RawRow("(44163296000|44163296001)", "many"), RawRow("441632960\\d{3}", "Range, one"),
      ])
    #expect(
      try parseHoweverCut("pattern\n(44163296000|44163296001)\n44163296002\n", options(.auto)).rows == [
        RawRow("(44163296000|44163296001)", ""), RawRow("44163296002", ""),
      ])
    let backup = #"{"numberRules":{"rules":[{"id":1,"pattern":"441632960.*","description":"Made up"}]}}"#
    #expect(try parseHoweverCut(backup, options(.auto)).rows == [RawRow("441632960.*", "Made up")])
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
      "{\"861\":\"patterns\"}", "{\"patterns\":[],\"861\":1}", "{\"patterns\":{\"pattern\":1,\"action\":2}}",
      "[{\"861\":\"a\"}]", "{\"numbers\":[{\"phone\":\"1\"}]}", "{\"numbers\":[1],\"phone\":1,\"votes\":2}",
      "{\"numbers\"", "{", "{\"numbers\": [ ", "[{\"operator\":1},{\"pattern\":2}]", "[{\"operator\"",
    ] {
      #expect(found(text) == .json, "\(text)")
    }
  }

  @Test(arguments: [
    "{\"version\":\"1\",\"name\":\"cdpipe\",\"patterns\":[\n]}\n", "{\"patterns\" : [ ] }",
    "{\"numbers\":[],\"version\":12345678}", "{\"numbers\":[\n]}\n",
  ])
  func emptyListsHaveNoRows(_ text: String) throws {
    let outcome = try parseHoweverCut(text, options(.auto))
    #expect(outcome.rows == [] && outcome.rejects == [] && outcome.failure == nil)
    let found = FormatTable.all.description(for: ParseOptions(), start: Array(text.utf8).span)?.format
    #expect(found == (text.contains("patterns") ? .saracroche : .phoneblock))
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
