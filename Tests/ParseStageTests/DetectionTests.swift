// The detection of an input's format by its start. A wrong format would be the worst error that parse can make.

import Records
import Testing

@testable import InputStages

@Suite struct DetectionTests {
  static let starts: [(String, ParseOptions.Format?)] = [
    // JSON, in any layout, complete or not.
    ("", .json), ("\n \n", .json), ("{}", .json), ("[]", .json), ("  \n [ {\"861\": \"x\"} ]", .json),
    ("\u{FEFF}{\"861\":\"x\"}", .json), ("\u{FEFF}\n[\n{\"861\": \"x\"},\n", .json),
    ("[\"861\",\"862\"]", .json),
    ("[861, 862]", .json), ("{\n  \"list\": [\n", .json), ("\"861\": \"x\"\n", .json),
    ("\"861\":\"x\",\n", .json),
    ("<\"861\":\"x\">", .json), ("// a comment\n[{\"861\":\"x\"}]", .json),
    ("# a comment\n{\"861\":\"x\"}\n", .json),
    ("var list = [\n{\"861\":\"x\"},\n{\"862\":\"y\"},\n];", .json),
    ("861\": \"x\"},\n{\"862\": \"y\"}\n", .json),
    ("{861, 862}", .json), ("[{\"phone\":\"861\",\"name\":\"a, b\"},{\"phone\":\"862\"}]", .json),
    // Tables.
    ("number,label\n861,x\n", .csv), ("8610,x\n8620,y\n", .csv),
    ("\"number\",\"label\"\n\"861\",\"x\"\n", .csv),
    ("\"8610\",\"x\"\n", .csv), ("number;label\n8610;x\n", .csv), ("8610|x\n8620|y\n", .csv),
    ("sep=;\na;b\n", .csv),
    ("[05.01.24, 10:33:01] Anna: 030 1234567\n", .csv), ("[1, 2]", .json),
    ("# a comment\nnumber,label\n8610,x\n", .csv), ("\u{FEFF}number,label\r\n8610,x\r\n", .csv),
    ("number\tlabel\n8610\t\"x\"\n", .csv), ("a,b,c\n1,2,8613800138000\n2,3,8613800138001\n", .csv),
    ("name,n\n\"a: b\",8610\n", .csv), ("8610,\"{\"\"a\"\": 1}\"\n8620,\"{\"\"b\"\": 2}\"\n", .csv),
    ("number\tlabel\n8610\tx\n", .tsv), ("8610\tx, y\n8620\tz\n", .tsv),
    ("1\t0301234567\tfoo\n2\t0301234568\n3\t0301234569\tbar\tbaz\n4\t030123345\n", .tsv),
    ("0301234567\tfoo\n0301234568\n0301234569\tbar\tbaz\n", .tsv),
    // Broken quotes don't prevent a table from being detected.
    ("phone,label\n13800138000,\"a\nb\"\n13800138001,\"unclosed\n13800138002,x\n", .csv),
    ("phone,label\n13800138000,\"a\"b\n", .csv), ("8610,x\n8620,\"y\n8630,z\n", .csv),
    // Quoted lists, and tables that have only a header.
    ("\"13800138000\"\n\"13800138001\"\n", .csv), ("\"13800138000\"", .csv),
    ("\"Phone\"\n\"13800138000\"\n13800138001\n", .csv), ("\"phone\"\r\n", .csv),
    ("phone\n", .lines), ("# a list\nPhone Number\n", .lines), ("phone,label\n", .csv),
    // Lists.
    ("0301234567\n0301234568\tfoo\n0301234569\n", .lines),
    ("13800138000\n", .lines), ("13800138000", .lines), ("+86 138 0013 8000 spam\n010 12345678 x\n", .lines),
    ("# a list\n13800138000\n", .lines), ("number\n13800138000\n", .lines), ("33162######\n", .lines),
    ("13800138000 spam, really\n13800138001 spam\n13800138002 a, b, c\n", .lines),
    ("13800138000 # a comment\n", .lines), ("110\n120\n", .lines), ("\u{FEFF}13800138000\r\n", .lines),
    ("13800138000 say \"hi\"\n13800138001 x\n", .lines),
    // Lists in Markdown, with titles, text and footnotes.
    ("Spam\n====\n\n1. 030 1234501\n2. 030 1234502\n\n[^1]: seen twice\n[^2]: and others\n[^3]: x\n", .lines),
    ("# Spam\n\nThese called me.\nAll bad.\nBlock them.\n\n- 030 1234501\n- +49 30 1234502 Bank\n", .lines),
    ("Nummern\n-------\nText.\nMehr Text.\nNoch mehr.\n\n* `030 1234501`\n* `030 1234502` Bank\n", .lines),
    ("Müller 030 1234501\nSchmidt 0171 1234501\n", .lines),
    ("1. 0301234567, x\n2. 0301234568, y\n", .lines), ("- 8610,x\n- 8620\n", .lines),
    // YAML.
    ("- number: \"861\"\n  label: x\n", .yaml), ("---\n# a list\n- \"861\"\n- '862'\n", .yaml),
    ("numbers: [\"861\", \"862\"]\n", .yaml), ("spam:\n  - phone: \"861\"\n", .yaml),
    // None of these.
    ("hello, world\n", nil), ("<!DOCTYPE html>\n<html><body>404</body></html>\n", nil),
    ("\n <HTML lang=en>", nil), ("<htm", nil),
    ("Dear all,\nhere is the list, as promised.\nRegards,\nJoe\n", nil),
    ("\"hello\"\n\"world\"\n", nil), ("\"hello, world\n", nil), ("phone me\n", nil),
    ("\0\u{1}\u{2}", nil), ("861\0\n862\n", nil),
  ]

