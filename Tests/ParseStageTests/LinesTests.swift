// Plain lists: the end of the number and the start of the label, comments, headers.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite struct LinesTests {
  private static func options(separator: Character? = nil) -> ParseOptions {
    var options = ParseOptions()
    options.format = .lines
    options.separator = separator?.asciiValue
    return options
  }

  @Test func markdown() throws {
    let text =
      "Nummern\n=======\n\n* `030 1234501`\n* `030 1234502` Bank\n* 030 1234503 Bank[^1]\n***\n\n[^1]: Zwei Meldungen.\n[^2]: Auch 030 1234599.\n"
    let outcome = try parse(text, Self.options())
    #expect(
      outcome.rows.map(\.description) == ["030 1234501|", "030 1234502|Bank", "030 1234503|Bank[^1]"])
    // The title, and a footnote with a number.
    #expect(outcome.rejectCount == 2)
  }

  /// Lines that are numbers in groups are read fast, but not after a blank.
  @Test func numbersInGroupsAreReadAlike() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let separators = [" ", "-", ".", "/", " ", "-", ") ", ")", " (", " - ", "  ", ". ", "("]
    let labels = [
      "Spam", "Fax", "ext 12", "x", "X", "und 030 1234567", "bis 99", "to 12", "Mal", "HELP", "2x", "(3)",
      "h", "tel",
      "privat", "oder mobil", "and", "€ 5", "骚扰", "до", "# Spam", "w 12",
      "Kat. 4", "",
    ]
    for turn in 0..<200 {
      let lines = (0..<100).map { _ in
        let separator = separators.randomElement(using: &random)!
        var line = ["", "+", "(", "0", "1", "20"].randomElement(using: &random)!
        for group in 0..<Int.random(in: 2...6, using: &random) {
          let other = Int.random(in: 0..<4, using: &random) == 0
          if group > 0 { line += other ? separators.randomElement(using: &random)! : separator }
          for _ in 0..<Int.random(in: 1...5, using: &random) {
            line += "\(Int.random(in: 0...9, using: &random))"
          }
        }
        if Bool.random(using: &random) {
          line +=
            [" ", "\t", ";", ","].randomElement(using: &random)! + labels.randomElement(using: &random)!
        }
        return line
      }
      // The first line, which is not read fast, may be a marker or a date.
      let start = ["861"] + lines
      let fast = try parse(start.joined(separator: "\n") + "\n", Self.options())
      let slow = try parse(start.joined(separator: "\n ") + "\n", Self.options())
      #expect(
        fast.rows.map(\.description) == slow.rows.map(\.description) && fast.codes == slow.codes,
        "seed \(seed), turn \(turn)")
    }
  }

  /// One line, and `number|label`; nil for no row.
  static let lines: [(String, String?)] = [
    ("13800138000", "13800138000|"),
    ("+8613800138000", "+8613800138000|"),
    ("  13800138000  \r", "13800138000|"),
    ("13800138000,label", "13800138000|label"),
    ("13800138000;label", "13800138000|label"),
    ("13800138000\tlabel", "13800138000|label"),
    ("13800138000|label", "13800138000|label"),
    ("13800138000: label", "13800138000|label"),
    ("13800138000 label", "13800138000|label"),
    ("13800138000 骚扰电话", "13800138000|骚扰电话"),
    ("13800138000 , a label, with a comma ", "13800138000|a label, with a comma"),
    ("13800138000,", "13800138000|"),
    ("13800138000;a,b\tc", "13800138000|a,b\\tc"),
    ("13800138000,back\\slash", "13800138000|back\\\\slash"),
    ("+86 138 0013 8000 spam", "+86 138 0013 8000|spam"),
    ("+86 138 0013 8000", "+86 138 0013 8000|"),
    ("+86 138 0013 8000 spam, really", "+86 138 0013 8000|spam, really"),
    ("+86 138 0013 8000, spam", "+86 138 0013 8000|spam"),
    ("+86 138 0013 8000\tspam 2", "+86 138 0013 8000|spam 2"),
    ("+86 138 0013 8000 - spam", "+86 138 0013 8000|spam"),
    ("(010) 1234-5678 Bank of 5", "(010) 1234-5678|Bank of 5"),
    ("1-800-FLOWERS flowers", "1-800-FLOWERS|flowers"), ("(800) 555-TIPS police", "(800) 555-TIPS|police"),
    ("800.CALL.ATT", "800.CALL.ATT|"), ("0212 123 45 67 24 saat", "0212 123 45 67|24 saat"),
    // Names before numbers.
    ("Müller 030 2312578", "030 2312578|Müller"),
    ("Dr. Anna Meier-Groß +49 30 2312578", "+49 30 2312578|Dr. Anna Meier-Groß"),
    ("Банк (495) 123-45-67", "(495) 123-45-67|Банк"), ("王先生 010-12345678", "010-12345678|王先生"),
    ("John 212-555-0123", "212-555-0123|John"), ("Tel 030 1234567", "030 1234567|"),
    ("Spam 2125550123", "Spam 2125550123|"), ("Müller 030 2312578 Betrug", "030 2312578|Betrug"),
    ("Jean 01 62 00 00 00", "01 62 00 00 00|Jean"),
    // Separators and digits of other scripts.
    ("۰۹۱۲ ۱۲۳ ۴۵۰۹، کلاهبردار", "۰۹۱۲ ۱۲۳ ۴۵۰۹|کلاهبردار"), ("050 123 4508؛ احتيال", "050 123 4508|احتيال"),
    ("۰۹۱۲ ۱۲۳ ۴۵۰۹!", "۰۹۱۲ ۱۲۳ ۴۵۰۹|!"), ("13800138000；诈骗", "13800138000|诈骗"),
    ("03-1234-5678、迷惑", "03-1234-5678|迷惑"),
    ("13800138000, 15", "13800138000|15"),
    ("tel:+1-201-555-0123;ext=5 Joe", "tel:+1-201-555-0123;ext=5|Joe"),
    ("+33 1 62 ００ spam", "+33 1 62 ００|spam"),
    ("33162######", "33162######|"),
    ("33162###### spam", "33162######|spam"),
    ("33162 ###### spam", "33162 ######|spam"),
    ("+33 162 ## ## ##", "+33 162 ## ## ##|"),
    ("070-XXXX-XXXX voip", "070-XXXX-XXXX|voip"),
    // The letter of these masks is Cyrillic.
    ("8 926 ХХХ-ХХ-ХХ банк", "8 926 ХХХ-ХХ-ХХ|банк"), ("8 926 123-45-67 х", "8 926 123-45-67|х"),
    ("8 926 123-45-67 Хххы", "8 926 123-45-67|Хххы"),
    ("212-555-0100 until 18 h", "212-555-0100|until 18 h"),
    ("Contact phone: 030 1234567", "030 1234567|"), ("US +1 212-555-0124 spam", "+1 212-555-0124|spam"),
    ("13800138000 # comment", "13800138000|"),
    ("13800138000,label # comment", "13800138000|label"),
    ("13800138000,label #1 comment", "13800138000|label"),
    ("13800138000,C# and F#", "13800138000|C# and F#"),
    ("13800138000 #", "13800138000|"),
    ("# 13800138000", nil), ("#", nil), ("   # x", nil), ("", nil), ("  \t", nil), ("\r", nil),
    ("*100#", "*100#|"),
    ("//13800138000", nil), ("-- 13800138000", nil), ("!13800138000", nil), ("REM 13800138000", nil),
    ("' 13800138000", nil), ("/* 13800138000 */", nil),
    ("<!-- 13800138000 -->", nil), ("/* old */ 13800138000", "13800138000|"),
    ("13800138000 // comment", "13800138000|"),
    ("13800138000 /* comment */", "13800138000|"), ("13800138000,a // label", "13800138000|a // label"),
    // List markers.
    ("1. 0301234567", "0301234567|"), ("12. +49 30 1234567 spam", "+49 30 1234567|spam"),
    ("01. 0301234567", "0301234567|"), ("3)  (030) 1234567, spam", "(030) 1234567|spam"),
    ("- 0301234567", "0301234567|"), ("* 0301234567 spam", "0301234567|spam"),
    ("\t•\t0301234567", "0301234567|"),
    ("– +15550100", "+15550100|"), ("7. tel:+15550100", "tel:+15550100|"), ("1. ０３０１２３４５６７", "０３０１２３４５６７|"),
    ("01. 23. 45. 67. 89", "01. 23. 45. 67. 89|"), ("030) 1234567", "030) 1234567|"),
    ("3x 0301234567 spam", "0301234567|spam"), ("030. 1234567", "030. 1234567|"),
    ("1.800.555.0100", "1.800.555.0100|"), ("1. 800", "1. 800|"), ("-0301234567", "-0301234567|"),
    ("1234567. 0301234567", "1234567. 0301234567|"), ("*21*0301234567#", "*21*0301234567#|"),
    // A single X is a word.
    ("030/1234567 X spam", "030/1234567|X spam"), ("030/1234567 x", "030/1234567|x"),
    ("030/1234567 X, spam", "030/1234567|X, spam"), ("030/1234567 x 12 spam", "030/1234567 x 12|spam"),
    ("030/1234567 x12 spam", "030/1234567 x12|spam"), ("070 X X X X voip", "070 X X X X|voip"),
    ("070 XXXX XXXX voip", "070 XXXX XXXX|voip"), ("33162 XX", "33162 XX|"),
  ]

  @Test func masksOfOtherSystemsBelongToTheNumber() throws {
    var options = ParseOptions()
    options.format = .lines
    let lines = [
      "+49 30 1234 ____", "+49 30 1234 %", "+49 30 12 □□ □□ spam", "+49 30 1234 …", "+49 30 1234 _x_",
    ]
    let outcome = try parse([Array(lines.joined(separator: "\n").utf8)], options)
    #expect(
      outcome.rows == [
        RawRow("+49 30 1234 ____", ""), RawRow("+49 30 1234 %", ""), RawRow("+49 30 12 □□ □□", "spam"),
        RawRow("+49 30 1234 …", ""), RawRow("+49 30 1234", "_x_"),
      ])
  }

  /// The last line is read by itself if no line feed ends it.
  @Test func linesOfTheFastPathAreReadAlike() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let words = [
      "bis", "x", "XXXX", "nn", "HELP", "ext", "ext.", "Spam", "call-center", "骚扰电话", "诈骗", "호갱", "Спам",
      "до", "и",
      "é", "—", "【广告】", "12", "3x", "fax", "to", "or", "٣", "１２", "a.b", "#", "//", "(x)", "0171", "e", "㐀",
      "か", "䷀",
    ]
    for _ in 0..<20_000 {
      let digits = (0..<random.below(12) + 4).map { _ in String(random.below(10)) }.joined()
      let label = (0..<random.below(3) + 1).map { _ in words[random.below(words.count)] }
      let text = "861\n" + (random.below(9) == 0 ? "+" : "") + digits + " " + label.joined(separator: " ")
      let (fast, slow) = (try parse(text + "\n", Self.options()), try parse(text, Self.options()))
      #expect(fast.rows == slow.rows && fast.codes == slow.codes, "\(text), seed \(seed)")
    }
  }

  @Test(arguments: lines) func line(_ text: String, _ expected: String?) throws {
    let bytes = Array("861\n\(text)\n862,z\n".utf8)
    let outcome = try parseInPieces(bytes, Self.options(), startBytes: 4)
    #expect(outcome.rows.map(\.description) == ["861|"] + (expected.map { [$0] } ?? []) + ["862|z"])
    #expect(outcome.rejects == [])
    let last = try parse("862,z\n" + text, Self.options())
    #expect(last.rows.map(\.description) == ["862|z"] + (expected.map { [$0] } ?? []))
  }

  /// Lists in one line, and lines with several numbers: the rows, and the texts of the rejects.
  static let lists: [(String, rows: [String], rejects: [String])] = [
    ("600000001,600000002,600000003", ["600000001|", "600000002|", "600000003|"], []),
    ("+12125550100;+12125550101", ["+12125550100|", "+12125550101|"], []),
    ("\"600000001\",\"600000002\"", ["600000001|", "600000002|"], []),
    ("\"030\" 1234567", ["030\" 1234567|"], []), ("\"+49 30 123456\"", ["+49 30 123456|"], []),
    ("'+49 30 123456' Spam", ["+49 30 123456|Spam"], []),
    ("\"0301234567\" \"0301234568\"", ["0301234567|", "0301234568|"], []),
    ("'+49 30 123456' 12345678", ["+49 30 123456|"], ["12345678"]),
    ("'+49 30 123456' Fax '+49 30 123457'", ["+49 30 123456|Fax"], ["+49 30 123457'"]),
    ("\"+49 30 123456\",\"Spam\"", ["+49 30 123456|\"Spam\""], []),
    ("+33948*,+33949*,+33162*", ["+33948*|", "+33949*|", "+33162*|"], []),
    ("+12125550100, 805, 333, Tri, 3 Promo", ["+12125550100|"], ["805", "333", "Tri", "3 Promo"]),
    ("030 1234567, 0171 1234567", ["030 1234567|", "0171 1234567|"], []),
    ("030 1234569 oder 0171 1234569", ["030 1234569|", "0171 1234569|"], []),
    ("030 1234567, 0171 1234567, Spam", ["030 1234567|Spam", "0171 1234567|Spam"], []),
    ("0301234567,12345678", ["0301234567|"], ["12345678"]),
    ("030 1234500 bis 030 1234599", [], ["030 1234500 bis 030 1234599"]),
    ("+4930232565400|+493023", ["+4930232565400|"], ["+493023"]),
    ("+4930232565400 +493023", ["+4930232565400|"], ["+493023"]),
    ("+4930232565400 +12", ["+4930232565400|+12"], []),
    ("212-555-0100 thru 0199 spoofers", [], ["212-555-0100 thru 0199 spoofers"]),
    // Those of the list's author.
    ("Contact : 01 62 00 00 00", [], ["Contact : 01 62 00 00 00"]),
    ("Kontakt: 030 1234567", [], ["Kontakt: 030 1234567"]),
    ("Contact us: 212-555-0100", [], ["Contact us: 212-555-0100"]),
    ("Questions? Call 646 555 0100", [], ["Questions? Call 646 555 0100"]),
    ("Submit numbers: 646-555-0101", [], ["Submit numbers: 646-555-0101"]),
    ("Vragen? Bel Henk: 06 22334455", [], ["Vragen? Bel Henk: 06 22334455"]),
    (
      "Report to Action Fraud on 0300 123 2040. Parish Clerk: 01632 960999", [],
      ["Report to Action Fraud on 0300 123 2040. Parish Clerk: 01632 960999"]
    ),
    ("문의는 댓글로~ (작성자 연락처 010-9999-0000)", [], ["문의는 댓글로~ (작성자 연락처 010-9999-0000)"]),
    ("للتواصل مع الأدمن: 01555555555", [], ["للتواصل مع الأدمن: 01555555555"]),
    ("Rappelé mon docteur 02 40 11 22 33", [], ["Rappelé mon docteur 02 40 11 22 33"]),
    ("Callus 212-555-0101", ["212-555-0101|Callus"], []),
    // Remarks that a number is not blocked, and messages.
    ("212-555-0114 NOT SPAM - my doctor", [], ["212-555-0114 NOT SPAM - my doctor"]),
    ("2125550114 nicht blockieren", [], ["2125550114 nicht blockieren"]),
    ("212-555-0113 (removed, false positive)", [], ["212-555-0113 (removed, false positive)"]),
    ("212-555-0113 removed", ["212-555-0113|removed"], []),
    ("646-555-0101 is my number, text me", [], ["646-555-0101 is my number, text me"]),
    ("331 1234567 è il mio gestore, NON bloccate", [], ["331 1234567 è il mio gestore, NON bloccate"]),
    ("~~010 2233445~~ — was toch de tandarts", [], ["~~010 2233445~~ — was toch de tandarts"]),
    ("* ~~010 2233445~~", [], ["* ~~010 2233445~~"]),
    ("212-555-0115 # whitelisted", [], ["212-555-0115 # whitelisted"]),
    ("const allowed = [\"2125550111\"];", [], ["const allowed = [\"2125550111\"];"]),
    (
      "[05/10/26 09:15:47] +55 11 98888-7766: comigo foi o 0800 591 2233", [],
      ["[05/10/26 09:15:47] +55 11 98888-7766: comigo foi o 0800 591 2233"]
    ),
    ("联系我们：010-12345678", [], ["联系我们：010-12345678"]),
    ("+12125550100 a, +12125550101 b", ["+12125550100|a"], ["+12125550101 b"]),
    ("030 1234567 (oder 0171 1234567)", ["030 1234567|(oder"], ["0171 1234567)"]),
    ("0301234567,Spam 0171 1234567", ["0301234567|Spam"], ["0171 1234567"]),
    // Signs and words attached to the last group.
    ("030 1234501!", ["030 1234501|!"], []), ("07700 900123!", ["07700 900123|!"], []),
    ("0171 1234508Anna", ["0171 1234508|Anna"], []), ("138 0013 8000(spam)", ["138 0013 8000|(spam)"], []),
    ("01 23 45 67 89!", ["01 23 45 67 89|!"], []), ("0171 1234508<br>", ["0171 1234508|<br>"], []),
    ("110 3mal", ["110|3mal"], []), ("0301234567 12!", ["0301234567|12!"], []),
    ("600000001, Anna, 600000003", ["600000001|Anna"], ["600000003"]),
    ("600000001,Anna 622222223", ["600000001|Anna"], ["622222223"]),
    ("600000001,Anna 12345678", ["600000001|Anna 12345678"], []),
    ("600000004 600000005", ["600000004|", "600000005|"], []),
    ("600000001/600000002/600000003", ["600000001|", "600000002|", "600000003|"], []),
    // One number and its label.
    ("030 1234567,24/7 Service (2)", ["030 1234567|24/7 Service (2)"], []),
    ("+4930123456;3 Promo [5]", ["+4930123456|3 Promo [5]"], []),
    ("030 1234568\t2024-01-05 (12x)", ["030 1234568|2024-01-05 (12x)"], []),
    ("030 1234569: 1&1 Telecom", ["030 1234569|1&1 Telecom"], []), ("0301234567,12", ["0301234567|12"], []),
    ("030 1234567 (3 Meldungen)", ["030 1234567|(3 Meldungen)"], []),
    ("0171 1234560 3x angerufen", ["0171 1234560|3x angerufen"], []),
    // Dates.
    ("2024-01-06 11:02 22334455", ["22334455|"], []),
    ("[2024-01-06 11:02] +45 22334455 Spam", ["+45 22334455|Spam"], []),
    ("20240301 03090182005 Inkasso", ["03090182005|Inkasso"], []),
    ("1714550400 03090182005 Inkasso", ["03090182005|Inkasso"], []),
    ("20240301 2125550123", ["2125550123|"], []),
    ("0161 162 2011/2/3 claims", ["0161 162 2011|"], ["2/3 claims"]),
    ("2024-01-05 10:33 call from 20123456", [], ["2024-01-05 10:33 call from 20123456"]),
    ("Jan 5, 2024 0301234560", ["0301234560|"], []),
    ("Fri, 05 Jan 2024 10:33 0301234560", ["0301234560|"], []),
    ("0301234560 05.01.2024 (12x)", ["0301234560|05.01.2024 (12x)"], []),
    ("05.01.2024", [], ["05.01.2024"]), ("10:33", [], ["10:33"]),
    ("05.01. 030 1234508 Spam", ["030 1234508|Spam"], []), ("Stand: 05.01.2024", [], ["Stand: 05.01.2024"]),
    // The last digits of other numbers.
    ("020-7946-0039 or 0040", ["020-7946-0039|"], ["0040"]), ("06 1234567/8/9", ["06 1234567|"], ["8/9"]),
    ("030 1234519 – 22", ["030 1234519|"], ["22"]), ("030-1234-501 bis 509", [], ["030-1234-501 bis 509"]),
    ("1234567 (030)", [], ["1234567 (030)"]),
    // Words and marks before numbers.
    ("1 800 555 0147(spam)", ["1 800 555 0147|(spam)"], []), ("089 12 34 50 4!", ["089 12 34 50 4|!"], []),
    ("Anna: 030 1234567", ["030 1234567|Anna"], []), ("Tel.: 030 1234567 Spam", ["030 1234567|Spam"], []),
    ("1: 030 1234508", ["030 1234508|"], []), ("QQ 123456789", [], ["QQ 123456789"]),
    ("- [030 1234567](https://example.com/0301234567) Spam", ["030 1234567|Spam"], []),
    ("<+49 30 1234567> Spam", ["+49 30 1234567|Spam"], []),
    ("(030) 1234567|Anna", ["(030) 1234567|Anna"], []),
    // What programs write around numbers.
    ("'+49301234567", ["+49301234567|"], []), ("TEL:+49-30-123458", ["TEL:+49-30-123458|"], []),
    ("\"Spam\" <sip:+12125550197@sip.example.com;user=phone>", ["+12125550197|Spam"], []),
  ]

  @Test(arguments: lists) func list(_ text: String, _ rows: [String], _ rejects: [String]) throws {
    let outcome = try parseInPieces(Array("861\n\(text)\n862\n".utf8), Self.options(), startBytes: 4)
    #expect(outcome.rows.map(\.description) == ["861|"] + rows + ["862|"])
    #expect(outcome.rejects.map(\.text) == rejects)
    #expect(outcome.lines == rejects.map { _ in 2 })
  }

  @Test func aListInOneLineIsRecognised() throws {
    for (text, rows) in [
      ("600000001,600000002,600000003", 3), ("+33948*;+33949*\n", 2), ("\"600000001\",\"600000002\"\n", 2),
      ("0199001234,0199001235\n0199001236,0199001230\n", 4),
      ("600000001\t600000002\n600000004\t600000003\n", 4),
      ("tel:+4930123456\ntel:+4930123457\n", 2), ("'+49301234567\n'+49301234568\n", 2),
    ] {
      let outcome = try parse([Array(text.utf8)], ParseOptions())
      #expect(outcome.rows.count == rows && outcome.rejects == [], "\(text)")
    }
    // Two ascending columns are ranges, and a column of other digits is not a column of numbers.
    for text in [
      "33199000000;33199000999\n33199001000;33199001999\n", "12345678,030 1234567\n12345679,030 1234568\n",
    ] {
      let start = Array(text.utf8)
      #expect(FormatTable.all.description(for: ParseOptions(), start: start.span)?.format == .csv, "\(text)")
    }
  }

  @Test func aListOfAnyLengthIsBounded() throws {
    var options = Self.options()
    options.recordBytesMax = 1200
    let numbers = (600_000_000..<600_000_400).map(String.init)
    let outcome = try parseInPieces(
      Array(("861\n" + numbers.joined(separator: ",") + "\n862\n").utf8), options)
    #expect(
      outcome.rows.map(\.description) == (["861"] + numbers + ["862"]).map { $0 + "|" }
        && outcome.rejects == [])
  }

  @Test func commentsOverSeveralLines() throws {
    let text = "861 /* old\n862\n*/ 863\n<!--\n864,x\n-->\n865\n"
    #expect(
      try parseInPieces(Array(text.utf8), Self.options()).rows.map(\.description) == ["861|", "863|", "865|"])
    let open = try parseInPieces(Array("861\n/*\n862\n".utf8), Self.options())
    #expect(open.rows == [RawRow("861", "")] && open.codes == ["unclosed-comment"])
    let later = try parse([Array("861\n862 /* old\n863\n".utf8)], Self.options())
    #expect(later.rejects.map(\.text) == ["/* old"])
    // Quotes around numbers are no comments.
    let quoted = try parseInPieces(Array("'''+4930123456\n\"\"\"+4930123457\"\"\"\n".utf8), Self.options())
    #expect(quoted.rows.map(\.description) == ["+4930123456|", "+4930123457|"])
  }

  @Test func expressionsAreWholeLines() throws {
    // Multiplied out, these would be 2^17 texts each.
    let bits = String(repeating: "(0|1)", count: 17)
    for text in [bits, "(\(bits))", "^\(bits)$", Array(repeating: bits, count: 10).joined(separator: "|")] {
      let rows = try parse("861\n" + text, Self.options()).rows.map(\.description)
      #expect(rows == ["861|", text + "|"])
    }
  }

  @Test(arguments: [
    (
      "# Whitelist\n2125550111 Mom\n# my doctor\n212-555-0112\n# Blacklist\n2125550113 spam\n",
      ["2125550113|spam"]
    ),
    ("2125550113 spam\n# allow list\n2125550111 Mom\n", ["2125550113|spam"]),
    ("[whitelist]\n2125550111\n[numbers]\n2125550113\n", ["2125550113|"]),
    ("[allow]\n2125550111\n[block]\n2125550113\n", ["2125550113|"]),
    ("whitelist:\n  - 2125550111\nspam:\n  - 2125550113\n", ["2125550113|"]),
    ("const ALLOWED = [\n  \"2125550111\",\n];\n2125550113\n", ["2125550113|"]),
    ("08912345679 Bank\nNicht sperren:\n08912345678 Oma\n", ["08912345679|Bank"]),
    ("/* Exceptions (family) */\n2125550111\n// Spam callers\n2125550113\n", ["2125550113|"]),
    ("## Weiße Liste\n08912345678\n## Gesperrt\n08912345679\n", ["08912345679|"]),
  ])
  func sectionsThatAreNotBlocked(_ text: String, _ rows: [String]) throws {
    let outcome = try parseInPieces(Array(text.utf8), Self.options())
    #expect(outcome.rows.map(\.description) == rows)
    #expect(outcome.codes.contains("other-list"))
  }

  @Test(arguments: [
    "# לא לחסום", "# רשימה לבנה", "Không chặn:", "Danh sách trắng:", "Engedélyezett számok:", "Ne tiltsd:",
    "Fehérlista:",
    "İzin verilenler", "Nu blocați", "Ikke blokér", "Sallitut", "Μην μπλοκάρετε", "# 차단하지 않음", "許可リスト：",
    "不要拦截：", "# अनुमत", "ห้ามบล็อก", "# Jangan blokir", "# مجاز", "Dovoljeni", "Tillåtna", "Cho phép", "Rimossi",
    "# Удалены", "Freigegeben", "[Borttagna]", "Výjimky:", "Wyjątki:", "Desbloqueados", "Toegestane nummers:",
  ])
  func sectionsInManyLanguages(_ heading: String) throws {
    let outcome = try parse("2125550113 spam\n\(heading)\n2125550111 Mom\n", Self.options())
    #expect(outcome.rows.map(\.description) == ["2125550113|spam"], "\(heading)")
    #expect(outcome.codes.last == "other-list")
  }

  /// What is below a message is its author's.
  @Test(arguments: [
    "--\nAnna Adam\n", "-- \nMit freundlichen Grüßen\nAnna Adam\n", "Cordialement,\nJean Dupont\n",
    "Thanks,\nJohn Smith\n", "Viele Grüße\n\n", "С уважением,\nАнна\n",
  ])
  func signatures(_ signature: String) throws {
    let text = "030 23125021 Umfrage\n030 23125022 Lotto\n\n\(signature)Tel. 089 99887766\n089 99887767\n"
    let outcome = try parse(text, Self.options())
    #expect(outcome.rows.map(\.description) == ["030 23125021|Umfrage", "030 23125022|Lotto"])
    #expect(outcome.codes.suffix(2) == ["other-list", "other-list"])
  }

  @Test(arguments: ["--\n-- Liste\n--\n", "# Thanks\n", "--\n"])
  func commentsThatAreNoSignatures(_ comment: String) throws {
    let outcome = try parse("030 23125021\n\(comment)030 23125022\nLotto:\n030 23125023\n", Self.options())
    #expect(outcome.rows.count == 3)
  }

  @Test(arguments: [
    "meine Nummer 0151 22223333 haben sie auch", "Mein Handy: 0151 22223333", "My cell: 212 555 0143",
    "my number 212-555-0143", "Mi teléfono: 612 345 678", "mon numéro 06 12 34 56 78",
    "Мой номер: 8 912 345-67-89",
    "mój numer 512 345 678", "Mitt nummer: 070 123 45 67", "我的号码：13800138000", "KvK 12345678",
    "BTW 123456789",
  ])
  func whatIsNotTheCallers(_ text: String) throws {
    let outcome = try parse("861\n\(text)\n862\n", Self.options())
    #expect(outcome.rows.map(\.description) == ["861|", "862|"], "\(text)")
    #expect(outcome.rejects.count == 1)
  }

  @Test(arguments: [
    " 030 23125051 Umfrage\n-030 23125052 Hausverwaltung\n+030 23125053 Gewinnspiel\n",
    "@@ -1,2 +1,2 @@\n 030 23125051 Umfrage\n-030 23125052 Bank\n+030 23125053 Gewinnspiel\n",
  ])
  func comparisons(_ text: String) throws {
    let outcome = try parse(text, Self.options())
    #expect(outcome.rows.map(\.description) == ["030 23125051|Umfrage", "030 23125053|Gewinnspiel"])
    #expect(outcome.codes == ["removed"])
    // Markers without a blank.
    let list = try parse("-030 23125051\n-030 23125052\n", Self.options())
    #expect(list.rows.count == 2)
  }

  @Test(arguments: [
    ("12 345 67 03 / 12 345 67 04 kredyty", ["12 345 67 03|kredyty", "12 345 67 04|kredyty"]),
    ("22 123 46 01, 22 123 46 02 pożyczki", ["22 123 46 01|pożyczki", "22 123 46 02|pożyczki"]),
    ("030 1234561 / 0171 1234567 Inkasso", ["030 1234561|Inkasso", "0171 1234567|Inkasso"]),
    (
      "212-555-0143 or 310-555-0144 robocall ring",
      ["212-555-0143|robocall ring", "310-555-0144|robocall ring"]
    ),
    ("0301234561,0301234562,Spam", ["0301234561|Spam", "0301234562|Spam"]),
    ("0301234561, 0301234562", ["0301234561|", "0301234562|"]),
  ])
  func labelsOfSeveralNumbers(_ text: String, _ rows: [String]) throws {
    let outcome = try parse("861\n\(text)\n862\n", Self.options())
    #expect(outcome.rows.map(\.description) == ["861|"] + rows + ["862|"])
  }

  @Test(arguments: [
    "# Owner: Anna\n", "# Contact: anna@example.com\n",
    "# See whitelist.txt for those that are not blocked here\n",
    "# Numbers that called my phone\n", "# not whitelisted\n", "# Whitelist\n# Blocked numbers\n",
    // A title, of a list of exceptions.
    "# Whitelist\n", "# Spam\n2125550114\n# Removed from whitelist\n",
    "# Spam\n2125550114\n# Whitelist abusers\n",
  ])
  func commentsThatAreNoSections(_ text: String) throws {
    let outcome = try parseInPieces(Array((text + "2125550113 spam\n").utf8), Self.options())
    #expect(outcome.rows.map(\.description).last == "2125550113|spam" && outcome.rejects == [])
  }

  @Test func remarksAfterPlainNumbers() throws {
    let outcome = try parse("2125550113 spam\n2125550114,Anna - not spam\n2125550115,Bank\n", Self.options())
    #expect(outcome.rows.map(\.description) == ["2125550113|spam", "2125550115|Bank"])
    #expect(outcome.codes == ["not-blocked"])
  }

  @Test(arguments: [
    (
      "1- 331 1234567\n2- 331 1234568\n3- 331 1234569 truffa\n",
      ["331 1234567|", "331 1234568|", "331 1234569|truffa"]
    ),
    (
      "1- 1588-1234\n2- 1588-1235\n3- 1588-1236\n5- 1588-1237\n",
      ["1588-1234|", "1588-1235|", "1588-1236|", "1588-1237|"]
    ),
    (
      "1 0331 1234567\n2 0331 1234568\n3 0331 1234569\n", ["0331 1234567|", "0331 1234568|", "0331 1234569|"]
    ),
    // Area codes without their trunk zero.
    (
      "1 42 68 53 00\n2 40 11 22 33\n3 20 11 22 33\n", ["1 42 68 53 00|", "2 40 11 22 33|", "3 20 11 22 33|"]
    ),
    (
      "# elenco\n1 - 331 1234567\n\n2 - 331 1234568\n3 - 331 1234569 truffa\n",
      ["331 1234567|", "331 1234568|", "331 1234569|truffa"]
    ),
    (
      "[1] 030 1234567\n[2] 030 1234568\n[3] 030 1234569\n", ["030 1234567|", "030 1234568|", "030 1234569|"]
    ),
    (
      "1.- 0245678901 spam\n2.- 0245678902\n3.- 0245678903\n",
      ["0245678901|spam", "0245678902|", "0245678903|"]
    ),
    // No counters.
    (
      "01 62 55 10 20\n02 40 11 22 33\n03 88 11 22 33\n",
      ["01 62 55 10 20|", "02 40 11 22 33|", "03 88 11 22 33|"]
    ),
    (
      "1-212-555-0100\n1-212-555-0101\n1-212-555-0102\n",
      ["1-212-555-0100|", "1-212-555-0101|", "1-212-555-0102|"]
    ),
    // A line without its counter.
    (
      "1 331 1234561\n2 331 1234562\n3 331 1234563\n4 331 1234564\n5 331 1234565\n6 331 1234566\n39 331 1234560\n",
      (1...6).map { "331 123456\($0)|" } + ["39 331 1234560|"]
    ),
  ])
  func countersOfAList(_ text: String, _ rows: [String]) throws {
    for format in [ParseOptions.Format.lines, .auto] {
      var options = ParseOptions()
      options.format = format
      let outcome = try parse(text, options, cuts: [7])
      #expect(outcome.rows.map(\.description) == rows && outcome.rejects == [])
    }
  }

  @Test func theSeparatorOptionDecides() throws {
    let outcome = try parseInPieces(
      Array("861,a/x\n86 1 b/y,z\n862\n863/\n".utf8), Self.options(separator: "/"), startBytes: 3)
    #expect(outcome.rows.map(\.description) == ["861,a|x", "86 1|y,z", "862|", "863|"])
  }

  @Test func linesWithoutANumberAreRejected() throws {
    let outcome = try parseInPieces(Array("861\nhello, world\n,x\n862\n".utf8), Self.options())
    #expect(outcome.codes == ["missing-number", "missing-number"])
    #expect(outcome.lines == [2, 3] && outcome.rows == [RawRow("861", ""), RawRow("862", "")])
    let bad = try parseInPieces(Array("861,".utf8) + [0xFF, 0x0A] + Array("862".utf8), Self.options())
    #expect(bad.codes == ["invalid-utf8"] && bad.rows == [RawRow("862", "")])
  }

  @Test func longLines() throws {
    var options = Self.options()
    options.recordBytesMax = 300
    let text =
      "861\n" + String(repeating: "8", count: 5000) + "\n862\n8" + String(repeating: " ", count: 300)
      + "\n863"
    let outcome = try parseInPieces(Array(text.utf8), options, startBytes: 2)
    #expect(outcome.codes == ["record-too-long", "record-too-long"] && outcome.lines == [2, 4])
    #expect(outcome.rows == [RawRow("861", ""), RawRow("862", ""), RawRow("863", "")])
  }

  @Test func headersAndFields() throws {
    #expect(try parse("Phone Number\n861\n", Self.options()).rows == [RawRow("861", "")])
    #expect(try parse("# list\n\nnumber,label\n861,x\n", Self.options()).rows == [RawRow("861", "x")])
    var options = Self.options()
    options.header = .yes
    #expect(try parse("860\n861\n", options).rows == [RawRow("861", "")])
    options = Self.options()
    (options.numberField, options.labelField, options.sourceField) = (.name("2"), .name("1"), .constant("s"))
    #expect(try parse("x,861\n", options).rows == [RawRow("861", "x\ts")])
    options.numberField = .name("phone")
    #expect(try parse("", options).failure == .nameWithoutHeader("phone"))
    #expect(try parse("861\r862,x\r", Self.options()).rows == [RawRow("861", ""), RawRow("862", "x")])
    for end in ["\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"] {
      let text = String(repeating: "0301234500\n", count: 9) + "0301234501 a\(end)0301234502 b\n"
      let outcome = try parseInPieces(Array(text.utf8), Self.options(), startBytes: 64)
      #expect(
        outcome.rows.suffix(2).map(\.description) == ["0301234501|a", "0301234502|b"], "\(Array(end.utf8))")
    }
  }
}
