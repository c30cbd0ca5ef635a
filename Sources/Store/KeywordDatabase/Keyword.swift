// The keywords of Apple's keyword databases for Live Caller ID Lookup, and the shards that they belong to.
//
// Sources: apple/swift-homomorphic-encryption, KeywordDatabase.swift (the index of a shard) and EncodingPipeline.md
// (`doubleMod`); Apple's documentation "Getting up-to-date calling and blocking information for your app" (the keyword).

import CallRecord
import ContentHash

/// A number as a keyword: `+` and the digits of E.164.
package enum Keyword {
  /// The maximum length in bytes.
  package static let bytesMax = PhoneNumber.digitsMax + 1

  /// The keyword of a number.
  package static func bytes(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    append(number, to: &bytes)
    return bytes
  }

  /// Appends the keyword of a number.
  package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "+"))
    let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
    let digits = Decimal.eightDigits(UInt32(low))
    if high > 0 {
      append(
        Decimal.eightDigits(UInt32(truncatingIfNeeded: high)), last: Decimal.digitCount(high), to: &bytes)
      append(digits, last: 8, to: &bytes)
    } else {
      append(digits, last: Decimal.digitCount(low), to: &bytes)
    }
  }

  /// Appends the last `count` of the eight digits in a word.
  private static func append(_ digits: UInt64, last count: Int, to bytes: inout [UInt8]) {
    for index in (8 - count)..<8 { bytes.append(UInt8(truncatingIfNeeded: digits >> UInt64(8 * index))) }
  }

  /// The number of a keyword; nil if it is not `+` and 1 to 15 digits without a leading zero.
  package static func number(_ keyword: Span<UInt8>) -> UInt64? {
    guard keyword.count > 1, keyword[0] == UInt8(ascii: "+"),
      let (value, end) = Decimal.read(keyword, from: 1, to: keyword.count), end == keyword.count
    else { return nil }
    return value
  }

  /// The hash that decides on a keyword's shard: the first 8 bytes of its SHA-256 as a little-endian number.
  package static func hash(_ keyword: Span<UInt8>) -> UInt64 { ShortMessageHash.prefix(keyword) }
}

/// The function from a keyword's hash to the index of its shard.
///
/// It is the same for both databases. Apple's other function, `doubleMod`, divides by the number of identity shards first, so
/// that the block shard that a phone asks for reveals nothing more about the number; for powers of two the result is the
/// same, and phones before iOS 18.2 do not know it.
package struct ShardFunction: Equatable, Sendable {
  /// The number of shards.
  package var shards: Int

  package init(shards: Int) {
    self.shards = shards
  }

  /// Whether a number of shards is allowed: a power of two up to the maximum.
  package static func isAllowed(_ shards: Int) -> Bool {
    (1...shardsMax).contains(shards) && shards & (shards - 1) == 0
  }

  /// The maximum number of shards. Source: OSChanges.md of swift-homomorphic-encryption, iOS 27.3.
  package static let shardsMax = 65_536

  /// The index of a keyword's shard.
  package func index(_ hash: UInt64) -> Int { Int(hash % UInt64(shards)) }
}
