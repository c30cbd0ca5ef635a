// Layouts and values: every valid shape of JSON returns its rows and no reject, wherever it is cut.

import Records
import Testing

@testable import InputStages

@Suite struct ShapeTests {
  static let two = [RawRow("86196852102", "骚扰电话"), RawRow("86196852201", "诈骗电话")]

  static let layouts: [String] = [
    "[\n{\"86196852102\": \"骚扰电话\"},\n{\"86196852201\": \"诈骗电话\"},\n]\n",
    "[\n{\"86196852102\": \"骚扰电话\"},\n{\"86196852201\": \"诈骗电话\"}\n]",
    "[\r\n{\"86196852102\": \"骚扰电话\"},\r\n{\"86196852201\": \"诈骗电话\"},\r\n]\r\n",
    "{\"86196852102\":\"骚扰电话\"}\n{\"86196852201\":\"诈骗电话\"}\n",
    "[{\"86196852102\":\"骚扰电话\"},{\"86196852201\":\"诈骗电话\"}]",
    "{\"86196852102\":\"骚扰电话\",\"86196852201\":\"诈骗电话\"}",
    "{\"86196852102\":\"骚扰电话\",\"86196852201\":\"诈骗电话\",}",
    "[[{\"86196852102\":\"骚扰电话\"}],[[{\"86196852201\":\"诈骗电话\"}]]]",
    "[\n  {\n    \"86196852102\" : \"骚扰电话\"\n  },\n  {\n    \"86196852201\" :\n \"诈骗电话\"\n  }\n]\n",
    "{\n\t\"86196852102\": \"骚扰电话\",\n\t\"86196852201\": \"诈骗电话\"\n}\n",
    "\"86196852102\":\"骚扰电话\"\n\"86196852201\":\"诈骗电话\"",
    "\"86196852102\":\"骚扰电话\",\n\"86196852201\":\"诈骗电话\",\n",
    "\"86196852102\":\"骚扰电话\" \"86196852201\":\"诈骗电话\"",
    "\"86196852102\":\"骚扰电话\",\"86196852201\":\"诈骗电话\"",
    "<\"86196852102\":\"骚扰电话\">\n<\"86196852201\":\"诈骗电话\">\n",
    "<\"86196852102\":\"骚扰电话\">,<\"86196852201\":\"诈骗电话\">",
    "{\"86196852102\":\"骚扰电话\"}{\"86196852201\":\"诈骗电话\"}",
    "[{\"86196852102\":\"骚扰电话\"}][{\"86196852201\":\"诈骗电话\"}]",
    "{\"data\":{\"86196852102\":\"骚扰电话\",\"86196852201\":\"诈骗电话\"}}",
    "{\"data\":[{\"86196852102\":\"骚扰电话\"},{\"86196852201\":\"诈骗电话\"}]}",
    "{\"a\":{\"b\":[{\"86196852102\":\"骚扰电话\"}]},\n\"c\":\n[{\"86196852201\":\"诈骗电话\"}]}",
    "\u{FEFF}[{\"86196852102\":\"骚扰电话\"},{\"86196852201\":\"诈骗电话\"}]",
    "{}[]{ }\n[ ]{\"86196852102\":\"骚扰电话\"},{\"86196852201\":\"诈骗电话\"},,\n,",
    "{\"86196852102\":\"\\u9a9a\\u6270电话\"}{\"86196852201\":\"\\u8bc8\\u9A97电话\"}",
    "[\n" + String(repeating: " ", count: 300) + "{" + String(repeating: " ", count: 100)
      + "\"86196852102\"" + String(repeating: " ", count: 100) + ":" + String(repeating: "\n", count: 100)
      + "\"骚扰电话\"" + String(repeating: " ", count: 100) + "}, {\"86196852201\":\"诈骗电话\"}]",
  ]

  @Test(arguments: layouts) func layoutDoesNotMatter(_ layout: String) throws {
    for cuts in staccato {
      let outcome = try parse(layout, cuts: cuts)
      #expect(outcome.rows == Self.two, "cut \(cuts)")
      #expect(outcome.rejects == [], "cut \(cuts)")
      #expect(outcome.rowsIn == 2 && outcome.rowsOut == 2 && outcome.bytesIn == layout.utf8.count)
      #expect(outcome.isFinished && outcome.failure == nil)
    }
  }

