// The value of a number may be an object or an array with details. Its contents are not rows.

import Testing

@testable import InputStages

@Suite struct JSONDetailTests {
  private static let long = String(repeating: "x", count: 5000)

  /// A document, its rows, and the reasons of its rejects.
  static let documents: [(String, [String], [String])] = [
    (#"{"13800138000":{"label":"spam","count":3}}"#, ["13800138000|spam"], []),
    (
      #"{"13800138000":{"count":3,"label":"spam"},"13800138001":"x"}"#,
      ["13800138000|spam", "13800138001|x"], []
    ),
    (
      #"[{"13800138000": {"n": 1, "标签": "诈骗", "name": "second"}},{"13800138001": "x"}]"#,
      ["13800138000|诈骗", "13800138001|x"], []
    ),
    (
      "{\"+86 138 0013 8000\":\n{\"label\":\"spam\"},\n\"13800138001\":\"x\"}\n",
      ["+86 138 0013 8000|spam", "13800138001|x"], []
    ),
    (#"{"13800138000":{"label":null,"x":{"label":"y"},"list":["a",{"b":[]}]}}"#, ["13800138000|"], []),
    (#""13800138000":{"label":12},"#, ["13800138000|12"], []),
    // Other numbers of the record, which may be those of somebody else; a list of rows with a name.
    (
      #"{"13800138000":{"label":"a","aliases":["13800138010","13800138011"]},"13800138001":{"label":"b","aliases":[]}}"#,
      ["13800138000|a", "13800138001|b"], ["several-numbers"]
    ),
    (#"{"13800138000":{"alt":[13800138010],"name":"a"}}"#, ["13800138000|a"], ["several-numbers"]),
    (#"{"138001380":{"name":"a","numbers":["13800138010"]}}"#, ["name|a", "13800138010|"], []),
    // No label.
    (#"{"13800138000":{"count":3},"13800138001":"x"}"#, ["13800138001|x"], ["unusable-field"]),
    (#"{"13800138000":["a","b"]}"#, [], ["unusable-field"]),
    (#"{"13800138000":[],"13800138001":{}}"#, [], ["unusable-field", "unusable-field"]),
    (#"{"13800138000":[{"label":"spam"}]}"#, [], ["unusable-field"]),
    (#"{"13800138000":{"label":{"text":"spam"}}}"#, [], ["unusable-field"]),
    (#"{"number":["13800138000","13800138001"],"label":"a"}"#, [], ["unusable-field"]),
    (#"{"label":"a","number":[ 13800138000 ]}"#, [], ["unusable-field"]),
    // Rows inside: the key is not a row's number, or its value is lost.
    (#"{"20241121":{"13800138000":"spam"}}"#, ["13800138000|spam"], []),
    (#"{"2024-11-21":{"13800138000":"spam"}}"#, ["13800138000|spam"], []),
    (#"{"13800138000": {"13800138001":"x"}}"#, ["13800138001|x"], ["missing-value"]),
    (#"{"phone":["13800138000","13800138001"]}"#, ["13800138000|", "13800138001|"], []),
    (#"{"4412":{"label":"x"}}"#, ["label|x"], []),
    // Too long for the details of a number.
    (
      #"{"13800138000":{"x":"\#(long)","13800138001":"y"}}"#, ["x|\(long)", "13800138001|y"],
      ["missing-value"]
    ),
  ]

  @Test(arguments: documents)
  func detailsOfANumber(_ document: String, _ rows: [String], _ codes: [String]) throws {
    let outcome = try parse(document)
    #expect(outcome.rows.map(\.description) == rows)
    #expect(outcome.codes == codes)
    for cuts in staccato { #expect(try parse(document, cuts: cuts) == outcome, "cut \(cuts)") }
  }

  @Test func smallRecords() throws {
    var options = jsonOptions()
    options.recordBytesMax = 64
    let filler = String(repeating: "y", count: 300)
    for length in 0..<250 {
      let document =
        #"{ "13800138000":{"x":"\#(filler.prefix(length))","label":"a"}},{"13800138001":"x"}"# + "\n"
      let outcome = try parse(document, options)
      for cuts in staccato {
        #expect(try parse(document, options, cuts: cuts) == outcome, "\(length), cut \(cuts)")
      }
      #expect(outcome.rows.last?.description == "13800138001|x", "\(length): \(outcome)")
    }
  }

  @Test func strictRunsReadDetailsToo() throws {
    var options = jsonOptions()
    options.isStrict = true
    let outcome = try parse(#"{"13800138000":{"count":3,"label":"spam"},"13800138001":"x"}"#, options)
    #expect(outcome.rows.map(\.description) == ["13800138000|spam", "13800138001|x"])
    #expect(outcome.failure == nil)
  }
}
