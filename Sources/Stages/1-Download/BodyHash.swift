// A SHA-256 that grows with the bytes.

import Crypto

/// The SHA-256 of the bytes so far.
struct BodyHash {
  /// The hex digits that a hash has.
  static let digitsCount = 64

  private(set) var byteCount: UInt64 = 0
  private var hash = SHA256()

  mutating func update(_ bytes: Span<UInt8>) {
    byteCount += UInt64(bytes.count)
    unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
  }

  /// The hash so far in lower-case hex digits; more may come behind it.
  var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in hash.finalize() {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The hash of a text.
  static func hex(of text: String) -> String {
    var hash = BodyHash()
    hash.update(Array(text.utf8).span)
    return hash.hex
  }

  /// A hash as a user may write it, in lower case; nil if it is none.
  static func normalized(_ text: String) -> String? {
    let isHash = text.utf8.count == digitsCount && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    return isHash ? text.lowercased() : nil
  }
}