  @Test(arguments: starts) func formatOfAStart(_ text: String, _ format: ParseOptions.Format?) throws {
    let bytes = Array(text.utf8)
    let start = bytes.span.extracting(ByteOrderMark.utf8Length(bytes.span)..<bytes.count)
    let found = FormatTable.all.description(for: ParseOptions(), start: start)?.format
    #expect(found == format)
    let outcome = try parse([bytes], ParseOptions())
    if format == nil {
      let isPage = text.lowercased().contains("<html")
      #expect(
        outcome.failure
          == (isPage
            ? .serverPage(.page, input: "in0") : .unknownFormat(input: "in0", isBinary: text.contains("\0"))))
      #expect(outcome.failure?.errorClass == .badData)
    } else {
      // Some of them are only the start of an input.
      #expect(outcome.failure == nil || outcome.failure?.code == "unfinished-json")
      #expect(outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
    }
    for cuts in staccato { #expect(try parse([bytes], ParseOptions(), cuts: cuts) == outcome, "cut \(cuts)") }
  }

  @Test("a manifest is not a list")
  func manifests() throws {
    let manifest = Array("{\n  \"contentID\" : \"9e\",\n  \"format\" : \"cdpipe-manifest\"\n}\n".utf8)
    let label = Array("{\"13800138000\": \"cdpipe-manifest\"}".utf8)
    for cuts in staccato {
      #expect(try parse([manifest], ParseOptions(), cuts: cuts).failure == .manifest(input: "in0"))
      #expect(try parse([label], ParseOptions(), cuts: cuts).failure == nil)
    }
  }

  @Test(
    "a web page is not a list, whatever format is named",
    arguments: FormatTable.all.formats.filter { $0 != .sqlite })
  func webPages(_ format: ParseOptions.Format) throws {
    var options = ParseOptions()
    options.format = format
    for page in [
      "<!DOCTYPE html>", "<html><p>\n13800138000\tx\n</html>",
      "\u{FEFF}\r\n <HTML lang=en>\n{\"13800138000\": \"x\"}\n",
      "\n\n\t<!doctype HTML PUBLIC>\n+86 138 0013 8000\n",
      "\n<!-- error --><html><body>\n030 1234567 call us\n</body></html>",
      "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html>030 1234567</html>",
      "<h1>Not Found</h1>\n030 1234567\n",
      "<br />\n<b>Fatal error</b>:  Uncaught PDOException: no connection\n030 1234567\n",
      "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html/>", "<br />\n<b>Fatal error</b>: x\n030 1234567\n",
    ] {
      for cuts in staccato {
        let outcome = try parse([Array(page.utf8)], options, cuts: cuts)
        #expect(outcome.failure == .serverPage(.page, input: "in0"), "\(page) cut \(cuts)")
        #expect(outcome.rowsOut == 0)
      }
    }
    for text in ["<htm", "<!doctype htm", "<", "<hTmx>13800138000\n", " <!-- html -->\n"] {
      for cuts in staccato {
        let failure = try parse([Array(text.utf8)], options, cuts: cuts).failure
        #expect(failure != .serverPage(.page, input: "in0"), "\(text) cut \(cuts)")
      }
    }
    for message in [
      "Warning: mysqli_connect(): no connection in /srv/list.php on line 3\n030 1234567\n",
      "PHP Fatal error:  Uncaught Error\n030 1234567\n", "404 Not Found\n", "404: Not Found",
      "503 Service Unavailable.",
      "\n503 Service Unavailable\n", "Fatal error: x in /a.php on line 3\n030 1234567\n",
      "Forbidden\n",
      "HTTP/1.1 200 OK\nContent-Length: 11\n\n030 1234567\n",
      "Traceback (most recent call last):\n  030 1234567\n",
      "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><RequestId>0301234567</RequestId></Error>",
    ] {
      for cuts in staccato {
        let outcome = try parse([Array(message.utf8)], options, cuts: cuts)
        #expect(outcome.failure == .serverPage(.error, input: "in0"), "\(message) cut \(cuts)")
      }
    }
    for text in [
      "Warning: spam,030 1234567\n", "404 030 1234567\n", "4041234567\n", "Forbidden numbers\n030 1234567\n",
      "404 Notfallnummer\n", "4045550100\n", "Warning: spam numbers\n8610\n8620\n",
    ] {
      for cuts in staccato {
        let failure = try parse([Array(text.utf8)], options, cuts: cuts).failure
        #expect(failure != .serverPage(.error, input: "in0"), "\(text) cut \(cuts)")
      }
    }
  }

