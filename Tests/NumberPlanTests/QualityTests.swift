// Regions and types of numbers, and the characters of numbers, one by one. VectorTests has the many cases.

import NumberPlan
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
