// Selected numbers, extensions and parameters of `tel:` addresses, one by one; VectorTests has the many
// cases.

import NumberPlan
import TestSupport
import Testing

func parse(_ text: String, _ region: String) throws(NumberParseError) -> ParsedNumber {
  try NumberPlan.parse(ContiguousArray(text.utf8).span, region: Region(region))
}

@Suite("Parsing")
struct ParsingTests {
  @Test(
    "known numbers",
    arguments: [
      ("CN", "0755-12345678", 8_675_512_345_678),
      ("CN", "17951 13812345678", 8_613_812_345_678),
      ("CN", "95588", 8_695_588),
      ("CN", "01050861064", 861_050_861_064),
      ("KR", "070-1234-5678", 827_012_345_678),
      ("ZZ", "+82 070-1234-5678", 827_012_345_678),
      ("KR", "1588-1234", 8_215_881_234),
      ("IT", "06 9480 5123", 390_694_805_123),
      ("IT", "347 1234567", 393_471_234_567),
      ("FR", "0033162040000", 33_162_040_000),
      ("RU", "8 (495) 1234567", 74_951_234_567),
      ("RU", "8 10 49 30 123456", 4_930_123_456),
      ("HU", "06 1 234 5678", 3_612_345_678),
      ("AR", "0 11 15-2345-6789", 5_491_123_456_789),
      ("BR", "0 15 11 91234-5678", 5_511_912_345_678),
      ("US", "011 44 20 79460958", 442_079_460_958),
      ("ZZ", "+44 (0)20 7946 0958", 442_079_460_958),
      ("CL", "600 123 4567", 566_001_234_567),
      ("CN", "０７５５－１２３４５６７８", 8_675_512_345_678),
      ("EG", "٠١٠٠١٢٣٤٥٦٧", 201_001_234_567),
      ("ZZ", "＋44 20 7946 0958 ext. 12", 442_079_460_958),
      ("US", "1-800-FLOWERS", 18_003_569_377),
      ("ZZ", "+800 1234 5678", 80_012_345_678),
      ("ZZ", "+882 1234 56789", 882_123_456_789),
      ("AG", "460 1234", 12_684_601_234),
    ] as [(String, String, UInt64)])
  func known(region: String, text: String, e164: UInt64) throws {
    #expect(try parse(text, region).e164 == e164)
  }

  @Test(
    "failures",
    arguments: [
      ("CN", "", .notANumber), ("CN", "电话", .notANumber), ("CN", "1", .notANumber),
      ("ZZ", "13812345678", .invalidCountryCode),
      ("ZZ", "+999 12345", .invalidCountryCode), ("US", "011 44", .tooShortAfterIDD),
      ("ZZ", "+44 1", .tooShortNSN),
      ("CN", "138123456781381234567", .tooLong), ("US", "5551234;phone-context=1", .notANumber),
      ("US", String(repeating: "1", count: 251), .tooLong),
      ("US", String(repeating: "1", count: 250), .tooLong),
      ("US", String(repeating: "1", count: 33), .tooLong),
      ("ZZ", "+999" + String(repeating: "1", count: 60), .invalidCountryCode),
      ("US", "011" + "999" + String(repeating: "1", count: 60), .invalidCountryCode),
      ("ZZ", String(repeating: "1", count: 60), .invalidCountryCode),
      ("ZZ", String(repeating: "+", count: 250), .notANumber),
    ] as [(String, String, NumberParseError)])
  func failures(region: String, text: String, failure: NumberParseError) {
    #expect(throws: failure) { try parse(text, region) }
  }

  @Test("what was stripped is reported")
  func stripped() throws {
    #expect(try parse("17951 13812345678", "CN").stripped == [.nationalPrefix, .carrier])
    #expect(try parse("+44 020 7946 0958", "ZZ").stripped == [.plus, .nationalPrefix])
    #expect(try parse("0033162040000", "FR").stripped == .internationalPrefix)
    #expect(try parse("8613812345678", "CN").stripped == .callingCode)
    #expect(try parse("13812345678", "CN").stripped == [])
    #expect(try parse("0 15 11 91234-5678", "BR").stripped == [.nationalPrefix, .carrier])
    #expect(try parse("33 01 23 45 67 89", "FR").stripped == [.callingCode, .nationalPrefix])
  }

