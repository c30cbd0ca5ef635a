// Tables without column names: the columns are detected by their cells.

import Testing

@testable import InputStages

@Suite struct ColumnGuessTests {
  /// Tables, and the rows if no column is chosen.
  static let tables: [(String, [String])] = [
    // Without a header.
    ("2024-11-21,3012345678,spam\n2024-11-22,3012345679,spam\n", ["3012345678|spam", "3012345679|spam"]),
    ("21.11.2024 12:30;3012345678;x\n22.11.2024 12:31;3012345679;y\n", ["3012345678|x", "3012345679|y"]),
    ("20241121,3012345678,spam\n20241122,3012345679,spam\n", ["3012345678|spam", "3012345679|spam"]),
    (
      "2024-11-21T10:00:00Z,3012345678,spam\n2024-11-22T10:00:00Z,3012345679,x\n",
      ["3012345678|spam", "3012345679|x"]
    ),
    ("foo,+4930123456\nbar,+4930123457\n", ["+4930123456|foo", "+4930123457|bar"]),
    ("1,foo,+4930123456\n2,bar,+4930123457\n", ["+4930123456|foo", "+4930123457|bar"]),
    ("+4930123456,1,foo\n+4930123457,2,bar\n", ["+4930123456|foo", "+4930123457|bar"]),
    ("+4930123456,1\n+4930123457,2\n", ["+4930123456|1", "+4930123457|2"]),
    ("1,+4930123456\n2,+4930123457\n", ["+4930123456|", "+4930123457|"]),
    // Timestamps, coordinates and postcodes are less likely than cells with a plus sign or seven digits.
    ("1732147200,+4930123456,x\n1732147201,+4930123457,y\n", ["+4930123456|x", "+4930123457|y"]),
    ("10115,3012345678,x\n10117,3012345679,y\n", ["3012345678|x", "3012345679|y"]),
    ("52.5200066,13.404954,95588,x\n52.5200067,13.404955,95589,y\n", ["95588|x", "95589|y"]),
    // A mostly empty column has lower priority than a filled one.
    (
      "x,,3012345678\ny,3099999999,3012345679\nz,,3012345670\na,,3012345671\n",
      ["3012345678|x", "3012345679|y", "3012345670|z", "3012345671|a"]
    ),
    // A record with a number is not a header, even with a column name next to it.
    ("mobile,+4930123456\nhome,+4930123457\n", ["+4930123456|mobile", "+4930123457|home"]),
    // A header without common names.
    (
      "Wann,Wer,Nr\n2024-11-21,foo,3012345678\n2024-11-22,bar,3012345679\n",
      ["3012345678|foo", "3012345679|bar"]
    ),
    // Without any numbers: the first column, and the one after it.
    ("110,x\n112,y\n", ["110|x", "112|y"]), ("20241121,x\n20241122,y\n", ["20241121|x", "20241122|y"]),
    // Other names: a date is not the label, nor is a count or an identifier if there are words elsewhere.
    (
      "Numer telefonu,Data,Rodzaj\n501234567,2024-03-04,oszust\n502345678,2024-03-05,bank\n",
      ["501234567|", "502345678|"]
    ),
    ("النوع,الرقم,العدد\nاحتيال,0205388478,5\nx,0205388479,6\n", ["0205388478|", "0205388479|"]),
    ("Telefonszám;ID;Típus\n0612345678;1001;csaló\n0612345679;1007;x\n", ["0612345678|", "0612345679|"]),
    ("Numer telefonu,Data\n501234567,2024-03-04\n502345678,2024-03-05\n", ["501234567|", "502345678|"]),
    // Digits for the kind of a call, and its identifier.
    (
      "Typ;Datum;Rufnummer;Dauer\n1;05.01.24 10:00;03023125001;0:01\n2;05.01.24 10:10;03023125002;0:01\n",
      ["03023125001|", "03023125002|"]
    ),
    ("number,callid\n+12125550100,abc\n+12125550101,abd\n", ["+12125550100|", "+12125550101|"]),
    // Area codes.
    (
      "030;22112345;a\n030;89123456;b\n040;22154321;c\n",
      ["03022112345|a", "03089123456|b", "04022154321|c"]
    ),
    ("prefix,number,label\n030,22112345,a\n040,22154321,b\n", ["03022112345|a", "04022154321|b"]),
    // Masks.
    ("id,pattern,l\n1,070-XXXX-XXXX,a\n2,080-XXXX-XXXX,b\n", ["070-XXXX-XXXX|a", "080-XXXX-XXXX|b"]),
    ("a,1,33########\nb,2,34########\n", ["33########|a", "34########|b"]),
    // The cells of a data frame.
    ("x,49301234567.0\ny,49301234568.0\n", ["49301234567|x", "49301234568|y"]),
  ]

