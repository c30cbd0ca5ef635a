// Objects as rows without chosen fields: their fields have common names.

import Records
import Testing

@testable import InputStages

@Suite struct JSONCommonFieldsTests {
  static let inputs: [(String, [String])] = [
    (
      #"[{"number":"+15551234567","label":"a"},{"number":"+15551234568"}]"#,
      ["+15551234567|a", "+15551234568|"]
    ),
    (
      "{\"name\":\"a\",\"Phone_Number\":\"861\"}\n{\"Phone_Number\":862,\"name\":\"b\"}\n",
      ["861|a", "862|b"]
    ),
    (#"{"status":"ok","meta":{"n":2},"data":[{"id":7,"电话":"861","标签":"a"}]}"#, ["861|a"]),
    (#"[{"ph\u006fne":"861","x":"a"}]"#, ["861|"]),
    (#"[{"id":1,"contact":{"phone":"861","name":"a"}}]"#, ["861|a"]),
    (#"[{"contact":{"tel":"0"},"phone":"861","name":"a"}]"#, ["861|a"]),
    (#"[{"phone":null,"name":"a","x":{"y":1}},{"phone":"862"}]"#, ["862|"]),
    // Lists of numbers in contacts.
    (
      #"{"data":[{"name":"A","phones":[{"e164Format":"+15550100","nationalFormat":"555-0100","type":"x"}]}]}"#,
      ["+15550100|x"]
    ),
    (
      #"[{"name":"A","phones":[{"value":"+15550100","type":"x"},{"value":"+15550101"}]}]"#,
      ["+15550100|x", "+15550101|"]
    ),
    (#"[{"number":{"country_code":"49","national":"301234501"},"name":"a"}]"#, ["+49301234501|"]),
    // Area codes.
    (
      #"[{"prefix":"030","number":"22112345","label":"a"},{"prefix":"040","number":"04022154321","label":"b"}]"#,
      ["03022112345|a", "04022154321|b"]
    ),
    (#"[{"nummer":"22112345","vorwahl":"030","label":"a"}]"#, ["03022112345|a"]),
    (#"[{"number":"03022112345","prefix":"030","label":"a"}]"#, ["03022112345|a"]),
    // Lists by dates.
    (#"{"2025-02-01":[{"tel":"861","name":"a"}],"02.02.2025":[{"tel":"862"}]}"#, ["861|a", "862|"]),
    // A label in an inner object, or in one that comes before the number.
    (#"[{"phone":"861","info":{"label":"a","x":1}},{"phone":"862"}]"#, ["861|a", "862|"]),
    (#"[{"in.fo":{"more":{"name":"a"}},"phone":"861"}]"#, ["861|a"]),
    (#"[{"info":{"label":"b"},"phone":"861","name":"a"}]"#, ["861|a"]),
    (#"[{"phone":"861","tags":[{"k":"x"}],"name":"a"}]"#, ["861|a"]),
    // Short names, if there are no others.
    (#"[{"n":"13800138000","l":"a"},{"l":"b","n":13800138001}]"#, ["13800138000|a", "13800138001|b"]),
    (#"[{"n":"13800138000","label":"a"}]"#, ["13800138000|a"]),
    (#"[{"phone":"861","l":"a"}]"#, ["861|a"]),
    (#"[{"n":"12345","phone":"861","l":"a","name":"b"}]"#, ["861|b"]),
    (#"[{"n":"1","l":"a"}]"#, ["n|1", "l|a"]),
    // Pairs are still pairs.
    (#"[{"861":"number"},{"862":"phone"}]"#, ["861|number", "862|phone"]),
    (#"{"861":"a","number":"862"}"#, ["861|a", "number|862"]),
    (#"[{"number":"label"},{"861":"a"}]"#, ["number|label", "861|a"]),
    (#"[{"a":"861"},{"phone":"862"}]"#, ["a|861", "phone|862"]),
    (#"{"list":{"861":"a"},"phone":"862"}"#, ["861|a", "phone|862"]),
    (#""861":"a""#, ["861|a"]),
    // A text in place of the first number does not change how the others are read.
    (
      #"[{"number":"private","label":"a","day":7},{"number":"+49301234567","label":"b"}]"#,
      ["private|a", "+49301234567|b"]
    ),
    (
      #"{"fields":[{"name":"phone","type":"text"}],"data":[{"index":0,"phone":"861","label":"a"}]}"#,
      ["861|a"]
    ),
    // Typed values of databases.
    (
      #"[{"_id":{"$oid":"5f"},"phone":{"$numberLong":"4930123456"},"label":"a"},{"phone":{"$numberLong":"862"}}]"#,
      ["4930123456|a", "862|"]
    ),
    (#"{"Items":[{"phone":{"S":"+4930123456"},"label":{"S":"a"}}],"Count":1}"#, ["+4930123456|a"]),
    (#"[{"phone":"+15550100","call_type":true}]"#, ["+15550100|"]),
    (#"[{"phone":{"@type":"g:Int64","@value":4930123456},"name":{"stringValue":"b"}}]"#, ["4930123456|b"]),
    // Dates and times are no labels, if there are no others.
    (#"{"+4930123456":"2024-01-05","+4930123457":"2024-02-05"}"#, ["+4930123456|", "+4930123457|"]),
    (#"{"+4930123456":1704448800,"+4930123457":1704448801}"#, ["+4930123456|", "+4930123457|"]),
    (#"{"+4930123456":"2024-01-05","+4930123457":"Spam"}"#, ["+4930123456|2024-01-05", "+4930123457|Spam"]),
    (#"{"+4930123456":5,"+4930123457":7}"#, ["+4930123456|5", "+4930123457|7"]),
    // Labels and numbers; an index, a date or a time is not a label.
    (#"{"Spam Co":"+4930123456","Survey":"+4930123457"}"#, ["+4930123456|Spam Co", "+4930123457|Survey"]),
    (#"{"0":"+4930123456","1":"+4930123457"}"#, ["+4930123456|", "+4930123457|"]),
    (#"{"10000":"4930123456","10001":"4930123457"}"#, ["4930123456|", "4930123457|"]),
    (#"{"1704448800":"+4930123456","1704448801":"+4930123457"}"#, ["+4930123456|", "+4930123457|"]),
    (#"{"2024-01-05":"+4930123456"}"#, ["+4930123456|"]),
    (
      #"{"20123456":"Spam","22334455":"24/7 (3)","+4520123457":"2024-01-05"}"#,
      ["20123456|Spam", "22334455|24/7 (3)", "+4520123457|2024-01-05"]
    ),
    (#"{"2024-01-05":"call","05.01.2024":"x","+4520123456":"Spam"}"#, ["+4520123456|Spam"]),
  ]

  /// Pairs without a number among labels and numbers, and words among numbers and labels.
  @Test(arguments: [
    (#"{"Anna":"+4930123456","Bob":"","Carl":"+4930123458"}"#, ["+4930123456|Anna", "+4930123458|Carl"], 1),
    (
      #"{"Bob":"n/a","Anna":"+4930123456","Carl":"+4930123458"}"#,
      ["+4930123456|Anna", "+4930123458|Carl"], 1
    ),
    (#"{"Anna":null,"Bob":"-","Carl":"+4930123458"}"#, ["+4930123458|Carl"], 2),
    (
      #"{"Anna":"0301234561","Bob":"0301234562","Eva":"2024","Max":"0301234563"}"#,
      ["0301234561|Anna", "0301234562|Bob", "2024|Eva", "0301234563|Max"], 0
    ),
    (#"{"0":"+4930123456","1":"","2":"+4930123458"}"#, ["+4930123456|", "+4930123458|"], 1),
    (
      #"{"title":"A list","Anna":"+4930123456","Bob":"+4930123457"}"#,
      ["+4930123456|Anna", "+4930123457|Bob"], 1
    ),
    (
      #"{"110":"Police","11880":"+4930123456","11881":"+4930123457"}"#,
      ["110|Police", "11880|+4930123456", "11881|+4930123457"], 0
    ),
    (#"{"+4930123456":"","+4930123457":"+4930123458"}"#, ["+4930123456|", "+4930123457|+4930123458"], 0),
    (
      #"{"version":"x2","id":["10001"],"phone":["+4930123457"]}"#,
      ["version|x2", "10001|", "+4930123457|"], 0
    ),
  ])
  func pairsThatLackTheirNumber(_ text: String, _ rows: [String], _ missing: Int) throws {
    for cuts in staccato {
      let outcome = try parse(text, options(.json), cuts: cuts)
      #expect(outcome.rows.map(\.description) == rows, "cut \(cuts)")
      #expect(outcome.codes == Array(repeating: "missing-number", count: missing), "cut \(cuts)")
    }
  }

  /// The number of a call is the other party: the caller, or for an outgoing call the one who is called.
  @Test(arguments: [
    #"[{"caller":"+4930111111","callee":"+4930222222","duration":3,"direction":"outgoing"},"#
      + #"{"caller":"+4930333333","callee":"+4930111111","duration":3,"direction":"incoming"}]"#,
    // Without a direction, the line that all calls have is the own one.
    #"{"calls":[{"to":"+4930222222","from":"+4930111111","duration":3},"#
      + #"{"from":"+4930333333","to":"+4930111111","duration":3}]}"#,
    "{\"date\":\"2024-01-05\",\"von\":4930111111,\"an\":4930222222}\n"
      + "{\"date\":\"2024-01-06\",\"von\":4930333333,\"an\":4930111111}\n",
    // The parties are objects.
    #"[{"from":{"number":"+4930111111"},"to":{"number":"+4930222222"},"direction":"outbound"},"#
      + #"{"from":{"number":"+4930333333"},"to":{"number":"+4930111111"},"direction":"inbound"}]"#,
    // A party that is not known.
    #"[{"from":null,"to":"+4930222222","direction":"outbound-api","duration":3},"#
      + #"{"from":"+4930333333","to":null,"direction":"inbound","duration":3}]"#,
    #"[{"Richtung":"ausgehend","Dauer":"00:03","Anrufer":"+4930111111","Empf\u00e4nger":"+4930222222"},"#
      + #"{"Richtung":"eingehend","Dauer":"00:03","Anrufer":"+4930333333","Empf\u00e4nger":"+4930111111"}]"#,
  ])
  func partiesOfCalls(_ text: String) throws {
    for cuts in staccato {
      let outcome = try parse(text, options(.json), cuts: cuts)
      let numbers = outcome.rows.map { String(decoding: $0.text, as: UTF8.self).suffix(10) }
      #expect(numbers == ["4930222222", "4930333333"] && outcome.rejects == [], "cut \(cuts)")
    }
  }

  @Test func callsWithoutTheOtherParty() throws {
    let text =
      #"[{"from":"+4930111111","to":"","direction":"outgoing","duration":3},"#
      + #"{"from":null,"to":"+4930111111","direction":"incoming","duration":3},"#
      + #"{"from":"+4930333333","to":"+4930111111","direction":"incoming","duration":3}]"#
    for cuts in staccato {
      let outcome = try parse(text, options(.json), cuts: cuts)
      #expect(outcome.rows.map(\.description) == ["+4930333333|incoming"], "cut \(cuts)")
      #expect(outcome.codes == ["missing-number", "missing-field"], "cut \(cuts)")
    }
    let anonymous =
      #"[{"from":"anonymous","to":"+4930111111","direction":"incoming","duration":3},"#
      + #"{"from":"+4930333333","to":"+4930111111","direction":"incoming","duration":3}]"#
    #expect(
      try parse(anonymous, options(.json)).rows.map(\.description)
        == ["anonymous|incoming", "+4930333333|incoming"])
  }

  /// JSON that has no rows is named.
  @Test(arguments: [
    (#"{"phone":{"0":"+4930123456","1":"+4930123457"},"label":{"0":"Spam","1":"B"}}"#, "json-columns"),
    (
      #"{"label":{"2024-01-05":"a","2024-02-05":"b"},"phone":{"2024-01-05":"+4930123456","2024-02-05":"862"}}"#,
      "json-columns"
    ),
    (#"{"columns":["phone","label"],"index":[0,10001],"data":[["+4930123456","Spam"]]}"#, "json-columns"),
    (#"{"id":[10001,10002],"phone":["+4930123456","+4930123457"]}"#, "json-columns"),
    (#"["vcard",[["version",{},"text","4.0"],["tel",{},"uri","tel:+4930123456"]]]"#, "json-contact"),
    (#"[["vcard",[["fn",{},"text","a"]]]]"#, "json-contact"),
  ])
  func otherFormsAreNamed(_ text: String, _ code: String) throws {
    for format in [ParseOptions.Format.json, .auto] {
      for cuts in staccato {
        let outcome = try parse(text, options(format), cuts: cuts)
        #expect(outcome.failure?.code == code && outcome.rows == [], "cut \(cuts)")
      }
    }
  }

  @Test(arguments: inputs) func rowsByCommonNames(_ text: String, _ expected: [String]) throws {
    for format in [ParseOptions.Format.json, .auto] {
      var options = ParseOptions()
      options.format = format
      for cuts in staccato {
        let outcome = try parse(text, options, cuts: cuts)
        #expect(outcome.rows.map(\.description) == expected, "cut \(cuts)")
      }
    }
  }

  /// A number beside the list of rows, and lists whose names say that their numbers are not blocked.
  @Test(arguments: [
    (#"{"phone":"+15550100","blocked":[{"phone":"+15550101"},{"phone":"+15550102"}]}"#, 2, ["outside-rows"]),
    (#"{"data":{"blocked":[{"phone":"+15550101"}],"phone":"+15550100"}}"#, 1, ["outside-rows"]),
    (#"{"a":[{"phone":"+15550101"}],"whitelist":[{"phone":"+15550100"}]}"#, 1, ["other-list"]),
    (#"{"my_numbers":[{"phone":"+15550100"}],"a":[{"phone":"+15550101"}]}"#, 1, ["other-list"]),
    (#"{"removedNumbers":{"all":[{"phone":"+15550100"}]},"a":[{"phone":"+15550101"}]}"#, 1, ["other-list"]),
    (#"{"a":[{"phone":"+15550101"}],"support":{"phone":"+15550100"}}"#, 1, ["other-list"]),
    // The only list, and names that say the opposite.
    (#"{"contacts":[{"phone":"+15550101"},{"phone":"+15550102"}]}"#, 2, []),
    (#"{"blocked_contacts":[{"phone":"+15550101"}],"a":[{"phone":"+15550102"}]}"#, 2, []),
    // Objects on lines of their own.
    ("{\"phone\":\"1\",\"x\":[{\"phone\":\"+15550100\"}]}\n{\"phone\":\"+15550102\"}\n", 2, []),
  ])
  func listsBesideTheRows(_ text: String, _ count: Int, _ codes: [String]) throws {
    for cuts in staccato {
      let outcome = try parse(text, options(.json), cuts: cuts)
      #expect(outcome.rows.count == count && outcome.codes == codes, "cut \(cuts)")
      #expect(!outcome.rows.contains { $0.description.hasPrefix("+15550100") }, "cut \(cuts)")
    }
  }

  @Test func chosenFieldsTakePrecedenceOverCommonNames() throws {
    let text = #"[{"phone":"861","label":"a","number":"862"}]"#
    #expect(try parse(text, objectOptions(number: "number", label: nil)).rows == [RawRow("862", "")])
    var options = jsonOptions()
    options.labelField = .constant("spam")
    options.sourceField = .constant("ftc")
    #expect(try parse(text, options).rows == [RawRow("861", "spam\tftc")])
  }

  @Test func eachInputHasItsOwnFields() throws {
    let documents = [#"[{"phone":"861","name":"a"}]"#, #"{"862":"b"}"#, #"[{"tel":"863","label":"c"}]"#]
    for cuts in staccato {
      let outcome = try parse(documents.map { Array($0.utf8) }, cuts: cuts)
      #expect(outcome.rows.map(\.description) == ["861|a", "862|b", "863|c"], "cut \(cuts)")
    }
  }

  /// The end of the examined start does not depend on the cuts.
  @Test func theExaminedStartIsBounded() throws {
    var options = jsonOptions()
    options.recordBytesMax = 1000
    for fill in [900, 950, 1000, 2000] {
      let text = "{\"x\":\"\(String(repeating: "y", count: fill))\",\"phone\":\"861\"}\n{\"phone\":\"862\"}\n"
      let whole = try parse(text, options)
      for cuts in staccato { #expect(try parse(text, options, cuts: cuts) == whole, "\(fill), cut \(cuts)") }
    }
  }

  @Test func anEmptyNumberIsMissing() throws {
    for number in [#""""#, #"" \t""#, #""\u0020""#] {
      let text = "{\"phone\":\"861\"}\n{\"phone\":\(number),\"name\":\"a\"}\n{\"phone\":\"862\"}\n"
      for options in [objectOptions(), jsonOptions()] {
        let outcome = try parse(text, options)
        #expect(outcome.rows == [RawRow("861", ""), RawRow("862", "")])
        #expect(outcome.codes == ["missing-number"] && outcome.lines == [2])
      }
    }
  }
}
