// Workbooks: kinds of cells, sheets, rejects, and documents that are not workbooks.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct WorkbookTests {
  static func inline(_ text: String) -> String { "<c t=\"inlineStr\"><is><t>\(text)</t></is></c>" }

  static let header = "<row>\(inline("number"))\(inline("label"))</row>"

  func read(_ maker: WorkbookMaker, _ change: (inout ParseOptions) -> Void = { _ in }) throws -> Outcome {
    try parse([maker.bytes], options(.auto, change))
  }

  @Test func everyKindOfCell() throws {
    let strings =
      "<si><t>shared</t></si><si><r><rPr><b/></rPr><t>a </t></r><r><t xml:space=\"preserve\"> b</t></r>"
      + "<rPh sb=\"0\" eb=\"1\"><t>guide</t></rPh></si><si/><si><t>x_x000D_y_x005F_x000D_</t></si>"
    let rows =
      Self.header
      + "<row r=\"3\"><c r=\"A3\"><v>13800138000</v></c><c r=\"B3\" t=\"s\"><v>0</v></c></row>"
      + "<row><c><v>8.61380013800E+12</v></c><c t=\"s\"><v>1</v></c></row>"
      + "<row><c t=\"str\"><f>A1&amp;\"\"</f><v>+86 138 0013 8002</v></c><c t=\"b\"><v>1</v></c></row>"
      + "<row><c><v>13800138003.0</v></c><c t=\"e\"><v>#N/A</v></c></row>"
      + "<row><c t=\"inlineStr\"><is><r><t>138001</t></r><r><t>38004</t></r></is></c><c t=\"s\"><v>2</v></c></row>"
      + "<row><c s=\"1\"/><c/></row>"
      + "<row><c t=\"d\"><v>13800138005</v></c><c t=\"s\"><v>3</v></c></row>"
      + "<row><c r=\"C10\"><v>3</v></c></row>" + "<row><c r=\"A11\"><v>13800138006</v></c></row>"
      + "<row><c><v>13800138007</v></c><c><v>3.5</v></c></row>"
    let outcome = try read(WorkbookMaker(rows, strings: strings))
    #expect(
      outcome.rows == [
        RawRow("13800138000", "shared"), RawRow("8613800138000", "a b"), RawRow("+86 138 0013 8002", "TRUE"),
        RawRow("13800138003", "#N/A"), RawRow("13800138004", ""), RawRow("13800138005", #"x\ry_x000D_"#),
        RawRow("13800138006", ""), RawRow("13800138007", "3.5"),
      ])
    // Row 10 has a cell, but not in the columns of numbers and labels.
    #expect(outcome.codes == ["missing-number"])
    #expect(outcome.rejects.map(\.place) == [.row(10)])
    #expect(outcome.failure == nil)
  }

  @Test func aRowAfterTheLastPossibleOneIsAnError() throws {
    let row = "<row r=\"1048576\"><c><v>13800138000</v></c></row>"
    let last = try read(WorkbookMaker(Self.header + row))
    #expect(last.rows == [RawRow("13800138000", "")] && last.failure == nil)
    for more in ["<row><c><v>1</v></c></row>", "<row r=\"1048577\"/>", "<row r=\"99999999999\"/>"] {
      #expect(try read(WorkbookMaker(Self.header + row + more)).failure?.code == "too-many-sheet-rows")
    }
  }

  @Test func aPartThatIsNotASheetIsAnError() throws {
    var maker = WorkbookMaker(Self.header)
    maker.parts = [("xl/worksheets/sheet0.xml", "<workbook><sheets/></workbook>")]
    #expect(try read(maker).failure?.code == "not-a-sheet")
  }

  @Test func columnsAreChosenAsInTables() throws {
    let rows =
      "<row>\(Self.inline("Company"))\(Self.inline("Phone"))\(Self.inline("votes"))</row>"
      + "<row>\(Self.inline("A \"B\", C"))<c><v>13800138000</v></c><c><v>7</v></c></row>"
      + "<row>\(Self.inline(" #1\nline "))\(Self.inline("13800138001"))<c><v>x</v></c></row>"
    let guessed = try read(WorkbookMaker(rows))
    #expect(guessed.rows == [RawRow("13800138000", "A \"B\", C"), RawRow("13800138001", #"#1\nline"#)])
    let named = try read(WorkbookMaker(rows)) {
      $0.numberField = .name("Phone")
      $0.labelField = .constant("spam")
      $0.scoreField = .name("votes")
    }
    #expect(named.rows == [RawRow("13800138000", "spam\t\t7")])
    #expect(named.codes == ["bad-score"] && named.rejects[0].place == .row(3))
    let missing = try read(WorkbookMaker(rows)) { $0.numberField = .name("nr") }
    #expect(
      missing.failure
        == .noSuchColumn("nr", names: ["Company", "Phone", "votes"], input: "in0"))
    let position = try read(WorkbookMaker(rows)) {
      $0.header = .no
      $0.numberField = .name("2")
      $0.labelField = .name("3")
    }
    #expect(position.rows.map(\.description) == ["Phone|votes", "13800138000|7", "13800138001|x"])
  }

  /// A whole number is read as its format shows it.
  @Test(arguments: [
    ("0000000000", "612345678", "0612345678"), ("\\+0", "12125550123", "+12125550123"),
    ("&quot;+49 &quot;0", "301234567", "+49 301234567"), ("[$+49]0", "301234567", "+49301234567"),
    ("&quot;0&quot;#", "301234567", "0301234567"), ("000\\-000\\-0000", "2125550123", "212-555-0123"),
    ("[&lt;=9999999]###\\-####;\\(###\\)\\ ###\\-####", "2125550123", "(212) 555-0123"),
    ("[&lt;=9999999]###\\-####;\\(###\\)\\ ###\\-####", "5550123", "555-0123"),
    ("00000", "301234567", "301234567"), ("&quot;Tel. &quot;00000000000", "3.01234567E+8", "00301234567"),
    // Read as they are stored.
    ("General", "301234567", "301234567"), ("0", "301234567", "301234567"),
    ("#,##0", "301234567", "301234567"),
    ("0.00", "301234567", "301234567"), ("yyyy\\-mm\\-dd", "45296123", "45296123"),
    ("0.00E+00", "301234567", "301234567"), ("@", "301234567", "301234567"), ("0,", "301234567", "301234567"),
    ("\\+0;\\-0", "-301234567", "-301234567"),
  ])
  func numbersAreReadAsTheyAreShown(_ code: String, _ stored: String, _ shown: String) throws {
    var maker = WorkbookMaker(
      Self.header + "<row><c s=\"1\"><v>\(stored)</v></c>\(Self.inline("a"))</row>")
    maker.styles =
      "<numFmts><numFmt numFmtId=\"164\" formatCode=\"\(code)\"/></numFmts><cellStyleXfs><xf numFmtId=\"164\"/>"
      + "</cellStyleXfs><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs>"
    let outcome = try read(maker)
    if stored.hasPrefix("-") {
      #expect(outcome.codes == ["not-whole"])
    } else {
      #expect(outcome.rows == [RawRow(shown, "a")], "\(code)")
    }
  }

  @Test func theStrictFormAndPrefixesAreReadAlike() throws {
    var maker = WorkbookMaker("", strings: "<x:si xmlns:x=\"urn:x\"><x:t>a</x:t></x:si>")
    maker.isStrict = true
    maker.parts = [
      (
        "xl/worksheets/sheet0.xml",
        "<x:worksheet xmlns:x=\"urn:x\"><x:sheetData><x:row><x:c><x:v>13800138000</x:v></x:c>"
          + "<x:c t=\"s\"><x:v> 0 </x:v></x:c></x:row></x:sheetData></x:worksheet>"
      )
    ]
    #expect(try read(maker).rows == [RawRow("13800138000", "a")])
  }

  @Test func oneSheetIsRead() throws {
    func sheet(_ name: String, _ number: Int, state: String = "", kind: String = "worksheet")
      -> WorkbookMaker.Sheet
    {
      .init(name: name, rows: "<row><c><v>\(number)</v></c></row>", state: state, kind: kind)
    }
    let maker = WorkbookMaker([
      sheet("Chart", 13_800_138_000, kind: "chartsheet"), sheet("Old", 13_800_138_001, state: "hidden"),
      sheet("List", 13_800_138_002, state: "visible"), sheet("2", 13_800_138_003), sheet("B", 13_800_138_004),
    ])
    for (chosen, number) in [(nil, 2), ("List", 2), ("1", 2), ("Old", 1), ("2", 3), ("3", 4)]
      as [(String?, Int)]
    {
      let outcome = try read(maker) { $0.sheet = chosen }
      #expect(outcome.rows.map(\.text) == [Array("1380013800\(number)".utf8)], "\(chosen ?? "")")
    }
    for chosen in ["Chart", "4", "0", ""] {
      #expect(
        try read(maker) { $0.sheet = chosen }.failure
          == .noSuchSheet(chosen, names: ["Old", "List", "2", "B"], input: "in0"))
    }
    let hidden = WorkbookMaker([sheet("Old", 1, state: "veryHidden")])
    #expect(try read(hidden).failure == .noSheet(hidden: ["Old"], input: "in0"))
    let table = options(.auto) { $0.sheet = "1" }
    #expect(try parse("number,label\n13800138000,a\n", table).failure == .sheetWithoutWorkbook)
  }

  @Test func rowsThatCannotBeUsedAreRejected() throws {
    let long = String(repeating: "a", count: 100)
    let rows =
      Self.header + "<row><c r=\"B2\"><v>1</v></c><c r=\"A2\"><v>13800138000</v></c></row>"
      + "<row><c r=\"XFE3\"><v>1</v></c></row>" + "<row><c><v>13800138000</v></c>\(Self.inline(long))</row>"
      + "<row><c><v>1.5</v></c></row>" + "<row><c><v>13800138001</v></c></row>"
    let outcome = try read(WorkbookMaker(rows)) { $0.recordBytesMax = 64 }
    #expect(outcome.codes == ["unexpected-text", "unexpected-text", "record-too-long", "not-whole"])
    #expect(outcome.rejects.map(\.place) == [.row(2), .row(3), .row(4), .row(5)])
    #expect(outcome.rows.count == 1)
    let text = WorkbookMaker("<row><c t=\"s\"><v>1</v></c></row>", strings: "<si><t>1</t></si>")
    #expect(try read(text).failure == .missingText(row: 1, input: "in0"))
    let none = WorkbookMaker("<row><c t=\"s\"><v>0</v></c></row>")
    #expect(try read(none).failure == .missingText(row: 1, input: "in0"))
  }

  @Test func largeSheets() throws {
    let rows = (0..<1500).map { row in
      "<row r=\"\(row + 1)\"><c><v>\(13_800_130_000 + row)</v></c><c t=\"s\"><v>\(1499 - row)</v></c></row>"
    }
    let strings = (0..<1500).map { "<si><t>label \($0) y\(String(repeating: "x", count: $0 % 97))</t></si>" }
    let outcome = try read(WorkbookMaker(rows.joined(), strings: strings.joined()))
    #expect(outcome.rows.count == 1500 && outcome.rejectCount == 0)
    for row in [0, 1, 1200, 1499] {
      let label = "label \(1499 - row) y\(String(repeating: "x", count: (1499 - row) % 97))"
      #expect(outcome.rows[row] == RawRow("\(13_800_130_000 + row)", label))
    }
  }

  @Test func theResultDoesNotDependOnTheWindows() throws {
    let maker = WorkbookMaker(
      Self.header + "<row><c><v>13800138000</v></c><c t=\"s\"><v>0</v></c></row>",
      strings: "<si><t>a</t></si>")
    for format in [ParseOptions.Format.auto, .xlsx] {
      let whole = try parse([maker.bytes], options(format))
      #expect(whole.rows == [RawRow("13800138000", "a")])
      for cuts in [[1], [3], [31], [100, 1], [4096]] {
        #expect(try parse([maker.bytes], options(format), cuts: cuts) == whole, "\(cuts)")
      }
    }
    let twice = try parse([maker.bytes, maker.bytes], options(.auto), cuts: [50])
    #expect(twice.rows.count == 2 && twice.failure == nil)
    // Any other zip archive is still one that was not unpacked, unless the format was named.
    let archive = WorkbookMaker.archive([("list.csv", "13800138000\n")])
    #expect(try parse([archive], options(.auto)).content == .zip)
    #expect(try parse([maker.bytes], options(.csv)).failure == .otherFormat(.xlsx, input: "in0"))
    #expect(try parse([archive], options(.xlsx)).failure == .noWorkbook(input: "in0"))
    let encoded = options(.auto) { $0.encoding = "GB18030" }
    #expect(try parse([maker.bytes], encoded).failure == .encodingOfBinary(.xlsx, input: "in0"))
  }

  @Test func otherDocumentsAreNamed() throws {
    func unsupported(_ bytes: [UInt8]) throws -> Failure? {
      let whole = try parse([bytes], options(.auto)).failure
      #expect(try parse([bytes], options(.auto), cuts: [7]).failure == whole)
      return whole
    }
    let compound = CompoundFile.signature + [UInt8](repeating: 0, count: 600)
    #expect(try unsupported(compound) == .unsupportedDocument(.excel97, input: "in0"))
    let name = Array("EEncryptedPackage".utf8).flatMap { (letter) -> [UInt8] in [letter, 0] }
    #expect(try unsupported(compound + name + compound) == .unsupportedDocument(.encrypted, input: "in0"))
    let types = ("[Content_Types].xml", "<Types/>")
    let documents: [([(String, String)], OfficeFormat)] = [
      ([types, ("xl/workbook.bin", "")], .excelBinary), ([types, ("word/document.xml", "")], .other),
      ([("Index/Document.iwa", ""), ("Data/a.png", "")], .numbers),
      (
        [("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", "<a/>")],
        .openDocument
      ),
    ]
    for (members, format) in documents {
      #expect(
        try unsupported(WorkbookMaker.archive(members)) == .unsupportedDocument(format, input: "in0"),
        "\(format)")
    }
  }

  @Test func damageIsAnError() throws {
    let maker = WorkbookMaker(
      Self.header + "<row><c><v>13800138000</v></c><c t=\"s\"><v>0</v></c></row>",
      strings: "<si><t>a</t></si>")
    let bytes = maker.bytes
    let rows = try parse([bytes], options(.xlsx)).rows
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x11
      let outcome = try parse([damaged], options(.xlsx))
      // A byte that is not checked, such as the time of a member, does not change the rows.
      #expect(
        outcome.failure != nil || outcome.rows == rows, "byte \(index)")
      let cut = try parse([Array(bytes[..<index])], options(.xlsx))
      #expect(index == 0 || (cut.failure != nil && cut.content == nil), "\(index) bytes")
    }
    var parts = maker
    parts.parts = [("xl/worksheets/sheet0.xml", "<worksheet><sheetData><row><c><v>1</c>")]
    let failure = try read(parts).failure
    #expect(failure?.code == "not-xml")
    #expect(failure?.message.message.hasPrefix("in0: 'xl/worksheets/sheet0.xml':1 (byte ") ?? false)
    parts.parts = [("xl/_rels/workbook.xml.rels", "")]
    #expect(
      try read(parts).failure == .missingPart("xl/_rels/workbook.xml.rels", input: "in0"))
    parts.parts = [("xl/worksheets/sheet0.xml", "")]
    #expect(try read(parts).failure == .missingPart("xl/worksheets/sheet0.xml", input: "in0"))
  }

  @Test func partsWithRandomChanges() throws {
    let rows =
      Self.header
      + (0..<9).map { "<row><c><v>1380013800\($0)</v></c><c t=\"s\"><v>\($0 % 2)</v></c></row>" }.joined()
    var random = SplitMix64(seed: UInt64.random(in: 0...UInt64.max))
    for _ in 0..<fuzzTurns {
      // The parts are damaged, not the archive, whose checksums would hide them.
      var maker = WorkbookMaker(rows, strings: "<si><t>a</t></si><si><r><t>b</t></r></si>")
      let names = ["xl/workbook.xml", "xl/worksheets/sheet0.xml", "xl/sharedStrings.xml", "_rels/.rels"]
      let texts = [
        "<workbook><sheets><sheet name=\"a\" r:id=\"r0\"/></sheets></workbook>",
        "<worksheet><sheetData>\(rows)</sheetData></worksheet>",
        "<sst><si><t>a</t></si><si><r><t>b</t></r></si></sst>",
        "<Relationships><Relationship Id=\"r\" Type=\"a/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
      ]
      let index = random.below(names.count)
      var text = Array(texts[index].utf8)
      for _ in 0..<1 + random.below(4) {
        text[random.below(text.count)] = Array("<>/\"=0s9A _".utf8)[random.below(11)]
      }
      maker.parts = [(names[index], String(decoding: text, as: UTF8.self))]
      let outcome = try read(maker)
      if outcome.failure == nil {
        #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
      }
    }
  }
}
