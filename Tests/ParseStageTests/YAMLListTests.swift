// YAML: lists of numbers and of mappings, with the meaning of the JSON that they stand for.

import Records
import Testing

@testable import InputStages

@Suite struct YAMLListTests {
  static let begone = """
    ---
    # Source: https://example.org/list.pdf
    - title: Démarchage
      tags:
        - spam
      numbers:
        - '+33 1 99 ## ## ##'
        - '+33 2 99 ## ## ##'

    # Source: https://example.org/more.pdf
    - title: OnOff (VOIP)
      tags:
        - voip
      mnemonic: ONOF

    """

  @Test(arguments: [ParseOptions.Format.yaml, .auto])
  func aMappingWithAListIsARowPerNumber(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.begone, options(format))
    #expect(
      outcome.rows == [
        RawRow("+33 1 99 ## ## ##", "Démarchage"), RawRow("+33 2 99 ## ## ##", "Démarchage"),
      ])
    #expect(outcome.codes == ["missing-field"] && outcome.lines == [11] && outcome.failure == nil)
    let item = try #require(Self.begone.firstRange(of: "- title: OnOff"))
    #expect(firstPlace(outcome) == [11, UInt64(Self.begone[..<item.lowerBound].utf8.count)])
    for end in ["\r\n", "\r"] {
      let text = Self.begone.replacing("\n", with: end)
      #expect(try parseHoweverCut(text, options(format)).rows == outcome.rows)
    }
  }

  @Test(
    arguments: [
      (
        "- number: \"+33199000001\"\n  label: Spam\n- label: Other\n  number: '+33199000002'\n",
        ["+33199000001|Spam", "+33199000002|Other"], []
      ),
      ("- \"+33199000001\"\n- '+33199000002'   # a comment\n", ["+33199000001|", "+33199000002|"], []),
      ("numbers:\n- \"+33199000001\"\n- '+33199000002'", ["+33199000001|", "+33199000002|"], []),
      ("numbers: [\"+33199000001\", '+33199000002']\n", ["+33199000001|", "+33199000002|"], []),
      (
        "- {number: \"+33199000001\", label: Spam}\n- {number: \"+33199000002\"}\n",
        ["+33199000001|Spam", "+33199000002|"], []
      ),
      (
        "- phone: \"+33199000001\"\n  name: >-\n    a\n    b\n- phone: \"+33199000002\"\n  name: \"It's \\u0041\"\n",
        ["+33199000001|a b", "+33199000002|It's A"], []
      ),
      (
        "notes: |\n  - not an item\nlist:\n  - number: \"+33199000001\"\n    name: A\n",
        ["+33199000001|A"], []
      ),
      (
        "blocked:\n  - number: \"+33199000001\"\n    reason: Spam\nallowed:\n  - number: \"+33199000002\"\n",
        ["+33199000001|Spam"], ["other-list"]
      ),
      (
        "- number: \"+33199000001\"\n  blocked: no\n- number: \"+33199000002\"\n  blocked: yes\n",
        ["+33199000002|"], ["not-blocked"]
      ),
      (
        "- title: A\n  phones: [\"+33199000001\", \"+33199000002\"]\n- title: B\n  numbers: []\n",
        ["+33199000001|A", "+33199000002|A"], ["missing-field"]
      ),
      (
        "- title: A\n  whitelist: [\"+33199000001\"]\n- title: B\n  numbers: [\"+33199000002\"]\n",
        ["+33199000002|B"], ["missing-field"]
      ),
      (
        "- null\n- \"\"\n- \"+33199000002\"\n- text\n", ["+33199000002|"],
        ["unexpected-text", "unexpected-text", "unexpected-text"]
      ),
    ] as [(String, [String], [String])])
  func rowsAreThoseOfJSON(_ text: String, _ rows: [String], _ codes: [String]) throws {
    let outcome = try parseHoweverCut(text, options(.auto))
    #expect(outcome.rows.map(\.description) == rows && outcome.codes == codes && outcome.failure == nil)
  }

  @Test func fieldsAreChosen() throws {
    let named = options(.auto) {
      $0.numberField = .name("numbers")
      $0.labelField = .name("mnemonic")
    }
    let outcome = try parseHoweverCut(Self.begone, named)
    #expect(outcome.rows.map(\.description) == ["+33 1 99 ## ## ##|", "+33 2 99 ## ## ##|"])
    let ranges = options(.yaml) {
      $0.numberField = .name("from")
      $0.lastField = .name("to")
    }
    #expect(
      try parseHoweverCut("- from: '33199000000'\n  to: '33199000999'\n", ranges).rows == [
        RawRow("33199000000..33199000999", "")
      ])
    #expect(try parse("a: 1\n", options(.yaml) { $0.labelField = .name("a") }).failure == .noNumberField)
  }

  @Test("lines without keys and quotes are lists, as before") func otherTexts() throws {
    func format(_ text: String) -> ParseOptions.Format? {
      FormatTable.all.description(for: ParseOptions(), start: Array(text.utf8).span)?.format
    }
    #expect(format("- 0199000001\n- 0199000002\n") == .lines)
    #expect(format("spam:\n- 0199000001\n- 0199000002\nfraud:\n- 0199000003\n") == .lines)
    #expect(format("33199000001: Spam\n33199000002: Other\n") == .lines)
    #expect(format("Dear all,\n- name: x\n") == nil && format("- a\n- b\n") == nil)
    let list = "- 0199000001\n- 0199000002\n"
    #expect(try parseHoweverCut(list, options(.yaml)).rows.count == 2)
    let pairs = "33199000001: Spam\n33199000002:\n"
    #expect(
      try parseHoweverCut(pairs, options(.yaml)).rows == [
        RawRow("33199000001", "Spam"), RawRow("33199000002", ""),
      ])
  }

  @Test(arguments: [
    ("- number: *x\n", "1:11: aliases (*name) are not supported"),
    ("- 1\n- \"030\n- 2\n", ": not YAML: "),
    ("- number: 1\n  number: 2\n", "2:3: repeated key 'number'; the first is at line 1"),
    ("- number: 1\n\tlabel: x\n", "2: expected an item"), ("list:\n  - 1\n a: 2\n", "3: expected an item"),
    ("- 1\na: 2\n", "2: expected an item"), ("a: 1\n- 2\n", "2: expected an item"),
    ("- 1\n---\n- 2\n", "2: a second document"), ("a: 1\n---\nb: 2\n", "2: a second document"),
    ("hello\n", "1: neither a list nor a mapping"), ("list: [\n  1,\n]\n", ": not YAML: "),
    ("- +33 1 99 ## ## ##\n", "1: a pattern without quotes"), ("- {a: {b: [c\n", ": not YAML: "),
  ])
  func whatIsNotReadIsAnError(_ text: String, _ message: String) throws {
    let failure = try parseHoweverCut(text, options(.yaml)).failure
    #expect(failure?.code == "not-yaml" && failure?.errorClass == .badData)
    #expect(failure?.message.message.contains(message) == true, "\(failure?.message.message ?? "")")
    #expect(failure?.message.hint == "write it as JSON, for example with: yq -o json in0")
  }

  @Test("a comment is not the rest of a pattern") func comments() throws {
    for text in ["- 0199000001 ## seen twice\n", "- '0199000001' # 2024\n", "- 0199000001 # it's ## 12\n"] {
      #expect(try parse(text, options(.yaml)).rows == [RawRow("0199000001", "")], "\(text)")
    }
  }

  @Test func longItems() throws {
    let short = options(.yaml) { $0.recordBytesMax = 100 }
    let long = String(repeating: "x", count: 200)
    for text in [
      "- \"1234\"\n- label: \(long)\n", "- number: 1234\n\(String(repeating: "  a: b\n", count: 20))",
    ] {
      let failure = try parseHoweverCut(text, short).failure
      #expect(failure?.message.message.contains("an item longer than 100 B") == true)
    }
  }

  @Test func pipelineFilesAreNamed() throws {
    let file =
      "name: x\nsources:\n  - name: a\n    path: a.csv\nemit: [ { format: store, path: a.cdstore } ]\n"
    for cuts in staccato {
      #expect(
        try parse([Array(file.utf8)], ParseOptions(), cuts: cuts).failure == .pipelineFile(input: "in0"))
    }
  }

  @Test("long lists have the same rows, rejects and places however they are cut") func longLists() throws {
    var text = "blocked:\n"
    var lines: [UInt64] = []
    var line: UInt64 = 2
    for ordinal in 0..<6_000 {
      if ordinal % 1_000 == 7 {
        lines.append(line)
        line += 1
        text += "- label: x\n"
      } else {
        line += 2
        text += "- number: \"+33199\(100_000 + ordinal)\"\n  label: l\(ordinal)\n"
      }
    }
    let whole = try parse(text, options(.auto))
    #expect(whole.rows.count == 5_994 && whole.failure == nil)
    #expect(whole.lines == lines)
    for cuts in [[1_000], [7], [65_536], [100_000]] {
      #expect(try parse(text, options(.auto), cuts: cuts) == whole, "cut in \(cuts)")
    }
    // The fields of a mapping are repeated for each number, up to a limit.
    let numbers = String(repeating: "  - \"0199000001\"\n", count: 9_000)
    let repeated = "- label: \(String(repeating: "x", count: 1_000))\n  numbers:\n\(numbers)"
    let outcome = try parse(repeated, options(.auto))
    #expect(outcome.rows.isEmpty && outcome.failure?.code == "not-yaml")
  }

  @Test("cut at every byte, no number is shorter") func cutLists() throws {
    let text = "- number: \"+33199000001\"\n  label: Spam\n- '+33199000002'\n- phones: [\"+33199000003\"]\n"
    let bytes = Array(text.utf8)
    let numbers = ["+33199000001", "+33199000002", "+33199000003"]
    for count in bytes.indices {
      let outcome = try parse([Array(bytes[..<count])], options(.yaml))
      for row in outcome.rows {
        #expect(numbers.contains(String(decoding: row.text, as: UTF8.self)), "\(count): \(row)")
      }
    }
  }

  @Test("damaged at every byte, no row has another number") func damagedLists() throws {
    let bytes = Array(Self.begone.utf8)
    for index in bytes.indices {
      for byte in Array("'\"#:-&*[{|\t\0".utf8) + [0xFF] where bytes[index] != byte {
        var damaged = bytes
        damaged[index] = byte
        for row in try parse([damaged], options(.yaml)).rows {
          // A sign in place of a digit stays in the number's text, which is then none.
          let isSame =
            row.text == Array("+33 1 99 ## ## ##".utf8) || row.text == Array("+33 2 99 ## ## ##".utf8)
          // Without the name of its list, an item is a pair, as in JSON.
          let isNumber = row.text.contains { $0 &- 0x30 < 10 }
          #expect(isSame || row.text.contains(byte) || !isNumber, "\(index), \(byte): \(row)")
        }
      }
    }
  }

  @Test func mutatedLists() throws {
    let rows = (1...4).map { "  - number: \"+3319900000\($0)\"\n    label: Spam\n" }.joined()
    let list = "numbers:\n\(rows)  - '+33199000005'\nother: {a: b}\n"
    for text in [Self.begone, list] {
      try fuzz(Array(text.utf8), [options(.yaml), options(.auto)], turns: fuzzTurns)
    }
  }
}
