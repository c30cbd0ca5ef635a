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
      ("US", "1-800-FLO****"), ("US", "212-***-1234"), ("KR", "02-312-34##..02-312-35##"), ("KR", "070*##"),
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
      ("GB", "+44 ##########", "440000000000..449999999999"),
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
    ] as [(String, String, [String])])
  func openEnds(region: String, text: String, ranges: [String]) throws {
    #expect(try normalize([text], region: region).lines == ranges)
  }
}
