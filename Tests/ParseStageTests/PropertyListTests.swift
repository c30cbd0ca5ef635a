// Property lists: arrays of dictionaries are rows, whatever surrounds them; errors are reported with their place.

import Records
import Testing

@testable import InputStages

@Suite struct PropertyListTests {
  static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  static func list(_ dictionaries: String...) -> String {
    head + "<array>\n" + dictionaries.map { "<dict>\($0)</dict>\n" }.joined() + "</array>\n</plist>\n"
  }

  static func entry(_ number: String, _ title: String) -> String {
    "<key>addNational</key><string>true</string><key>category</key><string>0</string>"
      + "<key>number</key><string>\(number)</string><key>title</key><string>\(title)</string>"
  }

  static let sample = list(
    entry("33162000001", "Démarchage"), entry("+33 1 62 00 00 02", "A &amp; B &lt;&#233;&gt;"))

  @Test(arguments: [ParseOptions.Format.plist, .auto])
  func begoneLists(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.sample, options(format))
    #expect(outcome.rows == [RawRow("33162000001", "Démarchage"), RawRow("+33 1 62 00 00 02", "A & B <é>")])
    #expect(outcome.rejects == [] && outcome.failure == nil)
  }

  @Test func commonNamesAreRead() throws {
    func row(_ entries: (String, String)...) -> String {
      entries.map { "<key>\($0.0)</key><string>\($0.1)</string>" }.joined()
    }
    let text = Self.list(
      row(("Phone Number", "33162000001"), ("Display-Name", "a")),
      row(("category", "0"), ("mobile", "33162000002")),
      // The format's own names have precedence, wherever they are.
      row(("name", "x"), ("phone", "0"), ("number", "33162000003"), ("title", "b")),
      row(("number", "33162000004"), ("title", "c"), ("phone", "0"), ("comment", "x")),
      "<key>number</key><string>33162000005</string><key>type</key><dict/><key>note</key><true/>",
      row(("title", "no number")))
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(
      outcome.rows.map(\.description) == [
        "33162000001|a", "33162000002|", "33162000003|b", "33162000004|c", "33162000005|",
      ])
    #expect(outcome.codes == ["missing-field"])
    let layout = try #require(try parseWithNotices(Array(text.utf8), options(.plist)).layouts.first)
    #expect(layout.number == "Phone Number" && layout.label == "Display-Name" && layout.others == [])
    let unknown = Self.list(row(("number", "33162000001"), ("who", "a"), ("age", "7")))
    let other = try #require(try parseWithNotices(Array(unknown.utf8), options(.plist)).layouts.first)
    #expect(other.possibleLabels == ["who"] && other.others == ["who", "age"])
  }

  @Test(arguments: [
    "<key>blocked</key><false/>", "<key>status</key><string>whitelist</string>",
    "<key>isSpam</key><integer>0</integer>", "<key>whitelisted</key><true/>",
  ])
  func rowsThatAreNotBlocked(_ unblocked: String) throws {
    let text = Self.list(
      unblocked + Self.entry("33162000001", "a"), Self.entry("33162000002", "b"),
      "<key>blocked</key><true/>" + Self.entry("33162000003", "c"))
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(outcome.rows.map(\.description) == ["33162000002|b", "33162000003|c"])
    #expect(outcome.codes == ["not-blocked"])
  }

  @Test func listsOfOthers() throws {
    let text =
      Self.head + "<dict><key>whitelist</key><array><string>33162000001</string></array><key>blocked</key>"
      + "<array><string>33162000002</string></array><key>do not block</key><dict><key>33162000003</key>"
      + "<string>a</string></dict></dict></plist>\n"
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(outcome.rows.map(\.description) == ["33162000002|"])
    #expect(outcome.codes == ["other-list", "other-list"])
  }

  @Test func otherKeysAreChosen() throws {
    let text = Self.list(
      "<key>phone</key><integer>33162000001</integer><key>who</key><string>x</string><key>category</key><integer>1</integer><key>n</key><integer>007</integer>"
    )
    let chosen = options(.plist) {
      $0.numberField = .name("phone")
      $0.labelField = .name("who")
      $0.sourceField = .name("category")
      $0.scoreField = .name("n")
    }
    #expect(try parseHoweverCut(text, chosen).rows == [RawRow("33162000001", "x\t1\t7")])
    let constants = options(.plist) {
      $0.numberField = .name("phone")
      $0.labelField = .constant("spam")
      $0.sourceField = .constant("s\ty")
    }
    #expect(try parseHoweverCut(text, constants).rows == [RawRow("33162000001", "spam\ts\\ty")])
  }

  @Test func keysThatAreNumbersAreRows() throws {
    let text =
      Self.head
      + "<dict><key>+15550100</key><string>a &amp; b</string>\n<key>1 555 0101</key><integer>5</integer>"
      + "<key>15550102</key><true/><key>note</key><string>x</string><key>15550103</key><array/>"
      + "<key>15550104</key><key>15550105</key><string/><key>more</key><dict><key>110</key><string>z</string>"
      + "<key>15550106</key></dict></dict></plist>"
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(
      outcome.rows == [
        RawRow("+15550100", "a & b"), RawRow("1 555 0101", "5"), RawRow("15550102", "true"),
        RawRow("15550105", ""),
        RawRow("110", "z"),
      ])
    #expect(outcome.rejects.map(\.text) == ["15550103", "15550104", "15550106"])
    #expect(Set(outcome.codes) == ["missing-value"])
    let constant = options(.plist) { $0.labelField = .constant("spam") }
    #expect(
      try parse("<plist><dict><key>15550100</key><string>x</string></dict></plist>", constant).rows == [
        RawRow("15550100", "spam")
      ])
  }

  @Test(arguments: [
    ("<dict><key>a</key><string>15550100</string></dict>", "a"), ("<string>x</string>", "x"),
    ("<dict><key>a</key><array><array/></array></dict>", "a"),
    ("<dict><key>15550100</key><dict><key>title</key><string>x</string></dict></dict>", "15550100"),
  ])
  func aListWithoutRowsIsAReject(_ inside: String, _ text: String) throws {
    let outcome = try parseHoweverCut("<plist>\(inside)</plist>", options(.plist))
    #expect(outcome.rows == [] && outcome.rejects.map(\.text) == [text])
    // Each input is separate.
    let two = try parse([Array("<plist>\(inside)</plist>".utf8), Array(Self.sample.utf8)], options(.plist))
    #expect(two.rows.count == 2 && two.rejects.count == 1)
  }

  @Test func anEmptyListIsNotAnError() throws {
    for inside in ["", "<array/>", "<dict/>", "<array><array/></array>"] {
      let outcome = try parse("<plist>\(inside)</plist>", options(.plist))
      #expect(outcome.rows == [] && outcome.rejects == [] && outcome.failure == nil, "\(inside)")
    }
  }

  @Test func chosenFieldsAreNotKeysOfEntries() throws {
    let chosen = options(.plist) { $0.numberField = .name("phone") }
    let outcome = try parse("<plist><dict><key>15550100</key><string>x</string></dict></plist>", chosen)
    #expect(outcome.rows == [] && outcome.codes == ["unexpected-text"])
  }

  @Test func outerDictionariesAreSearched() throws {
    let text =
      Self.head
      + "<dict><key>version</key><integer>3</integer><key>lists</key><dict><key>a</key><array><dict>\(Self.entry("1", "a"))</dict></array></dict>"
      + "<key>b</key><array><array><dict>\(Self.entry("2", "b"))<key>more</key><array><dict>\(Self.entry("9", "z"))</dict></array></dict></array></array></dict></plist>"
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(outcome.rows == [RawRow("1", "a"), RawRow("2", "b")])
    #expect(outcome.rejects == [])
  }

  @Test(arguments: [
    ("<key>title</key><string>x</string>", "missing-field"),
    ("", "missing-field"),
    ("<key>number</key><array><string>1</string></array>", "unusable-field"),
    ("<key>number</key><string>1</string><key>title</key><dict/>", "unusable-field"),
    ("<key>number</key><key>title</key><string>1</string>", "missing-field"),
    ("<string>1</string>", "missing-field"),
    ("<key>number</key><string>1&undeclared;2</string>", "unknown-entity"),
    ("<key>number</key><string>\(String(repeating: "1", count: 1025))</string>", "number-too-long"),
    (
      "<key>number</key><string>1</string><key>title</key><string>\(String(repeating: "x", count: 40_000))</string>",
      "label-too-long"
    ),
  ])
  func onlyTheBrokenDictionaryIsLost(_ broken: String, _ code: String) throws {
    let text = Self.list(Self.entry("1", "a"), broken, Self.entry("3", "c"))
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(outcome.rows == [RawRow("1", "a"), RawRow("3", "c")])
    #expect(outcome.codes == [code])
    let before =
      text.utf8.count
      - (broken + "</dict>\n<dict>" + Self.entry("3", "c") + "</dict>\n</array>\n</plist>\n").utf8.count
    #expect(firstPlace(outcome) == [6, UInt64(before - 6)])
  }

  @Test func aLongDictionaryIsRejectedButUnusedFieldsDoNotCount() throws {
    let text = Self.list(
      Self.entry("1", "a") + "<key>photo</key><data>\(String(repeating: "QUJD", count: 2_000))</data>",
      Self.entry("2", String(repeating: "b", count: 2_000)), Self.entry("3", "c"))
    let outcome = try parseHoweverCut(text, options(.plist) { $0.recordBytesMax = 500 })
    #expect(outcome.rows == [RawRow("1", "a"), RawRow("3", "c")])
    #expect(outcome.rejects.map(\.reason) == [.recordTooLong(limit: 500)])
    #expect(outcome.rejects.first?.text == "2")
  }

  @Test func numbersInAnArrayAreRows() throws {
    let text = Self.head + "<array><string>33162000001</string><integer>5</integer></array></plist>"
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(outcome.rows == [RawRow("33162000001", "")] && outcome.codes == ["unexpected-text"])
    #expect(outcome.rejects.map(\.text) == ["5"])
    let chosen = options(.plist) { $0.numberField = .name("number") }
    #expect(try parse(text, chosen).rejects.map(\.text) == ["33162000001", "5"])
  }

  @Test func emptyNumbersAreRejects() throws {
    let text = Self.list(Self.entry("", "a"), Self.entry(" ", "b"), Self.entry("1", "c"))
    let outcome = try parseHoweverCut(text, options(.plist))
    #expect(outcome.rows == [RawRow("1", "c")] && outcome.codes == ["missing-number", "missing-number"])
  }

  @Test(arguments: ["windows-1251", "GB18030"])
  func unsupportedEncodingsAreNamed(_ name: String) throws {
    let text = "<?xml version='1.0' encoding=\"\(name)\"?>\n<plist><array/></plist>"
    let failure = try parse(text, options(.plist)).failure
    #expect(
      failure?.located?.reason
        == "the XML document is in an unsupported encoding, or not in the one that it declares, \(name)")
    #expect(failure?.message.hint == "set the encoding with --encoding \(name)")
  }

  @Test func rowsBeforeAnErrorAreKept() throws {
    let good = Self.list(Self.entry("1", "a"))
    let cut = String(good.dropLast("</array>\n</plist>\n".count))
    let isCut = "the XML document ends inside an element"
    let expected: [(String, String)] = [
      (cut, isCut), (cut + "<dict>", isCut), (cut + "<di", isCut),
      (cut + "<a></b>", "not well-formed XML: mismatched tag"),
      (cut + "<\u{1}>", "not well-formed XML: not well-formed (invalid token)"),
      (good + "<plist/>", "not well-formed XML: junk after document element"),
    ]
    for (text, problem) in expected {
      let outcome = try parseHoweverCut(text, options(.plist))
      guard let (line, byte, found) = outcome.failure?.located else {
        Issue.record("\(String(describing: outcome.failure))")
        continue
      }
      #expect(outcome.failure?.code == "not-xml")
      #expect(found == problem)
      #expect(line >= 6 && byte >= cut.utf8.count - 1, "\(line) \(byte)")
      #expect(outcome.rows == [RawRow("1", "a")])
    }
  }

  @Test func otherDocumentsAndBinaryListsAreNamed() throws {
    #expect(
      try parseHoweverCut("<list><p/></list>", options(.plist)).failure
        == .otherRoot(
          Array("list".utf8).span, expected: "plist", at: RecordPosition(line: 1, byte: 0), "in0"))
    for format in [ParseOptions.Format.plist, .auto] {
      #expect(
        try parseHoweverCut("bplist00\u{1}\u{2}", options(format)).failure
          == binaryPropertyList("is truncated or damaged: its last 32 bytes do not describe it"))
    }
    #expect(try parse("", options(.plist)) == parse("", options(.vcard)))
    #expect(
      try parse(" \n", options(.plist)).failure?.message.message
        == "in0:2 (byte 2): the XML document ends inside an element")
  }

  @Test func inputsFollowOneAnother() throws {
    let document = Array(Self.sample.utf8)
    for cuts in [[], [7], [4096]] {
      let outcome = try parse([document, document], options(.plist), cuts: cuts)
      #expect(outcome.rows.count == 4 && outcome.failure == nil)
    }
  }

  /// External entities are never opened, and a text with one is rejected.
  @Test(arguments: ["SYSTEM \"file:///etc/hostname\"", "PUBLIC \"x\" \"http://localhost/x\""])
  func externalEntitiesAreRejects(_ place: String) throws {
    let head = "<!DOCTYPE plist [<!ENTITY out \(place)><!ENTITY in \"7\">]><plist><array>"
    let dictionaries = ["1&out;2", "&out;", "3&in;4"].map {
      "<dict><key>number</key><string>\($0)</string></dict>"
    }
    let outcome = try parseHoweverCut(head + dictionaries.joined() + "</array></plist>", options(.plist))
    #expect(outcome.rows == [RawRow("374", "")])
    #expect(outcome.codes == ["unknown-entity", "unknown-entity"])
  }

  @Test func entitiesDoNotExplode() throws {
    var bomb = "<!DOCTYPE plist [<!ENTITY a0 \"0123456789\">"
    for level in 1..<9 {
      bomb += "<!ENTITY a\(level) \"\(String(repeating: "&a\(level - 1);", count: 10))\">"
    }
    bomb += "]><plist><array><dict><key>number</key><string>&a8;</string></dict></array></plist>"
    let outcome = try parse(bomb, options(.plist))
    #expect(outcome.failure?.located?.reason == "its entities expand to far more than the document")
    // A small declared entity is plain text.
    let small =
      "<!DOCTYPE plist [<!ENTITY n \"331\">]><plist><array><dict><key>number</key><string>&n;62</string></dict></array></plist>"
    #expect(try parseHoweverCut(small, options(.plist)).rows == [RawRow("33162", "")])
    // An external entity is never read.
    let outside =
      "<!DOCTYPE plist [<!ENTITY n SYSTEM \"file:///etc/hostname\">]><plist><array><dict><key>number</key><string>1&n;</string></dict></array></plist>"
    let read = try parse(outside, options(.plist))
    #expect(read.rows == [] || read.rows == [RawRow("1", "")])
  }

  @Test func limitsHoldWhereverTheInputIsCut() throws {
    let deep = String(repeating: "<array>", count: 300)
    let long =
      "<plist><array><dict a=\"\(String(repeating: "x", count: XMLLimits.tokenBytesMax))\"/></array></plist>"
    let endless = "<plist><!-- \(String(repeating: "x", count: 3 * XMLLimits.tokenBytesMax))"
    for (text, problem) in [
      ("<plist>" + deep, "nested deeper than 256 elements"),
      (long, "a tag or comment longer than 256 KiB"),
      (endless, "a tag or comment longer than 256 KiB"),
    ] {
      let whole = try parse(text, options(.plist))
      #expect(whole.failure?.located?.reason == problem)
      for cuts in [[1000], [4096, 1], [100_000]] {
        #expect(isSame(try parse(text, options(.plist), cuts: cuts), whole))
      }
    }
  }

  @Test func otherEncodingsAreRead() throws {
    let text = Self.list(Self.entry("1", "é"))
    let latin = text.replacing("UTF-8", with: "ISO-8859-1").unicodeScalars.map { UInt8($0.value) }
    #expect(try parse([latin], options(.plist)).rows == [RawRow("1", "é")])
    var wide: [UInt8] = [0xFF, 0xFE]
    for unit in text.replacing("UTF-8", with: "UTF-16").utf16 {
      wide.append(UInt8(unit & 0xFF))
      wide.append(UInt8(unit >> 8))
    }
    #expect(try parse([wide], options(.plist)).rows == [RawRow("1", "é")])
    #expect(try parse([[0xEF, 0xBB, 0xBF] + Array(text.utf8)], options(.auto)).rows == [RawRow("1", "é")])
  }

  @Test func aMissingLibraryIsNamed() {
    let missing = ExpatParser.problem(loading: "libnothing.so.1")
    #expect(missing?.code == "library-missing" && missing?.message.message == "cannot load libnothing.so.1")
    #expect(ExpatParser.problem(loading: "libc.so.6") != nil)
  }

  @Test func mutatedLists() throws {
    let nested = Self.sample.replacing("</array>", with: "<dict><key>number</key><dict/></dict></array>")
    try fuzz(Array(Self.sample.utf8), [options(.plist), options(.auto)], turns: fuzzTurns)
    try fuzz(Array(nested.utf8), [options(.plist)], turns: fuzzTurns)
  }
}
