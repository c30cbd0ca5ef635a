// Sheets that people lay out for reading: titles above the header, merged cells, formulas, and other sheets.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct WorkbookNoticeTests {
  private static func row(_ cells: String...) -> String {
    "<row>" + cells.map { $0.isEmpty ? "<c/>" : WorkbookTests.inline($0) }.joined() + "</row>"
  }

  private static func read(_ maker: WorkbookMaker, _ options: ParseOptions) throws -> Outcome {
    let whole = try parse([maker.bytes], options)
    for cuts in staccato { #expect(isSame(try parse([maker.bytes], options, cuts: cuts), whole)) }
    return whole
  }

  // MARK: Headers

  private static let title = row("Report of spam calls 2024")
  private static let header = row("", "Telefon", "Bezeichnung", "Anzahl")
  private static let data =
    row("", "030 12345678", "Werbung", "3") + row("", "+49 30 12345679", "Umfrage", "7")

  @Test(arguments: [
    WorkbookNoticeTests.title,
    WorkbookNoticeTests.title + WorkbookNoticeTests.row("Stand", "2024")
      + WorkbookNoticeTests.row("", "", "x"),
    WorkbookNoticeTests.title + "<row/><row/>",
  ])
  func theHeaderMayBeBelowATitle(_ title: String) throws {
    let outcome = try Self.read(WorkbookMaker(title + Self.header + Self.data), options(.auto))
    #expect(
      outcome.rows == [RawRow("030 12345678", "Werbung"), RawRow("+49 30 12345679", "Umfrage")])
    #expect(Set(outcome.codes) == ["unexpected-text"] && outcome.rejects.first?.place == .row(1))
    #expect(outcome.failure == nil && outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
    let chosen = options(.xlsx) {
      $0.numberField = .name("Telefon")
      $0.scoreField = .name("Anzahl")
    }
    let named = try Self.read(WorkbookMaker(title + Self.header + Self.data), chosen)
    #expect(named.rows == [RawRow("030 12345678", "\t\t3"), RawRow("+49 30 12345679", "\t\t7")])
  }

  /// A row with a number, a single cell and a late row are not headers, and nothing is left out because of them.
  @Test func dataIsNotATitle() throws {
    let number = Self.row("13800138000", "x")
    for rows in [
      number + Self.row("phone", "label"), Self.row("a", "b") + number + Self.row("", "phone"),
      Self.row("x", "y") + Self.row("phone") + number,
    ] {
      let outcome = try Self.read(WorkbookMaker(rows), options(.auto))
      #expect(outcome.rows.contains(RawRow("13800138000", "x")))
      #expect(!outcome.codes.contains("unexpected-text"))
    }
    let late = String(repeating: Self.title, count: 20) + Self.header + Self.data
    let after = try Self.read(WorkbookMaker(late), options(.auto))
    #expect(!after.codes.contains("unexpected-text"))
    let first = options(.auto) { $0.header = .no }
    let raw = try Self.read(WorkbookMaker(Self.title + Self.header + Self.data), first)
    #expect(!raw.codes.contains("unexpected-text"))
  }

  @Test func namesOfColumnsHaveNoLineBreaks() throws {
    let rows = Self.row("Phone\nNumber", " Spam\r\n  label ") + Self.row("13800138000", "x\ny")
    let chosen = options(.auto) {
      $0.numberField = .name("Phone Number")
      $0.labelField = .name("Spam label")
    }
    #expect(try Self.read(WorkbookMaker(rows), chosen).rows == [RawRow("13800138000", "x\\ny")])
  }

  // MARK: Notices

  private static func layout(_ maker: WorkbookMaker, _ sheet: String? = nil) throws -> InputLayout? {
    try parseWithNotices(maker.bytes, options(.auto) { $0.sheet = sheet }).layouts.first
  }

  @Test func otherSheetsWithValues() throws {
    func sheet(_ name: String, _ rows: String, state: String = "") -> WorkbookMaker.Sheet {
      .init(name: name, rows: rows, state: state)
    }
    let number = "<row><c><v>13800138000</v></c></row>"
    let maker = WorkbookMaker([
      sheet("A", number), sheet("B", ""), sheet("C", number), sheet("D", number, state: "hidden"),
      sheet("E", Self.row("x")), sheet("F", "<row><c s=\"1\"/></row>"),
    ])
    #expect(try Self.layout(maker)?.otherSheets == ["C", "E"])
    #expect(try Self.layout(maker, "A")?.otherSheets == [])
    // The first sheet may be empty.
    let empty = WorkbookMaker([sheet("A", ""), sheet("B", number)])
    #expect(try Self.layout(empty)?.otherSheets == ["B"])
    #expect(try Self.layout(WorkbookMaker([sheet("A", number)]))?.otherSheets == [])
  }

  @Test func mergedCellsBelowTheHeader() throws {
    let rows =
      Self.row("number", "label", "city") + Self.row("13800138000", "a", "x") + Self.row("13800138001")
    func merges(_ references: String...) throws -> Int? {
      var maker = WorkbookMaker(rows)
      maker.sheets[0].merges = references
      return try Self.layout(maker)?.merges
    }
    #expect(try merges("B2:B3") == 1)
    #expect(try merges("A2:B3", "B4:B9") == 2)
    // In one row, in another column, above the header, and damaged.
    #expect(try merges("A2:B2", "C2:C3", "A1:B1", "B1:B3", "B2", "B3:B2", "2:3", "B0:B2", ":") == 0)
  }

  @Test func formulasWithoutResults() throws {
    let rows =
      Self.row("number", "label", "city")
      + "<row><c><v>13800138000</v></c><c><f>A1</f><v></v></c><c><f>A1</f></c></row>"
      + "<row><c><v>13800138001</v></c><c><f>A1</f></c></row>"
      + "<row><c><v>13800138002</v></c><c t=\"str\"><f>A1</f><v></v></c></row>"
      + "<row><c><v>13800138003</v></c><c><f>A1</f><v>5</v></c></row>"
    #expect(try Self.layout(WorkbookMaker(rows))?.missingResults == 2)
  }

  // MARK: Chosen fields

  @Test func aChosenFieldThatNoRecordHasIsReported() throws {
    let cards = VCardTests.card("FN:a", "TEL:1") + VCardTests.card("TEL:2")
    let book = PhoneBookTests.book(PhoneBookTests.contact("a", "1"))
    let list = PropertyListTests.list(PropertyListTests.entry("1", "a"))
    for (text, format, available) in [
      (cards, ParseOptions.Format.vcard, "FN"), (book, .phonebook, "realName"), (list, .plist, "title"),
    ] as [(String, ParseOptions.Format, String)] {
      func findings(_ label: String) throws -> [InputNotice.Finding] {
        try parseWithNotices(Array(text.utf8), options(format) { $0.labelField = .name(label) }).notices
          .map(\.finding)
      }
      let missing = try findings("nosuch").compactMap { finding -> [String]? in
        guard case .missingFields(["nosuch"], let available) = finding else { return nil }
        return available
      }
      #expect(missing.count == 1 && missing.first?.contains(available) == true, "\(format)")
      for finding in try findings(available) {
        if case .missingFields = finding { Issue.record("\(format)") }
      }
    }
  }
}