  @Test(
    "carrier codes and international prefixes are reported in digits",
    arguments: [
      ("CN", "17951 13812345678", "17951", nil), ("BR", "0 15 11 91234-5678", "15", nil),
      ("CN", "0755-12345678", nil, nil), ("US", "011 44 20 79460958", nil, "011"),
      ("AU", "1474 0011 44 20 79460958", nil, "14740011"), ("BR", "0015 55 0 31 11 91234 5678", "31", "0015"),
      ("ZZ", "+55 0 15 11 91234-5678", "15", nil),
    ] as [(String, String, String?, String?)])
  func strippedDigits(region: String, text: String, carrier: String?, prefix: String?) throws {
    let number = try parse(text, region)
    #expect(number.carrierCode == carrier && number.internationalPrefix == prefix)
  }

  @Test("the example of the documentation")
  func documented() throws {
    let number = try parse("(0755) 1234-5678 ext. 9", "CN")
    #expect(number.e164 == 8_675_512_345_678 && number.stripped == [.nationalPrefix])
    #expect(number.extension == 22..<23)
    #expect(NumberPlan.isPossible(number) == .isPossible && NumberPlan.isValid(number))
    #expect(NumberPlan.region(of: number)?.code == "CN" && NumberPlan.type(of: number) == .fixedLine)
    #expect(MemoryLayout<ParsedNumber>.size == 24)
  }

  @Test("short service numbers are real, and not valid")
  func shortNumbers() throws {
    #expect(!NumberPlan.isValid(try parse("95588", "CN")))
    #expect(!NumberPlan.isValid(try parse("10086", "CN")))
  }

  @Test("leading zeros belong to the number")
  func leadingZeros() throws {
    let number = try parse("06 9480 5123", "IT")
    #expect(number.leadingZeros == 1 && number.nationalNumber == 694_805_123 && number.length == 12)
    #expect(try parse("+39 0000", "ZZ").leadingZeros == 3)
  }

  @Test("--numbers international reads all digits as international")
  func international() throws {
    #expect(
      try NumberPlan.parseInternational(ContiguousArray("86196852102".utf8).span).e164 == 86_196_852_102)
    #expect(
      try NumberPlan.parseInternational(ContiguousArray("+86196852102".utf8).span).e164 == 86_196_852_102)
    #expect(throws: NumberParseError.invalidCountryCode) {
      try NumberPlan.parseInternational(ContiguousArray("0196852102".utf8).span)
    }
  }

  @Test(
    "with prefixes, a text may have up to 34 digits",
    arguments: [
      ("AU", "14110011810037680" + "1234567890123456", 1_234_567_890_123_456),
      ("AU", "14110011810037680" + "12345678901234567", 12_345_678_901_234_567),
      ("JP", "8100376800037680" + "12345678901234567", 12_345_678_901_234_567),
    ] as [(String, String, UInt64)])
  func longTexts(region: String, text: String, national: UInt64) throws {
    let number = try parse(text, region)
    #expect(number.callingCode == 81 && number.nationalNumber == national)
  }

  @Test("a number of 20 digits has no E.164 value")
  func tooLongForE164() throws {
    let number = try parse("+852 12345678901234567", "ZZ")
    #expect(number.length == 20 && number.e164 == 0 && NumberPlan.isPossible(number) == .tooLong)
  }

  @Test("any bytes get a result", arguments: [UInt64(1), 20_260_117])
  func anyBytes(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let regions = Region.all
    let pieces: [[UInt8]] = [
      [0xFF], [0xE4, 0xB8], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      Array("１".utf8),
      Array("+".utf8),
      Array(";ext=".utf8), Array("0".utf8), Array("12345".utf8), Array("x".utf8), Array("#".utf8),
      Array(", ".utf8),
    ]
    for _ in 0..<50_000 {
      var text: ContiguousArray<UInt8> = []
      for _ in 0..<generator.next() % 12 {
        text +=
          generator.next() % 4 == 0
          ? [UInt8(truncatingIfNeeded: generator.next())]
          : pieces[Int(generator.next() % UInt64(pieces.count))]
      }
      let region = generator.next() % 8 == 0 ? nil : regions[Int(generator.next() % UInt64(regions.count))]
      guard let number = try? NumberPlan.parse(text.span, region: region) else { continue }
      #expect((2...17).contains(number.nationalLength), "seed \(seed): \(text)")
    }
  }
}

