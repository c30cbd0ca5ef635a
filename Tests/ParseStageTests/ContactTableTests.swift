// Tables of contacts, with the columns of Google and Outlook: every number of a record is a row.

import TestSupport
import Testing

@testable import InputStages

@Suite("Tables of contacts")
struct ContactTableTests {
  static let googleHeader =
    "First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,"
    + "Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,"
    + "Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,"
    + "Phone 2 - Value,Custom Field 1 - Label,Custom Field 1 - Value"

  static let google =
    googleHeader + "\n"
    + "Ann,,Test,,,,Dr.,,,,,,,,\"1234567 is\r\nno phone\",,* myContacts ::: Work,* ,a@example.com,"
    + "* Mobile,+1 202-555-0101 ::: +1 202-555-0102,Work,(202) 555-0103,Id,5550199\n"
    + ",,,,,,,,Bo,,A Firm,,,,,,,,,Main,202-555-0104,,,,\n"
    + "Cy,,,,,,,,,,,,,,,,,,c@example.com,,,,,,\n"

  static let oldGoogleHeader =
    "Name,Given Name,Additional Name,Family Name,Yomi Name,Group Membership,Notes,E-mail 1 - Value,Phone 1 - Type,"
    + "Phone 1 - Value,Phone 2 - Type,Phone 2 - Value,Organization 1 - Name"

  static let outlookHeader =
    "Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Postal Code,"
    + "Assistant's Phone,Business Fax,Business Phone,Business Phone 2,Callback,Car Phone,Company Main Phone,Home Fax,"
    + "Home Phone,Home Phone 2,ISDN,Mobile Phone,Other Fax,Other Phone,Pager,Primary Phone,Radio Phone,TTY/TDD Phone,"
    + "Telex,Account,Government ID Number,User 1"

  /// The rows and the rejects' reasons, however the table is cut.
  private func parsed(_ text: String) throws -> (rows: [String], rejects: [String]) {
    var outcome: Outcome?
    for format in [ParseOptions.Format.csv, .auto] {
      var options = ParseOptions()
      options.format = format
      let one = try parseInPieces(Array(text.utf8), options, startBytes: 4096)
      #expect(one.failure == nil)
      #expect(one.rowsIn == one.rowsOut + one.rejectCount)
      #expect(outcome == nil || outcome == one, "detected differently")
      outcome = one
    }
    return (outcome?.rows.map(\.description) ?? [], outcome?.codes ?? [])
  }

