// The rows of a keyword database: a file is nothing but rows, in any order.
//
//     message KeywordDatabase    { repeated KeywordDatabaseRow rows = 1; }
//     message KeywordDatabaseRow { bytes keyword = 1; bytes value = 2; }
//
// Source: apple/swift-homomorphic-encryption-protobuf, pir/v1/pir_database.proto; protobuf.dev, "Encoding".

package import BasicContainers
import Records

/// Writes and reads rows.
package enum KeywordRow {
  /// The maximum length of a value in bytes. Source: HashBucket.swift, which stores it in 16 bits.
  package static let valueBytesMax = Int(UInt16.max)

  /// The maximum length of a row in bytes.
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

  /// The tag of a field of bytes.
  static func tag(_ field: UInt8) -> UInt8 { field << 3 | 2 }

  /// Appends the bytes of a varint, one by one.
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
