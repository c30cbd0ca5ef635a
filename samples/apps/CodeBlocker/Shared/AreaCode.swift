// Parses and checks the prefixes of numbers that the owner wants blocked: an invalid prefix, or one that stands for
// more numbers than iOS accepts, is reported at once and not when the extension fails.

import Foundation
import NumberPlan

/// Why a text can't be blocked as a code.
enum AreaCodeError: Error, Equatable, Sendable {
  /// It does not begin with a plus sign or 00 and a digit, or has something else in it than digits and what stands
  /// between them.
  case notACode
  /// Its digits begin with no country's calling code.
  case unknownCountry
  /// No number begins like this.
  case unknownCode
  /// It stands for more numbers than there is space for; a longer prefix stands for fewer.
  case tooMany(count: UInt64, left: UInt64)
  /// It is in the list, or a beginning of it is.
  case covered(by: AreaCode)
}

/// The beginning of numbers, with the calling code.
struct AreaCode: Hashable, Comparable, Codable, Sendable {
  /// The longest beginning: a whole number.
  static let digitsMax = 15

  /// The digits, as a number: none begins with 0.
  let digits: UInt64

  /// Reads what the owner typed: `+33 162`, `0082 70 1234`, `+1 (212) 555`.
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
      // Without a plus sign the digits could be any country's.
      guard digits.starts(with: [0, 0]) else { throw .notACode }
      digits.removeFirst(2)
    }
    guard let first = digits.first, first != 0, digits.count <= Self.digitsMax else { throw .notACode }
    let value = digits.reduce(UInt64(0)) { 10 * $0 + UInt64($1) }
    guard NumberPlan.callingCode(ofDigits: value) != nil else { throw .unknownCountry }
    self.digits = value
    if ranges.isEmpty { throw .unknownCode }
  }

  /// The numbers that begin with it, as long as numbers are there: ascending ranges.
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

  /// How many numbers begin with it.
  var count: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }

  /// Whether every number of another code is one of this one.
  func covers(_ other: AreaCode) -> Bool { String(other.digits).hasPrefix(String(digits)) }

  static func < (one: AreaCode, other: AreaCode) -> Bool { one.digits < other.digits }
}