  @Test(arguments: tables) func columnOfNumbers(_ text: String, _ expected: [String]) throws {
    for format in [ParseOptions.Format.csv, .auto] {
      if format == .auto, text.hasPrefix("110") || text.hasPrefix("2024112") { continue }
      var options = ParseOptions()
      options.format = format
      let outcome = try parseInPieces(Array(text.utf8), options, startBytes: 4096)
      #expect(outcome.rows.map(\.description) == expected)
      #expect(outcome.rejects == [] && outcome.failure == nil)
    }
  }

  @Test func chosenColumnsAreNotDetected() throws {
    let numbers = "7024112,3012345678,spam\n7024113,3012345679,ham\n"
    #expect(try parse(numbers, tableOptions(number: "1")).rows.first == RawRow("7024112", ""))
    let text = "2024-11-21,3012345678,spam\n2024-11-22,3012345679,ham\n"
    #expect(try parse(text, tableOptions(label: "1")).rows.first == RawRow("3012345678", "2024-11-21"))
    #expect(try parse(text, tableOptions(source: "3")).rows.first == RawRow("3012345678", "\tspam"))
  }

  /// Whole numbers that were stored as floating-point numbers, and the result.
  static let floats: [(String, String)] = [
    ("49301234567.0", "49301234567"), ("49301234567.00", "49301234567"), ("+49301234567.0", "+49301234567"),
    ("4.9301234567e+10", "49301234567"), ("4.93012345670E+10", "49301234567"),
    ("4.9301234567E10", "49301234567"),
    ("4.9301234567e+010", "49301234567"),
    ("4.93012E+10", "not-whole"), ("4.93012345678E+10", "not-whole"), ("5E+10", "not-whole"),
    ("-4.9301234567e+10", "not-whole"),
    // Numbers as people write them are not changed.
    ("555.0000", "555.0000"), ("01.23.45.67.00", "01.23.45.67.00"), ("1800E5", "1800E5"),
    ("49301234567.5", "not-whole"), ("1-800-CALL-E10", "1-800-CALL-E10"), ("4930123000", "4930123000"),
  ]

  @Test(arguments: floats) func wholeNumbers(_ text: String, _ expected: String) throws {
    // Long, short, and quoted rows use different code.
    let filler = String(repeating: "8613800138000,filler of the plain kind\n", count: 5)
    for (table, format) in [
      ("number,label\n\(filler)\(text),x\n\(filler)", ParseOptions.Format.csv),
      ("number,label\n\(filler)\"\(text)\",x\n\(filler)", .csv),
      ("number\tlabel\n\(filler.split(separator: ",").joined(separator: "\t"))\(text)\tx\n", .tsv),
      (
        "label,number\n\(filler.split(separator: "\n").map { _ in "y,8613800138000\n" }.joined())x,\(text)\n",
        .csv
      ),
      ("\(filler)\(text),x\n\(filler)", .lines),
    ] {
      let outcome = try parseInPieces(Array(table.utf8), tableOptions(format))
      if expected == "not-whole" {
        #expect(outcome.codes == [expected], "\(table)")
      } else {
        #expect(outcome.rejects == [], "\(table)")
        #expect(outcome.rows.contains(RawRow(expected, "x")), "\(table)")
      }
    }
  }
}
