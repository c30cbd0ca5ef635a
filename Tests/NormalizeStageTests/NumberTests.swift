// Number texts: libphonenumber's results, the digits that it would read wrongly, and the reasons of rejects.

import NumberPlan
import RecordStages
import Records
import TestSupport
import Testing

@Suite("Numbers")
struct NumberTests {
  /// Answers of libphonenumber 9.0.43.
  @Test(
    "libphonenumber's entries",
    arguments: [
      ("CN", "0755-12345678", "8675512345678"), ("CN", "17951 13812345678", "8613812345678"),
      ("CN", "95588", "8695588"),
      ("KR", "070-1234-5678", "827012345678"), ("KR", "+82 070-1234-5678", "827012345678"),
      ("US", "+82 070-1234-5678", "827012345678"), ("KR", "1588-1234", "8215881234"),
      ("IT", "06 9480 5123", "390694805123"), ("IT", "347 1234567", "393471234567"),
      ("FR", "0033162040000", "33162040000"), ("RU", "8 (495) 1234567", "74951234567"),
      ("RU", "8 10 49 30 123456", "4930123456"), ("HU", "06 1 234 5678", "3612345678"),
      ("AR", "0 11 15-2345-6789", "5491123456789"), ("BR", "0 15 11 91234-5678", "5511912345678"),
      ("US", "011 44 20 79460958", "442079460958"), ("US", "+44 (0)20 7946 0958", "442079460958"),
      ("GB", "+44 (0)20 7946 0958", "442079460958"), ("CL", "600 123 4567", "566001234567"),
      ("CN", "０７５５１２３４５６７８", "8675512345678"), ("CN", "＋８６　１３８　１２３４　５６７８", "8613812345678"),
      ("CN", "١٣٨١٢٣٤٥٦٧٨", "8613812345678"),
    ])
  func vectors(region: String, text: String, number: String) throws {
    #expect(try normalize([text], region: region).lines == [number])
  }

