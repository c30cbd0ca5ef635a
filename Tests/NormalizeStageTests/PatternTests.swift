// Number texts that end in wildcards: their ranges, and the texts that are not patterns.

import NumberPlan
import RecordStages
import Records
import TestSupport
import Testing

@Suite("Patterns")
struct PatternTests {
  @Test(
    "wildcards become ranges",
    arguments: [
      ("KR", "070-XXXX-XXXX", "827000000000..827099999999"),
      ("KR", "070-xxxx-xxxx", "827000000000..827099999999"),
      ("KR", "+82 70 #### ####", "827000000000..827099999999"),
      ("FR", "+33162######", "33162000000..33162999999"),
      ("FR", "0162######", "33162000000..33162999999"), ("FR", "0033162??????", "33162000000..33162999999"),
      ("US", "(212) XXX-XXXX", "12120000000..12129999999"), ("US", "212#######", "12120000000..12129999999"),
      // In ASCII, the question mark is near the digits; a test of eight bytes at once must distinguish them.
      ("NO", "2123456?", "4721234560..4721234569"), ("NO", "2123????", "4721230000..4721239999"),
      ("NO", "+472123456?", "4721234560..4721234569"), ("NO", "004721234???", "4721234000..4721234999"),
      ("CN", "0755-1234567#", "8675512345670..8675512345679"),
    ])
  func ranges(region: String, text: String, range: String) throws {
    #expect(try normalize([text], region: region).lines == [range])
  }

