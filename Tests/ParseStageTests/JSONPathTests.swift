// Fields by their paths: nested objects, arrays inside, arrays as rows, names with dots, numbers as numbers.

import Records
import Testing

@testable import InputStages

@Suite struct JSONPathTests {
  /// The result, which must not depend on the cuts.
  private func uncut(_ text: String, _ options: ParseOptions) throws -> Outcome {
    let whole = try parse(text, options)
    for place in 1..<max(text.utf8.count, 2) {
      let cut = try parse(text, options, cuts: [place, text.utf8.count])
      #expect(cut == whole, "cut at \(place): \(text)")
    }
    #expect(try parse(text, options, cuts: [1]) == whole, "byte by byte: \(text)")
    #expect(whole.rowsIn == whole.rowsOut + whole.rejectCount)
    return whole
  }

  /// Rows with number 861 and label a, or 862 and b, selected by paths.
  static let shapes: [(number: String, label: String, text: String)] = [
    ("c.phone", "name", #"[{"c":{"phone":"861"},"name":"a"},{"name":"b","c":{"x":[1],"phone":"862"}}]"#),
    ("c.phone", "c.name", #"{"c":{"name":"a","phone":861}}{"id":7,"c":{"phone":862,"name":"b"},"z":{}}"#),
    (
      "a.b.c", "l",
      "{\"a\":{\"b\":{\"c\":\"861\"}},\"l\":\"a\"}\n{\"l\":\"b\",\"a\":{\"x\":0,\"b\":{\"c\":\"862\"}}}"
    ),
    ("phones.1", "name", #"{"phones":["861","9"],"name":"a"}{"phones":[862],"name":"b"}"#),
    ("phones.2", "name", #"{"phones":["9",861,"8"],"name":"a"}{"phones":[{"x":1}, "862"],"name":"b"}"#),
    (
      "phones.1.n", "name",
      #"{"phones":[{"n":"861"},{"n":"9"}],"name":"a"}{"phones":[{"t":1,"n":"862"}],"name":"b"}"#
    ),
    ("p.1.1", "l", #"{"p":[["861"],["9"]],"l":"a"}{"p":[["862",9]],"l":"b"}"#),
    ("phone", "tags.2", #"{"phone":"861","tags":["x","a"]}{"tags":["x","b","y"],"phone":"862"}"#),
    // A key may contain dots, and is found before its parts are.
    ("a.b", "l", #"{"a.b":"861","l":"a"}{"a":{"b":"9"},"a.b":"862","l":"b"}"#),
    ("a.b", "l", #"{"a.b":"861","a":{"b":"9"},"l":"a"}{"a":{"b":"862"},"l":"b"}"#),
    ("a.b.c", "l", #"{"a":{"b.c":"861"},"l":"a"}{"a":{"b":{"c":"9"},"b.c":"862"},"l":"b"}"#),
    (#"a\.b"#, "l", #"{"a":{"b":"9"},"a.b":"861","l":"a"}{"a.b":"862","l":"b"}"#),
    (#"x\.y.n"#, "l", #"{"x.y":{"n":"861"},"l":"a"}{"x":{"y":{"n":9}},"x.y":{"n":"862"},"l":"b"}"#),
    (#"x\\y"#, "l", #"{"x\\y":"861","l":"a"}{"x\\y":"862","l":"b"}"#),
    (".", "", #"{".":"861","":"a"}{"":{"":"862"}, "x":0}"#),
    // Escapes in the keys.
    ("c.phone", "l", #"{"\u0063":{"ph\u006fne":"861"},"l":"a"}{"c":{"phone":"862"},"\u006c":"b"}"#),
    ("a.b", "l", #"{"a\u002eb":"861","l":"a"}{"a.b":"862","l":"b"}"#),
    // The last of several fields counts.
    ("c.n", "l", #"{"c":{"n":"9"},"c":{"n":"861"},"l":"a"}{"c":{"n":"9","n":"862"},"l":"b"}"#),
    // Positions are keys in objects.
    ("1", "2", #"{"1":"861","2":"a"}{"2":"b","1":"862"}"#),
    ("c.1", "l", #"{"c":{"1":"861"},"l":"a"}{"c":["862"],"l":"b"}"#),
    // Arrays as rows.
    ("1", "2", #"[["861","a"],["862","b"]]"#),
    ("1", "2", "[[861, \"a\"],\n[862, \"b\", 7]]\n"),
    ("1", "2", "[\"861\",\"a\"]\n[\"862\",\"b\"]\n"),
    ("2", "1", #"[["a","861",[1]],["b","862",{"x":[2]}]]"#),
    ("2", "1", "[\n  [\n    \"a\",\n    \"861\"\n  ],\n  [\n    \"b\",\n    \"862\"\n  ]\n]\n"),
    ("1", "2", #"{"columns":[],"data":[["861","a"],["862","b"]]}"#),
    ("1", "2", #"[[["861","a"]],[],[[["862","b"]]]]"#),
    ("2.n", "1", #"[["a",{"n":"861"}],["b",{"t":0,"n":"862"}]]"#),
    ("1.1", "2", #"[["861"],"a"][["862","9"],"b"]"#),
  ]

  @Test(arguments: shapes.indices) func rowsAreFound(_ index: Int) throws {
    let (number, label, text) = Self.shapes[index]
    let outcome = try uncut(text, objectOptions(number: number, label: label))
    let second = text.contains(#""":{"":"862"}"#) ? [] : [RawRow("862", "b")]
    if second.isEmpty {
      // Here the label's whole path is the first part of the number's path, so it is an object.
      #expect(outcome.rows == [RawRow("861", "a")] && outcome.codes == ["unusable-field"])
    } else {
      #expect(outcome.rows == [RawRow("861", "a")] + second, "\(number) \(text)")
      #expect(outcome.rejects == [], "\(number) \(text)")
    }
    // Two inputs: the second does not depend on the first.
    let twice = try parse([Array(text.utf8), Array(text.utf8)], objectOptions(number: number, label: label))
    #expect(twice.rows == outcome.rows + outcome.rows)
  }

  @Test func allFourFieldsMayBeNested() throws {
    let options = objectOptions(number: "c.n", label: "c.l", source: "m.list", score: "m.votes.1")
    let outcome = try uncut(
      #"{"c":{"n":"861","l":"a\tb"},"m":{"list":"x","votes":[3,4]}}{"m":{"votes":[]},"c":{"n":862}}"#, options
    )
    #expect(outcome.rows == [RawRow("861", "a\\tb\tx\t3"), RawRow("862", "")])
    #expect(outcome.rejects == [])
    let mixed = objectOptions(number: "c.n", label: "=spam", source: "=s", score: "c.v")
    #expect(try uncut(#"{"c":{"n":"861","v":-2}}"#, mixed).rows == [RawRow("861", "spam\ts\t-2")])
  }

  /// A row without its number, or with another value instead, is one reject.
  @Test(arguments: [
    ("c.n", #"{"c":7}"#, "missing-field"), ("c.n", #"{"c":null}"#, "missing-field"),
    ("c.n", #"{"c":[]}"#, "missing-field"), ("c.n", #"{"c":{"n":null},"d":1}"#, "missing-field"),
    ("c.n", #"{"c":{"n":["861"]}}"#, "unusable-field"), ("c.n", #"{"c":{"n":{}}}"#, "unusable-field"),
    ("c.n", #"{"c":{"n":"861"},"c":[]}"#, "missing-field"),
    ("c.n", #"{"c":{"n":"861"},"c":0}"#, "missing-field"),
    ("c.1", #"{"c":[[]]}"#, "unusable-field"), ("c.2", #"{"c":["861"]}"#, "missing-field"),
    ("c.0", #"{"c":["861"]}"#, "missing-field"), ("c.01", #"{"c":["861"]}"#, "missing-field"),
    ("c.n", #"{"c":{"n":"86\q"}}"#, "bad-escape"), ("c.n", #"{"c":{"n":"\ud800"}}"#, "lone-surrogate"),
    ("c.n", #"{"c":{"n" "861"}}"#, "missing-colon"), ("c.n", #"{"c":{"n":"861"]}"#, "missing-brace"),
    ("c.n", #"{"c":{"n":"861" "m":1}}"#, "unexpected-text"), ("c.n", #"{"c":{"n":86x1}}"#, "unexpected-text"),
    ("c.n", #"{"x":["y","z"],"c":{}}"#, "missing-field"),
  ])
  func unusableRow(_ number: String, _ text: String, _ code: String) throws {
    let good = #"{"c":{"n":"863"},"c.0":"863","c.01":"863","c.1":"863","c.2":"863"}"#
    for glue in ["\n", ",\n"] {
      let outcome = try uncut(
        "[\(good)\(glue)\(text)\(glue)\(good)]", objectOptions(number: number, label: nil))
      #expect(outcome.rows == [RawRow("863", ""), RawRow("863", "")], "\(text)")
      #expect(outcome.codes == [code], "\(text)")
      #expect(outcome.lines == [2], "\(text)")
    }
  }

  @Test(
    arguments: [
      ("[]", []), ("[null,\"x\"]", ["missing-field"]), ("[\"9", ["unterminated-string"]),
      ("[\"9\" \"x\"]", ["unexpected-text"]), ("[\"9\",x]", ["unexpected-text"]),
      ("[\"9\",\"x\"}", ["missing-brace"]),
      ("[\"9\",{]", ["missing-brace"]), ("hello", ["unexpected-text"]), ("[{}]", ["missing-field"]),
      ("[-9]", ["not-whole"]), ("[9.5]", ["not-whole"]), ("{\"x\":\"y\"}", ["missing-field"]),
    ] as [(String, [String])])
  func onlyTheBrokenArrayIsLost(_ piece: String, _ codes: [String]) throws {
    let text = "[[\"861\",\"a\"],\n\(piece),\n[\"862\",\"b\"],\n[863]]"
    let outcome = try uncut(text, objectOptions(number: "1", label: "2"))
    #expect(outcome.rows == [RawRow("861", "a"), RawRow("862", "b"), RawRow("863", "")], "\(piece)")
    #expect(outcome.codes == codes, "\(piece)")
  }

  @Test func aListOfArraysIsNotReadTwice() throws {
    var options = objectOptions(number: "1", label: "2")
    options.recordBytesMax = 100
    let rows = (0..<500).map { "[\(8_613_800_000_000 + $0),\"a\"]" }
    let outcome = try parse("[" + rows.joined(separator: ",") + "]", options, cuts: [50])
    #expect(outcome.rows.count == 500 && outcome.rejects == [])
  }

  /// A whole number that a data frame wrote as a fraction is read as the original number, never as other digits.
  @Test(arguments: [
    ("8613800138000", "8613800138000"), ("8613800138000.0", "8613800138000"),
    ("8613800138000.000", "8613800138000"), ("8.613800138e12", "8613800138000"),
    ("8.613800138E+12", "8613800138000"), ("86138001380000e-1", "8613800138000"), ("1e3", "1000"),
    ("0", "0"), ("0.0", "0"), ("0e9", "0"), ("100", "100"), ("007", "007"),
    ("9007199254740993.0", "9007199254740993"),
    ("1e31", "1" + String(repeating: "0", count: 31)), ("true", "true"), ("+861", "+861"), ("0.5e1", "5"),
    ("0.00861e5", "861"), ("138-0013", "138-0013"),
  ])
  func numberAsANumber(_ typed: String, _ text: String) throws {
    for shape in ["{\"phone\":\(typed)}", "{\"x\":0,\"phone\": \(typed) }"] {
      let outcome = try uncut(shape, objectOptions())
      #expect(outcome.rows == [RawRow(text, "")] && outcome.rejects == [], "\(typed)")
    }
    #expect(try uncut("[\(typed),\"a\"]", objectOptions(number: "1", label: "2")).rows == [RawRow(text, "a")])
  }

  @Test(arguments: [
    "8613800138000.5", "-8613800138000", "-1", "1e32", "1e-1", "1.5", "0.1", "1e400", "1e-400",
    "1e99999999999999999999999999", "1e-99999999999999999999999999", "123456789012345678901234567890123.0",
    "-0.0",
    "8.6138001380001e12",
  ])
  func invalidNumber(_ typed: String) throws {
    let outcome = try uncut("{\"phone\":\(typed)}\n{\"phone\":1}", objectOptions())
    #expect(outcome.rows == [RawRow("1", "")] && outcome.codes == ["not-whole"], "\(typed)")
  }

  @Test(arguments: [
    ("12.0", "12"), ("-3.0", "-3"), ("1e2", "100"), ("-0.0", "0"),
    ("9223372036854775807", "9223372036854775807"),
    ("9223372036854775807.0", "9223372036854775807"), ("0", "0"), ("-5", "-5"),
  ])
  func scoreAsANumber(_ typed: String, _ text: String) throws {
    let options = objectOptions(label: nil, score: "v")
    #expect(try uncut("{\"phone\":1,\"v\":\(typed)}", options).rows == [RawRow("1", "\t\t\(text)")])
    let bad = try parse("{\"phone\":1,\"v\":0.5}{\"phone\":1,\"v\":1e30}", options)
    #expect(bad.codes == ["bad-score", "bad-score"])
  }

  @Test func labelsKeepNumbersAsWritten() throws {
    let outcome = try uncut("{\"phone\":1,\"name\":1.50e1}{\"phone\":2,\"name\":false}", objectOptions())
    #expect(outcome.rows == [RawRow("1", "1.50e1"), RawRow("2", "false")])
  }

  /// An empty answer of a web service is not a reject; a record without its number is one.
  @Test func wrappersAndRecordsAreDistinguished() throws {
    for text in ["{\"data\":[]}", "{\"r\":{\"data\":[],\"n\":0}}"] {
      #expect(try uncut(text, objectOptions()).rowsIn == 0, "\(text)")
    }
    for text in ["[{\"name\":\"x\",\"tags\":[]}]", "[{\"name\":\"x\",\"tags\":[\"y\"]}]", "{\"tags\":[1,2]}"]
    {
      #expect(try uncut(text, objectOptions()).codes == ["missing-field"], "\(text)")
    }
  }

  @Test func pathsOfAnyLengthAreHarmless() throws {
    let deep = (0..<100).map { "k\($0)" }
    var text = "\"861\""
    for key in deep.prefix(31).reversed() { text = "{\"\(key)\":\(text)}" }
    let path = deep.prefix(31).joined(separator: ".")
    #expect(try parse(text, objectOptions(number: path)).rows == [RawRow("861", "")])
    // After the maximum number of parts, the rest is one key.
    let long = objectOptions(number: deep.joined(separator: "."))
    #expect(try parse(text, long).rows == [])
    let whole = "{\"\(deep.joined(separator: "."))\":\"862\"}"
    #expect(try parse(whole, long).rows == [RawRow("862", "")])
    #expect(JSONPaths.keys(ContiguousArray(deep.joined(separator: ".").utf8)).count == JSONPaths.partsMax)
  }
}
