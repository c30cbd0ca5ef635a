// The forms in which numbers are written. The oracle compares millions of them: see Oracle/compare_numbers.py.

import NumberPlan
import Testing

@Suite("Forms of numbers")
struct FormTests {
  private func text(_ number: UInt64, _ form: NumberForm) -> String {
    var text: [UInt8] = []
    NumberPlan.append(number, as: form, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test(
    "national and international form",
    arguments: [
      (12_015_550_123, "(201) 555-0123", "+1 201-555-0123"),
      (15_062_345_678, "(506) 234-5678", "+1 506-234-5678"),
      (442_079_460_958, "020 7946 0958", "+44 20 7946 0958"),
      (4_930_230_012_345, "030 230012345", "+49 30 230012345"),
      (4_915_123_456_789, "01512 3456789", "+49 1512 3456789"),
      (33_199_001_234, "01 99 00 12 34", "+33 1 99 00 12 34"),
      (34_810_123_456, "810 12 34 56", "+34 810 12 34 56"),
      (861_012_345_678, "010 1234 5678", "+86 10 1234 5678"),
      (8_613_123_456_789, "131 2345 6789", "+86 131 2345 6789"),
      (81_312_345_678, "03-1234-5678", "+81 3-1234-5678"),
      (819_012_345_678, "090-1234-5678", "+81 90-1234-5678"),
      (8_222_123_456, "02-212-3456", "+82 2-212-3456"),
      (917_410_410_123, "074104 10123", "+91 74104 10123"),
      (551_123_456_789, "(11) 2345-6789", "+55 11 2345-6789"),
      (522_001_234_567, "200 123 4567", "+52 200 123 4567"),
      (56_600_123_456, "600 123 456", "+56 600 123 456"),
      (576_012_345_678, "(601) 2345678", "+57 601 2345678"),
      (73_011_234_567, "8 (301) 123-45-67", "+7 301 123-45-67"),
      (77_123_456_789, "8 (71234) 5 67 89", "+7 71234 5 67 89"),
      (380_311_234_567, "03112 34567", "+380 3112 34567"),
      (375_152_450_911, "8 0152 45-09-11", "+375 152 45-09-11"),
      (37_031_234_567, "(0-312) 34567", "+370 312 34567"),
      (3_612_345_678, "(06 1) 234 5678", "+36 1 234 5678"),
      (36_201_234_567, "06 20 123 4567", "+36 20 123 4567"),
      (46_317_401_234, "031-740 12 34", "+46 31 740 12 34"),
      (4_532_123_456, "32 12 34 56", "+45 32 12 34 56"),
      (431_234_567_890, "01 234567890", "+43 1 234567890"),
      (902_123_456_789, "(0212) 345 67 89", "+90 212 345 67 89"),
      (97_221_234_567, "02-123-4567", "+972 2-123-4567"),
      (20_234_567_890, "02 34567890", "+20 2 34567890"),
      (2_342_033_123_456, "02033 12 3456", "+234 2033 12 3456"),
      (61_255_501_234, "(02) 5550 1234", "+61 2 5550 1234"),
      (6_561_234_567, "6123 4567", "+65 6123 4567"),
      (62_218_350_123, "(021) 8350123", "+62 21 8350123"),
      // The second group is written first, and only in the country.
      (541_123_456_789, "011 2345-6789", "+54 11 2345-6789"),
      (5_491_123_456_789, "011 15-2345-6789", "+54 9 11 2345-6789"),
      // The zero is part of the number.
      (390_612_345_678, "06 1234 5678", "+39 06 1234 5678"),
      // Networks without a country.
      (80_012_345_678, "1234 5678", "+800 1234 5678"),
      (88_213_901_234, "13 90 1234", "+882 13 90 1234"),
      (870_301_234_567, "301 234 567", "+870 301 234 567"),
      // A format that is not for international forms.
      (15_550_123, "555-0123", "+1 5550123"),
      // Numbers without a format.
      (8_695_588, "95588", "+86 95588"), (12_345, "2345", "+1 2345"),
      (44_700_090_012, "700090012", "+44 700090012"), (1, "1", "+1"),
      // Digits without a calling code, and more of them than a plan has.
      (999, "999", "+999"), (0, "0", "+0"),
      (4_912_345_678_901_234_567, "4912345678901234567", "+4912345678901234567"),
    ] as [(UInt64, String, String)])
  func forms(number: UInt64, national: String, international: String) {
    #expect(text(number, .national) == national)
    #expect(text(number, .international) == international)
    #expect(text(number, .e164) == "\(number)")
    #expect(text(number, .plus) == "+\(number)")
  }

  @Test("the international form has the number's digits, and the national form ends with the last ones")
  func digits() {
    // All calling codes, and the leading digits of most formats.
    for prefix in UInt64(10_000)..<100_000 {
      let number = prefix * 10_000_000 + 1_234_567
      let international = text(number, .international)
      if international.filter(\.isNumber) != "\(number)" { Issue.record("\(number): \(international)") }
      let national = text(number, .national)
      if !national.filter(\.isNumber).hasSuffix("4567") { Issue.record("\(number): \(national)") }
    }
  }
}
