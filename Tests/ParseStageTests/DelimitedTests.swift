// Tables: quotes, separators, headers, columns, ragged and broken records, each with every cut.

import Records
import Testing

@testable import InputStages

/// Options for a table.
func tableOptions(
  _ format: ParseOptions.Format = .csv, number: String? = nil, label: String? = nil, source: String? = nil,
  score: String? = nil, header: ParseOptions.Header = .auto
) -> ParseOptions {
  var options = ParseOptions()
  options.format = format
  options.numberField = number.map { FieldSelector($0) }
  options.labelField = label.map { FieldSelector($0) }
  options.sourceField = source.map { FieldSelector($0) }
  options.scoreField = score.map { FieldSelector($0) }
  options.header = header
  return options
}

/// Parses in one piece and in many, and expects equal results. The start that decides on separator and header is the
/// same, so that the rest arrives in pieces.
func parseInPieces(
  _ bytes: [UInt8], _ options: ParseOptions, startBytes: Int = 40,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> Outcome {
  let whole = try parse([bytes], options, startBytes: startBytes)
  for cuts in staccato {
    let cut = try parse([bytes], options, cuts: cuts, startBytes: startBytes)
    #expect(cut == whole, "cut \(cuts)", sourceLocation: sourceLocation)
  }
  for at in 1..<max(min(bytes.count, 60), 2) {
    let cut = try parse([bytes], options, cuts: [at, bytes.count], startBytes: startBytes)
    #expect(cut == whole, "cut at \(at)", sourceLocation: sourceLocation)
  }
  if whole.failure == nil {
    #expect(whole.rowsIn == whole.rowsOut + whole.rejectCount, sourceLocation: sourceLocation)
  }
  return whole
}

@Suite struct DelimitedTests {
  private static let long = String(repeating: "x", count: 70)

  /// The records after the header `a,b,c,d`, and the rows as `number|label`.
  static let fields: [(String, [String])] = [
    ("861,x\n", ["861|x"]),
    ("861,x", ["861|x"]),
    ("861,x\r\n862,y\r\n", ["861|x", "862|y"]),
    ("\"861\",\"x\"\n", ["861|x"]),
    ("861,\"x, y\"\n862,z\n", ["861|x, y", "862|z"]),
    ("861,\"say \"\"hi\"\"\"\n", ["861|say \"hi\""]),
    ("861,\"\"\"\"\n862,\"\"\n", ["861|\"", "862|"]),
    ("861,\"two\nlines\"\n862,\"two\r\nlines\"\n", ["861|two\\nlines", "862|two\\r\\nlines"]),
    ("861,5\" disk\n862,a\"b\"\n", ["861|5\" disk", "862|a\"b\""]),
    ("  861  ,  x y  \n\t862\t,\ty\t\n", ["861|x y", "862|y"]),
    ("  \"861\"  ,  \" x \"  \r\n", ["861| x "]),
    ("\n\r\n  \n861,x\n\n\n862,y\n\n", ["861|x", "862|y"]),
    ("861,x,more,\"and, more\"\n", ["861|x"]),
    ("861,back\\slash\n862,tab\tinside\n", ["861|back\\\\slash", "862|tab\\tinside"]),
    ("861,骚扰电话\n862,é\n", ["861|骚扰电话", "862|é"]),
    (
      "861,\(long)\n862,\(long)\n863,\"\(long), \"\"y\"\"\"\n",
      ["861|\(long)", "862|\(long)", "863|\(long), \"y\""]
    ),
    ("861,\n", ["861|"]),
    ("３３１,wide\n", ["３３１|wide"]),
    ("#31#861,x\n", ["#31#861|x"]),
    ("861,x,\"a\nb\",c\n862,y\n", ["861|x", "862|y"]),
    ("861,x,  \"a \"\"q\"\" b\"  ,c\n862,y\n", ["861|x", "862|y"]),
    ("861,x,a \"b\" c,\"\n\"\n862,y\n", ["861|x", "862|y"]),
  ]

  @Test(arguments: fields) func records(_ text: String, _ expected: [String]) throws {
    for options in [
      tableOptions(number: "a", label: "b"), tableOptions(number: "1", label: "2", header: .yes),
    ] {
      let outcome = try parseInPieces(Array("a,b,c,d\n\(text)".utf8), options)
      #expect(outcome.rows.map(\.description) == expected)
      #expect(outcome.rejects == [])
    }
    // Between rows that the fast path reads.
    let filler = String(repeating: "869,filler of the plain kind\n", count: 20)
    let ended = text.hasSuffix("\n") ? text : text + "\n"
    let outcome = try parse("a,b,c,d\n\(filler)\(ended)\(filler)", tableOptions(number: "a", label: "b"))
    #expect(outcome.rows.dropFirst(20).dropLast(20).map(\.description) == expected)
    #expect(outcome.rows.count == expected.count + 40)
  }

  /// Fields that end at every place of the blocks in which the fast path reads.
  @Test func fieldsOfEveryLength() throws {
    let filler = String(repeating: "869,filler of the plain kind,\n", count: 4)
    for length in 0..<140 {
      let label = String(repeating: "x", count: length)
      for (written, expected) in [
        (label, label), ("\"\(label)\"", label), ("\"\(label), y\"", "\(label), y"), ("  \(label)  ", label),
      ] {
        let text = "a,b,c\n861,\(written),\r\n862, \"\(label)\" ,\"z,\(label)\"\n\(filler)"
        let outcome = try parse(text, tableOptions(number: "a", label: "b"))
        #expect(outcome.rows.prefix(2).map(\.description) == ["861|\(expected)", "862|\(label)"])
        #expect(outcome.rows.count == 6 && outcome.rejects == [])
      }
    }
  }

  /// A line of separators is blank if they are tabs, and else a row without a number.
  @Test func linesOfSeparators() throws {
    let filler = (0..<20).map { "86\($0)\tx\n" }.joined()
    let tabs = try parse("a\tb\n\(filler)\t\n \t \n\(filler)", tableOptions(.tsv, number: "a", label: "b"))
    #expect(tabs.rows.count == 40 && tabs.rejects == [])
    let commas = filler.replacing("\t", with: ",")
    let outcome = try parse("a,b\n\(commas),\n , \n\(commas)", tableOptions(number: "a", label: "b"))
    #expect(outcome.rows.count == 40 && outcome.codes == ["missing-number", "missing-number"])
    #expect(outcome.lines == [22, 23])
  }

  /// The cache of labels compares only the beginning and the end of a long one.
  @Test func longLabelsDifferInTheMiddle() throws {
    let labels = ["a", "b", "a\u{301}", "aa"].map {
      "the same twenty-four bytes \($0) and the same at the end".padding(to: 60) + "of the label"
    }
    let rows = (0..<400).map { "86\($0),\(labels[$0 % 4])\n" }
    let outcome = try parse("a,b\n\(rows.joined())", tableOptions(number: "a", label: "b"))
    #expect(outcome.rows.map(\.description) == (0..<400).map { "86\($0)|\(labels[$0 % 4])" })
  }

  /// Broken records between valid ones: the line of the reject, and the following rows.
  static let broken: [(String, [String], [UInt64])] = [
    (",x\n", ["missing-number"], [3]),
    ("\"\",x\n", ["missing-number"], [3]),
    ("862\n", ["missing-field"], [3]),
    ("862,\"x\" y\n", ["text-behind-quote"], [3]),
    ("862,\"x\"\"\" y\n", ["text-behind-quote"], [3]),
    ("862,\"never ends\n", ["text-behind-quote"], [3]),
    ("862,\u{1}x\n862,\"a\"b\n", ["text-behind-quote"], [4]),
    (String(repeating: "8", count: 1025) + ",x\n", ["number-too-long"], [3]),
    ("862," + String(repeating: "x", count: 33000) + "\n", ["label-too-long"], [3]),
  ]

  @Test(arguments: broken) func onlyTheBrokenRecordIsLost(
    _ text: String, _ codes: [String], _ lines: [UInt64]
  ) throws {
    let bytes = Array("a,b\n861,x\n\(text)863,\"c\"\n864,d\n".utf8)
    let outcome = try parse([bytes], tableOptions(number: "a", label: "b"), startBytes: 10)
    #expect(outcome.codes == codes)
    #expect(outcome.lines == lines)
    #expect(outcome.rows.first == RawRow("861", "x"))
    #expect(outcome.rows.suffix(2) == [RawRow("863", "c"), RawRow("864", "d")])
    if bytes.count < 3000 {
      _ = try parseInPieces(bytes, tableOptions(number: "a", label: "b"), startBytes: 10)
    }
  }

  @Test func invalidUTF8IsRejected() throws {
    var bytes = Array("a,b\n861,".utf8)
    bytes += [0xFF, 0x0A] + Array("86".utf8) + [0xC0] + Array(",x\n862,y\n863,".utf8) + [0xE9, 0x0A]
    let outcome = try parseInPieces(bytes, tableOptions(number: "a", label: "b"), startBytes: 6)
    #expect(outcome.codes == ["invalid-utf8", "invalid-utf8", "invalid-utf8"])
    #expect(outcome.rows == [RawRow("862", "y")])
  }

  @Test func quoteWithoutEnd() throws {
    let good = String(repeating: "861,\"x\"\n", count: 100)
    let text = "a,b\n862,\"open\n" + String(repeating: "861,x\n", count: 100)
    let options = tableOptions(number: "a", label: "b")
    let atEnd = try parseInPieces(Array(text.utf8), options)
    #expect(atEnd.codes == ["unterminated-quote"] && atEnd.lines == [2] && atEnd.rows.count == 100)
    #expect(atEnd.rejects.first?.text == "862,\"open")
    var short = options
    short.recordBytesMax = 64
    let limited = try parseInPieces(Array((text + good).utf8), short)
    #expect(limited.codes == ["unterminated-quote"] && limited.lines == [2] && limited.rows.count == 200)
    let long = try parseInPieces(Array("a,b\n862,\(Self.long)\n861,x\n".utf8), short)
    #expect(long.codes == ["record-too-long"] && long.rows == [RawRow("861", "x")])
    let longQuoted = try parseInPieces(Array("a,b\n862,\"\(Self.long)\"\n861,x\n".utf8), short)
    #expect(longQuoted.codes == ["record-too-long"] && longQuoted.rows == [RawRow("861", "x")])
  }

  /// Lines that each open a quote without an end cost one look-ahead together, not one each.
  @Test(.timeLimit(.minutes(10))) func hostileQuotesAreNotQuadratic() throws {
    for line in ["a\",b,\"c\n", "\"a\n", "x,\"\"\"\n", "a\"\",\",\"\"\n"] {
      let bytes = Array(String(repeating: line, count: 20_000).utf8)
      let outcome = try parse([bytes], tableOptions(number: "1", label: "2", header: .no), cuts: [100_000])
      #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
      #expect(outcome.rejectCount + outcome.rowsOut > 1000)
    }
  }

  // MARK: Columns

  @Test func columnsByNameAndPosition() throws {
    let text = "when,Tel ,who,votes\n2024,861,x,3\n2025,862,y,-07\n"
    for (options, expected) in [
      (tableOptions(number: "Tel", label: "who"), ["861|x", "862|y"]),
      (tableOptions(number: "2", label: "3"), ["861|x", "862|y"]),
      (tableOptions(number: "Tel"), ["861|", "862|"]),
      (tableOptions(number: "Tel", label: "=spam"), ["861|spam", "862|spam"]),
      (
        tableOptions(number: "Tel", label: "who", source: "when", score: "votes"),
        ["861|x\t2024\t3", "862|y\t2025\t-7"]
      ),
      (
        tableOptions(number: "Tel", label: "who", source: "=ftc", score: "=007"),
        ["861|x\tftc\t7", "862|y\tftc\t7"]
      ),
      (tableOptions(label: "who"), ["861|x", "862|y"]),
      (tableOptions(), ["861|x", "862|y"]),
      (tableOptions(score: "votes"), ["861|x\t\t3", "862|y\t\t-7"]),
      (tableOptions(number: "who", label: "Tel"), ["x|861", "y|862"]),
      (tableOptions(number: "Tel", label: "Tel"), ["861|861", "862|862"]),
      (tableOptions(number: "=7", label: "who"), ["7|x", "7|y"]),
    ] {
      let outcome = try parseInPieces(Array(text.utf8), options)
      #expect(outcome.rows.map(\.description) == expected)
      #expect(outcome.failure == nil && outcome.rejects == [])
    }
    let missing = try parse(text, tableOptions(number: "Phone")).failure
    #expect(missing == .noSuchColumn("Phone", names: ["when", "Tel", "who", "votes"], input: "in0"))
    #expect(missing?.errorClass == .badData)
    #expect(
      try parse(text, tableOptions(number: "5")).failure
        == .noSuchColumn("5", names: ["when", "Tel", "who", "votes"], input: "in0"))
    #expect(
      try parse(text, tableOptions(number: "Tel", header: .no)).failure == .nameWithoutHeader("Tel"))
    #expect(try parse(text, tableOptions(number: "2", score: "3")).codes == ["bad-score", "bad-score"])
    // A column with that name has priority over the position.
    #expect(
      try parse("3,2,1\n861,b,c\n", tableOptions(number: "3", label: "1", header: .yes)).rows
        == [RawRow("861", "c")])
  }

  /// Starts of tables, and the first row if no column is chosen.
  static let starts: [(String, String, Int)] = [
    ("861,x\n862,y\n", "861|x", 2),
    ("number,label\n861,x\n862,y\n", "861|x", 2),
    ("label,phone\nx,861\ny,862\n", "861|x", 2),
    ("id,tel,extra\n1,861,x\n", "861|x", 1),
    ("id,tel,extra,name\n1,861,x,n\n", "861|n", 1),
    ("电话,标签\n861,x\n", "861|x", 1),
    ("Rufnummer,Text\n861,x\n", "861|x", 1),
    ("1-800-FLOWERS,x\n861,y\n", "1-800-FLOWERS|x", 2),
    ("３３１２３,x\n861,y\n", "３３１２３|x", 2),
    ("# a comment\n\n# another\nnumber,label\n861,x\n", "861|x", 1),
    ("# a comment, with, commas\n861,x\n", "861|x", 1),
    ("#number,label\n861,x\n", "861|x", 1),
    ("sep=;\nnumber;label\n861;a,b\n", "861|a,b", 1),
    ("\"sep=|\"\r\n861|a;b,c\r\n", "861|a;b,c", 1),
    ("SEP=\t\n861\ta\n", "861|a", 1),
    ("number;label\n861;a, b\n862;c\n", "861|a, b", 2),
    ("861|a\n862|b\n", "861|a", 2),
    ("861\ta, b\n862\t\"c\td\"\n", "861|a, b", 2),
    ("\u{FEFF}number,label\n861,x\n", "861|x", 1),
    ("number,label\r861,x\r862,y\r", "861|x", 2),
    ("number\n861\n", "861|", 1),
    ("861\n862\n", "861|", 2),
    ("number,label\n", "", 0), ("", "", 0), ("\n\n", "", 0), ("# only\n", "", 0),
  ]

  @Test(arguments: starts) func startsOfTables(_ text: String, _ first: String, _ count: Int) throws {
    let outcome = try parseInPieces(Array(text.utf8), tableOptions(), startBytes: 64)
    #expect(outcome.rows.count == count)
    #expect((outcome.rows.first?.description ?? "") == first)
    #expect(outcome.rejects == [] && outcome.failure == nil)
  }

  /// A quoted record that just fills its limit is cut where its last quote is. It must not matter whether the input
  /// ends there, or only later turns out to have ended.
  @Test func aRecordThatReachesTheLimitIsTooLong() throws {
    var options = tableOptions()
    options.recordBytesMax = Reject.textBytesMax
    let limit = options.recordBytesMax + ParseLimits.lookaheadCapacity
    let head = "861,x\n862,y\n"
    for (count, code) in [(limit - 1, "record-too-long"), (limit, "unterminated-quote")] {
      let record = "863,\"" + String(repeating: "z", count: count - 6) + "\""
      let bytes = Array((head + record).utf8)
      let whole = try parse([bytes], options, startBytes: 16)
      #expect(
        whole.rows == [RawRow("861", "x"), RawRow("862", "y")] && whole.codes == [code], "\(count) bytes")
      for at in head.utf8.count..<bytes.count {
        #expect(
          try parse([bytes], options, cuts: [at, 500], startBytes: 16) == whole,
          "\(count) bytes, cut at \(at)")
      }
    }
  }

  @Test func theHeaderOptionDecides() throws {
    #expect(try parse("number,label\n861,x\n", tableOptions(header: .no)).rows.count == 2)
    #expect(try parse("861,x\n862,y\n", tableOptions(header: .yes)).rows == [RawRow("862", "y")])
    var options = tableOptions(number: "2")
    options.separator = UInt8(ascii: "/")
    #expect(try parse("a,b/861\nc;d/862\n", options).rows == [RawRow("861", ""), RawRow("862", "")])
    options.separator = UInt8(ascii: "7")
    #expect(try parse("", options).failure == .badSeparator)
  }

  @Test func eachInputHasItsHeader() throws {
    let outcome = try parse(
      [Array("number,label\n861,x\n".utf8), Array("label;number\ny;862\n".utf8), [], Array("863,z".utf8)],
      tableOptions(), cuts: [3])
    #expect(outcome.rows == [RawRow("861", "x"), RawRow("862", "y"), RawRow("863", "z")])
    #expect(outcome.ordinalsAreRight)
  }

  @Test func tabsWithoutQuotes() throws {
    let text = "n\tl\n861\t\"quoted\"   \n862 \tit's 5\"\r\n863\t\"\n864\ta\"\n"
    let outcome = try parseInPieces(Array(text.utf8), tableOptions(.tsv, number: "n", label: "l"))
    #expect(
      outcome.rows.map(\.description) == ["861|\"quoted\"", "862|it's 5\"", "863|\"", "864|a\""])
    #expect(outcome.rejects == [])
    let quoted = try parse(text, tableOptions(.csv, number: "n", label: "l"))
    #expect(quoted.rows.first == RawRow("861", "quoted"))
  }

  /// Tables that are joined, such as the members of an archive, are each read by their own header.
  @Test func anotherHeaderIsReadByItsOwnColumns() throws {
    let text =
      "phone,label\n+4930123456,a\nlabel,phone\n12345678,+4930123457\n+4930123458,+4930123459\nphone,label\n+4930123460,b\n"
    let outcome = try parseInPieces(Array(text.utf8), tableOptions())
    #expect(
      outcome.rows.map(\.description) == [
        "+4930123456|a", "+4930123457|12345678", "+4930123459|+4930123458", "+4930123460|b",
      ])
    #expect(outcome.rejects == [])
    // A record whose label is a name of a column is not a header.
    let words = "phone,label\n+4930123456,a\nanonymous,Telefon\n+4930123457,b\n"
    #expect(
      try parseInPieces(Array(words.utf8), tableOptions()).rows.map(\.description)
        == ["+4930123456|a", "anonymous|Telefon", "+4930123457|b"])
    // A chosen column that the other table lacks.
    let chosen = try parseInPieces(
      Array("phone,name\n861,a\nlabel,phone,x\nb,862,y\n".utf8), tableOptions(number: "phone", label: "name"))
    #expect(chosen.failure?.code == "no-such-column")
  }

  /// The members of an archive, one after another, each with its header.
  @Test(arguments: ["Phone,Who\r\n", "Phone,Who\n", "\"Phone\" , Who\n", "Name,电话\n"])
  func aRepeatedHeaderIsNotARow(_ header: String) throws {
    let isFirst = header.hasPrefix("Name")
    let rows = isFirst ? ["x,3012345678\n", "y,3012345679\n"] : ["3012345678,x\n", "3012345679,y\n"]
    let text = header + rows[0] + header + rows[1] + header
    for format in [ParseOptions.Format.csv, .auto] {
      var options = ParseOptions()
      options.format = format
      let outcome = try parseInPieces(Array(text.utf8), options, startBytes: 64)
      #expect(outcome.rows == [RawRow("3012345678", "x"), RawRow("3012345679", "y")])
      #expect(outcome.rejects == [] && outcome.rowsIn == 2)
    }
    // Another header is not a row either.
    if !isFirst { #expect(try parse(text + "Phone,Who,More\nWho,Nummer\n", tableOptions()).rows.count == 2) }
  }

  /// Files of old spreadsheets, and what downloads and editors add to them.
  @Test(arguments: ["", "\n", "\r", "\r\n", "861,y\n"]) func carriageReturnsEndLines(_ last: String) throws {
    let table = "number,label\r3012345678,a\r3012345679,\"b\"\r\r3012345670,c\r"
    let expected = [RawRow("3012345678", "a"), RawRow("3012345679", "b"), RawRow("3012345670", "c")]
    let more = last.hasPrefix("8") ? [RawRow("861", "y")] : []
    for (text, format) in [
      (table, ParseOptions.Format.csv), (table, .auto),
      (table.replacingCommas(with: "\t"), .auto), (table.dropQuotes(), .lines),
    ] {
      let input = text + (text.contains("\t") ? last.replacingCommas(with: "\t") : last)
      var options = ParseOptions()
      options.format = format
      let outcome = try parseInPieces(Array(input.utf8), options, startBytes: 64)
      #expect(outcome.rows == expected + more, "\(format)")
      #expect(outcome.rejects == [])
    }
  }

  @Test func placesInLinesThatCarriageReturnsEnd() throws {
    let outcome = try parse("number,label\r3012345678,a\r,b\r3012345670,c\r\n", tableOptions())
    #expect(outcome.lines == [3] && outcome.codes == ["missing-number"])
  }

  /// Lines that end in different ways, also after the examined start.
  @Test(arguments: [
    "number,label,x\r3012345678,a,\r3012345679,b,1\n3012345670,c,\r\n3012345671,d,\n",
    "number,label,x\r\n3012345678,a,\r\n3012345679,\"b\",\r3012345670,c,2\r3012345671,d,\r\n",
    "\r\n\rnumber,label,x\n\r3012345678,a,\n\r3012345679,b,\n3012345670,c,\r\r\n3012345671,d,\r",
  ])
  func lineEndsMayDiffer(_ text: String) throws {
    let filler = String(repeating: "3012345677,e,f\n", count: 8)
    for isLate in [false, true] {
      let head = isLate ? "number,label,x\n" + filler : ""
      let outcome = try parseInPieces(
        Array((head + (isLate ? text.replacing("number,label,x", with: "3012345676,z,y") : text)).utf8),
        tableOptions(.auto), startBytes: 64)
      #expect(
        outcome.rows.suffix(4).map(\.description)
          == ["3012345678|a", "3012345679|b", "3012345670|c", "3012345671|d"])
      #expect(outcome.rejects == [])
    }
  }

  @Test func aFewCarriageReturnsEndNoLines() throws {
    let outcome = try parse("number,label\n3012345678,\"a\rb\"\n3012345679,c\n3012345670,d\n", tableOptions())
    #expect(outcome.rows.map(\.description) == ["3012345678|a\\rb", "3012345679|c", "3012345670|d"])
    // Also where there are more of them in fields than there are lines.
    for end in ["\n", "\r\n"] {
      let lines = [
        "number,label", "3012345678,\"a\rb\rc\rd\"", "3012345679,\"5\"\" \r\"", "3012345670,\"x", "",
      ]
      let outcome = try parse(lines.joined(separator: end), tableOptions())
      let rows = outcome.rows.map(\.description)
      #expect(rows.starts(with: ["3012345678|a\\rb\\rc\\rd", "3012345679|5\" \\r"]), "\(rows)")
    }
  }
}

extension String {
  fileprivate func replacingCommas(with separator: Character) -> String {
    String(map { $0 == "," ? separator : $0 })
  }
  fileprivate func dropQuotes() -> String { filter { $0 != "\"" } }
}

extension String {
  /// Fills up with dots to a number of bytes.
  fileprivate func padding(to bytes: Int) -> String {
    self + String(repeating: ".", count: bytes - utf8.count)
  }
}
