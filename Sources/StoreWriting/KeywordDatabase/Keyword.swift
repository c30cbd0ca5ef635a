// The keywords of Apple's keyword databases for Live Caller ID Lookup, and the shards that they belong to.
//
// Sources: apple/swift-homomorphic-encryption, KeywordDatabase.swift (the index of a shard) and EncodingPipeline.md
// (`doubleMod`); Apple's documentation "Getting up-to-date calling and blocking information for your app" (the keyword).

package import BasicContainers
import Records
import Hashing

/// A number as a keyword: `+` and the digits of E.164.
package struct Keyword: Equatable, Sendable {
  /// The maximum length in bytes.
  package static let bytesMax = PhoneNumber.digitsMax + 1

  private let message: ShortMessage

  /// The keyword of a number.
  package init(_ number: UInt64) {
    let (upper, lower) = number.quotientAndRemainder(dividingBy: 100_000_000)
    var low = Decimal.eightDigits(UInt32(truncatingIfNeeded: upper))
    var high = Decimal.eightDigits(UInt32(lower))
    // Sixteen digits, of which all leading zeros but one go; the last one makes space for the sign.
    let zeros = 2 * 8 - Decimal.digitCount(number) - 1
    let bits = UInt64(8 * (zeros % 8))
    if zeros >= 8 { (low, high) = (high, 0) }
    if bits > 0 { (low, high) = (low >> bits | high << (64 - bits), high >> bits) }
    low = low & ~0xFF | UInt64(UInt8(ascii: "+"))
    message = ShortMessage(low: low, high: high, count: 2 * 8 - zeros)
  }

  /// The bytes.
  package var bytes: [UInt8] { message.bytes }

  /// The number of bytes.
  package var count: Int { message.count }

  /// The hash that decides on the shard: the first 8 bytes of the SHA-256 as a little-endian number.
  package var hash: UInt64 { message.hash }

  /// Appends the bytes.
  package func append(to bytes: inout UniqueArray<UInt8>) {
    for index in 0..<message.count { bytes.append(message[index]) }
  }

  /// The number of a keyword; nil if it is not `+` and 1 to 15 digits without a leading zero.
  package static func number(_ keyword: Span<UInt8>) -> UInt64? {
    guard keyword.count > 1, keyword[0] == UInt8(ascii: "+"),
      let (value, end) = Decimal.read(keyword, from: 1, to: keyword.count), end == keyword.count
    else { return nil }
    return value
  }
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
