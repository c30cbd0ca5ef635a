// What parsing stripped before the national number, packed into one word. Not for the stripping itself (NumberPlan).

/// The rules that stripped something, and the stripped digits where they are of interest.
///
/// It is one word because it is passed through every step of every parse, and words are passed in registers. The five
/// lowest bits are the rules; a carrier code starts at bit 8, and an international prefix at bit 32. A digit is stored
/// as four bits with its value plus one, so that no count is needed; the first digit is lowest. The generator rejects
/// metadata with prefixes that don't fit.
struct ParseTrace: Sendable, Hashable {
  private var bits: UInt64 = 0

  private static let carrierShift: UInt64 = 8
  private static let carrierDigitsMax = 6
  private static let internationalShift: UInt64 = 32
  private static let internationalDigitsMax = 8

  var stripped: ParsedNumber.Stripped {
    ParsedNumber.Stripped(rawValue: UInt8(truncatingIfNeeded: bits))
  }

  @inline(__always)
  mutating func insert(_ rules: ParsedNumber.Stripped) { bits |= UInt64(rules.rawValue) }

  @inline(__always)
  mutating func formUnion(_ other: ParseTrace) { bits |= other.bits }

  /// Records that the first `count` of `digits` were an international prefix.
  @inline(__always)
  mutating func insertInternationalPrefix(_ digits: Digits, count: Int) {
    insert(.internationalPrefix)
    if count <= Self.internationalDigitsMax { insert(digits, count, at: Self.internationalShift) }
  }

  /// Records that the first `count` of `digits` were a carrier code.
  mutating func insertCarrierCode(_ digits: Digits, count: Int) {
    insert(.carrier)
    if count <= Self.carrierDigitsMax { insert(digits, count, at: Self.carrierShift) }
  }

  var carrierCode: String? { text(at: Self.carrierShift, Self.carrierDigitsMax) }
  var internationalPrefix: String? { text(at: Self.internationalShift, Self.internationalDigitsMax) }

  @inline(__always)
  private mutating func insert(_ digits: Digits, _ count: Int, at shift: UInt64) {
    let mask = (1 &<< UInt64(truncatingIfNeeded: count &* 4)) &- 1
    // No digit is greater than 9, so there is no carry.
    bits |= ((digits.firstSixteen & mask) &+ (0x1111_1111 & mask)) &<< shift
  }

  private func text(at shift: UInt64, _ capacity: Int) -> String? {
    var text = ""
    for place in 0..<capacity {
      let digit = UInt8(truncatingIfNeeded: bits >> (shift + UInt64(place) * 4)) & 15
      if digit == 0 { break }
      text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "0") + digit - 1))
    }
    return text.isEmpty ? nil : text
  }
}
