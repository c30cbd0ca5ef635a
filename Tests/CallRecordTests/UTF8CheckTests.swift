// The UTF-8 check against the standard library's.

import Records
import TestSupport
import Testing

@Suite("UTF-8", .seeded)
struct UTF8CheckTests {
  /// Whether both checks agree with the standard library.
  static func agree(_ bytes: [UInt8]) -> Bool {
    let isValid = String(validating: bytes, as: UTF8.self) != nil
    // The bytes after the text must not matter: a quote, then anything.
    let quoted = [0xE6] + bytes + [0x22] + [UInt8](repeating: 0x80, count: 7)
    return UTF8Check.isValid(bytes.span) == isValid
      && UTF8Check.isValid(quoted.span, from: 1, endingBeforeASCIIAt: 1 + bytes.count) == isValid
  }

  @Test("every sequence of one and two bytes, and every lead byte with hostile followers")
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

  static func ascii(_ generator: inout SplitMix64) -> [UInt8] {
    Array(repeating: 0x41, count: Int.random(in: 0...12, using: &generator))
  }

  @Test("every lead, second and third byte, among other bytes")
  func three() {
    for lead in UInt8(0xE0)...0xEF {
      for second in UInt8.min...UInt8.max {
        for third: UInt8 in [0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF] {
          let bytes = [lead, second, third]
          if !Self.agree(bytes + [0x41]) { Issue.record("\(bytes), then one byte") }
          if !Self.agree([0x41] + bytes + Array(repeating: 0x41, count: 8)) {
            Issue.record("\(bytes), then eight bytes")
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
      // Whatever comes before and after it: words of eight and of four bytes are checked at all positions.
      bytes.insert(contentsOf: Self.ascii(&generator), at: 0)
      bytes += Self.ascii(&generator)
      if !Self.agree(bytes) { Issue.record("\(bytes)") }
      if UTF8Check.isValid(bytes.span) { valid += 1 }
    }
    #expect(valid > 2000 && valid < 18_000)
  }
}
