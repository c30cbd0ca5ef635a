// The rows of a keyword database: a file is nothing but rows, in any order.
//
//     message KeywordDatabase    { repeated KeywordDatabaseRow rows = 1; }
//     message KeywordDatabaseRow { bytes keyword = 1; bytes value = 2; }
//
// Source: apple/swift-homomorphic-encryption-protobuf, pir/v1/pir_database.proto; protobuf.dev, "Encoding".

package import BasicContainers
import Hashing
import Records
import SystemIO

package enum KeywordRow {
  /// The maximum length of a value in bytes. Source: HashBucket.swift, which stores it in 16 bits.
  package static let valueBytesMax = Int(UInt16.max)

  package static let bytesMax = 2 * (1 + Protobuf.varintBytesMax) + 2 + Keyword.bytesMax + valueBytesMax

  /// The field of a value, as it stands at the end of a row.
  package static func field(value: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    Protobuf.append(value, field: 2, to: &bytes)
    return bytes
  }

  /// Appends a row. `valueField` was made by ``field(value:)``.
  package static func append(
    _ keyword: Keyword, valueField: Span<UInt8>, to bytes: inout UniqueArray<UInt8>
  ) {
    bytes.append(Protobuf.tag(1))
    Protobuf.append(varint: UInt64(2 + keyword.count + valueField.count)) { bytes.append($0) }
    bytes.append(Protobuf.tag(1))
    bytes.append(UInt8(keyword.count))
    keyword.append(to: &bytes)
    bytes.append(copying: valueField)
  }

  /// The row at an index: the ranges of its keyword and value, and the index after it. Nil if the bytes end before the
  /// row does. Throws if they are no row.
  package static func read(
    _ bytes: Span<UInt8>, from start: Int
  ) throws(KeywordRowError) -> (keyword: Range<Int>, value: Range<Int>, end: Int)? {
    var at = start
    guard let row = try Protobuf.message(bytes, &at, field: 1, limit: bytesMax) else { return nil }
    var keyword: Range<Int>?
    var value = row.upperBound..<row.upperBound
    var inner = row.lowerBound
    while inner < row.upperBound {
      let tag = bytes[inner]
      guard tag == Protobuf.tag(1) || tag == Protobuf.tag(2),
        let field = try Protobuf.message(bytes, &inner, field: tag >> 3, limit: bytesMax),
        field.upperBound <= row.upperBound
      else { throw .invalid }
      if tag == Protobuf.tag(1) { keyword = field } else { value = field }
    }
    guard let keyword else { throw .invalid }
    return (keyword, value, row.upperBound)
  }
}

/// Bytes that are no row of a keyword database.
package enum KeywordRowError: Error {
  /// The bytes are not those of a row.
  case invalid
}

/// The parts of the encoding of protocol buffers that keyword databases need. Source: protobuf.dev, "Encoding".
enum Protobuf {
  /// The maximum length of a varint of 32 bits.
  static let varintBytesMax = 5

  static func tag(_ field: UInt8) -> UInt8 { field << 3 | 2 }

  @inline(__always)
  static func append(varint value: UInt64, _ append: (UInt8) -> Void) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  static func append(_ value: [UInt8], field: UInt8, to bytes: inout [UInt8]) {
    bytes.append(tag(field))
    append(varint: UInt64(value.count)) { bytes.append($0) }
    bytes += value
  }

  /// Appends a field that is a number; 0 is left out, as the encoding demands.
  static func append(_ value: UInt64, field: UInt8, to bytes: inout [UInt8]) {
    if value == 0 { return }
    bytes.append(field << 3)
    append(varint: value) { bytes.append($0) }
  }

  /// Reads a varint of up to 32 bits; nil if the bytes end before it does.
  static func varint(_ bytes: Span<UInt8>, _ at: inout Int) throws(KeywordRowError) -> UInt64? {
    var value: UInt64 = 0
    for shift in 0..<UInt64(varintBytesMax) {
      guard at < bytes.count else { return nil }
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << (7 * shift)
      if byte < 0x80 { return value }
    }
    throw .invalid
  }

