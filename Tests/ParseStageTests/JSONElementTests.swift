// Arrays of numbers, and arrays of a number and a label, without chosen fields.

import Records
import Testing

@testable import InputStages

@Suite struct JSONElementTests {
  /// Documents, the rows `number|label` in them, and the codes of the rejects.
  static let documents: [(String, [String], [String])] = [
    ("[\"+15550100\",\"+15550101\"]", ["+15550100|", "+15550101|"], []),
    ("[\n  \"+15550100\",\n  \"+15550101\",\n]\n", ["+15550100|", "+15550101|"], []),
    ("[\"tel:+4930123456\",\"TEL:+49-30-123457\"]", ["tel:+4930123456|", "TEL:+49-30-123457|"], []),
    ("[ \"+1 555 0100\" , \"110\" ]", ["+1 555 0100|", "110|"], []),
    ("[\"\\u002b15550100\",\"33162######\"]", ["+15550100|", "33162######|"], []),
    (
      "{\"spam\":[\"+15550100\",\"+15550101\"],\"more\":[15550102],\"8613800138000\":\"x\"}",
      ["+15550100|", "+15550101|", "15550102|", "8613800138000|x"], []
    ),
    ("[15550100, 15550101\n,8.613800138e12]", ["15550100|", "15550101|", "8613800138000|"], []),
    ("[[15550100],[\"15550101\",\"15550102\"],[]]", ["15550100|", "15550101|", "15550102|"], []),
    ("[\"+15550100\"]\n[\"+15550101\"]\n", ["+15550100|", "+15550101|"], []),
    // A number and a label are a pair.
    ("[[\"8613800138000\",\"骚扰\"],[\"8613800138001\",\"x\"]]", ["8613800138000|骚扰", "8613800138001|x"], []),
    (
      "[8613800138000,\"x\"]\n[8613800138001, 5]\n[\"8613800138002\",null]\n",
      ["8613800138000|x", "8613800138001|5", "8613800138002|"], []
    ),
    ("{\"a\":[ [ \"8613800138000\" ,\n\"x\" ] ]}", ["8613800138000|x"], []),
    ("[[\"8613800138000\",\"2024-11-21\"]]", ["8613800138000|2024-11-21"], []),
    ("[[\"8613800138000\",\"\"]]", ["8613800138000|"], []),
    // Several numbers in a text, and remarks after one.
    (
      "[\"+4930123456 (3x)\",\"+4930123457, 0171 2345678\"]",
      ["+4930123456|", "+4930123457|", "0171 2345678|"], []
    ),
    (
      "[\"2125550123 home\",\"2125550125\"]\n{\"a\":[\"2125550126\",\"2125550127 \\u0068ome\"]}",
      ["2125550123|", "2125550125|", "2125550126|", "2125550127|"], []
    ),
    (
      "[[\"030 1234567 / 0171 1234567\",\"x\"],[\"030 1234568 Fax\",\"2024-11-21 10:33 call\"]]",
      ["030 1234567|x", "0171 1234567|x", "030 1234568|2024-11-21 10:33 call"], []
    ),
    (
      "[\"030 1234567 home, 0171 1234567 work\",\"030 1234500 bis 030 1234599\",\"Tel. 030 1234567\"]",
      ["030 1234567|"], ["several-numbers", "several-numbers", "unexpected-text"]
    ),
    // Words, counts and anything else that is not a number.
    ("[\"a\",\"b\"]", [], ["unexpected-text", "unexpected-text"]),
    ("{\"a\":[\"b\"]}", [], ["unexpected-text"]),
    ("[\"+15550100\",\"n/a\",\"+15550101\"]", ["+15550100|", "+15550101|"], ["unexpected-text"]),
    (
      "[15550100,null,15550101,-1,15550102]", ["15550100|", "15550101|", "15550102|"],
      ["unexpected-text", "unexpected-text"]
    ),
    (
      "[15550100,NaN,15550101,'15550102',15550103]", ["15550100|", "15550101|", "15550103|"],
      ["unexpected-text", "unexpected-text"]
    ),
    ("[1555.0100,15550101]", ["15550101|"], ["not-whole"]),
    ("[\"8613800138000\",\"x\",12]", ["8613800138000|"], ["unexpected-text", "unexpected-text"]),
    // Next to other rows, a single number is a row that lost its label.
    (
      "[{\"8613800138000\":\"x\"},\n\"8613800138001\",\n{\"8613800138002\":\"y\"}]",
      ["8613800138000|x", "8613800138002|y"], ["missing-colon"]
    ),
    (
      "[{\"8613800138000\":\"x\"},\n8613800138001,\n{\"8613800138002\":\"y\"}]",
      ["8613800138000|x", "8613800138002|y"], ["unexpected-text"]
    ),
    // The rest of a broken label is not a number.
    (
      "[\n{\"8613800138000\":\"call\n8613800138001, now\"},\n{\"8613800138002\":\"y\"}\n]",
      ["8613800138002|y"], ["unterminated-string", "unexpected-text"]
    ),
    // Truncated.
    ("[\"15550100\",\"15550101\",\"1555", ["15550100|", "15550101|"], ["truncated"]),
    ("[[\"8613800138000\",\"lab", [], ["truncated"]),
    (
      "[[\"8613800138000\",\"x\"],[\"8613800138001\",\"lab\n\"],\n[\"8613800138002\",\"y\"]]",
      ["8613800138000|x", "8613800138002|y"], ["unterminated-string", "unterminated-string"]
    ),
  ]