  @Test func layoutDoesNotMatterForManyRows() throws {
    // More than a batch, so that the fast path and the end of a batch are tested, in three layouts.
    for (open, colon, close) in [
      ("{\"", "\": \"", "\"},\n"), ("{\"", "\":\"", "\"}\n"), ("{ \"", "\" : \"", "\" } , "),
    ] {
      var text = "["
      var expected: [RawRow] = []
      for ordinal in 0..<10_000 {
        let label = [
          "骚扰电话", "诈骗", "", "a label of more than thirty-two bytes, not in the cache", "\(ordinal % 5000)",
        ][ordinal % 5]
        text += "\(open)\(8_613_800_000_000 + ordinal)\(colon)\(label)\(close)"
        expected.append(RawRow("\(8_613_800_000_000 + ordinal)", label))
      }
      text += "]"
      for cuts in [[], [4096], [1000, 17], [65_536]] {
        let outcome = try parse([Array(text.utf8)], cuts: cuts, swaps: cuts.count == 1)
        #expect(outcome.rows == expected)
        #expect(outcome.rejects == [])
        #expect(outcome.ordinalsAreRight)
      }
    }
  }

  @Test(arguments: [
    ("12", "12"), ("-1.5e3", "-1.5e3"), ("true", "true"), ("false", "false"), ("null", ""), ("\"\"", ""),
    (#""a\\b""#, #"a\\b"#), (#""a\tb\nc\rd""#, #"a\tb\nc\rd"#), (#""\"\/\b\f""#, "\"/\u{8}\u{C}"),
    (#""\ud83d\ude00!""#, "😀!"), ("\"a\tb\"", #"a\tb"#), (#""\u0000x""#, "\0x"),
    ("\"\u{7F}é€😀\"", "\u{7F}é€😀"),
  ])
  func valueBecomesLabel(_ value: String, _ recordFields: String) throws {
    for cuts in staccato {
      let outcome = try parse("[{\"861\": \(value)},\n{\"862\":\(value)}]", cuts: cuts)
      #expect(outcome.rows == [RawRow("861", recordFields), RawRow("862", recordFields)], "cut \(cuts)")
      #expect(outcome.rejects == [])
    }
    let atEnd = try parse("\"861\":\(value)", cuts: [1])
    #expect(atEnd.rows == [RawRow("861", recordFields)])
  }

  @Test func keysAreTextsWithEscapesUndone() throws {
    let outcome = try parse(#"{"+86 138-0013\u0038000": "x", "(020)\t1": "y", "": "z"}"#)
    #expect(outcome.rows == [RawRow("+86 138-00138000", "x"), RawRow("(020)\t1", "y"), RawRow("", "z")])
  }

  @Test func emptyInputsHaveNoRows() throws {
    for text in ["", " \n\t", "\u{FEFF}", "[]", "[\n]", ",,,"] {
      let outcome = try parse(text, cuts: [1])
      #expect(outcome.rows == [] && outcome.rejects == [] && outcome.isFinished, "\(text)")
    }
  }

  @Test func constantsFollowEachLabel() throws {
    var options = jsonOptions()
    options.sourceField = .constant("li\tst")
    options.scoreField = .constant("7")
    let outcome = try parse(
      [Array(("[" + String(repeating: "{\"861\": \"x\"},\n", count: 50) + "{\"862\":\"a\\tb\"}]").utf8)],
      options)
    #expect(outcome.rows.count == 51)
    #expect(outcome.rows[0] == RawRow("861", "x\tli\\tst\t7"))
    #expect(outcome.rows[49] == RawRow("861", "x\tli\\tst\t7"))
    #expect(outcome.rows[50] == RawRow("862", "a\\tb\tli\\tst\t7"))
    options.labelField = .constant("spam")
    options.sourceField = nil
    #expect(try parse("{\"861\":\"x\"}", options).rows == [RawRow("861", "spam\t\t7")])
  }

  @Test func severalInputsCountOn() throws {
    let outcome = try parse(
      [Array("{\"861\":\"a\"}\nbad\n".utf8), Array("\u{FEFF}\n{\"862\":\"b\"},\n\nbad".utf8), []], cuts: [4])
    #expect(outcome.rows == [RawRow("861", "a"), RawRow("862", "b")])
    #expect(
      outcome.rejects == [
        Rejected(place: .line(2, byte: 12, input: "in0"), reason: .unexpectedText, text: "bad"),
        Rejected(place: .line(4, byte: 18, input: "in1"), reason: .unexpectedText, text: "bad"),
      ])
    #expect(outcome.rowsIn == 4 && outcome.rowsOut == 2 && outcome.ordinalsAreRight)
  }
}