  @Test("without a region digits are international, in patterns too")
  func international() throws {
    #expect(
      try normalize(["33162######", "+33162######"]).lines
        == Array(repeating: "33162000000..33162999999", count: 2))
  }

  @Test("a single star at the end becomes a range for every length that the country has")
  func open() throws {
    #expect(try normalize(["+33162*"]).lines == ["33162000000..33162999999"])
    // One row, several ascending ranges; the row counts add up.
    let china = try normalize(["+86 755 1234*"])
    #expect(china.rejects == [] && china.records.count >= 1)
    let firsts = china.records.map(\.first)
    #expect(firsts == firsts.sorted())
    for record in china.records {
      #expect(String(record.first).hasPrefix("867551234") && String(record.last).hasPrefix("867551234"))
    }
    #expect(china.meter.splits.value == UInt64(china.records.count - 1))
  }

  @Test(
    "texts without a pattern are not ranges",
    arguments: [
      "XXXX", "*", "#", "+33162#*", "+33162*#", "+33162**", "+33162###0##", "+33162################",
      "+33162a###",
      "+*", "+#########",
    ])
  func noRange(text: String) throws {
    let result = try normalize([text], region: "FR")
    for record in result.records { #expect(record.first == record.last, "\(text): \(record)") }
    #expect(result.records.count + result.rejects.count == 1, "\(text)")
  }

  @Test("a pattern of a length that the country does not have is rejected")
  func lengths() throws {
    #expect(try normalize(["+331620##########"], region: "FR").records == [])
    #expect(try normalize(["+3316#"], region: "FR").rejects == ["1 too-short"])
  }

  @Test("an extension is not a wildcard")
  func extensions() throws {
    let result = try normalize(["+33162040000 x12", "+33162040000 ext. 7"], region: "FR")
    #expect(result.lines == ["33162040000", "33162040000"])
  }

  @Test(
    "a mask that is not at the end of a number is rejected, never dropped",
    arguments: [
      ("CN", "138****5678"), ("CN", "138XXXX5678"), ("CN", "138####5678"), ("CN", "0755-****-5678"),
      ("KR", "070-XX-34-XX"), ("KR", "070-XXXX-XXXX ext 5"), ("KR", "070-XXXX-XXXX spam"), ("KR", "070-*-*"),
      ("US", "1-800-FLO****"), ("US", "212-***-1234"),
      ("KR", "02-312-34##..02-312-35##"), ("KR", "070*##"),
      ("KR", "070－ＸＸ－34－ＸＸ"),
    ])
  func brokenMasks(region: String, text: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines == [] && result.rejects == ["1 bad-pattern"], "\(text): \(result.lines)")
  }

  @Test(
    "wildcards of all kinds, and what people put around them",
    arguments: [
      ("CN", "1380013****", "8613800130000..8613800139999"),
      ("CN", "0755-1234****", "8675512340000..8675512349999"),
      ("KR", "070-****-****", "827000000000..827099999999"),
      ("KR", "\"070-XXXX-XXXX\"", "827000000000..827099999999"),
      ("KR", "Tel 070-XXXX-XXXX", "827000000000..827099999999"),
      ("KR", "[070-XXXX-XXXX],", "827000000000..827099999999"),
      ("KR", "070－ＸＸＸＸ－ＸＸＸＸ", "827000000000..827099999999"),
      ("KR", "070-○○○○-○○○○", "827000000000..827099999999"),
      ("KR", "070\u{A0}XXXX\u{2011}XXXX\u{200E}", "827000000000..827099999999"),
      ("BR", "(11) 91234-56XX", "5511912345600..5511912345699"),
    ])
  func dressedMasks(region: String, text: String, range: String) throws {
    #expect(try normalize([text], region: region).lines == [range])
  }

  @Test(
    "a single wildcard after a whole number, dots in it, and an extension are not a pattern",
    arguments: [
      ("CN", "13800138000x", "8613800138000"), ("CN", "13800138000 ?", "8613800138000"),
      ("CN", "13800138000*", "8613800138000"), ("KR", "02-312-3400..", "8223123400"),
      ("KR", "Tel..... 02-312-3400", "8223123400"), ("KR", "+82..2-312-3400", "8223123400"),
      ("US", "212-555-0123 x12", "12125550123"), ("US", "1-800-FLOWERS", "18003569377"),
      ("US", "XXX 212-555-0123", "12125550123"), ("US", "212*555*0123", "12125550123"),
    ])
  func dressedNumbers(region: String, text: String, number: String) throws {
    #expect(try normalize([text], region: region).lines == [number])
  }

  @Test(
    "a single star at the end has the lengths of the country, of one reading",
    arguments: [
      ("FR", "33162*", ["33162000000..33162999999"]), ("FR", "0162*", ["33162000000..33162999999"]),
      (
        "GB", "+44*",
        ["440000000..449999999", "44000000000..44999999999", "440000000000..449999999999"]
      ),
      ("CO", "302*", ["573020000000..573029999999"]), ("RU", "+79161*", ["79161000000..79161999999"]),
      // The plan has no such numbers: all lengths of the country.
      (
        "GB", "+44163296*",
        ["441632960..441632969", "44163296000..44163296999", "441632960000..441632969999"]
      ),
    ] as [(String, String, [String])])
  func openEnds(region: String, text: String, ranges: [String]) throws {
    #expect(try normalize([text], region: region).lines == ranges)
  }

  @Test(
    "a zero before a prefix is a trunk prefix, also where no valid numbers start with the prefix",
    arguments: [("DE", "01*", "+491*"), ("CN", "0111*", "+86111*"), ("CN", "0755*", "+86755*")])
  func trunkZero(region: String, national: String, international: String) throws {
    let lines = try normalize([international], region: region).lines
    #expect(lines.count > 1)
    #expect(try normalize([national], region: region).lines == lines)
  }

  @Test(
    "a mask without a digit after the calling code or trunk zero is an empty field of a form",
    arguments: [
      ("NO", "+47 ___ __ ___"), ("RU", "+7 (___) ___-__-__"), ("RU", "8 (___) ___-__-__"),
      ("US", "+1 (XXX) XXX-XXXX"), ("US", "1-***-***-****"), ("DE", "0____ ______"),
      ("DE", "+49 (0)____ ______"),
      ("DE", "0049 □□□ □□□□□□□"), ("IT", "0#########"), ("GB", "+44 ##########"), ("FR", #"^\+33\d{9}$"#),
      ("US", "+1NXXXXXXXXX"),
    ])
  func emptyMasks(region: String, text: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines == [] && result.rejects == ["1 empty-mask"], "\(text): \(result.lines)")
  }

  @Test("--require valid applies to the lengths of every form")
  func validity() throws {
    func read(_ text: String) throws -> [String] {
      let result = try normalize([text], require: .valid)
      return result.lines + result.rejects
    }
    #expect(try read("+57302*") == ["573020000000..573029999999"])
    #expect(try read("+44163296*") == ["1 not-valid"])
    #expect(try read("+1212555####") == ["12125550000..12125559999"])
    #expect(try read("+12#########") == ["12000000000..12999999999"])
    #expect(try read("+1212155####") == ["1 not-valid"])
    for line in try read("+4915020*") + read("+62811*") {
      let first = try #require(UInt64(line.prefix { $0.isNumber }))
      #expect(
        NumberPlan.validLengths(ofDigits: first / 100_000) >> UInt64("\(first)".count) & 1 == 1, "\(line)")
    }
  }

  @Test(
    "a carrier's code is a placeholder only where no other number has digits in its place",
    arguments: [
      ("BR", "(0xx11) 3333-4444", "551133334444"), ("BR", "+55 0xx11 3333-4445", "551133334445"),
      ("BR", "0-xx-21-3333-4446", "552133334446"), ("BR", "0XX21 98765-4321", "5521987654321"),
      ("BR", "(0**11) 3333-4444", "551133334444"), ("BR", "(xx11) 3333-4444", "bad-pattern"),
      ("DE", "0XX30 1234567", "bad-pattern"), ("DE", "0xx 1234567", "bad-pattern"),
    ])
  func carriers(region: String, text: String, expected: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines + result.rejects.map { String($0.dropFirst(2)) } == [expected])
  }

  @Test(
    "the same marks on both sides of a complete number are no wildcards",
    arguments: [
      ("US", "?2125550123?", "12125550123"), ("US", "?(212) 555-0124?", "12125550124"),
      ("DE", "?+49 30 1234567?", "49301234567"), ("DE", "**030 1234567**", "49301234567"),
      ("DE", "_030 1234567_", "49301234567"), ("DE", "□030 1234567□", "49301234567"),
      ("DE", "*030 1234567*", "bad-pattern"), ("DE", "%0301234567%", "bad-pattern"),
      ("US", "?212555012?", "bad-pattern"),
    ])
  func marks(region: String, text: String, expected: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines + result.rejects.map { String($0.dropFirst(2)) } == [expected], "\(text)")
  }

  @Test(
    "two dots between digits that are not two numbers are not punctuation, if they look like ends of a range",
    arguments: [
      ("US", "22455..22999", "too-short"), ("DK", "2245..2299", "too-short"),
      ("DE", "030 1234500..99", "bad-pattern"),
      ("DE", "030 1234567..n/a", "bad-pattern"), ("DE", "030 1234567..-", "bad-pattern"),
      ("DE", "030 1234599..030 1234500", "bad-pattern"),
      ("DE", "030..1234567", "49301234567"), ("KR", "02-312-3400...", "8223123400"),
      ("FR", "06..12..34..56..78", "33612345678"),
      ("DE", "030 1234500..030 1234599", "49301234500..49301234599"),
    ])
  func dots(region: String, text: String, expected: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines + result.rejects.map { String($0.dropFirst(2)) } == [expected], "\(text)")
  }
}