  @Test func newGoogle() throws {
    let (rows, rejects) = try parsed(Self.google)
    #expect(
      rows == [
        "+1 202-555-0101|Dr. Ann Test", "+1 202-555-0102|Dr. Ann Test", "(202) 555-0103|Dr. Ann Test",
        "202-555-0104|Bo",
      ])
    #expect(rejects == ["missing-number"])
  }

  @Test func oldGoogle() throws {
    let text =
      Self.oldGoogleHeader + "\n"
      + "Erika Beispiel,Erika,,Beispiel,,* myContacts,,e@example.org,Mobile,0301234567,Work,"
      + "0301234568 ::: 0301234569,Firma\n,,,,,,,,Work,030999001,,,Nur Firma\n"
    let (rows, rejects) = try parsed(text)
    #expect(
      rows == [
        "0301234567|Erika Beispiel", "0301234568|Erika Beispiel", "0301234569|Erika Beispiel",
        "030999001|Nur Firma",
      ])
    #expect(rejects == [])
  }

  /// The smallest exports have one column of numbers.
  @Test func oneGoogleColumn() throws {
    let (rows, _) = try parsed(
      "First Name,Last Name,Phone 1 - Type,Phone 1 - Value\nA,B,,12345 ::: 12346\n,,,12347\n")
    #expect(rows == ["12345|A B", "12346|A B", "12347|"])
  }

  @Test func outlook() throws {
    var cells = Array(repeating: "", count: 31)
    (cells[1], cells[3], cells[8], cells[29], cells[30]) = ("Ann", "Test", "12345", "99999999", "88888888")
    for column in 9...27 { cells[column] = "+4930\(100_000 + column)" }
    let (rows, rejects) = try parsed(
      Self.outlookHeader + "\n" + cells.joined(separator: ",") + "\n" + String(repeating: ",", count: 20)
        + "0301" + String(repeating: ",", count: 10) + "\n")
    #expect(rows == (9...27).map { "+4930\(100_000 + $0)|Ann Test" } + ["0301|"])
    #expect(rejects == [])
  }

  @Test(
    arguments: [
      // The columns of other languages, and separators that spreadsheets write.
      (
        "Vorname;Nachname;Firma;Telefon geschäftlich;Telefon privat 2;Mobiltelefon\nA;B;;0301;0302;0303\n;;F;;;0304\n",
        ["0301|A B", "0302|A B", "0303|A B", "0304|F"]
      ),
      ("Prénom,Nom,Téléphone (bureau),Tél. mobile\nA,B,01000,02000\n", ["01000|A B", "02000|A B"]),
      ("姓,名,住宅电话,移动电话\n王,小,01000,02000\n", ["01000|小 王", "02000|小 王"]),
      ("Phone,Mobile,Name\n12345,12346,a\n,12347,b\n", ["12345|a", "12346|a", "12347|b"]),
      ("phone_1,phone_2,type\n12345,12346,a\n", ["12345|a", "12346|a"]),
      ("Fax,Phone\n12345,12346\n", ["12345|", "12346|"]),
      ("number,mobile,name\n12345,12346,a\n", ["12345|a", "12346|a"]),
      // A number of somebody else, or a single column: as other tables.
      ("caller,phone,name\n12345,12346,a\n", ["12345|a"]),
      ("Phone,Name\n12345 ::: 12346,a\n", ["12345 ::: 12346|a"]),
      // The number's header may be repeated, and records may lack cells.
      ("Phone,Mobile,Name\n1,2,a\nPhone,Mobile,Name\n3\n4,5\n", ["1|a", "2|a", "3|", "4|", "5|"]),
    ] as [(String, [String])])
  func columns(_ text: String, _ expected: [String]) throws {
    var options = ParseOptions()
    options.format = .csv
    let outcome = try parseInPieces(Array(text.utf8), options, startBytes: 4096)
    #expect(outcome.rows.map(\.description) == expected && outcome.rejects == [] && outcome.failure == nil)
  }

  @Test func chosenFields() throws {
    let text = "First Name,Last Name,Note,Phone 1 - Value,Phone 2 - Value\nA,B,x,1 ::: 2,3\n"
    #expect(try parse(text, tableOptions(number: "Phone 2 - Value")).rows == [RawRow("3", "")])
    #expect(try parse(text, tableOptions(number: "4", label: "Note")).rows == [RawRow("1 ::: 2", "x")])
    #expect(
      try parse(text, tableOptions(label: "Note", source: "Last Name")).rows
        == ["1", "2", "3"].map { RawRow($0, "x\tB") })
    #expect(
      try parse(text, tableOptions(label: "=spam", source: "=s")).rows
        == ["1", "2", "3"].map { RawRow($0, "spam\ts") })
    #expect(try parse(text, tableOptions(label: "Phone 1 - Value")).rows == [RawRow("3", "1 ::: 2")])
  }

  /// Any byte replaced by any of some others: no crash, and every record is rows or a reject.
  @Test func damage() throws {
    let sample = Array(
      ("First Name,Last Name,Phone 1 - Value,Phone 2 - Value\n"
        + "Ann,\"Te,st\",+1 202-555-0101 ::: +12,(202) 555-0103\r\n,,5,\n").utf8)
    for at in sample.indices {
      for byte in [0, 0x0A, 0x22, UInt8(ascii: ","), UInt8(ascii: ":"), 0xFF] as [UInt8] {
        var bytes = sample
        bytes[at] = byte
        let outcome = try parse([bytes], tableOptions(), cuts: [20 + at % 97])
        #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount, "byte \(at)")
      }
      let cut = try parse([Array(sample[..<at])], tableOptions())
      #expect(cut.rowsIn == cut.rowsOut + cut.rejectCount, "cut at \(at)")
    }
  }

  @Test func mutatedTables() throws {
    try fuzz(Array(Self.google.utf8), [options(.csv), options(.auto)], turns: fuzzTurns / 2)
  }
}
