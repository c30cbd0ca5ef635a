// Objects as rows: fields by name, others of any shape skipped, wrappers searched.

import Records
import Testing

@testable import InputStages

@Suite struct ObjectTests {
  @Test(arguments: [
    "[{\"phone\":\"861\",\"name\":\"a\"},{\"phone\":\"862\",\"name\":\"b\"}]",
    "{\"name\":\"a\",\"phone\":861}\n{\"phone\":862,\"name\":\"b\"}\n",
    "[\n  {\n    \"name\": \"a\",\n    \"phone\": \"861\"\n  },\n  {\n    \"phone\": \"862\",\n    \"name\": \"b\"\n  }\n]",
    "{\"phone\":\"861\",\"x\":{\"phone\":\"9\",\"y\":[1,{\"z\":\"}\"}]},\"name\":\"a\",\"t\":[]}{\"e\":null,\"phone\":\"862\",\"name\":\"b\"}",
    "{\"status\":\"ok\",\"n\":2,\"data\":[{\"phone\":\"861\",\"name\":\"a\"},{\"phone\":\"862\",\"name\":\"b\"}],\"end\":true}",
    "{\"a\":{\"b\":{\"phone\":\"861\",\"name\":\"a\"},\"c\":[1,\"x\",[{\"phone\":\"862\",\"name\":\"b\"}]]}}",
    "[{\"\\u0070hone\":\"861\",\"name\":\"\\u0061\"},{\"phone\":\"862\",\"name\":\"b\",\"phone\":\"862\"}]",
  ])
  func layoutDoesNotMatter(_ text: String) throws {
    for cuts in staccato {
      let outcome = try parse(text, objectOptions(), cuts: cuts)
      #expect(outcome.rows == [RawRow("861", "a"), RawRow("862", "b")], "cut \(cuts)")
      #expect(outcome.rejects == [], "cut \(cuts)")
    }
  }

  @Test func aNumberThatAnotherOneReplacesIsReported() throws {
    let outcome = try parse(#"[{"phone":"861","name":"a","phone":"862"}]"#, objectOptions())
    #expect(outcome.rows == [RawRow("862", "a")] && outcome.codes == ["several-numbers"])
  }

  @Test func allFieldsAreRead() throws {
    let options = objectOptions(source: "list", score: "votes")
    let outcome = try parse(
      #"""
      {"phone":"861","name":"a\tb","list":"l\\1","votes":12}
      {"phone":"862","votes":"-3"}
      {"phone":"863","name":null,"list":"","votes":null}
      {"phone":"864","name":"x","votes":"many"}
      {"phone":"865","name":"x","votes":1.5}
      {"phone":"866","name":{"a":1}}
      {"phone":true,"name":7,"list":"z"}
      """#, options)
    #expect(
      outcome.rows == [
        RawRow("861", #"a\tb"# + "\t" + #"l\\1"# + "\t12"), RawRow("862", "\t\t-3"), RawRow("863", ""),
        RawRow("true", "7\tz"),
      ])
    #expect(outcome.codes == ["bad-score", "bad-score", "unusable-field"])
    #expect(outcome.rejects.last?.reason == .unusableField("name"))
    #expect(outcome.lines == [4, 5, 6])
  }

  @Test func constantsAndFieldsMix() throws {
    let outcome = try parse(
      #"{"phone":"861","votes":3}"#, objectOptions(label: "=spam", source: "=ftc", score: "votes"))
    #expect(outcome.rows == [RawRow("861", "spam\tftc\t3")])
  }

  @Test(arguments: [
    (#"{"name":"x"}"#, "missing-field"), (#"{"phone":null,"name":"x"}"#, "missing-field"),
    ("{}", "missing-field"),
    (#"{"phone":"862,"name":"x"}"#, "unexpected-text"), (#"{"phone" "862"}"#, "missing-colon"),
    (#"{"phone":"862","name":"x""#, "missing-brace"), (#"{"phone":"862","t":[1}}"#, "missing-brace"),
    (#"{"phone":"862" "name":"x"}"#, "unexpected-text"), ("hello", "unexpected-text"),
    (#"{"phone":"0302312>50001"}"#, "unexpected-text"), (#"{"phone":"0302312\"50001"}"#, "unexpected-text"),
    (#"{"phone":{"a":1}}"#, "unusable-field"), (#"{"phone":"86\x"}"#, "bad-escape"),
  ])
  func onlyTheBrokenObjectIsLost(_ piece: String, _ code: String) throws {
    for glue in ["\n", ",\n"] {
      let text = "{\"phone\":\"861\"}\(glue)\(piece)\(glue){\"phone\":\"863\"}\(glue){\"phone\":\"864\"}"
      let whole = try parse(text, objectOptions())
      #expect(whole.rows == [RawRow("861", ""), RawRow("863", ""), RawRow("864", "")])
      #expect(whole.codes == [code])
      #expect(whole.lines == [2])
      for cuts in staccato { #expect(try parse(text, objectOptions(), cuts: cuts) == whole, "cut \(cuts)") }
    }
  }

  @Test func aWrapperMayBeLongerThanARecord() throws {
    var options = objectOptions()
    options.recordBytesMax = 200
    var text = "{\"status\":\"ok\",\"data\":["
    for ordinal in 0..<100 { text += "{\"phone\":\"\(861_000 + ordinal)\",\"name\":\"a\"}," }
    text += "{\"phone\":\"1\",\"x\":\"\(String(repeating: "y", count: 1000))\"}],\"n\":1}"
    let whole = try parse(text, options)
    #expect(whole.rows.count == 100)
    #expect(whole.codes == ["record-too-long"])
    for cuts in staccato { #expect(try parse(text, options, cuts: cuts) == whole, "cut \(cuts)") }
  }

  @Test(arguments: [
    ("", ["truncated"]), (",{\"phone\":\"86", ["truncated"]),
    (",{\"phone\" 1},{\"phone\":\"863\"}]}", ["missing-colon"]),
    (",{\"phone\":\"864}]}", ["truncated"]), ("]}}", ["unexpected-text"]),
  ])
  func rowsInABrokenWrapperSurvive(_ rest: String, _ codes: [String]) throws {
    let text = "{\"data\":[{\"phone\":\"861\"},{\"phone\":\"862\"}" + rest
    let whole = try parse(text, objectOptions())
    #expect(whole.rows.prefix(2) == [RawRow("861", ""), RawRow("862", "")])
    #expect(whole.rows.count == (rest.contains("863") ? 3 : 2))
    // A truncated end that lacks only brackets has no reject; it is an error.
    if rest.isEmpty { #expect(whole.failure != nil) }
    #expect(whole.codes == (rest.isEmpty ? [] : codes))
    for cuts in staccato { #expect(try parse(text, objectOptions(), cuts: cuts) == whole, "cut \(cuts)") }
  }

  @Test func optionsThatDoNotFitAreAFailure() throws {
    var options = jsonOptions()
    options.labelField = .name("name")
    #expect(try parse("{}", options).failure == .noNumberField)
    #expect(try parse("", options).failure == .noNumberField)
    options = jsonOptions()
    options.scoreField = FieldSelector("=many")
    #expect(try parse("{}", options).failure == .badScoreConstant("many"))
    #expect(Failure.noNumberField.errorClass == .badData)
    #expect(
      FieldSelector("=x") == .constant("x") && FieldSelector("x") == .name("x")
        && FieldSelector("=") == .constant(""))
  }
}
