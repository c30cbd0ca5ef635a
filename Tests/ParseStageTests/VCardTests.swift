// vCards of all versions: each telephone number is a row with the card's name.

import Records
import Testing

@testable import InputStages

@Suite struct VCardTests {
  static func card(_ lines: String..., version: String = "3.0", end: String = "\r\n") -> String {
    (["BEGIN:VCARD", "VERSION:\(version)"] + lines + ["END:VCARD", ""]).joined(separator: end)
  }

  static let sample =
    card(
      "FN:Erika Beispiel", "N:Beispiel;Erika;;;", "TEL;TYPE=CELL:+49 151 1234567",
      "item1.TEL;TYPE=\"work,voice\":030-123", "item1.X-ABLabel:x")
    + card(
      "FN:Max\\, the\r\n  second", "tel;VALUE=uri;PREF=1:tel:+1-555-555\r\n -0100;ext=12", version: "4.0",
      end: "\n")
    + card(
      "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCll=\r\ner;J=C3=B6rg", "TEL;CELL;PREF:0170",
      "PHOTO;BASE64:\r\n AAAA\r\n BBBB\r\n", version: "2.1")

  @Test(arguments: [ParseOptions.Format.vcard, .auto])
  func everyNumberIsARow(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.sample, options(format))
    #expect(
      outcome.rows == [
        RawRow("+49 151 1234567", "Erika Beispiel"), RawRow("030-123", "Erika Beispiel"),
        RawRow("+1-555-555-0100;ext=12", "Max, the second"), RawRow("0170", "Jörg Müller"),
      ])
    #expect(outcome.rejects == [] && outcome.failure == nil)
  }

  @Test(
    arguments: [
      (["FN:a", "ORG:o", "N:f;g"], "a"), (["ORG:o;u", "N:f;g;;Dr.;MA"], "Dr. g f MA"),
      (["ORG:o;u\\;v"], "o u;v"),
      (["NOTE:x"], ""), (["FN:", "N:;;;;", "ORG:o"], "o"), (["FN:a", "FN:b"], "a"),
      (["FN:a\\nb\\\\c"], "a\\nb\\\\c"),
      (["fn:a"], "a"), (["FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:caf=E9"], "café"),
      (["FN;X=\"a:b;c\":d"], "d"), (["FN:a", "LABEL:b"], "a"), (["g.h.FN:a"], "a"), (["FN:a\tb"], "a\\tb"),
      (["NOTE;ENCODING=QUOTED-PRINTABLE:x=", "FN:no=", "END:VCARD", "FN:a"], "a"),
      (["AGENT:", "BEGIN:VCARD", "FN:z", "TEL:9", "END:VCARD", "FN:a"], "a"),
      (["PHOTO;ENCODING=BASE64:AAAA", "BBBB", "CCCC==", "", "FN:a"], "a"), (["  FN:no", "FN:a"], "a"),
    ] as [([String], String)])
  func labels(_ lines: [String], _ label: String) throws {
    for end in ["\r\n", "\n"] {
      let text = (["BEGIN:VCARD"] + lines + ["TEL:1", "END:VCARD"]).joined(separator: end)
      let outcome = try parseHoweverCut(text, options(.vcard))
      // A line that begins with white space continues the BEGIN line, which then does not begin a VCARD.
      if lines[0].hasPrefix(" ") {
        #expect(outcome.codes == ["unexpected-text"] && outcome.rows == [])
      } else {
        #expect(outcome.rows == [RawRow("1", label)], "\(outcome.rejects)")
      }
    }
  }

  @Test func aTextMayHaveManyFoldsInsideCharacters() throws {
    let folds = String(repeating: "=\n =BC=C3", count: 1_000)
    let text = Self.card(
      "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3\(folds)=\n =BC", "TEL:+4930123456", end: "\n")
    let outcome = try parse(text, options(.vcard))
    #expect(outcome.rows == [RawRow("+4930123456", String(repeating: "ü", count: 1_001))])
  }

  @Test func propertiesAreChosen() throws {
    let chosen = options(.vcard) {
      $0.numberField = .name("x-phone")
      $0.labelField = .name("ORG")
      $0.sourceField = .name("CATEGORIES")
      $0.scoreField = .name("X-VOTES")
    }
    let text = Self.card("FN:a", "ORG:o", "X-PHONE:5", "TEL:1", "CATEGORIES:x\\,y", "X-VOTES:3", "X-PHONE:6")
    #expect(try parseHoweverCut(text, chosen).rows == [RawRow("5", "o\tx,y\t3"), RawRow("6", "o\tx,y\t3")])
    let constant = options(.vcard) { $0.labelField = .constant("spam") }
    #expect(try parseHoweverCut(text, constant).rows == [RawRow("1", "spam")])
  }

  @Test func aNumberThatNoCardHasIsAnError() throws {
    let chosen = options(.vcard) { $0.numberField = .name("phone") }
    let cards = Self.card("FN:a", "TEL:1") + Self.card("item1.TEL:2", "ORG:b", "TEL:3")
    #expect(
      try parseHoweverCut(cards, chosen).failure
        == .noSuchField("phone", names: ["FN", "TEL", "ORG"], input: "in0"))
    #expect(try parseHoweverCut("", chosen).failure == nil)
  }

  @Test(arguments: [
    ("BEGIN:VCARD\nFN:b\nTEL:2\n", "missing-end", 1),
    ("BEGIN:VCARD\nFN:b\nTEL:2\nno colon\nEND:VCARD\n", "unexpected-text", 1),
    ("BEGIN:VCARD\nFN:b\nTEL;TYPE=\"x:2\nEND:VCARD\n", "unexpected-text", 1),
    ("stray\nlines:here\n", "unexpected-text", 1),
    ("BEGIN:VCARD\nFN:b\nTEL;ENCODING=QUOTED-PRINTABLE:=FF\nEND:VCARD\n", "invalid-utf8", 1),
    ("BEGIN:VCARD\nFN:\(String(repeating: "b", count: 700))\nTEL:2\nEND:VCARD\n", "record-too-long", 1),
    ("BEGIN:VCARD\nTEL:\(String(repeating: "2", count: 700))\nEND:VCARD\n", "record-too-long", 1),
    ("BEGIN:VCARD\nFN:b\n\(String(repeating: "TEL:2\n", count: 200))END:VCARD\n", "record-too-long", 1),
  ])
  func onlyTheBrokenCardIsLost(_ broken: String, _ code: String, _ line: UInt64) throws {
    let good = ["BEGIN:VCARD\nFN:a\nTEL:1\nEND:VCARD\n", "BEGIN:VCARD\nFN:c\nTEL:3\nEND:VCARD\n"]
    let outcome = try parseHoweverCut(good[0] + broken + good[1], options(.vcard) { $0.recordBytesMax = 600 })
    #expect(outcome.rows == [RawRow("1", "a"), RawRow("3", "c")])
    #expect(outcome.codes == [code] && outcome.lines == [4 + line])
  }

  @Test func limitsCountBytesOfTheInput() throws {
    let numbers = (0..<2_000).map { "TEL:6\(100_000_000 + $0)\n" }.joined()
    let card = "BEGIN:VCARD\nFN:a\n\(numbers)END:VCARD\n"
    let outcome = try parse([Array(card.utf8)], options(.vcard) { $0.recordBytesMax = card.utf8.count })
    #expect(
      outcome.rows.count == 2_000 && outcome.rows.last == RawRow("6100001999", "a") && outcome.rejects == [])
  }

  /// Several carriage returns before a line feed don't hide a soft line break, wherever the input is cut between them.
  @Test func softLineBreaksAfterCarriageReturns() throws {
    let text = "BEGIN:VCARD\r\nTEL:1\r\nNOTE;ENCODING=QUOTED-PRINTABLE:x=\r\r\nFN:no\r\nFN:a\r\nEND:VCARD\r\n"
    #expect(try parseHoweverCut(text, options(.vcard)).rows == [RawRow("1", "a")])
  }

  /// An agent's numbers do not belong to the card, however the agent's card is written.
  @Test(arguments: [
    "AGENT:BEGIN:VCARD\\nFN:b\\nTEL:2\\nEND:VCARD\\n\n", "AGENT:\nBEGIN:VCARD\nFN:b\nTEL:2\nEND:VCARD\n",
    "AGENT:\n\nBEGIN:VCARD\nFN:b\nTEL:2\nEND:VCARD\n", "AGENT:BEGIN:VCARD\nFN:b\nTEL:2\nEND:VCARD\n",
    "item1.agent;x=y: begin:vcard \nTEL:2\nAGENT:BEGIN:VCARD\nTEL:3\nEND:VCARD\nFN:b\nEND:VCARD\n",
    "AGENT;VALUE=uri:cid:x@example.org\n",
  ])
  func numbersOfAgentsAreNotRows(_ agent: String) throws {
    let outcome = try parseHoweverCut("BEGIN:VCARD\n\(agent)FN:a\nTEL:1\nEND:VCARD\n", options(.vcard))
    #expect(outcome.rows == [RawRow("1", "a")] && outcome.rejects == [])
  }

  @Test(arguments: [
    ("FN;ENCODING=b:w5bDhg==\nTEL;ENCODING=BASE64:MDMwMTIzNDU2Nw==", RawRow("0301234567", "ÖÆ")),
    ("FN;BASE64:YQ==\nTEL;CELL;BASE64:MDMw\n MTIz", RawRow("030123", "a")),
    ("N;CHARSET=ISO-8859-1;ENCODING=B:4jti\nTEL:5", RawRow("5", "b â")),
  ])
  func base64IsUndone(_ properties: String, _ row: RawRow) throws {
    let outcome = try parseHoweverCut("BEGIN:VCARD\n\(properties)\nEND:VCARD\n", options(.vcard))
    #expect(outcome.rows == [row] && outcome.rejects == [])
  }

  /// Each text is in the encoding that it declares. Source of the bytes: Python's codecs.
  @Test(arguments: [
    ("FN;CHARSET=WINDOWS-1252;ENCODING=QUOTED-PRINTABLE:M=FCller =80", "Müller €"),
    ("FN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:=93caf=E9=94", "“café”"),
    ("FN;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=96=C0=98=66", "迷惑"),
    ("FN;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=D1=EF=E0=EC", "Спам"),
    ("N;CHARSET=GB2312;ENCODING=BASE64:ydXIxQ==;;;;", "烧扰"),
    ("FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=90=D0=\n =B2=D0=B8=D0=B0", "Авиа"),
    ("FN;ENCODING=QUOTED-PRINTABLE:Hello=\n World", "Hello World"),
  ])
  func declaredEncodings(_ property: String, _ label: String) throws {
    let outcome = try parseHoweverCut("BEGIN:VCARD\n\(property)\nTEL:1\nEND:VCARD\n", options(.vcard))
    #expect(outcome.rows == [RawRow("1", label)] && outcome.rejects == [])
  }

  /// A text that can't be decoded does not cost the number; another property may be the label.
  @Test(arguments: [
    ("FN;CHARSET=NO-SUCH-SET;ENCODING=QUOTED-PRINTABLE:=96=C0", "", "NO-SUCH-SET"),
    ("FN;CHARSET=EUC-JP;ENCODING=QUOTED-PRINTABLE:=FF=FF\nORG:o", "o", "EUC-JP"),
    ("FN;ENCODING=QUOTED-PRINTABLE:=FF", "", ""), ("FN;ENCODING=B:a*\nN:f;g", "g f", ""),
  ])
  func undecodedTextsAreReported(_ properties: String, _ label: String, _ encoding: String) throws {
    let outcome = try parseWithNotices(
      Array("BEGIN:VCARD\n\(properties)\nTEL:1\nEND:VCARD\n".utf8), options(.vcard))
    #expect(outcome.rows == ["1|\(label)"] && outcome.rejectCount == 0)
    #expect(outcome.notices.contains { $0.finding == .undecodedTexts(1, encoding: encoding) })
  }

  @Test(arguments: ["MDMw*", "MDMwM", "MD=wMTIz", "0301234567"])
  func invalidBase64IsAReject(_ value: String) throws {
    let outcome = try parse("BEGIN:VCARD\nFN:a\nTEL;ENCODING=b:\(value)\nEND:VCARD\n", options(.vcard))
    #expect(outcome.rows == [] || outcome.rows.first?.text != Array(value.utf8))
    #expect(outcome.codes.count == 1)
  }

  @Test func carriageReturnsEndLines() throws {
    let text =
      Self.card("FN:a", "NOTE:x", " folded", "TEL:1", end: "\r") + Self.card("FN:b", "TEL:2", end: "\r")
    for last in ["", "\n"] {
      let outcome = try parseHoweverCut(text + last, options(.auto))
      #expect(outcome.rows == [RawRow("1", "a"), RawRow("2", "b")] && outcome.rejects == [])
    }
  }

  @Test func theLastCardMayLackItsEnd() throws {
    let outcome = try parseHoweverCut(Self.card("FN:a", "TEL:1") + "BEGIN:VCARD\r\nTEL:2", options(.vcard))
    #expect(outcome.rows == [RawRow("1", "a")])
    #expect(outcome.codes == ["truncated"] && outcome.rejects.first?.text == "2")
    #expect(firstPlace(outcome) == [6, UInt64(Self.card("FN:a", "TEL:1").utf8.count)])
  }

  @Test func unusedLongPropertiesAreSkipped() throws {
    let text =
      Self.card("PHOTO;ENCODING=b:\(String(repeating: "QUJD", count: 5_000))", "FN:a", "TEL:1")
      + Self.card("X-\(String(repeating: "y", count: 3_000)):1", "FN:b", "TEL:2")
    let outcome = try parseHoweverCut(text, options(.vcard) { $0.recordBytesMax = 500 })
    #expect(outcome.rows == [RawRow("1", "a"), RawRow("2", "b")] && outcome.rejects == [])
  }

  @Test(arguments: [
    "a", ":", "\"", ";", "X;a=\":", "=\n", " ", "BEGIN:VCARD\n", "END:VCARD\n", "AGENT:\nBEGIN:VCARD\n",
    "TEL:1\n",
  ])
  func garbageIsBounded(_ piece: String) throws {
    let text = String(repeating: piece, count: 200_000 / piece.utf8.count)
    let outcome = try parse(
      "BEGIN:VCARD\n" + text + "\n" + Self.card("FN:a", "TEL:7"), options(.vcard), cuts: [3_000])
    #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
    #expect(piece.hasPrefix("AGENT") || outcome.rows.last == RawRow("7", "a"))
  }

  @Test func inputsFollowOneAnother() throws {
    let open = Array("BEGIN:VCARD\nTEL:1".utf8)
    let outcome = try parse([open, Array(Self.sample.utf8)], options(.vcard), cuts: [11])
    #expect(outcome.rows.count == 4 && outcome.codes == ["truncated"])
  }

  @Test func mutatedCards() throws {
    try fuzz(Array(Self.sample.utf8), [options(.vcard), options(.auto)], turns: 2 * fuzzTurns)
  }
}
