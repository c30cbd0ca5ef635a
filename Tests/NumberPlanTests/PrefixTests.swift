// Prefixes of numbers: their calling code, and the lengths of the numbers that start with them.

import NumberPlan
import Testing

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
