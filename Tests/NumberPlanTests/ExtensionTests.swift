// Extensions, and the parameters of `tel:` addresses: values and positions. VectorTests has the many cases.

import NumberPlan
import Testing

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
