// Regions, and the lengths that calling codes allow.

import NumberPlan
import Testing

@Suite("Regions and lengths")
struct RegionTests {
  @Test("region codes are found in upper and lower case, and nothing else is")
  func codes() {
    #expect(Region("CN")?.callingCode == 86)
    #expect(Region("cn") == Region("CN"))
    #expect(Region("Us")?.code == "US")
    for unknown in ["ZZ", "001", "", "C", "CHN", "C1", "ÄB", "\u{0}\u{0}", "@@"] {
      #expect(Region(unknown) == nil)
    }
  }

  @Test("all regions, sorted")
  func all() {
    #expect(Region.all.count == 245)
    #expect(Region.all.map(\.code) == Region.all.map(\.code).sorted())
    #expect(Region.all.allSatisfy { Region($0.code) == $0 })
    #expect(Region.all.filter { $0.callingCode == 1 }.count == 25)
    #expect(Region.all.filter { $0.callingCode == 7 }.map(\.code) == ["KZ", "RU"])
  }

  @Test("the regions of a calling code, the main one first")
  func members() {
    #expect(NumberPlan.regions(callingCode: 86).map(\.code) == ["CN"])
    #expect(NumberPlan.regions(callingCode: 1).first?.code == "US")
    #expect(NumberPlan.regions(callingCode: 7).map(\.code) == ["RU", "KZ"])
    #expect(NumberPlan.regions(callingCode: 800).map(\.code) == ["001"])
    for code in [0, 999, UInt16.max] { #expect(NumberPlan.regions(callingCode: code).isEmpty) }
    for code in UInt16(1)...999 {
      let all = Set(NumberPlan.regions(callingCode: code).filter(\.isGeographic))
      #expect(all == Set(Region.all.filter { $0.callingCode == code }))
    }
  }

  @Test("possible lengths as bits")
  func lengths() {
    #expect(NumberPlan.possibleLengths(callingCode: 33) == 1 << 9)
    #expect(NumberPlan.possibleLengths(callingCode: 1) == 1 << 10)
    #expect(NumberPlan.possibleLengths(callingCode: 800) == 1 << 8)
    #expect(NumberPlan.possibleLengths(callingCode: 86) & (1 << 11) != 0)
    #expect(NumberPlan.possibleLengths(callingCode: 999) == 0)
    #expect(NumberPlan.possibleLengths(callingCode: 0) == 0)
    #expect(NumberPlan.possibleLengths(callingCode: .max) == 0)
  }

  @Test("one calling code, several regions: the right one decides")
  func sharedCodes() throws {
    // Kazakhstan's by its leading digit, and not a number of Russia's plan.
    #expect(NumberPlan.isValid(try parse("+7 771 000 9998", "ZZ")))
    #expect(NumberPlan.isValid(try parse("+7 912 345 6789", "ZZ")))
    #expect(!NumberPlan.isValid(try parse("+7 199 000 9998", "ZZ")))
    #expect(NumberPlan.isValid(try parse("+1 268 460 1234", "ZZ")))
    #expect(!NumberPlan.isValid(try parse("+1 268 060 1234", "ZZ")))
  }
}
