// Blocks of numbers with the same region and type, compared with single numbers.

import NumberPlan
import TestSupport
import Testing

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