@Suite("Extensions and tel: parameters")
struct ExtensionTests {
  /// The extension of `text`.
  private func digits(_ text: String, _ region: String = "US") throws -> String? {
    try parse(text, region).extensionDigits(in: ContiguousArray(text.utf8))
  }

  @Test(
    "known extensions",
    arguments: [
      ("650 253 0000 ext. 12", "12"), ("650 253 0000 x12", "12"), ("650 253 0000;ext=12", "12"),
      ("650 253 0000 EXTENSIÓN 7", "7"), ("650 253 0000 exten\u{17F}\u{130}o\u{301}n 7", "7"),
      ("650 253 0000 ДОБ 5", "5"), ("650 253 0000 ＩＮＴ 5", "5"), ("650 253 0000,,55#", "55"),
      ("650 253 0000 - 12#", "12"), ("650 253 0000 ext ١٢", "١٢"), ("650 253 0000 x1x2", "2"),
      ("650 253 0000 ext 12345678901234567890", "12345678901234567890"),
      ("650 253 0000 x302/x2303", "302"), ("650 253 0000;ext=5;isub=12", "5"),
      ("650 253 0000;ext=3;phone-context=+1", "3"),
    ])
  func known(text: String, expected: String) throws {
    #expect(try digits(text) == expected)
  }

  @Test(
    "no extension", arguments: ["650 253 0000", "650 253 0000 x", "253 int 1234567890"])
  func none(text: String) throws {
    let number = try parse(text, "US")
    #expect(number.extension == nil && number.extensionHead == nil)
  }

  @Test("positions are byte offsets in the whole text")
  func places() throws {
    #expect(try parse("电话 650 253 0000 доб 12.", "US").extension == 27..<29)
    #expect(try parse("tel:0000x34;phone-context=+1650253", "US").extension == 9..<11)
  }

  @Test("an extension that a phone context divides has two positions")
  func twoPlaces() throws {
    let number = try parse("34#;phone-context=+1650253-2", "ZZ")
    #expect(number.extension == 0..<2 && number.extensionHead == 27..<28)
    #expect(number.callingCode == 1 && number.nationalNumber == 650_253)
    #expect(try digits("34#;phone-context=+1650253-2") == "234")
    // The whole extension is in the context.
    let other = try parse("#;phone-context=+1650253-2", "ZZ")
    #expect(other.extension == 25..<26 && other.extensionHead == nil)
  }

  @Test(
    "phone contexts",
    arguments: [
      ("ZZ", "tel:253-0000;phone-context=+1650", 16_502_530_000),
      ("ZZ", "253-0000;phone-context=+1-(650)", 16_502_530_000),
      ("ZZ", "tel:253-0000;isub=12;phone-context=+1650;x=y", 16_502_530_000),
      ("US", "tel:650-253-0000;phone-context=example.com", 16_502_530_000),
      ("US", "650-253-0000;phone-context=a-1.b.;isub=1", 16_502_530_000),
      ("NZ", ";phone-context=+16502530000;tel:", 16_502_530_000),
      ("ZZ", "tel:2530000;phone-context=+1650;phone-context=", 16_502_530_000),
    ] as [(String, String, UInt64)])
  func contexts(region: String, text: String, e164: UInt64) throws {
    #expect(try parse(text, region).e164 == e164)
  }

  @Test(
    "invalid phone contexts",
    arguments: [
      "", "1650", "+", "+1650x", "a b", "-a.b", "a-.b", "a..b", "a.1", "a.b-", ".", "+1;650x\u{0}",
    ])
  func badContexts(context: String) {
    let isGood = context.hasPrefix("+1;")
    let text = "6502530000;phone-context=" + context
    if isGood {
      #expect(throws: Never.self) { try parse(text, "US") }
    } else {
      #expect(throws: NumberParseError.notANumber) { try parse(text, "US") }
    }
  }

  @Test("text before a number with a context is not skipped")
  func junkBeforeContext() {
    #expect(throws: NumberParseError.notANumber) { try parse("call 6502530000;phone-context=+1", "US") }
    #expect(throws: NumberParseError.notANumber) { try parse("TEL:6502530000;phone-context=+1", "US") }
  }
}
