// Number texts that end in wildcards: the ranges they stand for, and those that stand for none.

import NormalizeStage
import NumberPlan
import PipeStage
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
      // Question marks are neighbours of the digits, which a look at eight bytes at once must tell apart.
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

  @Test("an open end stands for every length that the country has")
  func open() throws {
    #expect(try normalize(["+33162*"]).lines == ["33162000000..33162999999"])
    // One row, several ranges, ascending; the account holds.
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
    "texts that are no pattern are no range",
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

  @Test("an extension is no wildcard")
  func extensions() throws {
    let result = try normalize(["+33162040000 x12", "+33162040000 ext. 7"], region: "FR")
    #expect(result.lines == ["33162040000", "33162040000"])
  }
}
