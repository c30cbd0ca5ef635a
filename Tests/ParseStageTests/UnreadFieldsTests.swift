// What is read by default from lists that emit wrote, what is reported because it is not read, and where an input ends.

import Records
import Testing

@testable import InputStages

@Suite struct UnreadFieldsTests {
  private func unread(_ text: String, _ format: ParseOptions.Format = .auto) throws -> [UnreadFields] {
    try parseWithNotices(Array(text.utf8), options(format)).layouts.first?.unread ?? []
  }

  private func rows(_ text: String, _ chosen: ParseOptions = options(.auto)) throws -> [String] {
    let outcome = try parseInPieces(Array(text.utf8), chosen, startBytes: 4096)
    #expect(outcome.failure == nil && outcome.rejects == [], "\(text)")
    return outcome.rows.map(\.description)
  }

  // MARK: Lists of emit

  @Test func listsOfEmitAreReadBack() throws {
    let expected = ["4930130000..4930139999|x", "4930150009|y\tftc\t5", "4930150010|"]
    let lines =
      "{\"number\":4930130000,\"last\":4930139999,\"label\":\"x\"}\n"
      + "{\"number\":4930150009,\"label\":\"y\",\"source\":\"ftc\",\"score\":5}\n{\"number\":4930150010}\n"
    #expect(try rows(lines) == expected)
    // The first object may lack fields that later ones have.
    let reversed = lines.split(separator: "\n").reversed().joined(separator: "\n") + "\n"
    #expect(try rows(reversed) == expected.reversed())
    #expect(
      try rows(
        "number,label,source,score\r\n4930130000..4930139999,x,,\r\n4930150009,y,ftc,5\r\n4930150010,,,\r\n")
        == expected)
    #expect(
      try rows(
        "number,last,label,source,score\n4930130000,4930139999,x,,\n4930150009,,y,ftc,5\n4930150010,,,,\n")
        == expected)
    #expect(try rows("number,label,source,score\n861,x\n862\n", options(.csv)) == ["861|x", "862|"])
    let constant = options(.auto) { $0.sourceField = .constant("mine") }
    #expect(
      try rows("{\"number\":4930150009,\"source\":\"ftc\",\"score\":5}\n", constant) == [
        "4930150009|\tmine\t5"
      ])
  }

  /// Rows without source and score are read by the fast path, the others are not.
  @Test func tablesOfEmitWithAndWithoutSources() throws {
    let fields: [(text: String, row: String)] = [
      ("y,,", "y"), ("\"y\",,", "y"), ("y, ,", "y"), (",,", ""), ("y,ftc,5", "y\tftc\t5"), (",,7", "\t\t7"),
      ("y,\"\",", "y"), ("y", "y"), ("y,,,", "y"),
    ]
    var text = "number,label,source,score\r\n"
    var expected: [String] = []
    for index in 0..<5000 {
      let chosen = fields[index * index % 101 % fields.count]
      text += "\(4_930_150_000 + index),\(chosen.text)\r\n"
      expected.append("\(4_930_150_000 + index)|\(chosen.row)")
    }
    let read = try rows(text)
    #expect(read.count == expected.count)
    for (row, expectedRow) in zip(read, expected) where row != expectedRow {
      Issue.record("'\(row)' instead of '\(expectedRow)'")
      break
    }
  }

  @Test(arguments: [
    #"[{"number":"4930150009","label":"y","source":"ftc"}]"#,
    #"[{"label":"y","number":4930150009,"source":"ftc"}]"#,
    #"[{"number":4930150009,"label":"y","source":"ftc","x":1}]"#,
    "number,label,source\n4930150009,y,ftc\n", "number,label,source,score,x\n4930150009,y,ftc,5,\n",
    "number,source,label,score\n4930150009,ftc,y,5\n",
  ])
  func otherListsHaveNoSource(_ text: String) throws {
    #expect(try rows(text) == ["4930150009|y"])
  }

  // MARK: Numbers in lists of a row

  /// The number of the object itself is that of the row; those in its lists are named.
  @Test(arguments: [
    (#""phone":"2125550111","others":[{"number":"2125550117"}]"#, "others.1.number"),
    (#""others":[{"number":"2125550117"}],"phone":"2125550111""#, "others.1.number"),
    (#""phone":"2125550111","others":[{"phone":"2125550117"}]"#, "others.1.phone"),
    (
      #""mobile":"2125550111","phoneNumbers":[{"number":"2125550117"},{"number":"2125550118"}]"#,
      "phoneNumbers.1.number"
    ),
    (#""number":"2125550111","more":{"list":[{"tel":"2125550117"}]}"#, "more.list.1.tel"),
    (#""phone":"2125550111","aliases":["2125550117","2125550118"]"#, "aliases.1"),
    (#""phone":"2125550111","others":["2125550117"]"#, "others.1"),
    (#""phone":"2125550111","alt":"2125550117, 2125550118""#, "alt"),
    (#""phone":"2125550111","alt":"2125550117""#, "alt"),
  ])
  func numbersInListsOfRows(_ fields: String, _ unreadField: String) throws {
    let objects = ["A", "B"].map { "{\"name\":\"\($0)\",\(fields)}" }
    for text in ["[\(objects.joined(separator: ","))]", objects.joined(separator: "\n") + "\n"] {
      #expect(try rows(text) == ["2125550111|A", "2125550111|B"], "\(text)")
      #expect(try unread(text) == [.numbers([unreadField])], "\(text)")
    }
  }

  /// A list of callers, by its name, has the numbers, whatever number is around it.
  @Test(arguments: [
    #"[{"id":7,"phone":"2125550111","blocked_numbers":[{"number":"6465550117"}]},{"id":8,"blocked_numbers":[{"number":"6465550118"}]}]"#,
    #"[{"num":5,"items":[{"number":"6465550117"},{"number":"6465550118"}]}]"#,
    #"{"count":2,"items":[{"number":"6465550117"},{"number":"6465550118"}]}"#,
  ])
  func listsInObjects(_ text: String) throws {
    #expect(try rows(text) == ["6465550117|", "6465550118|"])
  }

  @Test(arguments: [
    #"[{"phone":"2125550111","name":"A","seen_unixtime":"1790848800","order_id":"2125550117"}]"#,
    #"[{"phone":"+4930123456","name":"A","local":"030123456"}]"#,
  ])
  func figuresThatAreNoOtherNumbers(_ text: String) throws {
    #expect(try unread(text) == [])
  }

  // MARK: Ranges

  @Test func rangesInObjects() throws {
    var chosen = objectOptions(number: "r.from", label: "l")
    chosen.lastField = .name("r.to")
    let text =
      "[{\"r\":{\"from\":\"861\",\"to\":\"869\"},\"l\":\"a\"},{\"l\":\"b\",\"r\":{\"to\":879.0,\"from\":871}},"
      + "{\"r\":{\"from\":\"88\\u0031\",\"to\":\"881\"}},{\"r\":{\"from\":\"891\",\"to\":null}},{\"r\":{\"from\":1,\"to\":\"\"}}]"
    #expect(try rows(text, chosen) == ["861..869|a", "871..879|b", "881|", "891|", "1|"])
    let odd =
      "[{\"r\":{\"from\":\"861\",\"to\":[1]}},{\"r\":{\"from\":\"861\",\"to\":1.5}},{\"r\":{\"from\":\"2\"}}]"
    let outcome = try parseInPieces(Array(odd.utf8), chosen)
    #expect(outcome.codes == ["unusable-field", "not-whole"] && outcome.rows == [RawRow("2", "")])
    chosen.numberField = nil
    chosen.labelField = nil
    #expect(try parse(text, chosen).failure == .noNumberField)
    #expect(try parse("{\"861\":\"a\"}", objectOptions(number: "1", label: nil)).failure == nil)
  }

  @Test func lastNumbersThatAreNotRead() throws {
    #expect(try unread("from;to;operator\n0199000000;0199099999;A\n") == [.lastNumbers(["to"])])
    #expect(
      try unread("[{\"phone\":\"0199000000\",\"end\":\"0199099999\",\"name\":\"A\"}]") == [
        .lastNumbers(["end"])
      ])
    // The ends of a range are no labels, and not two numbers.
    for (text, row, last) in [
      ("[{\"from\":\"+4930123400\",\"to\":\"+4930123499\"}]", "+4930123400|", "to"),
      ("{\"start\":4930123400,\"end\":4930123499}\n", "4930123400|", "end"),
      ("[{\"name\":\"A\",\"Von\":\"030 1234500\",\"Bis\":\"030 1234599\"}]", "030 1234500|A", "Bis"),
      ("{\"ranges\":[{\"fin\":\"0199099999\",\"d\u{e9}but\":\"0199000000\"}]}", "0199000000|", "fin"),
    ] {
      #expect(try rows(text) == [row])
      #expect(try unread(text) == [.lastNumbers([last])], "\(text)")
    }
    let pair = "[{\"from\":\"+4930123456\",\"to\":\"+33199000000\"}]"
    #expect(try rows(pair) == ["+4930123456|"] && unread(pair) == [.numbers(["to"])])
    #expect(
      try rows("{\"Max\":\"+4930123456\",\"Eva\":\"+4930123457\"}") == ["+4930123456|Max", "+4930123457|Eva"])
    #expect(
      try rows("[{\"from\":\"2024-01-05\",\"to\":\"2024-01-06\",\"numbers\":[\"+4930123456\"]}]").last
        == "+4930123456|")
    // Times, dates and counts.
    for text in [
      "[{\"phone\":\"+4930123456\",\"end\":1732147200,\"name\":\"A\"}]",
      "number,end,label\n0199000000,2024-11-21,A\n",
      "number,to,label\n0199000000,3,A\n",
    ] {
      #expect(try unread(text) == [], "\(text)")
    }
  }

  // MARK: Labels and other numbers

  @Test(
    arguments: [
      ("Full Name,Phone\nAnn,12345678\n", "12345678|Ann"),
      ("Phone,Reason,Full Name\n12345678,x,Ann\n", "12345678|Ann"),
      ("First Name,Last Name,Phone\nAnn,Test,12345678\n", "12345678|Ann Test"),
      ("First Name,Last Name,Phone,Category\nAnn,Test,12345678,spam\n", "12345678|Ann Test"),
      ("Name,First Name,Last Name,Phone\nA T,Ann,Test,12345678\n", "12345678|A T"),
      ("Vorname;Telefon\nAnn;12345678\n", "12345678|Ann"),
      ("Customer,City,Phone\nAnn,Bonn,12345678\n", "12345678|Ann"),
      ("Phone,Zweitnummer\n12345678,12345679\n", "12345678|"),
      ("12345678,12345679\n12345670,12345671\n", "12345678|"),
      ("Phone,Id\n12345678,7\n", "12345678|"), ("Kunde;Telefon;Grund\nAnn;12345678;x\n", "12345678|x"),
    ])
  func labelsOfTables(_ text: String, _ row: String) throws {
    #expect(try rows(text).first == row)
  }

  @Test func unrecognisedLabelsOfTables() throws {
    func possible(_ text: String, _ chosen: ParseOptions = options(.auto)) throws -> [String] {
      try parseWithNotices(Array(text.utf8), chosen).layouts.first?.possibleLabels ?? []
    }
    #expect(try possible("Xyz,City,Phone\nAnn,Bonn,12345678\n") == ["Xyz", "City"])
    #expect(try possible("Votes,Phone\n3,12345678\n") == [])
    #expect(try possible("Xyz,Phone,Label\nAnn,12345678,x\n") == [])
    #expect(try possible("Xyz,Phone\nAnn,12345678\n", tableOptions(number: "Phone")) == [])
    #expect(try possible("Xyz,Phone\nAnn,12345678\n", tableOptions(label: "=x")) == [])
    #expect(try possible("Xyz,Phone,Mobile\nAnn,12345678,12345679\n") == ["Xyz"])
  }

  @Test func otherNumbersThatAreNotRead() throws {
    #expect(
      try unread(
        "[{\"phone\":\"+4930123456\",\"phone2\":\"030123\",\"home\":\"+4930123457\",\"id\":1234567,\"name\":\"a\"}]"
      )
        == [.numbers(["phone2", "home"])])
    #expect(
      try unread("Phone,Reserve,Id\n+12025550101,+12025550102,1234567\n") == [.numbers(["Reserve"])])
    #expect(try unread("caller,phone,name\n12345,12346,a\n") == [.numbers(["phone"])])
    #expect(
      try unread(#"[{"phone":"+4930123456","mobile":["+49171123456","+49171123457"],"name":"a"}]"#)
        == [.numbers(["mobile.1"])])
    #expect(try unread("Telefon;Durchwahl\n030 12345;67\n030 12346;\n") == [.extensions("Durchwahl")])
    #expect(try unread(#"[{"phone":"+4930123456","ext":"67","name":"a"}]"#) == [.extensions("ext")])
    #expect(try unread("NPA,NXX,Company\n212,555,A\n646,555,B\n").contains(.number("NPA")))
    #expect(try unread("[{\"contact\":{\"phone\":\"+4930123456\"},\"name\":\"a\"}]") == [])
    #expect(try unread("phone,mobile,name\n12345,12346,a\n") == [])
    #expect(try unread("{\"a\":[\"+4930123456\"],\"b\":[\"+4930123457\"]}") == [.keys(["a", "b"])])
    #expect(
      try unread("{\"a\":[\"+4930123456\"]}") == [] && unread("[\"+4930123456\",\"+4930123457\"]") == [])
  }

  @Test(arguments: [", ", ";", "\n"])
  func severalNumbersInOtherCells(_ separator: String) throws {
    func row(_ digit: Int) -> String {
      "212555010\(digit)\t\"212555011\(digit)\(separator)212555012\(digit)\"\tx\n"
    }
    #expect(try unread("Phone\tMore\tNote\n" + row(1) + row(2), .csv) == [.numbers(["More"])])
    let figures = "Phone,Figures\n2125550101,\"1, 2\"\n2125550102,\"3, 4\"\n"
    #expect(try unread(figures) == [])
  }

  @Test func rowsInsideLists() throws {
    let text = "[{\"category\":\"spam\",\"items\":[{\"phone\":\"861\",\"x\":\"a\"},{\"phone\":\"862\"}]}]"
    let layout = try #require(try parseWithNotices(Array(text.utf8), options(.auto)).layouts.first)
    #expect(layout.unread == [.outer(["category"])] && layout.possibleLabels == ["x"])
    #expect(layout.fields == ["phone", "x"] && layout.number == "phone")
    let chosen = try parseWithNotices(
      Array(text.utf8), objectOptions(number: "items.1.phone", label: "category"))
    #expect(chosen.rows == ["861|spam"])
    #expect(chosen.layouts.first?.unread == [.elements(of: "items", rest: "phone")])
    #expect(
      try unread("[{\"name\":\"A\",\"phones\":[{\"type\":\"home\",\"number\":\"861\"}]}]") == [
        .outer(["name"])
      ])
    #expect(try unread("[{\"name\":\"A\",\"phones\":[{\"label\":\"home\",\"number\":\"861\"}]}]") == [])
    #expect(try unread("{\"status\":\"ok\",\"data\":[{\"phone\":\"861\",\"name\":\"a\"}]}") == [])
  }

  // MARK: The end of JSON

  @Test(
    arguments: [
      ("[\n{\"861\":\"a\"},\n", "["), ("{\"861\":\"a\",\n\"862\":\"b\"\n", "{"),
      ("{\"861\":\"a\",\"862\":\"b\"", "{"),
      ("[\"12345678\",\"12345679\",", "["), ("[", "["), ("{\"data\":[{\"861\":\"a\"}]", "{"),
      ("{\"data\":[{\"861\":\"a\"}", "["),
      ("[{\"861\":\"a\"},{\"862\":\"b", "["), ("[{\"phone\":\"861\"},{\"phone\":\"862\"}", "["),
      ("[{\"phone\":\"861\"},{\"phone\":\"86", "["),
    ])
  func anUnfinishedInputIsAnError(_ text: String, _ bracket: String) throws {
    var whole: Outcome?
    for cuts in staccato {
      let outcome = try parse(text, cuts: cuts)
      #expect(
        outcome.failure == .unfinishedJSON(input: "in0", bracket: Array(bracket.utf8)[0]), "cut \(cuts)")
      #expect(whole == nil || whole == outcome, "cut \(cuts)")
      whole = outcome
    }
    // The rows before the end were sent downstream.
    #expect((whole?.rows.isEmpty ?? true) == (text == "["), "\(text)")
    #expect(Failure.unfinishedJSON(input: "", bracket: 0).errorClass == .badData)
  }

  @Test(arguments: [
    "\"861\":\"a\",\n\"862\":\"b\"", "{\"861\":\"a\"}\n{\"862\":\"b\"}\n", "{\"861\":\"a\"}\n{\"862\":\"b",
    "{\"861\":\"a\"},",
    "<\"861\":\"a\">\n<\"862\":\"b\">", "[\n// a comment\n{\"861\":\"a\"},\n",
    "[{\"861\":\"a\"},{\"862\" \"b\"}", "",
  ])
  func aToleratedEndIsNone(_ text: String) throws {
    for cuts in staccato { #expect(try parse(text, cuts: cuts).failure == nil, "cut \(cuts)") }
  }

  @Test func eachInputMustBeComplete() throws {
    let outcome = try parse([Array("[{\"861\":\"a\"}".utf8), Array("[{\"862\":\"b\"}]".utf8)])
    #expect(outcome.failure == .unfinishedJSON(input: "in0", bracket: UInt8(ascii: "[")))
    #expect(outcome.rows == [RawRow("861", "a")])
  }

  @Test func strictListsOfCallBlockers() throws {
    for (text, format) in [
      ("{\"numbers\":[{\"phone\":\"1\",\"votes\":1},]}", ParseOptions.Format.phoneblock),
      ("{\"patterns\":[{\"pattern\":\"33#\",\"action\":\"block\",\"name\":\"a\"},]}", .saracroche),
    ] {
      for chosen in [format, .auto] {
        let outcome = try parse([Array(text.utf8)], options(chosen) { $0.isStrict = true })
        let place = outcome.failure?.located
        #expect(place?.line == 1 && place?.reason == "not RFC 8259 JSON: a trailing comma", "\(format)")
      }
    }
  }

  // MARK: Titles

  static let table = "Telefon;Bezeichnung;Anzahl\n030 1234567;a;1\n030 1234568;b, c;2\n030 1234569;d;3\n"

  @Test(arguments: [
    ("Liste\n\n", 1, "Liste"), ("Liste;;\n;;\n", 1, "Liste"),
    ("Gesperrte Nummern\nStand: 1. Mai 2026\n\n", 2, "Gesperrte Nummern"),
    ("\"Hinweise an den Kassenwart (030 1234599)\";;\n", 1, "Hinweise an den Kassenwart (030 1234599)"),
    ("Hinweise an den Kassenwart (030 1234599)\n", 1, "Hinweise an den Kassenwart (030 1234599)"),
  ])
  func aTitleIsSkipped(_ title: String, _ lines: Int, _ text: String) throws {
    for format in [ParseOptions.Format.auto, .csv] {
      #expect(
        try rows(title + Self.table, options(format)) == [
          "030 1234567|a", "030 1234568|b, c", "030 1234569|d",
        ])
      #expect(try unread(title + Self.table, format) == [.lines(lines, title: text)])
    }
    let tabs = title.replacing(";", with: "\t") + Self.table.replacing(";", with: "\t")
    #expect(try rows(tabs).count == 3)
    let chosen = tableOptions(number: "Telefon", label: "Anzahl")
    #expect(try rows(title + Self.table, chosen).first == "030 1234567|1")
  }

  @Test func otherStartsAreNoTitle() throws {
    #expect(try unread(Self.table) == [])
    #expect(try rows("0301234567;mobile\n0301234568;phone\n0301234569;x\n").count == 3)
    // A list of lines with a header inside it.
    #expect(try unread("0301234567 a\nTelefon;Name\n0301234568;b\n0301234569;c\n") == [])
    #expect(try unread("# Liste\n" + Self.table) == [])
    var long = ""
    for line in 0..<20 { long += "line \(line) of text\n" }
    #expect(try parse([Array((long + Self.table).utf8)], options(.csv)).failure == nil)
  }

  @Test func aListOfExceptionsHasATitle() throws {
    #expect(try unread("# Whitelist\n2125550113 Mom\n", .lines) == [.exceptions("# Whitelist")])
    #expect(try unread("# Whitelist\n2125550113 Mom\n# Spam\n2125550114\n", .lines) == [])
  }

  // MARK: No-break spaces

  @Test func noBreakSpacesBetweenDigits() throws {
    let numbers = Array("01 99 00 00 00;Label 1\n01 99 00 00 01;Label 2\n".utf8).map {
      $0 == 0x20 ? 0xA0 : $0
    }
    for usesLibrary in [true, false] {
      let plain = EncodingGuess(text: numbers.span, isCut: false, isAtStart: true, usesLibrary: usesLibrary)
      #expect(plain == EncodingGuess(.plausible, name: "WINDOWS-1252"))
      let named = Array("num".utf8) + [0xE9] + Array("ro;libell".utf8) + [0xE9, 0x0A] + numbers
      let guess = EncodingGuess(text: named.span, isCut: false, isAtStart: true, usesLibrary: usesLibrary)
      #expect(guess == EncodingGuess(.plausible, name: "WINDOWS-1252"))
    }
    // Not between digits: a letter of another encoding.
    let letters = Array("13800138000;".utf8) + [0x8F, 0xA0, 0xE0, 0xA0, 0xAC, 0xA5, 0xE2, 0xE0, 0x0A]
    #expect(
      EncodingGuess(text: letters.span, isCut: false, isAtStart: true, usesLibrary: false).name == "IBM866")
  }
}