@Suite("Masks of other systems")
struct PatternNotationTests {
  /// What a mask becomes: ranges, a number, or the code of a reject.
  private static func result(_ text: String, region: String? = nil) throws -> String {
    let result = try normalize([text], region: region)
    return (result.lines + result.rejects.map { String($0.dropFirst(2)) }).joined(separator: " ")
  }

  @Test(
    "SQL LIKE",
    arguments: [
      ("+49301234____", "493012340000..493012349999"), ("+49 30 1234 __", "4930123400..4930123499"),
      ("+49301234%", "open-pattern"), ("+49301234_%", "open-pattern"), ("%301234567", "bad-pattern"),
      ("____301234567", "bad-pattern"), ("+4930__1234", "bad-pattern"), ("+4930%1234", "bad-pattern"),
      ("+49301234[0-4]___", "493012340000..493012344999"), ("+49301234[^5]___", "bad-pattern"),
    ])
  func sql(text: String, expected: String) throws {
    #expect(try Self.result(text) == expected)
  }

  @Test(
    "dial plans of Asterisk and of Cisco's routers",
    arguments: [
      ("_49301234XXXX", "493012340000..493012349999"), ("_49301234X.", "open-pattern"),
      ("_49301234.", "open-pattern"), ("_49301234!", "open-pattern"), ("+49301234!", "open-pattern"),
      ("_1900NXXXXXX", "19002000000..19009999999"), ("1-900-NXX-XXXX", "19002000000..19009999999"),
      ("_49301234ZXXX", "493012341000..493012349999"), ("_49301234[2-57]XXX", "bad-pattern"),
      ("_1NXXNXXXXXX", "bad-pattern"), ("1-212-NNN-NNNN", "bad-pattern"), ("_NXX5551234", "bad-pattern"),
      ("[2-9]XXXXXX", "bad-pattern"), ("49301234....", "open-pattern"),
    ])
  func dialPlans(text: String, expected: String) throws {
    #expect(try Self.result(text) == expected)
  }

