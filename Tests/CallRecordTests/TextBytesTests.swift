// Numbers as digits, and the UTF-8 check against the standard library's.

import Records
import TestSupport
import Testing

@Suite("Decimal", .seeded)
struct DecimalTests {
  static func read(_ text: String) -> (value: UInt64, end: Int)? {
    let bytes = Array(text.utf8)
    return Decimal.read(bytes.span, from: 0, to: bytes.count)
  }

  @Test("a formatted number is parsed again, whatever follows it")
  func roundTrip() {
    var generator = SplitMix64(test: "decimal")
    for digits in 1...PhoneNumber.digitsMax {
      for _ in 0..<200 {
        let low = UInt64(String(repeating: "9", count: digits - 1)).map { $0 + 1 } ?? 1
        let high = UInt64(String(repeating: "9", count: digits)) ?? 9
        let value =
          [low, high, UInt64.random(in: low...high, using: &generator)].randomElement(using: &generator)
          ?? low
        let read = Self.read("\(value)\t label")
        #expect(read?.value == value)
        #expect(read?.end == digits)
        #expect(Decimal.digitCount(value) == digits)
      }
    }
    #expect(Self.read("\(PhoneNumber.max)")?.value == PhoneNumber.max)
    #expect(PhoneNumber.max < 1 << PhoneNumber.bits)
  }

  @Test("8 to 15 digits, with leading zeros, are parsed in two steps; any other byte among them is detected")
  func whole() {
    var generator = SplitMix64(test: "whole")
    for count in Decimal.wholeDigitsMin...PhoneNumber.digitsMax {
      let tail = Decimal.TailFactors(count: count)
      for _ in 0..<200 {
        var text = generator.bytes(count, in: 0x30...0x39)
        let start = Int.random(in: 0..<3, using: &generator)
        let bytes = [UInt8](repeating: 0x2B, count: start) + text
        let read = unsafe Decimal.readWhole(bytes.span.bytes, from: start, count: count, tail)
        #expect(read?.eight == UInt64(String(decoding: text.prefix(8), as: UTF8.self)))
        #expect(read?.all == UInt64(String(decoding: text, as: UTF8.self)))
        // One byte that is not a digit, at every position.
        let place = Int.random(in: 0..<count, using: &generator)
        repeat {
          text[place] = UInt8.random(in: 0...255, using: &generator)
        } while text[place] &- 0x30 < 10
        let other = unsafe Decimal.readWhole(text.span.bytes, from: 0, count: count, tail)
        #expect(other == nil, "\(text)")
      }
    }
  }

  @Test(
    "no number",
    arguments: [
      "", "0", "00", "007", "0861", "-1", "+86", " 1", "x", "٣", "1000000000000000", "9999999999999999",
      "18446744073709551617", "100000000000000000000000000000",
    ])
  func notANumber(_ text: String) {
    #expect(Self.read(text) == nil)
  }

  @Test("only the bytes between start and end are read")
  func bounds() {
    let bytes = Array("12345678901234567890".utf8)
    let middle = Decimal.read(bytes.span, from: 3, to: 7)
    #expect(middle?.value == 4567)
    #expect(middle?.end == 7)
    #expect(Decimal.read(bytes.span, from: 7, to: 7) == nil)
    // Sixteen digits are too many, even if the text ends right after them.
    #expect(Decimal.read(bytes.span, from: 0, to: 16) == nil)
    #expect(Decimal.read(bytes.span, from: 0, to: 15)?.value == 123_456_789_012_345)
  }

  @Test("any byte that is not a digit ends a number, at every position")
  func everyByte() {
    let digits = Array("123456789012345".utf8)
    for place in 1..<digits.count {
      for byte in UInt8.min...UInt8.max where byte < 0x30 || byte > 0x39 {
        var text = digits
        text[place] = byte
        let read = Decimal.read(text.span, from: 0, to: text.count)
        expectEqual(read?.end, place, "byte \(byte) at \(place)")
        expectEqual(read?.value, UInt64("123456789012345".prefix(place)), "byte \(byte) at \(place)")
      }
    }
  }

  static func eightDigits(_ value: UInt32) -> String {
    let word = Decimal.eightDigits(value)
    return String(
      decoding: (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }, as: UTF8.self)
  }

  static func padded(_ value: UInt32) -> String {
    let text = String(value)
    return String(repeating: "0", count: 8 - text.count) + text
  }

  @Test("eight digits at once")
  func eightDigits() {
    var generator = SplitMix64(test: "eight digits")
    // Every pair of values of a lane: the lanes must not affect each other.
    for low in UInt32(0)..<10_000 {
      #expect(Self.eightDigits(low) == Self.padded(low))
      #expect(Self.eightDigits(low * 10_000) == Self.padded(low * 10_000))
    }
    for _ in 0..<20_000 {
      let value = UInt32.random(in: 0..<100_000_000, using: &generator)
      #expect(Self.eightDigits(value) == Self.padded(value))
    }
    #expect(Self.eightDigits(99_999_999) == "99999999")
  }

  @Test("digits are counted")
  func digitCount() {
    #expect(Decimal.digitCount(0) == 1)
    #expect(Decimal.digitCount(.max) == 20)
    var power: UInt64 = 1
    for digits in 1...19 {
      #expect(Decimal.digitCount(power) == digits)
      #expect(digits == 1 || Decimal.digitCount(power - 1) == digits - 1)
      power &*= 10
    }
  }
}

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
