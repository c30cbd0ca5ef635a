// Queries: regions and types of numbers, prefixes, lengths, and blocks of numbers with the same region and
// type.

import NumberPlan
import TestSupport
import Testing

@Suite("Regions and types of numbers")
struct QualityTests {
  @Test(
    "the region and the type of a number",
    arguments: [
      ("+1 650 253 0000", "US", .fixedLineOrMobile), ("+1 604 234 5678", "CA", .fixedLineOrMobile),
      ("+1 800 234 5678", "US", .tollFree), ("+1 268 460 1234", "AG", .fixedLine),
      ("+1 268 464 1234", "AG", .mobile), ("+1 210 055 0000", nil, .unknown),
      // By leading digits alone, valid or not.
      ("+1 268 060 1234", "AG", .unknown), ("+7 771 000 9998", "KZ", .mobile),
      ("+7 790 000 0000", "KZ", .unknown),
      ("+7 912 345 6789", "RU", .mobile), ("+7 199 000 9998", nil, .unknown),
      ("+44 7624 123456", "IM", .mobile), ("+44 1481 960194", "GG", .fixedLine),
      ("+39 06 698 12345", "VA", .fixedLine), ("+39 02 1234 5678", "IT", .fixedLine),
      ("+86 138 1234 5678", "CN", .mobile), ("+86 95588", "CN", .unknown),
      ("+49 900 1 123456", "DE", .premiumRate), ("+49 180 12345", "DE", .sharedCost),
      ("+44 56 1234 5678", "GB", .voip), ("+44 70 1234 5678", "GB", .personalNumber),
      ("+44 76 4012 3456", "GB", .pager), ("+44 55 1234 5678", "GB", .uan),
      ("+49 177 99 123456 7", "DE", .voicemail),
      ("+54 9 11 2345 6789", "AR", .mobile), ("+54 810 234 5678", "AR", .uan),
      ("+800 1234 5678", "001", .tollFree), ("+800 12", "001", .unknown),
      ("+979 123 456 789", "001", .premiumRate),
    ] as [(String, String?, NumberType)])
  func known(text: String, region: String?, type: NumberType) throws {
    let number = try parse(text, "ZZ")
    #expect(NumberPlan.region(of: number)?.code == region)
    #expect(NumberPlan.type(of: number) == type)
    #expect(NumberPlan.isValid(number) == (type != .unknown))
    #expect(NumberPlan.region(ofDigits: number.e164)?.code == (type == .unknown ? nil : region))
  }

  @Test("a network without a country is not a region for parsing")
  func networks() throws {
    let network = try #require(NumberPlan.region(of: try parse("+800 1234 5678", "ZZ")))
    #expect(network.code == "001" && network.callingCode == 800 && !network.isGeographic)
    #expect(Region.all.allSatisfy { $0.isGeographic && $0 != network })
    let text = ContiguousArray("1234 5678".utf8)
    #expect(throws: NumberParseError.invalidCountryCode) { try NumberPlan.parse(text.span, region: network) }
    let abroad = ContiguousArray("+44 20 7946 0958".utf8)
    #expect(try NumberPlan.parse(abroad.span, region: network).e164 == 442_079_460_958)
  }

  @Test("raw values are the oracle's")
  func rawValues() {
    #expect(NumberType.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99])
    #expect(Possibility.allCases.map(\.rawValue).sorted() == [0, 1, 2, 3, 4, 5])
  }

  @Test(
    "lengths are checked, with the reason",
    arguments: [
      ("+1 650 253 0000", .isPossible), ("+1 253 0000", .isPossibleLocalOnly), ("+1 650 25", .tooShort),
      ("+1 650 253 00000", .tooLong), ("+41 222 2222 2222", .invalidLength), ("+800 1234 567", .tooShort),
    ] as [(String, Possibility)])
  func possibility(text: String, expected: Possibility) throws {
    #expect(NumberPlan.isPossible(try parse(text, "ZZ")) == expected)
  }

  // The tables are of Unicode 14, even if the system's Swift has later characters; this compares them with Swift's.
  @Test("digits and letters are Unicode's")
  func characters() throws {
    var seen = 0
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age else { continue }
      // A letter or number after the number makes it invalid; anything else is trimmed. A digit lengthens it.
      let text = ContiguousArray("650253".utf8) + ContiguousArray(String(scalar).utf8)
      let isDigit = scalar.properties.generalCategory == .decimalNumber
      let isKept = isDigit || isLetterOrNumber(scalar)
      let length = (try? NumberPlan.parse(text.span, region: Region("DE")))?.nationalLength
      seen += isKept ? 1 : 0
      if age.major > 14 {
        #expect(length == 6, "U+\(String(value, radix: 16))")
      } else if isDigit {
        #expect(length == 7, "U+\(String(value, radix: 16))")
      } else if [0x130, 0x131, 0x17F, 0x212A, 0x30FC].contains(value) {
        // Case-insensitive matching matches the first four with i, i, s and k; the last is punctuation.
        #expect(length == 6, "U+\(String(value, radix: 16))")
      } else {
        #expect(length == (isKept ? nil : 6), "U+\(String(value, radix: 16))")
      }
    }
    #expect(seen > 100_000)
  }

  private func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber:
      true
    default:
      false
    }
  }
}

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

