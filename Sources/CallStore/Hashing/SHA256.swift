// SHA-256 of bytes that arrive in pieces and of short messages, and hexadecimal digits.

import CIntrinsics

#if canImport(CryptoKit)
  import CryptoKit
#endif

/// Computes the SHA-256 of bytes that arrive in pieces.
package struct SHA256Hasher: Sendable {
  package private(set) var byteCount: UInt64 = 0

  #if canImport(CryptoKit)
    private var hash = SHA256()
  #else
    private var hash = PlainSHA256()
  #endif

  /// Creates a hasher that has seen no bytes.
  package init() {}

  package mutating func update(_ bytes: Span<UInt8>) {
    // Bytes have no padding and no invalid values.
    unsafe update(bytes.bytes)
  }

  package mutating func update(_ bytes: RawSpan) {
    byteCount += UInt64(bytes.byteCount)
    unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
  }

  /// Adds the UTF-8 bytes of a text.
  package mutating func update(_ text: String) {
    update(Array(text.utf8).span)
  }

  /// The 32 bytes of the hash so far. More bytes may be added afterwards.
  package var digest: [UInt8] { Array(hash.finalize()) }

  /// The hash so far as 64 lower-case hexadecimal digits. More bytes may be added afterwards.
  package var hex: String { Hexadecimal.text(digest) }

  /// The hash of a text's UTF-8 bytes, as 64 lower-case hexadecimal digits.
  package static func hex(of text: String) -> String {
    var hasher = SHA256Hasher()
    hasher.update(text)
    return hasher.hex
  }
}

/// SHA-256 by functions in C, with the interface of CryptoKit's, for systems without a library of their own: it is
/// part of most outputs, and opening a library for it would take longer than hashing a short list.
package struct PlainSHA256: Sendable {
  private static let byteCount = 32
  private var hash = cdp_sha256_start()

  /// Creates a hash of no bytes. Tests do without the processor's instructions.
  package init(usesInstructions: Bool = true) {
    hash.is_portable = !usesInstructions
  }

  package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
    unsafe cdp_sha256_add(&hash, bytes.baseAddress, bytes.count)
  }

  /// The 32 bytes of the hash so far.
  package func finalize() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
      unsafe cdp_sha256_finish(hash, digest.baseAddress)
      count = Self.byteCount
    }
  }
}

/// A message of up to 16 bytes and its SHA-256. Shards of a keyword database are chosen by it.
///
/// Everything else that a number's row costs is 100 ns, and a hasher for any length may take longer: most of
/// it to make and copy its state. Hence a function for short messages.
package struct ShortMessage: Equatable, Sendable {
  package static let bytesMax = 16

  /// The first 8 bytes, the first one lowest; 0 beyond the message.
  package var low: UInt64
  package var high: UInt64
  package var count: Int

  package init(low: UInt64, high: UInt64, count: Int) {
    self.low = low
    self.high = high
    self.count = count
  }

  package subscript(index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: index < 8 ? low >> UInt64(8 * index) : high >> UInt64(8 * (index - 8)))
  }

  package var bytes: [UInt8] { (0..<count).map { self[$0] } }

  /// The first 8 bytes of the SHA-256 as a little-endian number.
  package var hash: UInt64 { cdp_sha256_prefix(low, high, UInt32(count), false) }

  /// The same without the processor's instructions for SHA-256, for tests.
  package var portableHash: UInt64 { cdp_sha256_prefix(low, high, UInt32(count), true) }
}

/// Converts between bytes and hexadecimal digits.
package enum Hexadecimal {
  /// The number of digits of a SHA-256.
  package static let sha256DigitCount = 64

  /// Writes two lower-case digits per byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The 32 bytes of a SHA-256 written as 64 lower-case digits; nil for any other text.
  package static func sha256(_ text: String) -> [UInt8]? { bytes(text, count: sha256DigitCount / 2) }

  /// The bytes of a text of lower-case digits, two for each; nil for any other text, and unless they are this many.
  package static func bytes(_ text: some StringProtocol, count: Int) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 2 * count else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// A SHA-256 in digits of either case, as lower-case digits; nil for any other text.
  package static func normalizedSHA256(_ text: String) -> String? {
    let isHash = text.utf8.count == sha256DigitCount && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    return isHash ? text.lowercased() : nil
  }

  /// Whether a byte is a lower-case hexadecimal digit.
  package static func isDigit(_ byte: UInt8) -> Bool { value(byte) != nil }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
