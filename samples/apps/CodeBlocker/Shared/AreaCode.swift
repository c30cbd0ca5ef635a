// Parses and checks the prefixes that the owner wants to block. A prefix that is invalid or matches more numbers than
// iOS accepts is reported at once, not when the extension fails.

import Foundation
import NumberPlan

/// Why a code can't be blocked.
nonisolated enum AreaCodeError: Error, Equatable, Sendable {
  /// The text does not begin with a plus sign or 00 and a digit, or contains characters other than digits and
  /// separators.
  case notACode
  /// The digits do not begin with a country calling code.
  case unknownCountry
  /// No phone number begins with this code.
  case unknownCode
  /// The code matches more numbers than can still be blocked. A longer prefix matches fewer.
  case tooMany(count: UInt64, left: UInt64)
  /// The list already contains the code or a prefix of it.
  case covered(by: AreaCode)
}

/// A prefix of international numbers, including the country calling code.
nonisolated struct AreaCode: Hashable, Comparable, Codable, Sendable {
  /// The maximum number of digits: a complete number.
  static let digitsMax = 15

  /// The digits as a number; no code begins with 0.
  let digits: UInt64

  /// Parses a code that the owner typed, such as `+33 162`, `0082 70 1234` or `+1 (212) 555`.
  init(_ text: String) throws(AreaCodeError) {
    var digits: [UInt8] = []
    var hasPlus = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "+") where digits.isEmpty && !hasPlus: hasPlus = true
      case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "."):
        break
      default: throw .notACode
      }
    }
    if !hasPlus {
      // Without a plus sign or 00, the digits could belong to any country.
      guard digits.starts(with: [0, 0]) else { throw .notACode }
      digits.removeFirst(2)
    }
    guard let first = digits.first, first != 0, digits.count <= Self.digitsMax else { throw .notACode }
    let value = digits.reduce(UInt64(0)) { 10 * $0 + UInt64($1) }
    guard NumberPlan.callingCode(ofDigits: value) != nil else { throw .unknownCountry }
    self.digits = value
    if ranges.isEmpty { throw .unknownCode }
  }

  /// The numbers that begin with the code, for every valid length, as ascending ranges.
  var ranges: [ClosedRange<UInt64>] {
    let lengths = NumberPlan.validLengths(ofDigits: digits)
    let own = String(digits).count
    var ranges: [ClosedRange<UInt64>] = []
    var first = digits
    var width: UInt64 = 1
    for length in own...max(own, Self.digitsMax) {
      if lengths >> UInt64(length) & 1 == 1 { ranges.append(first...(first + (width - 1))) }
      if length == Self.digitsMax { break }
      first *= 10
      width *= 10
    }
    return ranges
  }

  /// The count of numbers that begin with the code.
  var count: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }

  /// Whether this code matches every number that `other` matches.
  func covers(_ other: AreaCode) -> Bool { String(other.digits).hasPrefix(String(digits)) }

  static func < (one: AreaCode, other: AreaCode) -> Bool { one.digits < other.digits }
}