  /// Reads a field of bytes of up to `limit` bytes and returns their range; nil if the bytes end before it does.
  static func message(
    _ bytes: Span<UInt8>, _ at: inout Int, field: UInt8, limit: Int
  ) throws(KeywordRowError) -> Range<Int>? {
    guard at < bytes.count else { return nil }
    guard bytes[at] == tag(field) else { throw .invalid }
    at += 1
    guard let count = try varint(bytes, &at) else { return nil }
    guard count <= UInt64(limit) else { throw .invalid }
    guard Int(count) <= bytes.count - at else { return nil }
    defer { at += Int(count) }
    return at..<at + Int(count)
  }
}

// The keywords of Apple's keyword databases for Live Caller ID Lookup, and the shards that they belong to.
//
// Sources: apple/swift-homomorphic-encryption, KeywordDatabase.swift (the index of a shard) and
// EncodingPipeline.md (`doubleMod`); Apple's documentation "Getting up-to-date calling and blocking
// information for your app" (the keyword).

/// A number as a keyword: `+` and the digits of E.164.
package struct Keyword: Equatable, Sendable {
  package static let bytesMax = PhoneNumber.digitsMax + 1

  private let message: ShortMessage

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

  package var bytes: [UInt8] { message.bytes }

  package var count: Int { message.count }

  /// The hash that decides on the shard: the first 8 bytes of the SHA-256 as a little-endian number.
  package var hash: UInt64 { message.hash }

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

  package func index(_ hash: UInt64) -> Int { Int(hash % UInt64(shards)) }
}

// MARK: - What a phone shows for a number
//
//     message CallIdentity { string name = 1; Icon icon = 2; uint32 cache_expiry_minutes = 3;
//       IdentityCategory category = 4; }
//
// Source: apple/pir-service-example, ConstructDatabase and its CallIdentity messages.

/// The caller that a phone shows for a number.
package struct CallIdentity: Equatable, Sendable {
  /// What kind of caller it is.
  package enum Category: UInt8, CaseIterable, Sendable {
    case unspecified = 0
    case person = 1
    case business = 2
  }

  package var name: String
  /// The minutes for which a phone keeps the answer; 0 for its own default.
  package var cacheMinutes: UInt32
  /// The kind of caller.
  package var category: Category

  package init(name: String, cacheMinutes: UInt32 = 0, category: Category = .unspecified) {
    self.name = name
    self.cacheMinutes = cacheMinutes
    self.category = category
  }

  /// The number and the identity that Apple looks up before it accepts a service. Source: Apple's documentation, "Setting
  /// up the HTTP endpoints for Live Caller ID Lookup".
  package static let test: (number: UInt64, identity: CallIdentity) =
    (14_085_551_212, CallIdentity(name: "Johnny Appleseed"))

  package var value: [UInt8] {
    var bytes: [UInt8] = []
    if !name.isEmpty { Protobuf.append(Array(name.utf8), field: 1, to: &bytes) }
    Protobuf.append(UInt64(cacheMinutes), field: 3, to: &bytes)
    Protobuf.append(UInt64(category.rawValue), field: 4, to: &bytes)
    return bytes
  }

  /// Reads the value of a row; nil if it is none. Icons and unknown fields are skipped.
  package init?(_ value: Span<UInt8>) {
    self.init(name: "")
    var at = 0
    do throws(KeywordRowError) {
      while at < value.count {
        let tag = value[at]
        switch tag & 7 {
        case 2:
          guard let field = try Protobuf.message(value, &at, field: tag >> 3, limit: value.count) else {
            return nil
          }
          if tag >> 3 == 1 {
            var bytes: [UInt8] = []
            bytes.append(copying: value.extracting(field))
            guard let name = String(validating: bytes, as: UTF8.self) else { return nil }
            self.name = name
          }
        case 0:
          at += 1
          guard let number = try Protobuf.varint(value, &at) else { return nil }
          if tag >> 3 == 3 { cacheMinutes = UInt32(truncatingIfNeeded: number) }
          if tag >> 3 == 4 {
            category = Category(rawValue: UInt8(truncatingIfNeeded: number)) ?? .unspecified
          }
        default: return nil
        }
      }
    } catch {
      return nil
    }
  }
}