  @Test(arguments: documents) func document(_ text: String, _ rows: [String], _ codes: [String]) throws {
    for cuts in staccato {
      let outcome = try parse(text, cuts: cuts)
      #expect(outcome.rows.map(\.description) == rows, "cut \(cuts)")
      #expect(outcome.codes == codes, "cut \(cuts)")
      #expect(outcome.rowsIn == UInt64(rows.count + codes.count), "cut \(cuts)")
      // An input that ends inside an array is not complete.
      #expect(outcome.isFinished == !(text.hasPrefix("[") && codes == ["truncated"]), "cut \(cuts)")
    }
  }

  /// Numbers beside the objects that are rows.
  @Test(arguments: [
    (#"{"a":["+15550100","x"],"b":[{"phone":"+15550101","label":"y"}]}"#, ["+15550101|y"], ["outside-rows"]),
    (
      #"{"b":[{"phone":"+15550101","label":"y"}],"a":[15550100123,7],"c":{"+15550102":"z"},"d":"+15550103"}"#,
      ["+15550101|y"], ["outside-rows", "missing-field", "outside-rows"]
    ),
    ("{\"phone\":\"+15550101\",\"label\":\"y\"}\n[\"+15550100\"]\n", ["+15550101|y"], ["outside-rows"]),
  ])
  func numbersOutsideOfRows(_ text: String, _ rows: [String], _ codes: [String]) throws {
    let outcome = try parseHoweverCut(text, jsonOptions())
    #expect(outcome.rows.map(\.description) == rows)
    #expect(outcome.codes == codes)
    // A chosen field decides which numbers are read.
    let chosen = try parse(text, objectOptions(number: "phone", label: "label"))
    #expect(!chosen.codes.contains("outside-rows"))
  }

  @Test func aFieldThatIsThereTwice() throws {
    let text =
      #"[{"phone":"2125550143","phone":"3105550188","label":"a"},{"phone":"2125550144","phone":"2125550144"}]"#
    let outcome = try parseHoweverCut(text, jsonOptions())
    #expect(outcome.rows.map(\.description) == ["3105550188|a", "2125550144|"])
    #expect(outcome.codes == ["several-numbers"] && outcome.rejects[0].text == "2125550143")
  }

  @Test func constantsAreAddedToElements() throws {
    var options = jsonOptions()
    options.labelField = .constant("spam")
    options.sourceField = .constant("list")
    #expect(
      try parse("[\"15550100\",15550101]", options).rows == [
        RawRow("15550100", "spam\tlist"), RawRow("15550101", "spam\tlist"),
      ])
  }

  @Test func strictRunsReadNumbersAndSkipOtherValues() throws {
    var options = jsonOptions()
    options.isStrict = true
    let outcome = try parse(
      "{\"a\":[\"+15550100\",\"x\",15550101,1.5,null],\"b\":[[\"15550102\",\"y\"]]}", options)
    #expect(outcome.rows == [RawRow("+15550100", ""), RawRow("15550101", ""), RawRow("15550102", "y")])
    #expect(outcome.codes == [] && outcome.failure == nil)
  }

  @Test func aListLongerThanARecordIsRead() throws {
    var options = jsonOptions()
    options.recordBytesMax = 64
    let numbers = (0..<500).map { "1555\($0 + 1000)" }
    let text = "[" + numbers.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    for cuts in staccato {
      let outcome = try parse(text, options, cuts: cuts)
      #expect(outcome.rows.map(\.description) == numbers.map { "\($0)|" }, "cut \(cuts)")
      #expect(outcome.codes == [])
    }
  }

  @Test func theLongestPairIsARowAndALongerOneIsRejects() throws {
    var options = jsonOptions()
    options.recordBytesMax = 64
    let label = String(repeating: "x", count: 300)
    let outcome = try parse("[[\"15550100\",\"\(label)\"],[\"15550101\",\"y\"]]", options)
    #expect(outcome.rows.contains(RawRow("15550101", "y")))
    #expect(outcome.codes.contains("record-too-long"))
  }
}
