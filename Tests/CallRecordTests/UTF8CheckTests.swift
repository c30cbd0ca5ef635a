// The UTF-8 check against the standard library's.

import CallRecord
import TestSupport
import Testing

@Suite("UTF-8", .seeded)
struct UTF8CheckTests {
  static func agree(_ bytes: [UInt8]) -> Bool {
    UTF8Check.isValid(bytes.span) == (String(validating: bytes, as: UTF8.self) != nil)
  }

  @Test("every sequence of one and two bytes, and every lead with hostile followers")
  func short() {
    let followers: [UInt8] = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    #expect(Self.agree([]))
    for lead in UInt8.min...UInt8.max {
      #expect(Self.agree([lead]))
      for second in UInt8.min...UInt8.max where !Self.agree([lead, second]) {
        Issue.record("\(lead) \(second)")
      }
      for second in followers {
        for third in followers {
          if !Self.agree([lead, second, third]) { Issue.record("\(lead) \(second) \(third)") }
          for fourth in followers where !Self.agree([lead, second, third, fourth]) {
            Issue.record("\(lead) \(second) \(third) \(fourth)")
          }
        }
      }
    }
  }

  @Test("random bytes, and texts with a byte changed")
  func random() {
    var generator = SplitMix64(test: "utf-8")
    var valid = 0
    for _ in 0..<20_000 {
      var bytes = Array(RecordShape.text(&generator, most: 8).utf8)
      if !bytes.isEmpty, generator.chance(oneIn: 2) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      if generator.chance(oneIn: 3) {
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
      }
      if !Self.agree(bytes) { Issue.record("\(bytes)") }
      if UTF8Check.isValid(bytes.span) { valid += 1 }
    }
    #expect(valid > 2000 && valid < 18_000)
  }
}