  @Test("with a plus sign, the region is ignored and not needed")
  func international() throws {
    #expect(
      try normalize(["+44 (0)20 7946 0958", "+82 070-1234-5678"]).lines == ["442079460958", "827012345678"])
  }

  /// Nine numbers of the list that this project began with: calling code first, without a plus sign, and most of them
  /// not valid according to libphonenumber.
  static let sampleNumbers = [
    "86196852102", "86196852201", "86196852202", "86196852213", "86201008613", "86202096585", "86211008611",
    "86216618834", "86219506524",
  ]

  @Test(
    "digits with the region's calling code are kept, with and without the region", arguments: [nil, "CN"])
  func parsedWithCallingCode(region: String?) throws {
    let result = try normalize(Self.sampleNumbers + ["8616881486368"], region: region)
    #expect(result.lines == Self.sampleNumbers + ["8616881486368"])
    #expect(result.rejects == [])
  }

  @Test("a foreign number with a dialling prefix stays foreign, also if it starts like the region's code")
  func dialled() throws {
    // The international prefix is not part of a number that is valid without stripping.
    #expect(
      try normalize(["0086 13812345678", "00441632960000"], region: "CN").lines == [
        "8613812345678", "441632960000",
      ])
  }

  @Test("--numbers sets how digits without a plus sign are read")
  func readings() throws {
    func read(_ reading: NormalizeOptions.Reading) throws(Failure) -> [String] {
      let rows = [TestRow(1, "86196852102"), TestRow(2, "13812345678")]
      let result = try normalize(rows, NormalizeOptions(region: Region("CN"), numbers: reading))
      return result.lines + result.rejects
    }
    #expect(try read(.auto) == ["86196852102", "8613812345678"])
    // In the region's plan, the digits are a number of eleven digits; as international digits, the second
    // one begins with North America's code.
    #expect(try read(.national) == ["8686196852102", "8613812345678"])
    #expect(try read(.international) == ["86196852102", "13812345678"])
  }

  @Test("every reject has its reason and its row")
  func rejects() throws {
    let result = try normalize(
      [
        "", "abc", "+8613812345678", "+86 1", "+999 123456", "+86 1381234567890123", "13812345678", "+",
        "+49 1",
      ],
      region: "CN")
    #expect(result.lines == ["8613812345678", "8613812345678"])
    #expect(
      result.rejects == [
        "1 not-a-number", "2 not-a-number", "4 too-short", "5 invalid-country-code", "6 too-long",
        "8 not-a-number",
        "9 too-short",
      ])
  }

  @Test("two numbers with a word between them are not one number; a word may be part of a number")
  func joinedNumbers() throws {
    let joined = ["030 1234-0 bis 99", "030 12345 TO 99", "030 12345 and (030) 12346", "030 12345 thru +49"]
    let result = try normalize(joined, region: "DE")
    #expect(result.lines == [] && result.rejects == joined.indices.map { "\($0 + 1) not-a-number" })
    let words = ["1 800 FLOWERS", "(800) CALL TO 2", "650 253 0000 to"]
    #expect(try normalize(words, region: "US").rejects == [])
  }

  @Test(
    "digits before or after a valid number, which may be a count, a day or the end of another number",
    arguments: [
      ("DE", "1 030 1234508"), ("DE", "3x 030 1234508"), ("DE", "[8] 030 1234508"), ("DE", "1.030 1234508"),
      ("DE", "Nr. 3 030 1234508"), ("DE", "12 0301234508"), ("DE", "120 030 1234508"),
      ("DE", "KW 12 0281 1234567"),
      ("DE", "0171 1234567 8"), ("CN", "1.13912345678"), ("CN", "(1)13912345678"), ("CN", "13800138006 3"),
      ("CN", "138-0013-8000-1"), ("CN", "1 13800138000"), ("BR", "1 (11) 3333-4444"), ("IT", "1 06 1234567"),
      ("IT", "ore 10 06 1234567"), ("TR", "1 0212 555 01 43"), ("PL", "3x 22 123 45 67"),
      ("RU", "8 495 123-45-67 05.01"), ("KR", "02-312-3400 3"), ("DE", "030 123 45 67 2024"),
      ("DE", "030 1234567 9-17"), ("DE", "030 123 45 67 9-17"), ("KR", "02-312-3400 - 3"),
      ("IE", "01 234 5678 – 3"), ("DE", "030 123 45 67 3\u{2605}"), ("DE", "030 123 45 67 12 €"),
      ("DE", "030 123 45 67 10+"), ("DE", "030 12345 67a"), ("DE", "030 1234567 1)"),
      ("DE", "030 12345 (67)"),
      ("DE", "030 12345-(67-69)"), ("DE", "030 12345 [67]"), ("DE", "030 12345[0]"),
      ("DE", "030 1234514 4.5"), ("DE", "030 1234523 1.234"), ("DE", "030 1234552 5\u{2013}9"),
      ("DE", "030 1234562 5."),
      ("AT", "01 2345678 10.30"), ("SE", "08-123 45 88 5"),
      ("FI", "09 123 45 67 8"),
      ("DE", "0221 998830 \u{2605}\u{2605}\u{2605}\u{2605}"), ("DE", "0221 998825 ***"),
      ("JP", "03-1234-5638 5 \u{2605}"),
    ])
  func extraDigits(region: String, text: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines == [] && result.rejects == ["1 extra-digits"], "\(text): \(result.lines)")
    #expect(try normalize([text], region: region, require: .none).rejects == [])
  }

  @Test(
    "a count or a mark after a complete number is not a wildcard",
    arguments: [
      ("DE", "030 1234567 3x"), ("DE", "030 1234567 3\u{D7}"), ("DE", "0171 1234567 12X"),
      ("DE", "030 1234567 3*"),
      ("DE", "030 1234567 *"), ("DE", "030 1234567 _"), ("DE", "030 1234567 3\u{2605}"),
      ("IT", "06 1234567 3x"),
      ("SG", "6123 4568 3x"), ("KR", "02-312-3400 3x"),
    ])
  func counts(region: String, text: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines == [] && result.rejects.count == 1, "\(text): \(result.lines)")
  }

  @Test(
    "groups that belong to the number",
    arguments: [
      ("US", "1 (212) 555-0143", "12125550143"), ("DE", "49 30 1234501", "49301234501"),
      ("IT", "39 06 1234567", "39061234567"),
      ("DE", "030 1234567-0", "493012345670"), ("DE", "171 0123456", "491710123456"),
      ("IT", "333 0123456", "393330123456"), ("IT", "331 0123 4501", "3933101234501"),
      ("NO", "812 02 451", "4781202451"), ("FR", "01 62 00 00 00", "33162000000"),
      ("DE", "030\u{202F}123\u{2007}45\u{2009}67", "49301234567"),
      ("DE", "030 1234567 ##", "4930123456700..4930123456799"),
      ("DE", "0 30 / 12 34 56 7", "49301234567"), ("DE", "030 123 45 67.", "49301234567"),
      ("FR", "01 62 00 00 00\u{274C}", "33162000000"), ("SE", "08-123 456 78\u{274C}", "46812345678"),
      ("DE", "030 12345 67\u{A0}", "49301234567"),
      ("DK", "32 12 34 56 (12)", "4532123456"), ("DE", "+49 30 12 34 567-0", "493012345670"),
      ("DE", "110", "49110"),
    ])
  func groups(region: String, text: String, number: String) throws {
    #expect(try normalize([text], region: region).lines == [number])
  }

  @Test(
    "an area code alone is not a local number",
    arguments: [
      ("DE", "030"), ("DE", "030,1234567"), ("DE", "030#1234567"), ("DE", "030|1234567"), ("DE", "0800"),
      ("DE", "0211"), ("DE", "0172"), ("DE", "(0211)"), ("DE", "0211/"), ("DE", "Vorwahl 0211"),
      ("DE", "02151"), ("DE", "03301"), ("AT", "0512"), ("AT", "0316"), ("AT", "0664"), ("GB", "020"),
      ("CN", "0755"), ("FR", "01"), ("JP", "03"),
    ])
  func areaCodes(region: String, text: String) throws {
    #expect(try normalize([text], region: region).rejects == ["1 too-short"])
    #expect(try normalize([text], region: region, require: .none).rejects.contains("1 too-short") == false)
  }

  @Test(
    "a text that is one of two numbers, or a number or a pattern, is neither",
    arguments: [
      // Area codes of Germany and Indonesia begin with the country's calling code.
      ("DE", "491711234567"), ("DE", "49 176 12345678"), ("DE", "492211234567"), ("ID", "62211234567"),
      ("DE", "030 1234578?"), ("DE", "0171 1234504?"), ("DE", "030 1234578#"), ("IT", "06 12345678?"),
    ])
  func ambiguous(region: String, text: String) throws {
    #expect(try normalize([text], region: region).rejects == ["1 ambiguous"])
    #expect(try normalize([text], region: region, require: .none).rejects == [])
  }

  @Test(
    "a calling code that can only be one",
    arguments: [
      // Italy has no trunk prefix, and its mobile numbers begin with its calling code.
      ("IT", "3931234567", "393931234567"), ("DE", "+491711234567", "491711234567"),
      ("DE", "04917 1234567", "4949171234567"), ("DE", "00491711234567", "491711234567"),
      ("DE", "https://wa.me/491711234567", "491711234567"),
      ("DE", "https://api.whatsapp.com/send?phone=491711234567&text=1", "491711234567"),
      ("RU", "+7 495 123-45-67", "74951234567"), ("RU", "8 495 123-45-67", "74951234567"),
    ])
  func certainCallingCodes(region: String, text: String, number: String) throws {
    #expect(try normalize([text], region: region).lines == [number])
  }

  @Test(
    "a group after a plus sign that ends within the calling code",
    arguments: [("RU", "+8 495 123-45-67"), ("DE", "+4 9171 1234567"), (nil, "8 495 123-45-67")])
  func splitCallingCodes(region: String?, text: String) throws {
    #expect(try normalize([text], region: region).rejects == ["1 invalid-country-code"])
  }

  /// Ukraine writes the last digit of its calling code as the first one of area codes.
  @Test(arguments: ["+38 (067) 123-45-01", "+38 067 123 45 01", "+38-067-1234501", "+380 67 123 45 01"])
  func callingCodesBeforeAreaCodes(_ text: String) throws {
    #expect(try normalize([text], region: nil).lines == ["380671234501"])
    #expect(try normalize(["+38 67 123-45-01", "+3 80 67 123 45 01"], region: nil).lines == [])
  }

  @Test("short numbers are no area codes", arguments: [("DE", "110", "49110"), ("DE", "211", "49211")])
  func shortNumbers(region: String, text: String, number: String) throws {
    #expect(try normalize([text], region: region).lines == [number])
  }

  @Test(
    "a trunk prefix that a country has given up is none of the number's digits",
    arguments: [
      ("PL", "(0-22) 123 45 91", "48221234591"), ("PL", "0 22 123 45 91", "48221234591"),
      ("PL", "022 123 45 91", "48221234591"), ("PL", "0221234591", "48221234591"),
      ("DE", "+48 022 123 45 91", "48221234591"), ("PL", "221234591", "48221234591"),
      ("CZ", "0 601 234 567", "420601234567"), ("PT", "0 21 123 4567", "351211234567"),
      ("GR", "0 21 0123 4567", "302101234567"), ("IT", "0347 1234567", "393471234567"),
      ("IT", "06 1234567", "39061234567"), ("MX", "01 55 1234 5678", "525512345678"),
      ("MX", "045 55 1234 5678", "525512345678"), ("MX", "04455 1234 5678", "525512345678"),
      ("US", "+52 1 55 1234 5678", "525512345678"), ("MX", "55 1234 5678", "525512345678"),
    ])
  func formerTrunkPrefixes(region: String, text: String, number: String) throws {
    #expect(try normalize([text], region: region).lines == [number])
    // Also from the cache of prefixes.
    let digits = text.filter { $0.isNumber || $0 == "+" }
    #expect(try normalize([digits, digits], region: region).lines == [number, number])
  }

  @Test(
    "an extension after a hyphen and a whole local number, unless it may be the end of a range",
    arguments: [
      ("CN", "0755-12345678-801", "8675512345678"), ("CN", "010-12345678-8001", "861012345678"),
      ("CN", "+86-755-12345678-801", "8675512345678"), ("CN", "0755-12345678-12", "8675512345678"),
      ("CN", "0755-12345678-79", "too-long"), ("CN", "138-0013-8000-1", "extra-digits"),
      ("DE", "030 1234567-12", "4930123456712"),
    ])
  func extensionsAfterHyphens(region: String, text: String, expected: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines + result.rejects.map { String($0.dropFirst(2)) } == [expected])
  }

  @Test(
    "a postal code is not a local number", arguments: [("BR", "01310-100"), ("BR", "CEP 20040-002")])
  func postalCodes(region: String, text: String) throws {
    #expect(try normalize([text], region: region).rejects == ["1 not-a-number"])
    #expect(try normalize(["3333-4444"], region: region).lines == ["5533334444"])
  }

  @Test(
    "words after a whole number lead to no digits of it",
    arguments: [
      ("NL", "020 123 4567 t/m 69"), ("DE", "030 1234567 t/m 69"), ("FR", "01 62 00 00 00 jusqu'à 59"),
      ("DE", "030 1234567 Fax 79"), ("DE", "030 1234567 Durchwahl 12"), ("DE", "030 12345678 FAX 79"),
      ("US", "212 555 0123 alt 0124"), ("RU", "8 495 123-45-67 факс 68"), ("PL", "22 123 45 67 wewn 12"),
    ])
  func wordsAfterNumbers(region: String, text: String) throws {
    #expect(try normalize([text], region: region).lines == [])
  }

  @Test(
    "extensions and vanity numbers are numbers",
    arguments: [
      ("US", "212 555 0123 ext. 12", "12125550123"), ("US", "212 555 0123 x 12", "12125550123"),
      ("US", "212 555 0123 int 12", "12125550123"), ("US", "1 800 555 TELL", "18005558355"),
      ("DE", "Nummer 030 1234567", "49301234567"),
    ])
  func wordsOfNumbers(region: String, text: String, number: String) throws {
    #expect(try normalize([text], region: region).lines == [number])
  }

  @Test("--require sets the required validity")
  func requirements() throws {
    // Of a possible length, but not assigned.
    let text = ["+12001230101", "+12025550123", "+86 1"]
    #expect(try normalize(text, require: .possible).rejects == ["3 too-short"])
    #expect(try normalize(text, require: .valid).rejects == ["1 not-valid", "3 too-short"])
    #expect(try normalize(text, require: .valid).lines == ["12025550123"])
    #expect(try normalize(["+86 12"], require: .none).lines == ["8612"])
  }

  @Test("more than fifteen digits are not an E.164 number, whatever is required")
  func tooManyDigits() throws {
    for require in NormalizeOptions.Requirement.allCases {
      #expect(try normalize(["+49 1234 5678 9012 3456 7"], require: require).rejects == ["1 too-long"])
    }
  }

  @Test(arguments: [
    ("US", "207.90.238.68", "not-a-number"), ("FR", "192.0.2.1", "not-a-number"),
    ("US", "212.555.0100", "12125550100"), ("DK", "32.12.34.56", "4532123456"),
    ("DE", "030.123.45.67", "49301234567"),
  ])
  func addressesOfIPv4(region: String, text: String, expected: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines + result.rejects.map { String($0.dropFirst(2)) } == [expected], "\(text)")
  }

  @Test(
    "URIs: the user is the number, and parameters that libphonenumber does not read are left out",
    arguments: [
      ("US", "sip:+12125550199@sip.example.com", "12125550199"),
      ("US", "<sip:+12125550198@192.0.2.1>;tag=as58", "12125550198"),
      ("US", #""Spam 24" <sip:+12125550197@sip.example.com;user=phone>"#, "12125550197"),
      ("US", "SIPS:212-555-0123;verstat=TN-Validation-Passed@192.0.2.1", "12125550123"),
      ("US", "+12125550199;cpc=ordinary@example.com", "12125550199"),
      ("US", "sip:+12125550199", "12125550199"),
      ("DE", "tel:+49-30-1234567;npdi;rn=+4930", "49301234567"),
      ("DE", "tel:%2B49%2030%201234567", "49301234567"),
      ("DE", "tel:1234567;foo=1;phone-context=+4930", "49301234567"),
      ("DE", "tel:+49301234567;ext=12", "49301234567"), ("DE", "sms:+49301234567?body=Hi%202", "49301234567"),
      ("DE", "skype:+49301234567?call", "49301234567"), ("DE", "tel:030123456##", "4930123456##"),
      ("DE", #"=HYPERLINK("tel:+49301234567","24")"#, "49301234567"), ("DE", "'+49301234567", "49301234567"),
      ("DE", "+49301234567 max@example.com", "not-a-number"),
      ("DE", "tel:+49301234567 max@example.com", "49301234567"),
      ("FR", "sip:bob@203.0.113.24", "not-a-number"), ("FR", "sip:203.0.113.24", "not-a-number"),
      ("DE", "sip:user1234567@example.com", "not-a-number"),
      ("DE", "bob+4930123456@example.com", "not-a-number"),
    ])
  func addresses(region: String, text: String, expected: String) throws {
    let result = try normalize([text], region: region)
    let expected =
      expected.hasSuffix("##") ? "\(expected.dropLast(2))00..\(expected.dropLast(2))99" : expected
    #expect(result.lines + result.rejects.map { String($0.dropFirst(2)) } == [expected], "\(text)")
  }

  @Test(
    "what follows a complete number adds no digits to it, unless libphonenumber calls all of it valid",
    arguments: [
      ("CN", "13800138000 (3)", "8613800138000"), ("CN", "13800138000 [12 Anrufe]", "8613800138000"),
      ("CN", "13800138000p1", "8613800138000"), ("US", "+12125550123w12", "12125550123"),
      ("US", "212-555-0123pp1234", "12125550123"), ("CN", "95588 (3)", "not-a-number"),
      ("DE", "030 1234567 (12x)", "49301234567"), ("DE", "0171 1234567 (12×)", "491711234567"),
      ("US", "(212) 555-0123 (2125550124)", "too-long"), ("DE", "+49 30 1234567 ext. 12", "49301234567"),
      // libphonenumber's reading.
      ("DE", "+4930123456p12", "493012345612"),
    ])
  func remarks(region: String, text: String, expected: String) throws {
    let result = try normalize([text], region: region)
    #expect(result.lines + result.rejects.map { String($0.dropFirst(2)) } == [expected], "\(text)")
  }

  @Test("a count after a number is not a part of it without a region, too")
  func internationalRemarks() throws {
    #expect(
      try normalize(["+8613800138000 (3)", "+49301234567 (12x)"]).lines == ["8613800138000", "49301234567"])
  }
}