  @Test(
    "XML of other programs is named",
    arguments: [
      (
        "<?xml version=\"1.0\"?>\n<?mso-application progid=\"Excel.Sheet\"?>\n<Workbook xmlns=\"urn:x\"/>\n",
        "Excel 2003"
      ),
      ("<smses count=\"1\"><sms address=\"+4930123456\"/></smses>", "a backup of messages"),
      ("<office:document xmlns:office=\"urn:x\"/>", "OpenDocument"),
      ("<vcards xmlns=\"urn:x\"><vcard/></vcards>", "xCard"),
      ("<?xml version=\"1.0\"?>\n<book>\n0301234567\n0301234568\n</book>\n", "'book'"),
    ])
  func unknownXML(_ text: String, _ what: String) throws {
    for cuts in staccato {
      let failure = try parse([Array(text.utf8)], ParseOptions(), cuts: cuts).failure
      #expect(
        failure?.code == "unknown-xml" && failure?.message.message.contains(what) == true, "cut \(cuts)")
    }
  }

  @Test(
    "texts that are not lists are named",
    arguments: [
      ("\n{| class=\"wikitable\"\n|-\n| 0301234567 || x\n|}\n", "MediaWiki"),
      ("-- a dump\nINSERT INTO n VALUES ('0301234567');\n", "SQL"), ("[section]\nkey=1\n", "settings"),
      ("Received: x\nSubject: x\n\nHello\n", "e-mail"),
    ])
  func otherTexts(_ text: String, _ what: String) throws {
    for cuts in staccato {
      let failure = try parse([Array(text.utf8)], ParseOptions(), cuts: cuts).failure
      #expect(failure?.code == "other-text" && failure?.message.message.contains(what) == true, "cut \(cuts)")
    }
  }

  @Test func aChosenNameMakesATable() throws {
    var options = ParseOptions()
    options.numberField = .name("phone")
    #expect(try parse("phone\n13800138000\n", options).rows == [RawRow("13800138000", "")])
    #expect(
      try parse("13800138000\n", options).failure
        == .noSuchColumn("phone", names: ["13800138000"], input: "in0"))
    #expect(try parse("[{\"phone\":\"861\"}]", options).rows == [RawRow("861", "")])
    // Columns that only their names identify.
    #expect(try parse("a,phone\nx,1\n", options).rows == [RawRow("1", "")])
    #expect(try parse("a\tphone\n\"x\t1\n", options).rows == [RawRow("1", "")])
    #expect(
      try parse("x,y\n1,2\n", options).failure == .noSuchColumn("phone", names: ["x", "y"], input: "in0"))
    #expect(
      try parse("hello, world\n", options).failure
        == .noSuchColumn("phone", names: ["hello", "world"], input: "in0"))
    #expect(try parse("\0phone\n", options).failure == .unknownFormat(input: "in0", isBinary: true))
    options = ParseOptions()
    options.labelField = .name("name")
    #expect(try parse("[{\"phone\":\"861\"}]", options).failure == .noNumberField)
    #expect(try parse("phone,name\n861,x\n", options).rows == [RawRow("861", "x")])
  }

  @Test func eachInputIsExaminedAgain() throws {
    let documents = ["{\"861\":\"a\"}", "862,b\n863,c\n", "13800138000\n", "number\tlabel\n8640\td\n"]
    for cuts in staccato {
      let outcome = try parse(documents.map { Array($0.utf8) }, ParseOptions(), cuts: cuts)
      #expect(
        outcome.rows.map(\.description) == ["861|a", "862|b", "863|c", "13800138000|", "8640|d"],
        "cut \(cuts)")
    }
  }

  @Test func strictIsForJSON() throws {
    var options = ParseOptions()
    options.isStrict = true
    #expect(
      try parse("[\n{\"861\": \"a\"},\n]", options).failure
        == .notJSON(line: 3, byte: 16, input: "in0", "a trailing comma"))
    #expect(
      try parse("", options).failure
        == .notJSON(line: 1, byte: 0, input: "in0", "the document ends too early"))
    #expect(try parse("861,x\n862,y\n", options).rows == [RawRow("861", "x"), RawRow("862", "y")])
  }

  /// Every separator can identify a table.
  @Test(arguments: Array("\t,;|:!?&$%/<=>^~".utf8)) func separatorsThatWereChosen(_ separator: UInt8) throws {
    var options = ParseOptions()
    options.separator = separator
    let c = String(Unicode.Scalar(separator))
    let table = "id\(c)phone\(c)label\n1\(c)13800138000\(c)x\n2\(c)13800138001\(c)y\n"
    for text in [table, "13800138000\(c)x\n13800138001\(c)y\n"] {
      let outcome = try parse([Array(text.utf8)], options)
      #expect(outcome.rows.map(\.description) == ["13800138000|x", "13800138001|y"], "\(text)")
      #expect(outcome.rejects == [])
    }
    let list = "13800138000\(c)x\n13800138001\n13800138002\n# \(c)\n13800138003\(c)y z\n"
    let outcome = try parse([Array(list.utf8)], options)
    #expect(
      outcome.rows.map(\.text).count == 4 && outcome.rows.first?.description == "13800138000|x", "\(outcome)")
    // Formats that are detected with certainty have no separators.
    #expect(try parse([Array(#"{"861":"x"}"#.utf8)], options).rows == [RawRow("861", "x")])
  }

  /// Words and a number are no label of another number.
  @Test(arguments: [
    (
      "block: +12125550100, +12125550101\nspam: +12125550102, +12125550103\n",
      ["block", "block", "spam", "spam"]
    ),
    (
      "Bank: 030 23125001, 030 23125002\nPost: 030 23125003, 030 23125004\n",
      ["Bank", "Bank", "Post", "Post"]
    ),
    ("Bank 030 23125001, 030 23125002\nPost 030 23125003, 030 23125004\n", ["Bank", "Bank", "Post", "Post"]),
    ("Bank: 030 23125001, 030 23125002\n", ["Bank", "Bank"]),
    (
      "Bank: 030 23125001, 030 23125002\nPost: 030 23125003, 030 23125004\n030 23125005, x\n",
      ["Bank", "Bank", "Post", "Post", "x"]
    ),
    (
      "Bank 030 23125001;030 23125002;Bonn\nPost 030 23125003;030 23125004;Ulm\n",
      ["Bonn", "Bonn", "Ulm", "Ulm"]
    ),
    ("numbers: [12125550100, 12125550101]\n", ["", ""]),
    ("\"2125550100\", // spam\n\"2125550101\", // bank\n", ["spam", "bank"]),
    ("+12125550100 = Spam\n+12125550101 = Bank\n", ["Spam", "Bank"]),
  ])
  func numbersAfterWordsAreRead(_ text: String, _ labels: [String]) throws {
    let outcome = try parseInPieces(Array(text.utf8), options(.auto), startBytes: 4096)
    #expect(outcome.rows.map { String($0.description.drop { $0 != "|" }.dropFirst()) } == labels, "\(text)")
    #expect(outcome.codes == [], "\(text)")
  }

  @Test func quotedListsAndTablesWithOnlyAHeader() throws {
    let quoted = "\"Phone\"\n\"+86 138 0013 8000\"\n\"13800138001\"\n"
    #expect(
      try parse([Array(quoted.utf8)], ParseOptions()).rows.map(\.description)
        == ["+86 138 0013 8000|", "13800138001|"])
    for text in ["phone\n", "phone", "\"phone\"\n", "# x\n\nNumber\r\n", "phone,label\n"] {
      let outcome = try parse([Array(text.utf8)], ParseOptions())
      #expect(outcome.failure == nil && outcome.rowsIn == 0, "\(text): \(outcome)")
    }
  }

  @Test func brokenQuotesRejectOnlyTheirRows() throws {
    let text = "phone,label\n13800138000,\"a\nb\"\n13800138001,\"unclosed\n13800138002,x\n"
    let outcome = try parse([Array(text.utf8)], ParseOptions())
    #expect(outcome.rows.map(\.description) == ["13800138000|a\\nb", "13800138002|x"])
    #expect(outcome.codes == ["unterminated-quote"])
  }
}