@Suite("Prefixes of numbers")
struct PrefixTests {
  @Test(
    "the calling code at the start",
    arguments: [
      (1, 1), (1_212, 1), (7, 7), (8, nil), (82, 82), (8_270, 82), (35, nil), (353, 353), (3_531, 353),
      (999, nil), (999_123_456_789_012, nil), (0, nil), (33, 33), (UInt64.max, 1),
    ] as [(UInt64, UInt16?)])
  func callingCode(digits: UInt64, code: UInt16?) {
    #expect(NumberPlan.callingCode(ofDigits: digits) == code)
  }

  @Test("one length if the plan has one, none if it has no numbers")
  func lengths() {
    #expect(NumberPlan.validLengths(ofDigits: 8_270) == 1 << 12)
    #expect(NumberPlan.validLengths(ofDigits: 1_212) == 1 << 11)
    #expect(NumberPlan.validLengths(ofDigits: 33_162) == 1 << 11)
    #expect(NumberPlan.validLengths(ofDigits: 827_012_345_678) == 1 << 12)
    #expect(NumberPlan.validLengths(ofDigits: 8_270_123_456_789) == 0)
    #expect(NumberPlan.validLengths(ofDigits: 1_911) == 0)
    #expect(NumberPlan.validLengths(ofDigits: 999) == 0)
    #expect(NumberPlan.validLengths(ofDigits: 0) == 0)
  }

  @Test(
    "a valid number's length is among those of each of its prefixes",
    arguments: [
      "+8675512345678", "+442079460958", "+4930123456", "+390612345678", "+16042345678", "+80012345678",
    ])
  func beginnings(text: String) throws {
    let number = try NumberPlan.parseInternational(Array(text.utf8).span)
    #expect(NumberPlan.isValid(number))
    let length = number.length
    var digits = number.e164
    while let code = NumberPlan.callingCode(ofDigits: digits), digits >= UInt64(code) {
      #expect(NumberPlan.validLengths(ofDigits: digits) >> UInt64(length) & 1 == 1, "\(digits)")
      digits /= 10
    }
  }
}

@Suite("Blocks of numbers")
struct BlockTests {
  @Test("the numbers of a block have its region and type", .seeded, arguments: 0..<200)
  func uniform(round: Int) throws {
    var generator = SplitMix64(test: "blocks \(round)")
    let codes: [UInt64] = [1, 7, 39, 44, 49, 86, 800, 878, 599, 210]
    for _ in 0..<100 {
      let code =
        round % 2 == 0
        ? codes.randomElement(using: &generator) ?? 1 : UInt64.random(in: 1...999, using: &generator)
      var number = code
      for _ in 0..<Int.random(in: 0...(15 - String(code).count), using: &generator) {
        number = number * 10 + UInt64.random(in: 0...9, using: &generator)
      }
      let block = NumberPlan.block(ofDigits: number)
      #expect(block.first <= number && number <= block.last)
      #expect(String(block.first).count == String(block.last).count)
      #expect(block.callingCode == NumberPlan.callingCode(ofDigits: number) ?? 0)
      for member in [
        number, block.first, block.last, UInt64.random(in: block.first...block.last, using: &generator),
      ] {
        #expect(NumberPlan.block(ofDigits: member) == block, "\(member) and \(number)")
        let valid = NumberPlan.region(ofDigits: member)
        #expect((block.type == .unknown) == (valid == nil), "\(member)")
        if let valid {
          #expect(block.region == valid)
          let parsed = try NumberPlan.parseInternational(Array("+\(member)".utf8).span)
          if parsed.e164 == member { #expect(block.type == NumberPlan.type(of: parsed), "\(member)") }
        }
      }
    }
  }

  @Test("blocks that the plan distinguishes by their first digits are large")
  func large() {
    let mobile = NumberPlan.block(ofDigits: 8_613_800_138_000)
    #expect(mobile.first == 8_613_000_000_000)
    #expect(mobile.last == 8_613_999_999_999)
    #expect(mobile.region?.code == "CN")
    #expect(mobile.type == .mobile)
    // Several regions share the calling code, and the number is not valid in any.
    let invalid = NumberPlan.block(ofDigits: 11_234_567_890)
    #expect(invalid.callingCode == 1)
    #expect(invalid.region == nil)
    #expect(invalid.type == .unknown)
    // Without a calling code, and longer than any number.
    #expect(NumberPlan.block(ofDigits: 2_101_234).callingCode == 0)
    #expect(NumberPlan.block(ofDigits: .max).last == .max)
  }
}