  @Test(
    "alternatives, as SpamBlocker writes them",
    arguments: [
      ("(493012345678|493012345670)", "493012345670 493012345678"),
      (#"^(493012345678|4930123456\d{2})$"#, "493012345600..493012345699"),
      ("(493012345678|no number)", "not-a-number"), ("(493012345678|4930*12345)", "bad-pattern"),
      ("49301234567|49301234569", "49301234567 49301234569"),
      (#"^\+49(?:30|40)1234\d{3}$"#, "49301234000..49301234999 49401234000..49401234999"),
      (#"^(\+49|0)301234\d{4}$"#, "invalid-country-code"), (#"(49)?301234\d{4}"#, "bad-pattern"),
      ("(49301234567|49301234568", "bad-pattern"),
    ])
  func alternatives(text: String, expected: String) throws {
    #expect(try Self.result(text) == expected)
  }

  @Test(
    "alternatives and optional parts, multiplied out; spellings of the same numbers are one range",
    arguments: [
      ("FR", #"^(0|\+33)162\d{6}$"#, "33162000000..33162999999"),
      ("FR", #"^(?:\+33|0033|0)162\d{6}$"#, "33162000000..33162999999"),
      ("FR", #"(33)?948\d{6}"#, "33948000000..33948999999"),
      ("FR", "^0?948[0-9]{6}$", "33948000000..33948999999"),
      ("FR", #"33949\d{6}|33163\d{6}"#, "33163000000..33163999999 33949000000..33949999999"),
      ("FR", "+33948*|+33162*", "33162000000..33162999999 33948000000..33948999999"),
      (
        "CO", "^(302|323|310565).*",
        "573020000000..573029999999 573105650000..573105659999 573230000000..573239999999"
      ),
      ("US", "(212)???-????", "12120000000..12129999999"),
      ("US", #"^1?212555\d{4}$"#, "12125550000..12125559999"),
      ("US", #"^(212)?555\d{4}$"#, "too-short"),
    ])
  func expressions(region: String, text: String, expected: String) throws {
    #expect(try Self.result(text, region: region) == expected)
  }

  @Test("an alternative without wildcards is a whole number, not an area code")
  func shortAlternatives() throws {
    #expect(try normalize(["030 1234567|0211"], region: "DE").rejects == ["1 too-short"])
  }

  @Test("few parts that stand for very many texts are refused, many plain alternatives are not")
  func manyAlternatives() throws {
    func bits(_ count: Int) -> String { String(repeating: "(0|1)", count: count) }
    let numbers = (0..<3000).map { "30\(1_230_000 + $0)" }
    let plain = "^(0|\\+49)(" + numbers.joined(separator: "|") + ")$"
    #expect(try normalize([plain], region: "DE").lines == numbers.map { "49" + $0 })
    #expect(try normalize(["+493012" + bits(6)]).lines.count == 64)
    let several = Array(repeating: "+493012" + bits(6), count: 40).joined(separator: "|")
    // Texts that are few, but long.
    let long = bits(10) + String(repeating: "5", count: 20_000)
    for text in ["+49" + bits(17), several, long, "(" + bits(17) + ")", "^+49(1|2" + bits(13) + ")$"] {
      #expect(try Self.result(text) == "bad-pattern", "\(text.prefix(40))")
    }
  }

  @Test("whether a text has alternatives is found without multiplying them out", .seeded)
  func hasAlternatives() {
    var random = SplitMix64(test: "texts with alternatives")
    let parts = ["(", ")", "|", "?", "(?:", "1", "30", "\\d", "^", "$", "[", "]", "\\", "+", "a", "/", ".*"]
    for _ in 0..<TestEffort.cases(short: 5_000, long: 200_000) {
      let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        parts[Int.random(in: 0..<parts.count, using: &random)]
      }.joined()
      let bytes = Array(text.utf8)
      let isOne = NumberAlternatives.texts(of: bytes.span) != nil
      let isFound = NumberAlternatives.areIn(bytes.span)
      #expect(isFound == isOne, "\(text)")
    }
  }

  @Test(
    "regular expressions",
    arguments: [
      (#"^\+49301234\d{4}$"#, "493012340000..493012349999"), (#"49301234\d\d"#, "4930123400..4930123499"),
      ("^49301234[0-9]{4}$", "493012340000..493012349999"), ("^49301234....$", "493012340000..493012349999"),
      (#"/^\+?49301234[5-9]\d{3}$/"#, "493012345000..493012349999"),
      ("+49301234[[:digit:]]{2}", "4930123400..4930123499"), (#"^\+493012345678$"#, "493012345678"),
      (#"^\+49301234\d+$"#, "open-pattern"), (#"^\+49301234\d{2,4}$"#, "open-pattern"),
      ("+49301234.+", "open-pattern"), (#"^\+49301234"#, "open-pattern"),
      (#"^\+49301?234\d{4}$"#, "49302340000..49302349999 493012340000..493012349999"),
      (#"^\+49(0)?301234\d{3}$"#, "49301234000..49301234999"),
      (#"\d{4}301234567$"#, "bad-pattern"), (#"1234567$"#, "bad-pattern"), ("+49301234{4}", "bad-pattern"),
    ])
  func regularExpressions(text: String, expected: String) throws {
    #expect(try Self.result(text) == expected)
  }

  @Test("`.*` is a star")
  func dotStar() throws {
    for text in [#"^\+33162.*$"#, #"^\+33162.*"#, "+33162.*"] {
      #expect(try Self.result(text) == "33162000000..33162999999", "\(text)")
    }
  }

  @Test(
    "globs",
    arguments: [
      ("+49301234????", "493012340000..493012349999"), ("+49301234[0-9]", "493012340..493012349"),
      ("+49301234[0-9][0-9]", "4930123400..4930123499"), ("+49301234[357]", "bad-pattern"),
      ("+49301234[567]", "493012345..493012347"), ("+49301234{00..99}", "bad-pattern"),
      ("+49301234[!0]??", "bad-pattern"),
    ])
  func globs(text: String, expected: String) throws {
    #expect(try Self.result(text) == expected)
  }

  @Test(
    "call blockers and telephone systems",
    arguments: [
      ("+33162*", "33162000000..33162999999"), ("+33162######", "33162000000..33162999999"),
      ("033162XXXXXX", "too-long"), ("**621*0301234567", "bad-pattern"),
    ])
  func callBlockers(text: String, expected: String) throws {
    #expect(try Self.result(text, region: "FR") == expected)
  }

  @Test(
    "signs of handwritten lists and other scripts",
    arguments: [
      ("+49301234□□□□", "493012340000..493012349999"), ("+49301234••••", "493012340000..493012349999"),
      ("+49301234××××", "493012340000..493012349999"), ("+380501234ХХХ", "380501234000..380501234999"),
      ("+380501234ххх", "380501234000..380501234999"), ("+49301234＿＿", "4930123400..4930123499"),
      ("+49301234██", "4930123400..4930123499"), ("+4930〇〇〇〇", "49300000..49309999"),
      ("+49301234…", "open-pattern"), ("+49301234 …", "open-pattern"), ("+49301234...", "open-pattern"),
      ("+49301234％", "open-pattern"), ("+380ХХ1234567", "bad-pattern"),
      ("+49301234★★★★", "493012340000..493012349999"),
      ("+49301234∗∗∗∗", "493012340000..493012349999"), ("+49301234✱✱", "4930123400..4930123499"),
      ("+49301234❓❓", "4930123400..4930123499"), ("+49301234※※", "4930123400..4930123499"),
      ("+49301234⁎⁎", "4930123400..4930123499"), ("+49301234····", "open-pattern"),
      ("+49301234‧‧‧", "open-pattern"),
      ("+49301234[0-9", "bad-pattern"), ("+49301234(0-9)", "bad-pattern"),
    ])
  func signs(text: String, expected: String) throws {
    #expect(try Self.result(text) == expected)
  }

  @Test(
    "the same characters in numbers without wildcards",
    arguments: [
      ("DE", "+49 [030] 1234567", "49301234567"),
      ("CN", "13800138000_", "8613800138000"), ("CN", "13800138000…", "8613800138000"),
      ("CN", "13800138000%", "8613800138000"), ("DE", "Nummer 030 1234567", "49301234567"),
      ("DE", "030 1234567.", "49301234567"), ("DE", "• 030 1234567", "49301234567"),
      ("DE", "Anruf 030 1234567!", "49301234567"), ("KR", "02-312-3400…", "8223123400"),
      ("US", "1-800-NEXT-DAY", "18006398329"),
    ])
  func numbers(region: String, text: String, expected: String) throws {
    #expect(try Self.result(text, region: region) == expected)
  }

  @Test(
    "wildcards before or between digits are punctuation only where no digit can be in their place",
    arguments: [
      ("DE", "*301234567", "bad-pattern"), ("DE", "?301234567", "bad-pattern"),
      ("DE", "X301234567", "bad-pattern"),
      ("DE", "#301234567", "bad-pattern"),
      ("DE", "□301234567", "bad-pattern"),
      ("DE", "…301234567", "bad-pattern"), ("DE", "...301234567", "bad-pattern"),
      ("DE", ".*301234567", "bad-pattern"), ("DE", "XXX-301-234567", "bad-pattern"),
      ("DE", "(***) 301234567", "bad-pattern"), ("DE", "+49*301234567", "bad-pattern"),
      ("CN", "138?0138000", "bad-pattern"), ("CN", "13?0138?000", "bad-pattern"),
      ("KR", "070*XXXX*XXXX", "bad-pattern"),
      ("US", "*212-555-0123", "12125550123"), ("US", "212*555*0123", "12125550123"),
      ("KR", "070*1234*5678", "827012345678"), ("US", "Fax 212-555-0123", "12125550123"),
    ])
  func doubtful(region: String, text: String, expected: String) throws {
    #expect(try Self.result(text, region: region) == expected)
  }

  @Test(
    "a tilde between digits is a range",
    arguments: [
      ("KR", "02-312-3400~3499", "8223123400..8223123499"),
      ("KR", "02-312-3400 ~ 99", "8223123400..8223123499"),
      ("CN", "0755-12345600～12345699", "8675512345600..8675512345699"),
      ("JP", "03-1234-5600〜03-1234-5699", "81312345600..81312345699"),
      ("KR", "02-312-3400∼3499", "8223123400..8223123499"), ("KR", "02-312-3499~3400", "bad-pattern"),
      ("KR", "02-312-34XX~35XX", "bad-pattern"), ("KR", "02-312-3400~", "8223123400"),
      ("KR", "~02-312-3400", "8223123400"),
    ])
  func tildes(region: String, text: String, expected: String) throws {
    #expect(try Self.result(text, region: region) == expected)
  }

  @Test("patterns are counted, and limited on request")
  func limits() throws {
    let texts = ["+33162*", "+49301234__", "+493012345678", "+4930123400..+4930123409"]
    func normalized(_ max: UInt64?) throws -> Normalized {
      let rows = texts.enumerated().map { TestRow(UInt64($0 + 1), $1) }
      return try normalize(rows, NormalizeOptions(patternNumbersMax: max))
    }
    let unlimited = try normalized(nil)
    #expect(unlimited.rejects == [] && unlimited.meter.patterns.value == 3)
    #expect(unlimited.meter.patternNumbers.value == 1_000_000 + 100 + 10)
    let limited = try normalized(100)
    #expect(limited.rejects == ["1 large-pattern"] && limited.meter.patterns.value == 2)
    #expect(limited.meter.patternNumbers.value == 110)
    let none = try normalized(0)
    #expect(none.rejects == ["1 large-pattern", "2 large-pattern", "4 large-pattern"])
    #expect(none.lines == ["493012345678"] && none.meter.patterns.value == 0)
  }

  @Test("a batch with one pattern reads its other rows like any batch")
  func mixedBatch() throws {
    let plain = (0..<500).map { "+4930123\(1000 + $0)" }
    let alone = try normalize(plain)
    let mixed = try normalize(plain + ["+49301234____"])
    #expect(mixed.lines == alone.lines + ["493012340000..493012349999"] && mixed.rejects == [])
  }
}

@Suite("What is looked up")
struct LookupQueryTests {
  /// A number, ranges, or the code of a reject.
  private static func query(_ text: String, region: String? = nil, arePrefixes: Bool = false) -> String {
    let reading = NumberLookup(region: region.flatMap { Region($0) }, arePrefixes: arePrefixes)
    do throws(NormalizeReject) {
      switch try reading.query(text) {
      case .number(let number): return "\(number)"
      case .ranges(let ranges):
        return ranges.map { "\($0.lowerBound)..\($0.upperBound)" }.joined(separator: " ")
      }
    } catch {
      return error.code
    }
  }

  /// The ranges of all numbers that start with some digits.
  static func all(_ prefix: UInt64) -> String {
    PhoneNumber.ranges(startingWith: prefix).map { "\($0.lowerBound)..\($0.upperBound)" }
      .joined(separator: " ")
  }

  @Test(
    "patterns are read as in lists, and digits without a region need no plan",
    arguments: [
      (nil, "8613800138000", "8613800138000"), (nil, "12", "12"), (nil, "8613800138000*", "8613800138000"),
      (nil, "8613800138001..8613800138004", "8613800138001..8613800138004"), (nil, "10..200", "10..200"),
      ("KR", "070-XXXX-XXXX", "827000000000..827099999999"), (nil, "070-XXXX-XXXX", "invalid-country-code"),
      ("CN", "0755-1234567#", "8675512345670..8675512345679"), (nil, "138****5678", "bad-pattern"),
      (nil, "8675%", "open-pattern"), ("DE", "030 1234567?", "ambiguous"), (nil, "telephone", "not-a-number"),
    ] as [(String?, String, String)])
  func patterns(region: String?, text: String, expected: String) {
    #expect(Self.query(text, region: region) == expected)
  }

  @Test(
    "a star and a prefix stand for any number of digits, whatever the plan has",
    arguments: [
      (nil, "8670", 8670), (nil, "+86 755", 86755), (nil, "1", 1), (nil, "9991234", 9_991_234),
      (nil, "867551234567890", 867_551_234_567_890), ("CN", "0755-12", 867_551_2), ("CN", "0111", 86111),
      ("CN", "8670", 8670), ("CN", "+867551234567890", 867_551_234_567_890), ("DE", "01", 491),
      ("FR", "33162", 33162), ("RU", "8 495", 7495), ("IT", "06", 3906),
    ] as [(String?, String, UInt64)])
  func prefixes(region: String?, text: String, digits: UInt64) {
    #expect(Self.query(text, region: region, arePrefixes: true) == Self.all(digits))
    #expect(Self.query(text + "*", region: region) == Self.all(digits))
  }

  @Test(
    "with --prefix, a complete number is a prefix, too; a text that is not a prefix is an error",
    arguments: [
      (nil, "8613800138000", all(8_613_800_138_000)), (nil, "86138001380XX", "8613800138000..8613800138099"),
      (nil, "0755", "invalid-country-code"), (nil, "8675512345678901", "too-long"),
      (nil, "+49 (0)30", "ambiguous"), ("DE", "0049 (0)30", "ambiguous"), ("DE", "(0)30", all(4930)),
      ("DE", "0", "empty-mask"), (nil, "1-800-FLO", "not-a-number"), (nil, "8613800138000x", "not-a-number"),
    ] as [(String?, String, String)])
  func prefixTexts(region: String?, text: String, expected: String) {
    #expect(Self.query(text, region: region, arePrefixes: true) == expected)
  }

  @Test("where one number is needed, a pattern is an error")
  func number() {
    #expect(throws: NormalizeReject.severalNumbers) {
      try NumberLookup(region: nil).number("8613800138001..8613800138004")
    }
  }
}
